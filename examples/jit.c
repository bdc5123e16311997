/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed code that is compiled, loaded, run and removed in one process, by a JIT session (docs/jit.md).
 *
 *   cairn-cc -fcairn-manage=marked jit.c $(pkg-config --cflags --libs cairn-jit) -o jit
 *   jit FILE.ll...                          one program: runs its main(), removes its modules; twice
 *   jit --replace NAME NEW.ll FILE.ll...    runs main(), gives NAME the version of NEW.ll, runs main() again
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/jit.h>

static void check(enum cairn_status status, const char *error)
{
  if (status == CAIRN_OK)
    return;
  fprintf(stderr, "jit: %s\n", error);
  exit(1);
}

static char text[1 << 20];

static size_t read_file(const char *path)
{
  FILE *file = fopen(path, "r");

  if (!file) {
    perror(path);
    exit(1);
  }
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  return size;
}

static void add_files(struct cairn_jit *session, char **paths, uint64_t *modules)
{
  char *error = NULL;

  for (int i = 0; paths[i]; i++) {
    size_t size = read_file(paths[i]);
    check(cairn_jit_add_ir(session, text, size, &modules[i], &error), error);
  }
}

static int run_main(struct cairn_jit *session)
{
  char *error = NULL;
  void *start;

  check(cairn_jit_look_up(session, "main", &start, &error), error);
  return ((int (*)(int, char **))start)(1, (char *[]){"jit", NULL});
}

/* Replaced modules go by themselves, and the other ones with the session. */
static int run_replacing(struct cairn_jit *session, const char *name, const char *path)
{
  int status = run_main(session);
  size_t size = read_file(path);
  uint64_t module;
  char *error = NULL;

  check(cairn_jit_replace_ir(session, name, text, size, &module, &error), error);
  return status | run_main(session);
}

static int run_twice(struct cairn_jit *session, char **paths, uint64_t *modules)
{
  int status = run_main(session);
  char *error = NULL;

  for (int i = 0; paths[i]; i++)
    check(cairn_jit_remove(session, modules[i], &error), error);
  add_files(session, paths, modules);
  return status | run_main(session);
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 2}};
  bool replaces = argc > 4 && strcmp(argv[1], "--replace") == 0;
  char **paths = argv + (replaces ? 4 : 1);
  uint64_t *modules = calloc((size_t)argc, sizeof *modules);
  struct cairn_jit *session;
  char *error = NULL;

  if (argc < 2 || (argv[1][0] == '-' && !replaces))
    return puts("usage: jit FILE.ll...                          one program: runs its main(); twice\n"
                "       jit --replace NAME NEW.ll FILE.ll...    gives NAME the version of NEW.ll in between") < 0;
  check(cairn_jit_new(&options, &session, &error), error);
  add_files(session, paths, modules);
  int status = replaces ? run_replacing(session, argv[2], argv[3]) : run_twice(session, paths, modules);
  cairn_jit_dispose(session);
  free(modules);
  return status;
}
