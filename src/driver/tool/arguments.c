/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the command line of a subcommand by getopt_long(), checks the tables of options in debug builds, and sets
 * options of the library. Runs first in each subcommand. Prints help and version on stdout, and errors on stderr. The
 * subcommand owns the tables of options and the results; the file holds no state.
 */
#include "driver/tool/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/nearest.h"
#include "driver/tool.h"

static bool is_in_help(const struct cn_arguments *arguments, const struct option *option)
{
  size_t length = strlen(option->name);
  char letter[] = {'-', (char)option->val, ' ', 0};

  if (option->val < 256 && strchr(arguments->letters, option->val) && strstr(arguments->help, letter))
    return true;
  for (const char *at = arguments->help; (at = strstr(at, "--")) != NULL;) {
    at += 2;
    if (strncmp(at, option->name, length) == 0 && strchr(" =[],\n", at[length]))
      return true;
  }
  return false;
}

const char *cn_arguments_wrong(const struct cn_arguments *arguments)
{
  const struct option *option = arguments->options;

  if (!strchr(arguments->letters, 'h') || strncmp(arguments->help, "usage: ", 7) != 0)
    return "arguments: -h is missing, or help does not begin with the usage";
  for (; option->name; option++)
    if (!is_in_help(arguments, option))
      return "arguments: the help does not have an option";
  if (option - arguments->options < 2 || option[-1].val != 'v' || option[-2].val != 'h')
    return "arguments: --help and --version are not the last options";
  return NULL;
}

int cn_arguments_set_compile_option(struct cairn_compile_options *options, const char *name)
{
  char *wrong;

  if (cairn_compile_set(options, name, optarg, &wrong) == CAIRN_OK)
    return CN_EXIT_OK;
  cn_tool_error("--%s", wrong);
  free(wrong);
  return CN_EXIT_USAGE;
}

/* After getopt_long() has refused the word `refused`: print the nearest option if the word is an unknown long option.
 */
static int suggest_option(const struct cn_arguments *arguments, const char *refused)
{
  size_t length = strcspn(refused, "=");

  if (optopt != 0 || strncmp(refused, "--", 2) != 0)
    return CN_EXIT_USAGE;
  struct cn_nearest nearest = cn_nearest_to(refused + 2, length - 2);
  for (const struct option *option = arguments->options; option->name; option++) {
    if (strncmp(option->name, refused + 2, length - 2) == 0)
      return CN_EXIT_USAGE; /* the start of several names, which getopt_long() has listed */
    cn_nearest_offer(&nearest, option->name, strlen(option->name));
  }
  if (nearest.name)
    fprintf(stderr, "%s: did you mean '--%s'?\n", cn_tool_name, nearest.name);
  return CN_EXIT_USAGE;
}

/* Whether the word before argv[optind] is the start of a long option's name only. getopt_long() takes such a word, and
 * takes the first of several options that have the same `val`. */
static bool is_abbreviated(char **argv, const struct option *option)
{
  const char *word = argv[optind - 1];

  if (option->has_arg == required_argument && optarg == word)
    word = argv[optind - 2];
  return strcspn(word, "=") != strlen("--") + strlen(option->name);
}

static int refuse_abbreviation(const struct option *option)
{
  cn_tool_error("options are written in full: '--%s'", option->name);
  return CN_EXIT_USAGE;
}

static int print_help(const struct cn_arguments *arguments)
{
  fputs(arguments->help, stdout);
  if (arguments->more)
    arguments->more();
  return CN_EXIT_OK;
}

int cn_arguments_parse(int argc, char **argv, const struct cn_arguments *arguments, void *env)
{
  CN_CHECK(argc > 0);
  CN_ASSERT_VALID(cn_arguments_wrong(arguments));
  cn_tool_name = argv[0] = arguments->name; /* getopt prints this name before its messages */
  for (;;) {
    int which = -1, status;
    int letter = getopt_long(argc, argv, arguments->letters, arguments->options, &which);
    const struct option *option = which < 0 ? NULL : &arguments->options[which]; /* null for a letter */

    if (letter == -1)
      return -1;
    if (letter == '?') /* getopt has reported it */
      return suggest_option(arguments, argv[optind - 1]);
    if (option && is_abbreviated(argv, option))
      return refuse_abbreviation(option);
    if (letter == 'h')
      return print_help(arguments);
    if (letter == 'v')
      return cn_tool_print_version(), CN_EXIT_OK;
    status = arguments->take(env, letter, option ? option->name : NULL);
    if (status != CN_EXIT_OK)
      return status;
  }
}
