/* A program of tiny whose function backtrace() prints cairn_backtrace() on standard output.
 *
 *   reports FILE     runs the program FILE, and compiles its functions after 10 calls */
#include <stdlib.h>

#include "tiny/program/compiled.h"
#include "tiny/program/modules.h"
#include "tiny/core/object.h"

#include <cairn/stack.h>

static value backtrace(value *arguments, unsigned count)
{
  (void)arguments;
  (void)count;
  cairn_backtrace(1);
  return TINY_NIL;
}

int main(int argc, char **argv)
{
  size_t length;
  char *text = argc > 1 ? tiny_read_file(argv[1], &length) : NULL;
  struct tiny_jit_options options = {.threshold = 10, .at_once = true};
  bool is_new;

  tiny_jit_begin(&options);
  if (!text || !tiny_begin(0, argv))
    return 2;
  tiny_define_native("backtrace", 0, 0, backtrace);
  bool is_fine = !tiny_is_thrown(tiny_run("reports.tiny", text, length, tiny_module(argv[1], &is_new)));
  tiny_jit_end();
  free(text);
  return is_fine ? 0 : 1;
}
