/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the command line of a subcommand: its options, --help and --version.
 */
#ifndef CN_DRIVER_TOOL_ARGUMENTS_H
#define CN_DRIVER_TOOL_ARGUMENTS_H

#include <getopt.h>
#include <stddef.h>
#include <cairn/compile.h>

/* The last rows of `options`. */
#define CN_ARGUMENTS_COMMON {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, {NULL, 0, NULL, 0}

struct cn_arguments {
  char *name;          /* messages begin with it */
  const char *help;    /* the text of --help; it names each of `options` */
  void (*more)(void);  /* prints more help after that; may be null */
  const char *letters; /* single-letter options as getopt() has them; "h" at least */
  const struct option *options;
  /* Take an option, whose argument is in `optarg`: CN_EXIT_OK, or CN_EXIT_USAGE after a message.
   * `name`: the long option's. */
  int (*take)(void *env, int letter, const char *name);
};

/* The part of the invariant that a command line's tables break; null: all holds. Each option has a line of help, and
 * --help and --version are the last ones. Linear in the help for each option. */
const char *cn_arguments_wrong(const struct cn_arguments *arguments);

/* Take an option that the library has under the same name, with the argument in `optarg`.
 * CN_EXIT_OK, or CN_EXIT_USAGE after a message. */
int cn_arguments_set_compile_option(struct cairn_compile_options *options, const char *name);

/* Take all options. -1: go on, operands begin at argv[optind]. Otherwise a status to exit with:
 * --help or --version was printed, or an option is wrong. */
int cn_arguments_parse(int argc, char **argv, const struct cn_arguments *arguments, void *env);

#endif
