/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn explain`: compiles a unit and writes the page that shows the result, or prints the text of a rule on stdout.
 * Errors and the compiler's diagnostics go to stderr. The state of a run is in struct explain_request and struct
 * cn_explain.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "driver/explain/page.h"
#include "driver/rules.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"

static const char help_text[] =
    "usage: cairn explain [-o OUT.html] FILE.{c,ll,bc} [-- OPTION...]\n"
    "       cairn explain RULE\n\n"
    "Compile the file as cairn-cc does, and write one HTML page: each line of the source with the IR and\n"
    "the assembly that it became; each safepoint with its reason, the references that are live there, and\n"
    "their registers and slots; relocations; loops, allocations and barriers that were changed; errors.\n"
    "With the name of a rule, as errors and remarks have it in brackets, print the rule's text.\n\n"
    "  -o OUT            the page (default: list.c.html for list.c, in this folder); '-' is standard output\n"
    "  -- OPTION...      options for the compiler; before them, it gets -O2\n"
    "  --help, --version\n";

struct explain_request {
  const char *output;
};

static int apply_option(void *env, int letter, const char *name)
{
  struct explain_request *request = env;

  (void)letter;
  (void)name;
  request->output = optarg;
  return CN_EXIT_OK;
}

/* A rule's name has neither dots nor slashes. */
static bool is_file_name(const char *word)
{
  return strpbrk(word, "./") != NULL || access(word, F_OK) == 0;
}

static char *default_output_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return cn_format("%s.html", slash ? slash + 1 : path);
}

/* The compiler's options as the page shows them. */
static char *join_options(char **words, int count)
{
  char *joined = cn_strdup("-O2");

  for (int i = 0; i < count; i++) {
    char *longer = cn_format("%s %s", joined, words[i]);
    free(joined);
    joined = longer;
  }
  return joined;
}

static bool write_page(const struct cn_explain *explain, const char *output)
{
  char *page = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&page, &size);

  CN_CHECK(out != NULL);
  cn_page_write(out, explain);
  CN_CHECK(fclose(out) == 0 && page != NULL);
  bool written = cn_output_write(output, page, size);
  if (written && strcmp(output, "-") != 0)
    printf("wrote %s\n", output);
  free(page);
  return written;
}

/* `words` are the compiler's options. A refused unit gets a page, too. */
static int explain_file(const char *path, char **words, int count, const char *output)
{
  struct cn_explain explain = {0};
  char *options = join_options(words, count), *own = output ? NULL : default_output_of(path);

  int status = cn_explain_compile(&explain, path, words, count);
  explain.options = options;
  if ((status == CN_EXIT_OK || explain.failed) && !write_page(&explain, output ? output : own))
    status = CN_EXIT_FAILED;
  cn_explain_free(&explain);
  free(options);
  free(own);
  return status;
}

/* The index of "--" in argv, or argc. */
static int find_separator(int argc, char **argv)
{
  int at = 1;

  while (at < argc && strcmp(argv[at], "--") != 0)
    at++;
  return at;
}

int cn_explain_main(int argc, char **argv)
{
  static const struct option options[] = {CN_ARGUMENTS_COMMON};
  static char name[] = "cairn explain";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "ho:", .options = options, .take = apply_option};
  struct explain_request request = {0};
  int own = find_separator(argc, argv), words = own < argc ? own + 1 : argc;
  int status = cn_arguments_parse(own, argv, &arguments, &request);

  if (status >= 0)
    return status;
  if (own - optind != 1) {
    cn_tool_error("one file or one rule is needed (see --help)");
    return CN_EXIT_USAGE;
  }
  const char *operand = argv[optind];
  if (is_file_name(operand))
    return explain_file(operand, argv + words, argc - words, request.output);
  if (request.output || own < argc) {
    cn_tool_error("'%s' is no file, and a rule has no options", operand);
    return CN_EXIT_USAGE;
  }
  return cn_rules_explain(operand, "neither a file nor a rule");
}
