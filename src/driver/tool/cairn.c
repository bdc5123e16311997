/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn`, the tool: main() finds the subcommand by its name and runs it; each subcommand has a file. Prints help and
 * version on stdout, errors on stderr. Lost output on stdout is an error. Holds no state.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/nearest.h"
#include "driver/tool.h"

struct subcommand {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
};

static const struct subcommand subcommands[] = {
    {"opt", cn_opt_main, "run passes, ours or LLVM's, over a module"},
    {"verify", cn_verify_main, "check that no reference is used after it may have moved"},
    {"stackmap", cn_stackmap_main, "print the LLVM stack maps of an object"},
    {"frames", cn_frames_main, "print the frame maps of an object, executable or shared object"},
    {"size", cn_size_main, "count the bytes of the maps in objects, executables and shared objects"},
    {"heap", cn_heap_main, "print what is in a heap dump, and what keeps it alive"},
    {"explain", cn_explain_main, "show what the compiler did to a source, as a page; or explain a rule"},
    {"layouts", cn_layouts_main, "print the types of managed objects, with their fields"},
    {"check-llvm", cn_check_llvm_main, "try known defects of LLVM's statepoints on any opt and llc"},
};
enum { SUBCOMMAND_COUNT = sizeof subcommands / sizeof *subcommands };

static void print_help(FILE *out)
{
  fputs("usage: cairn SUBCOMMAND [options] FILE\n"
        "       cairn SUBCOMMAND --help, cairn help SUBCOMMAND\n"
        "       cairn --help | --version\n\nsubcommands:\n",
        out);
  for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
    fprintf(out, "  %-10s %s\n", subcommands[i].name, subcommands[i].help);
  fputs("\n  --help, --version\n\nExit status: 0; 1 if the input was refused; 2 for bad usage.\n", out);
}

static int refuse_name(const char *name)
{
  static const char *const others[] = {"help", "--help", "--version"};
  struct cn_nearest nearest = cn_nearest_to(name, strlen(name));

  for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
    cn_nearest_offer(&nearest, subcommands[i].name, strlen(subcommands[i].name));
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    cn_nearest_offer(&nearest, others[i], strlen(others[i]));
  cn_tool_error("unknown %s '%s'%s%s%s (see cairn --help)", *name == '-' ? "option" : "subcommand", name,
                nearest.name ? "; did you mean '" : "", nearest.name ? nearest.name : "", nearest.name ? "'?" : "");
  return CN_EXIT_USAGE;
}

static int run_subcommand(int argc, char **argv)
{
  const char *name = argv[0];

  for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
    if (strcmp(name, subcommands[i].name) == 0)
      return subcommands[i].run(argc, argv);
  return refuse_name(name);
}

static int run_help(int argc, char **argv)
{
  static char option[] = "--help";
  char *of_subcommand[] = {argc > 2 ? argv[2] : NULL, option, NULL};

  if (argc > 3) {
    cn_tool_error("'%s' takes one subcommand", argv[1]);
    return CN_EXIT_USAGE;
  }
  if (argc > 2)
    return run_subcommand(2, of_subcommand);
  print_help(stdout);
  return CN_EXIT_OK;
}

static int run_cairn(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;

  if (!name) {
    print_help(stderr);
    return CN_EXIT_USAGE;
  }
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
    return run_help(argc, argv);
  if (strcmp(name, "--version") == 0) {
    cn_tool_print_version();
    return CN_EXIT_OK;
  }
  return run_subcommand(argc - 1, argv + 1);
}

/* Fail if output was lost, so that part of a document never seems to be a complete document. */
int main(int argc, char **argv)
{
  int status = run_cairn(argc, argv);
  bool lost = ferror(stdout);

  errno = EIO; /* the reason of an earlier loss is no longer available */
  if (fflush(stdout) == 0 && !lost)
    return status;
  cn_tool_error("unable to write standard output: %s", strerror(errno));
  return status == CN_EXIT_OK ? CN_EXIT_FAILED : status;
}
