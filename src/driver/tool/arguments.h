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
  char *name;          /* the name at the start of messages */
  const char *help;    /* the text of --help, which names each option of `options` */
  void (*more)(void);  /* prints more help after `help`; may be null */
  const char *letters; /* single-letter options in getopt()'s form, with at least "h" */
  const struct option *options;
  /* Apply an option, whose argument is in `optarg`. Returns CN_EXIT_OK, or CN_EXIT_USAGE after a message. `name` is the
   * name of a long option, and null for a letter. */
  int (*take)(void *env, int letter, const char *name);
};

/* Null, or a description of an error in a command line's tables. Each option has a line of help, and --help and
 * --version are the last options. Linear in the help for each option. */
const char *cn_arguments_wrong(const struct cn_arguments *arguments);

/* Apply an option that the library has under the same name, with the argument in `optarg`. Returns CN_EXIT_OK, or
 * CN_EXIT_USAGE after a message. */
int cn_arguments_set_compile_option(struct cairn_compile_options *options, const char *name);

/* Apply all options. Returns -1 if the command continues with the operands from argv[optind] on. Otherwise returns an
 * exit status, because --help or --version was printed, or because an option is wrong. */
int cn_arguments_parse(int argc, char **argv, const struct cn_arguments *arguments, void *env);

#endif
