/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed code that is compiled, loaded, run and removed in one process, by a JIT session (docs/jit.md).
 *
 *   cairn-cc -fcairn-manage=marked jit.c $(pkg-config --cflags --libs cairn-jit) -o jit
 *   jit FILE.ll...           the files are one program: runs its main(), removes its modules; twice
 */
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

static uint64_t add_file(struct cairn_jit *session, const char *path)
{
  static char text[1 << 20];
  FILE *file = fopen(path, "r");
  uint64_t module;
  char *error = NULL;

  if (!file) {
    perror(path);
    exit(1);
  }
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  check(cairn_jit_add_ir(session, text, size, &module, &error), error);
  return module;
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 2}};
  uint64_t *modules = calloc((size_t)argc, sizeof *modules);
  struct cairn_jit *session;
  char *error = NULL;
  void *start;
  int status = 0;

  if (argc < 2 || strcmp(argv[1], "--help") == 0)
    return puts("usage: jit FILE.ll...    one program: runs its main(); twice") < 0;
  check(cairn_jit_new(&options, &session, &error), error);
  for (int round = 0; round < 2; round++) {
    for (int i = 1; i < argc; i++)
      modules[i] = add_file(session, argv[i]);
    check(cairn_jit_look_up(session, "main", &start, &error), error);
    status |= ((int (*)(int, char **))start)(1, (char *[]){argv[0], NULL});
    for (int i = 1; i < argc; i++)
      check(cairn_jit_remove(session, modules[i], &error), error);
  }
  cairn_jit_dispose(session);
  free(modules);
  return status;
}
