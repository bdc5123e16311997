/* SPDX-License-Identifier: Apache-2.0
 *
 * cairn_time_to_safepoint() as others' compilers call it: each managed function once, in the
 * module's order, without options, and the module as it was. A compiler that trusts a bound which
 * is none hangs its program's collections.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/compile.h>
#include <llvm-c/IRReader.h>

static const char text[] = "declare void @unknown()\n"
                           "declare void @polls() \"cairn-polls\" \"cairn-work\"=\"40\"\n"
                           "define void @native() {\n"
                           "  br label %loop\n"
                           "loop:\n"
                           "  br label %loop\n"
                           "}\n"
                           "define void @caller() gc \"statepoint-example\" {\n"
                           "  call void @callee()\n"
                           "  call void @polls()\n"
                           "  call void @unknown()\n"
                           "  ret void\n"
                           "}\n"
                           "define void @callee() nounwind \"cairn\" {\n"
                           "  ret void\n"
                           "}\n";
static const char endless[] = "define void @f() gc \"coreclr\" {\n"
                              "  br label %loop\n"
                              "loop:\n"
                              "  br label %loop\n"
                              "}\n";

struct seen {
  unsigned count;
  struct cairn_time at[4];
  unsigned causes;
  uint64_t work;
};

static void keep(void *env, const struct cairn_time *time)
{
  struct seen *seen = env;

  assert_true(seen->count < 4);
  seen->at[seen->count++] = *time;
  for (size_t i = 0; i < time->cause_count; i++) {
    assert_non_null(time->causes[i].kind);
    assert_non_null(time->causes[i].why);
    seen->work = time->causes[i].work;
    seen->causes++;
  }
}

static enum cairn_status run(const char *ir, const struct cairn_compile_options *options, struct seen *seen)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "module");
  LLVMModuleRef module;
  char *message = NULL;

  *seen = (struct seen){0};
  assert_false(LLVMParseIRInContext(context, buffer, &module, &message));
  char *before = LLVMPrintModuleToString(module);
  enum cairn_status status = cairn_time_to_safepoint(module, options, keep, seen);
  char *after = LLVMPrintModuleToString(module);
  assert_string_equal(before, after);
  LLVMDisposeMessage(before);
  LLVMDisposeMessage(after);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return status;
}

static void bounds(void **state)
{
  struct seen seen;

  (void)state;
  assert_int_equal(run(text, NULL, &seen), CAIRN_OK);
  assert_int_equal(seen.count, 2);
  assert_int_equal(seen.causes, 0);
  assert_true(seen.at[0].polls && !seen.at[0].passes);
  assert_int_equal(seen.at[0].enter, 5 + 1 + 5 + 40);
  assert_int_equal(seen.at[0].between, 0);
  assert_int_equal(seen.at[0].leave, 40 + 5 + 2000 + 1);
  assert_true(seen.at[1].passes && !seen.at[1].polls);
  assert_int_equal(seen.at[1].through, 1);
}

static void no_bound(void **state)
{
  struct cairn_compile_options options = {.poll_budget = 1};
  struct seen seen;

  (void)state;
  assert_int_equal(run(endless, NULL, &seen), CAIRN_E_TIME);
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.causes, 1);
  assert_true(seen.work == CAIRN_TIME_UNBOUNDED);
  assert_int_equal(run(text, &options, &seen), CAIRN_OK); /* 2046 of 2 * 2000 */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds),
      cmocka_unit_test(no_bound),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
