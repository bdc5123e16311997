/* cairn_throw() goes through activations of many modules, to a landing pad of another one; then the module that catches
 * is replaced by another one at the same place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>
#include "check.h"

static struct cairn_jit *session;

static uint64_t add(const char *text)
{
  uint64_t module;
  char *error = NULL;

  check(cairn_jit_add_ir(session, text, strlen(text), &module, &error), error);
  return module;
}

/* f_N(n) calls f_(N - 1)(n + N), and f_0 throws. */
static void add_function(int number)
{
  char text[1024];

  if (number == 0)
    snprintf(text, sizeof text,
             "@layout = internal constant i64 0\n"
             "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"
             "declare i32 @cairn_throw(i64, ptr addrspace(1))\n"
             "define i64 @f_0(i64 %%n) gc \"statepoint-example\" {\n"
             "  %%b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)\n"
             "  store i64 %%n, ptr addrspace(1) %%b\n"
             "  %%s = call i32 @cairn_throw(i64 9, ptr addrspace(1) %%b)\n"
             "  %%w = sext i32 %%s to i64\n  ret i64 %%w\n}\n");
  else
    snprintf(text, sizeof text,
             "declare i64 @f_%1$d(i64)\n"
             "define i64 @f_%2$d(i64 %%n) gc \"statepoint-example\" {\n"
             "  %%m = add i64 %%n, %2$d\n  %%x = call i64 @f_%1$d(i64 %%m)\n"
             "  %%y = add i64 %%x, 1\n  ret i64 %%y\n}\n",
             number - 1, number);
  add(text);
}

static long call(const char *name, long argument)
{
  char *error = NULL;
  void *address;

  check(cairn_jit_look_up(session, name, &address, &error), error);
  return ((long (*)(long))address)(argument);
}

/* The sum of what is thrown and `factor` times the argument. The code differs in the factor alone, and in the key. */
static uint64_t add_catch(int key, long factor)
{
  char text[2048];

  snprintf(text, sizeof text,
           "declare i64 @f_8(i64)\ndeclare i32 @__gcc_personality_v0(...)\n"
           "declare void @cairn.span.begin(i64, ptr)\ndeclare void @cairn.span.end(i64)\n"
           "declare ptr addrspace(1) @cairn_thrown() \"gc-leaf-function\"\n"
           "define i64 @catch(i64 %%n) gc \"statepoint-example\" personality ptr @__gcc_personality_v0 {\n"
           "  %%f = mul i64 %%n, %1$ld\n  call void @cairn.span.begin(i64 %2$d, ptr null)\n"
           "  %%r = invoke i64 @f_8(i64 %%n) to label %%on unwind label %%off\n"
           "on:\n  call void @cairn.span.end(i64 %2$d)\n  ret i64 %%r\n"
           "off:\n  %%l = landingpad { ptr, i32 } cleanup\n"
           "  %%e = call ptr addrspace(1) @cairn_thrown()\n  call void @cairn.span.end(i64 %2$d)\n"
           "  %%v = load i64, ptr addrspace(1) %%e\n  %%s = add i64 %%v, %%f\n  ret i64 %%s\n}\n",
           factor, key);
  return add(text);
}

int main(void)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 2}};
  char *error = NULL;
  long sum = 0;

  check(cairn_jit_new(&options, &session, &error), error);
  for (int i = 0; i < 9; i++)
    add_function(i);
  uint64_t module = add_catch(9, 1000);
  for (long i = 0; i < 1000; i++)
    sum += call("catch", i) == 1001 * i + 36;
  printf("caught %ld\n", sum);
  for (int round = 0; round < 4; round++) {
    check(cairn_jit_remove(session, module, &error), error);
    cairn_jit_pending(session, NULL, NULL);
    module = add_catch(round % 2 ? 9 : 7, 10 + round);
    printf("key %d: %ld\n", round % 2 ? 9 : 7, call("catch", 1));
  }
  cairn_jit_dispose(session);
  return 0;
}
