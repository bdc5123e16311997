/* SPDX-License-Identifier: Apache-2.0
 *
 * Control flow of random graphs against definitions taken word for word: a dominates b if b is
 * not reached without a; the natural loop of a header is what reaches one of its back edges
 * without passing the header. What would go wrong: a poll missed in a loop that was not seen, a
 * phi in the wrong place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <llvm-c/Analysis.h>
#include "base/check.h"
#include "compile/analysis/cfg.h"

enum { MOST = 12 };

static uint64_t random_state;

static unsigned random_below(unsigned n)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % n;
}

/* Blocks with random edges; some are unreachable, some edges double. Each block has a phi of its
 * predecessors' numbers. */
static LLVMValueRef make_function(LLVMContextRef llvm, LLVMModuleRef module, unsigned count)
{
  LLVMTypeRef i32 = LLVMInt32TypeInContext(llvm);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(llvm), &i32, 1, false);
  LLVMValueRef function = LLVMAddFunction(module, "f", type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(llvm);
  LLVMBasicBlockRef blocks[MOST];

  for (unsigned b = 0; b < count; b++)
    blocks[b] = LLVMAppendBasicBlockInContext(llvm, function, "");
  for (unsigned b = 0; b < count; b++) {
    LLVMPositionBuilderAtEnd(builder, blocks[b]);
    LLVMBasicBlockRef to = blocks[1 + random_below(count - 1)];
    LLVMBasicBlockRef other = blocks[1 + random_below(count - 1)];
    LLVMValueRef argument = LLVMGetParam(function, 0);
    switch (random_below(5)) {
    case 0:
      LLVMBuildRetVoid(builder);
      break;
    case 1:
      LLVMBuildBr(builder, to);
      break;
    case 2: {
      LLVMValueRef end = LLVMBuildSwitch(builder, argument, to, 2);
      LLVMAddCase(end, LLVMConstInt(i32, 1, false), other);
      LLVMAddCase(end, LLVMConstInt(i32, 2, false), other);
      break;
    }
    default:
      LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, argument, LLVMConstNull(i32), ""), to, other);
    }
  }
  for (unsigned b = 1; b < count; b++) {
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(blocks[b]));
    LLVMValueRef phi = LLVMBuildPhi(builder, i32, "");
    for (unsigned from = 0; from < count; from++) {
      LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[from]);
      LLVMValueRef number = LLVMConstInt(i32, from, false);
      for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
        if (LLVMGetSuccessor(end, s) == blocks[b])
          LLVMAddIncoming(phi, &number, &blocks[from], 1);
    }
    if (LLVMCountIncoming(phi) == 0)
      LLVMInstructionEraseFromParent(phi);
  }
  LLVMDisposeBuilder(builder);
  return function;
}

/* What is reached from `from` without entering `without`. */
static void reach(const struct cn_cfg *cfg, uint32_t from, uint32_t without, bool *seen)
{
  if (from == without || seen[from])
    return;
  seen[from] = true;
  for (uint32_t s = 0; s < cfg->blocks[from].succ_count; s++)
    reach(cfg, cfg->blocks[from].succs[s], without, seen);
}

static void reach_back(const struct cn_cfg *cfg, uint32_t from, uint32_t header, bool *seen)
{
  if (seen[from])
    return;
  seen[from] = true;
  for (uint32_t p = 0; from != header && p < cfg->blocks[from].pred_count; p++)
    reach_back(cfg, cfg->blocks[from].preds[p], header, seen);
}

static bool dominates(const struct cn_cfg *cfg, uint32_t a, uint32_t b)
{
  bool seen[MOST] = {false};

  reach(cfg, 0, a, seen);
  return !seen[b];
}

static void check_loops(const struct cn_cfg *cfg)
{
  uint32_t depth[MOST] = {0}, inner[MOST], size[MOST];

  memset(inner, 0xff, sizeof inner);
  for (uint32_t header = 0; header < cfg->count; header++) {
    bool in[MOST] = {false}, any = false;
    uint32_t members = 0;
    for (uint32_t p = 0; p < cfg->blocks[header].pred_count; p++)
      if (dominates(cfg, header, cfg->blocks[header].preds[p])) {
        in[header] = false;
        any = true;
        reach_back(cfg, cfg->blocks[header].preds[p], header, in);
        in[header] = true;
      }
    for (uint32_t b = 0; b < cfg->count; b++)
      members += in[b];
    for (uint32_t b = 0; any && b < cfg->count; b++)
      if (in[b]) {
        depth[b]++;
        if (inner[b] == UINT32_MAX || members < size[b])
          inner[b] = header, size[b] = members;
      }
  }
  for (uint32_t b = 0; b < cfg->count; b++) {
    assert_int_equal(cfg->blocks[b].depth, depth[b]);
    assert_int_equal(cfg->blocks[b].loop, inner[b]);
  }
}

static void test_random_graphs(void **state)
{
  (void)state;
  for (unsigned round = 0; round < 400; round++) {
    random_state = round * 77777u + 5;
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", llvm);
    LLVMValueRef function = make_function(llvm, module, 2 + random_below(MOST - 2));
    struct cn_cfg cfg;
    bool seen[MOST] = {false};

    cn_cfg_build(&cfg, function);
    assert_ptr_equal(cfg.blocks[0].block, LLVMGetEntryBasicBlock(function));
    reach(&cfg, 0, CN_NO_BLOCK, seen);
    for (uint32_t a = 0; a < cfg.count; a++) {
      assert_true(seen[a]);
      assert_int_equal(cn_cfg_index_of(&cfg, cfg.blocks[a].block), a);
      assert_true(a == 0 || cfg.blocks[a].idom < a);
      for (uint32_t b = 0; b < cfg.count; b++)
        assert_int_equal(cn_cfg_dominates(&cfg, a, b), dominates(&cfg, a, b));
    }
    check_loops(&cfg);
    cn_cfg_free(&cfg);
    LLVMDisposeModule(module);
    LLVMContextDispose(llvm);
  }
}

/* Phis of the successors must name the tail, a loop back to the head must stay one to the head. */
static void test_split(void **state)
{
  (void)state;
  for (unsigned round = 0; round < 200; round++) {
    random_state = round * 99991u + 3;
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", llvm);
    LLVMValueRef function = make_function(llvm, module, 2 + random_below(MOST - 2));
    struct cn_ctx ctx = {.module = module, .llvm = llvm};
    unsigned count = LLVMCountBasicBlocks(function);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);

    for (unsigned skip = random_below(count); skip > 0; skip--)
      block = LLVMGetNextBasicBlock(block);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    unsigned successors = LLVMGetNumSuccessors(end);
    LLVMBasicBlockRef tail = cn_split_block_before(&ctx, end, "tail");
    assert_false(LLVMVerifyModule(module, LLVMReturnStatusAction, NULL));
    assert_int_equal(LLVMCountBasicBlocks(function), count + 1);
    assert_ptr_equal(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), 0), tail);
    assert_int_equal(LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(tail)), successors);
    LLVMDisposeModule(module);
    LLVMContextDispose(llvm);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_graphs), cmocka_unit_test(test_split)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
