/* SPDX-License-Identifier: Apache-2.0
 *
 * The program tiny: options, and runs of files. Managed C; state of the main thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"
#include "object.h"

static const char usage[] = "usage: tiny [options] [file [arguments]]\n"
                            "  -e CODE           runs the code\n"
                            "  --check           compiles the file only\n"
                            "  --dump-bytecode   prints the byte code of the file\n"
                            "  --interpret       compiles nothing to machine code\n"
                            "  --help, --version\n";

struct options {
  const char *code, *file;
  bool is_check, is_dump;
  int used; /* of the command line */
};

/* Reads the options; the program ends at an unknown one. */
static void read_options(int argc, char **argv, struct options *options)
{
  int i;

  for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
    if (!strcmp(argv[i], "--help")) {
      fputs(usage, stdout);
      exit(0);
    } else if (!strcmp(argv[i], "--version")) {
      puts("tiny " CAIRN_VERSION);
      exit(0);
    } else if (!strcmp(argv[i], "-e") && i + 1 < argc) {
      options->code = argv[++i];
    } else if (!strcmp(argv[i], "--check")) {
      options->is_check = true;
    } else if (!strcmp(argv[i], "--dump-bytecode")) {
      options->is_dump = true;
    } else if (strcmp(argv[i], "--interpret") != 0) {
      fprintf(stderr, "tiny: unknown option '%s'\n%s", argv[i], usage);
      exit(2);
    }
  }
  if (i < argc && !options->code)
    options->file = argv[i++];
  options->used = i;
}

/* Compiles only; prints the code if asked. */
static int compile(const struct options *options, const char *name, const char *text, size_t length)
{
  struct tiny_program program = {0};
  struct tiny_error error;
  bool is_new;

  if (!tiny_compile(tiny_source_new(name, text, length), tiny_module(name, &is_new), &program, &error)) {
    fprintf(stderr, "%s:%u:%u: %s\n", error.source->name, error.line, error.column, error.text);
    tiny_print_excerpt(stderr, error.source, error.line, error.column);
    return 1;
  }
  for (uint32_t i = 0; i < program.count && options->is_dump; i++)
    tiny_print_function(tiny_function_at(tiny_tables, program.functions[i]));
  return 0;
}

static int run(const struct options *options, const char *name, const char *text, size_t length)
{
  bool is_new;

  if (options->is_check || options->is_dump)
    return compile(options, name, text, length);
  if (!tiny_is_thrown(tiny_run(name, text, length, tiny_module(name, &is_new))))
    return 0;
  tiny_report(stderr);
  return 1;
}

int main(int argc, char **argv)
{
  struct options options = {0};
  size_t length;
  char *text;

  read_options(argc, argv, &options);
  if (!tiny_begin(argc - options.used, argv + options.used)) {
    tiny_report(stderr);
    return 1;
  }
  if (options.code)
    return run(&options, "(code)", options.code, strlen(options.code));
  if (!options.file) {
    fputs(usage, stderr);
    return 2;
  }
  text = tiny_read_file(options.file, &length);
  if (!text) {
    fprintf(stderr, "tiny: %s: %s\n", options.file, strerror(errno));
    return 1;
  }
  int status = run(&options, options.file, text, length);
  free(text);
  return status;
}
