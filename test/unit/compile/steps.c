/* SPDX-License-Identifier: Apache-2.0
 *
 * The look at a function after a step that changes its control flow: what it must find. A mistake
 * that it misses would be found as a wrong answer of some program, if at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <llvm-c/IRReader.h>
#include "base/check.h"
#include "compile/cost/cost.h"

struct world {
  LLVMContextRef llvm;
  LLVMModuleRef module;
  LLVMValueRef function;
  struct cairn_compile_options options;
  struct cairn_diagnostics found;
  struct cn_ctx ctx;
};

static const char text[] = "define i64 @f(i64 %n) {\n"
                           "entry:\n"
                           "  br label %outer\n"
                           "outer:\n"
                           "  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]\n"
                           "  br label %inner\n"
                           "inner:\n"
                           "  %j = phi i64 [ %i, %outer ], [ %j.next, %inner ]\n"
                           "  %j.next = add i64 %j, 1\n"
                           "  %c = icmp ult i64 %j.next, %n\n"
                           "  br i1 %c, label %inner, label %latch\n"
                           "latch:\n"
                           "  %i.next = add i64 %i, 2\n"
                           "  %d = icmp ult i64 %i.next, %n\n"
                           "  br i1 %d, label %outer, label %done\n"
                           "done:\n"
                           "  ret i64 %i\n"
                           "}\n";

static void begin(struct world *w)
{
  char *message = NULL;

  *w = (struct world){.llvm = LLVMContextCreate()};
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "text");
  assert_false(LLVMParseIRInContext(w->llvm, buffer, &w->module, &message));
  w->function = LLVMGetNamedFunction(w->module, "f");
  w->options.check_steps = true;
  w->options.diagnose = cairn_diagnostics_keep;
  w->options.env = &w->found;
  w->ctx = (struct cn_ctx){.module = w->module, .llvm = w->llvm, .options = &w->options};
}

static void end(struct world *w)
{
  cairn_diagnostics_free(&w->found);
  LLVMDisposeModule(w->module);
  LLVMContextDispose(w->llvm);
}

static LLVMBasicBlockRef block(const struct world *w, const char *name)
{
  size_t length;
  LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(w->function);

  while (strcmp(LLVMGetValueName2(LLVMBasicBlockAsValue(b), &length), name) != 0)
    b = LLVMGetNextBasicBlock(b);
  return b;
}

/* What is said of the loop at `header`. */
static struct cn_step_loop_claim said(const struct world *w, const char *header)
{
  return (struct cn_step_loop_claim){.header = block(w, header)};
}

static void expect(struct world *w, const struct cn_step_loop_claim *loop, const char *message)
{
  cn_step_check_after(&w->ctx, w->function, "planting", loop, loop ? 1 : 0);
  if (!message) {
    assert_int_equal(w->found.count, 0);
    return;
  }
  assert_int_equal(w->found.count, 1);
  assert_string_equal(w->found.at[0].rule, "internal");
  if (!strstr(w->found.at[0].message, message))
    fail_msg("%s", w->found.at[0].message);
  cairn_diagnostics_free(&w->found);
  w->ctx.errors = 0;
}

/* Loops that are other than a step says. */
static void test_claims(void **state)
{
  (void)state;
  struct world w;
  struct cn_step_loop_claim loop;

  begin(&w);
  loop = (struct cn_step_loop_claim){
      .header = block(&w, "inner"), .latch = block(&w, "inner"), .outer = block(&w, "outer"), .blocks = 1, .exits = 1};
  expect(&w, &loop, NULL);
  loop.exits = 2;
  expect(&w, &loop, "after step planting the loop at %inner has other exits");
  loop.blocks = 2;
  expect(&w, &loop, "has other blocks");
  loop.outer = block(&w, "latch");
  expect(&w, &loop, "is in another loop");
  loop.latch = block(&w, "latch");
  expect(&w, &loop, "has another latch");
  loop = said(&w, "latch");
  expect(&w, &loop, "the loop at %latch is none");
  loop = said(&w, "outer");
  cn_step_check_before(&w.ctx, w.function, "planting", &loop, 1);
  assert_int_equal(w.found.count, 0);
  loop.blocks = 2;
  cn_step_check_before(&w.ctx, w.function, "planting", &loop, 1);
  assert_int_equal(w.found.count, 1);
  assert_non_null(strstr(w.found.at[0].message, "before step planting"));
  end(&w);
}

/* A loop that is entered elsewhere, too, and one that nothing reaches any more. */
static void test_edges(void **state)
{
  (void)state;
  struct world w;
  struct cn_step_loop_claim loop;

  begin(&w);
  loop = said(&w, "inner");
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(block(&w, "outer")), 0, block(&w, "done"));
  expect(&w, &loop, "left a broken function"); /* phis still name the edge */
  end(&w);
}

/* Phis that do not have what comes in; a value that does not reach its use; another type. */
static void test_values(void **state)
{
  (void)state;
  struct world w;

  begin(&w);
  LLVMValueRef phi = LLVMGetFirstInstruction(block(&w, "inner"));
  LLVMValueRef value = LLVMConstInt(LLVMInt64TypeInContext(w.llvm), 7, false);
  LLVMBasicBlockRef from = block(&w, "latch");
  LLVMAddIncoming(phi, &value, &from, 1);
  expect(&w, NULL, "step planting left a broken function: PHINode should have one entry");
  end(&w);

  begin(&w);
  LLVMValueRef first = LLVMGetFirstInstruction(block(&w, "outer"));
  LLVMSetOperand(first, 0, LLVMGetNextInstruction(LLVMGetFirstInstruction(block(&w, "inner"))));
  expect(&w, NULL, "left a broken function");
  end(&w);

  begin(&w);
  LLVMSetOperand(LLVMGetFirstInstruction(block(&w, "outer")), 0, LLVMConstReal(LLVMDoubleTypeInContext(w.llvm), 1));
  expect(&w, NULL, "not the same type");
  end(&w);

  begin(&w);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(block(&w, "done")));
  expect(&w, NULL, "left a broken function");
  end(&w);
}

static unsigned told;

static void count(void *env, const char *step, LLVMValueRef function)
{
  (void)env;
  assert_string_equal(step, "planting");
  assert_non_null(function);
  told++;
}

/* Who watches is told, of a valid function alone. */
static void test_watcher(void **state)
{
  (void)state;
  struct world w;

  begin(&w);
  w.options.step = count;
  cn_step_check_after(&w.ctx, w.function, "planting", NULL, 0);
  assert_int_equal(told, 1);
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(block(&w, "done")));
  cn_step_check_after(&w.ctx, w.function, "planting", NULL, 0);
  assert_int_equal(told, 1);
  end(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_claims),
      cmocka_unit_test(test_edges),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_watcher),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
