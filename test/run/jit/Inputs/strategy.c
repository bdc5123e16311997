/* SPDX-License-Identifier: Apache-2.0
 *
 * A session whose functions have a strategy with the name of a language: added at once, or function by function.
 *
 *   strategy FILE.ll [lazy]
 */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/jit.h>

static char text[1 << 20];

static void check(enum cairn_status status, const char *error)
{
  if (status == CAIRN_OK)
    return;
  fprintf(stderr, "%s\n", error);
  exit(1);
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {
      .compile = {.opt_level = 1, .strategies = getenv("STRATEGY"), .tolerated = getenv("TOLERATE") ? 1 : 0}};
  FILE *file = fopen(argv[1], "r");
  struct cairn_jit *session;
  uint64_t module;
  void *address;
  char *error = NULL;

  if (!file)
    return 2;
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  check(cairn_jit_new(&options, &session, &error), error);
  check((argc > 2 ? cairn_jit_add_lazy_ir : cairn_jit_add_ir)(session, text, size, &module, &error), error);
  check(cairn_jit_look_up(session, "start", &address, &error), error);
  int status = ((int (*)(int, char **))address)(1, argv);
  cairn_jit_dispose(session);
  return status;
}
