/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn-migrate`: makes a C program managed. Reads all units, decides for each pointer whether it becomes a reference,
 * and prints or makes the edits. Messages go to stderr.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "migrate/program.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char help_text[] =
    "usage: cairn-migrate [OPTION]... FILE... [-- CLANG-OPTION...]\n"
    "       cairn-migrate [OPTION]... -p FOLDER [FILE...]\n\n"
    "Make a C program managed: add `managed` to its pointers, make objects by cairn_new(), drop free().\n"
    "Give all C files of the program at once, or the folder of its compile_commands.json. The diff goes\n"
    "to stdout; the places that need a person and the counts go to stderr.\n\n"
    "  -p, --database=FOLDER  take files and options from FOLDER/compile_commands.json\n"
    "  --dry-run              print the diff, and change no file (the default)\n"
    "  --in-place             change the files\n"
    "  --list                 print only the places that need a person, on stdout\n"
    "  --prefer=managed       objects become managed although a place needs a person\n"
    "  --prefer=ordinary      objects with such a place stay ordinary (the default)\n"
    "  --strings              also migrate pointers to char\n"
    "  --help, --version\n\n"
    "The exit status is 0 if the program was read, also if places need a person; 1 after an error; and 2\n"
    "after wrong arguments.\n";

struct arguments {
  const char *database;
  char **clang; /* after "--" */
  int clang_count;
};

static int usage_error(const char *text, const char *word)
{
  fprintf(stderr, "cairn-migrate: error: %s%s\ncairn-migrate: try 'cairn-migrate --help'\n", text, word);
  return EXIT_USAGE;
}

/* Applies one option. Returns -1, or an exit status. */
static int take_option(struct cn_program *program, struct arguments *arguments, int letter)
{
  switch (letter) {
  case 'p':
    arguments->database = optarg;
    return -1;
  case 'd':
    return -1;
  case 'i':
    program->options.in_place = true;
    return -1;
  case 'l':
    program->options.list = true;
    return -1;
  case 's':
    program->options.strings = true;
    return -1;
  case 'r':
    program->options.prefer = strcmp(optarg, "managed") == 0;
    if (program->options.prefer || strcmp(optarg, "ordinary") == 0)
      return -1;
    return usage_error("--prefer takes managed or ordinary, and not ", optarg);
  case 'h':
    fputs(help_text, stdout);
    return EXIT_DONE;
  case 'v':
    printf("cairn-migrate %s\n", CAIRN_VERSION);
    return EXIT_DONE;
  default:
    fputs("cairn-migrate: try 'cairn-migrate --help'\n", stderr);
    return EXIT_USAGE;
  }
}

/* Splits the clang options off at "--". */
static int split_arguments(int argc, char **argv, struct arguments *arguments)
{
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--") != 0)
      continue;
    arguments->clang = argv + i + 1;
    arguments->clang_count = argc - i - 1;
    argv[i] = NULL;
    return i;
  }
  return argc;
}

static int parse_options(int argc, char **argv, struct cn_program *program, struct arguments *arguments)
{
  static const struct option options[] = {{"database", required_argument, NULL, 'p'},
                                          {"dry-run", no_argument, NULL, 'd'},
                                          {"in-place", no_argument, NULL, 'i'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"prefer", required_argument, NULL, 'r'},
                                          {"strings", no_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
  int letter, status;

  while ((letter = getopt_long(argc, argv, "p:h", options, NULL)) != -1)
    if ((status = take_option(program, arguments, letter)) >= 0)
      return status;
  if (optind == argc && !arguments->database)
    return usage_error("no file", "");
  if (arguments->database && arguments->clang_count)
    return usage_error("options of clang come from the compilation database", "");
  if (program->options.list && program->options.in_place)
    return usage_error("--list changes no file", "");
  return -1;
}

/* The folder of Cairn's headers, beside the folder of this program. The caller frees it. */
static char *find_include(void)
{
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

  if (length < 0)
    return NULL;
  self[length] = 0;
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(self, '/');
    if (!slash)
      return NULL;
    *slash = 0;
  }
  char *path = cn_format("%s/include/cairn/cairn.h", self);
  bool found = access(path, R_OK) == 0;
  free(path);
  return found ? cn_format("%s/include", self) : NULL;
}

static bool parse_units(struct cn_program *program, CXIndex index, const struct arguments *arguments, char **paths,
                        int count)
{
  bool good = true;

  if (arguments->database)
    return cn_unit_parse_database(program, index, arguments->database, paths, count);
  for (int i = 0; i < count; i++)
    good &= cn_unit_parse(program, index, paths[i], (const char *const *)arguments->clang, arguments->clang_count);
  return good;
}

/* Writes a new file beside the old one, and renames it. */
static bool write_file(const struct cn_source *source)
{
  char *text = cn_source_edited(source, 0, source->size), *temporary = cn_format("%s.XXXXXX", source->path);
  int descriptor = mkstemp(temporary);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  bool good = file && fputs(text, file) != EOF;

  if (file)
    good &= fclose(file) == 0;
  good = good && rename(temporary, source->path) == 0;
  if (!good) {
    fprintf(stderr, "cairn-migrate: error: %s: %s\n", source->path, strerror(errno));
    if (descriptor >= 0)
      unlink(temporary);
  }
  free(temporary);
  free(text);
  return good;
}

static bool put_out(struct cn_program *program)
{
  bool good = true;

  for (size_t i = 1; i < program->files.count; i++) {
    const struct cn_source *source = program->files.at[i].source;
    if (!source || !source->edits.count)
      continue;
    if (program->options.in_place)
      good &= write_file(source);
    else if (!program->options.list)
      cn_source_diff(source, stdout);
  }
  return good;
}

static void print_counts(const struct cn_counts *counts, FILE *out)
{
  double share = counts->lines ? 100.0 * (double)counts->changed / (double)counts->lines : 0;

  fprintf(out, "%zu pointers managed, %zu allocations turned, %zu frees dropped, %zu places left\n", counts->pointers,
          counts->allocations, counts->frees, counts->places);
  fprintf(out, "%zu of %zu lines changed (%.1f %%)\n", counts->changed, counts->lines, share);
}

static int migrate(struct cn_program *program)
{
  struct cn_counts counts = {0};
  FILE *out = program->options.list ? stdout : stderr;

  cn_allocators_find(program);
  for (size_t i = 0; i < program->units.count; i++)
    cn_statements_walk_unit(program, program->units.at[i]);
  cn_calls_resolve(program);
  cn_solve(program);
  cn_rewrite(program, &counts);
  counts.places = cn_report_places(program, out);
  bool good = put_out(program);
  print_counts(&counts, out);
  return good && fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}

int main(int argc, char **argv)
{
  struct cn_program program = {0};
  struct arguments arguments = {0};
  int count = split_arguments(argc, argv, &arguments);
  int status = parse_options(count, argv, &program, &arguments);

  if (status >= 0)
    return status;
  char *include = find_include();
  if (!include) {
    fputs("cairn-migrate: error: no include/cairn/cairn.h beside the folder of this program\n", stderr);
    return EXIT_FAILED;
  }
  program.options.include = include;
  CXIndex index = clang_createIndex(0, 0);
  status = parse_units(&program, index, &arguments, argv + optind, count - optind) ? migrate(&program) : EXIT_FAILED;
  cn_program_free(&program);
  clang_disposeIndex(index);
  free(include);
  return status;
}
