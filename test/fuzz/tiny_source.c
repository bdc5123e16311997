/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: a source text of tiny is compiled; its byte code passes the checker, and runs within bounds.
 */
#include "fuzz/tiny/exercise.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Runs a function; the text of an exception is made, too. */
static void run_function(uint32_t number)
{
  if (tiny_is_thrown(tiny_call(tiny_closure_of_function(number), NULL, 0)))
    tiny_text(tiny_catch());
}

/* The beginning of the checker's errors; others begin by other words. */
static const char broken[] = "the byte code is broken: ";

static void compile_and_run(const unsigned char *data, size_t size)
{
  struct tiny_program program = {0};
  struct tiny_error error;
  bool is_new;

  if (tiny_compile(tiny_source_new("source", (const char *)data, size), tiny_module("source", &is_new), &program,
                   &error)) {
    tiny_make_globals();
    for (uint32_t i = 0; i < program.count; i++)
      if (setjmp(bound) == 0)
        run_function(program.functions[i]);
  }
  if (error.failed && strncmp(error.text, broken, strlen(broken)) == 0)
    abort();
  free(program.functions);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  exercise_begin();
  compile_and_run(data, size);
  exercise_end();
  return 0;
}
