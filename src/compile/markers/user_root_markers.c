/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the markers of roots by tag (pillar-stack-iterator-2011, "PrtGcTagUserDefined"; docs/spans.md). `call void
 * @cairn.user.root(ptr %local, i32 tag, i64 parameter)` makes a word of a local a root, with this tag and parameter, in
 * all frames of the function.
 *
 * Part of rewrite-statepoints. Needs: any function. Provides: errors of rule user-root; the words that
 * describe_allocas.c adds to statepoints; markers for strip-statepoints (cn_user_roots_build_marker()). Breaks:
 * nothing.
 *
 * The local stays in memory, because LLVM assumes that the marker's call captures its address.
 */
#include "compile/markers/markers.h"

#include "base/bitset.h"
#include "base/check.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/markers/spans.h"

enum { WORD_BYTES = 8, MAX_LOCAL_BYTES = 8 << 20 };

static LLVMTypeRef marker_type(struct cn_ctx *ctx)
{
  LLVMTypeRef types[] = {LLVMPointerTypeInContext(ctx->llvm, 0), LLVMInt32TypeInContext(ctx->llvm),
                         LLVMInt64TypeInContext(ctx->llvm)};

  return LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), types, 3, false);
}

/* The marker's declaration, or null if it is missing or has another type. */
static LLVMValueRef find_marker(struct cn_ctx *ctx)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, CN_USER_ROOT);

  return function && LLVMGlobalGetValueType(function) == marker_type(ctx) ? function : NULL;
}

static bool is_marker_call(LLVMValueRef function, LLVMValueRef i)
{
  return LLVMIsACallInst(i) && LLVMGetCalledValue(i) == function &&
         LLVMGetCalledFunctionType(i) == LLVMGlobalGetValueType(function);
}

static LLVMValueRef make_i64(struct cn_ctx *ctx, uint64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), n, false);
}

/* The size of a local of fixed size in the entry block, in bytes; 0 for other locals. */
static uint64_t local_size_of(struct cn_ctx *ctx, LLVMValueRef alloca)
{
  LLVMTypeRef type = LLVMGetAllocatedType(alloca);
  LLVMValueRef count = LLVMGetOperand(alloca, 0);
  LLVMBasicBlockRef block = LLVMGetInstructionParent(alloca);
  uint64_t bytes;

  CN_ASSERT(LLVMIsAAllocaInst(alloca));
  if (!LLVMIsAConstantInt(count) || LLVMGetIntTypeWidth(LLVMTypeOf(count)) > 64 || !LLVMTypeIsSized(type) ||
      cn_holds_scalable_vector(type) || block != LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)) ||
      __builtin_mul_overflow(LLVMABISizeOfType(ctx->layout, type), LLVMConstIntGetZExtValue(count), &bytes) ||
      bytes > MAX_LOCAL_BYTES)
    return 0;
  return bytes;
}

/* Read a marker into `*out`; return the reason why it is wrong, or null. */
static const char *read_marker(struct cn_ctx *ctx, LLVMValueRef call, struct cn_user_root *out)
{
  LLVMValueRef pointer = LLVMGetOperand(call, 0), tag = LLVMGetOperand(call, 1);

  *out = (struct cn_user_root){.parameter = LLVMGetOperand(call, 2)};
  while (LLVMIsAGetElementPtrInst(pointer) && cn_types_gep_offset(ctx, pointer, &out->offset))
    pointer = LLVMGetOperand(pointer, 0);
  out->alloca = LLVMIsAAllocaInst(pointer);
  uint64_t size = out->alloca ? local_size_of(ctx, out->alloca) : 0;
  if (!size)
    return "is not in a local of fixed size and place";
  if (out->offset % WORD_BYTES || size < WORD_BYTES || out->offset > size - WORD_BYTES)
    return "is not a whole word of its local";
  if (!LLVMIsAConstantInt(tag) || LLVMConstIntGetZExtValue(tag) < CAIRN_ABI_ROOT_USER)
    return "has a tag that is not a constant of at least CAIRN_ROOT_USER";
  if (!LLVMIsAConstantInt(out->parameter))
    return "has a parameter that is not a constant";
  out->tag = make_i64(ctx, LLVMConstIntGetZExtValue(tag));
  return NULL;
}

/* The listed entry of the word of `root`, or null. The list has a word once, with one tag and parameter. */
static const struct cn_user_root *find_same_word(const struct cn_user_roots *roots, const struct cn_user_root *root)
{
  for (size_t i = 0; i < roots->at.count; i++)
    if (roots->at.at[i].alloca == root->alloca && roots->at.at[i].offset == root->offset)
      return &roots->at.at[i];
  return NULL;
}

/* List the words of `function`, and report wrong markers if `report` is set. */
static void gather_roots(struct cn_ctx *ctx, LLVMValueRef function, struct cn_user_roots *out, bool report)
{
  LLVMValueRef mark = find_marker(ctx);
  struct cn_user_root root;

  *out = (struct cn_user_roots){0};
  if (!mark || !LLVMGetFirstUse(mark))
    return;
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      if (!is_marker_call(mark, i))
        continue;
      const char *why = read_marker(ctx, i, &root);
      const struct cn_user_root *old = why ? NULL : find_same_word(out, &root);
      if (old && (old->tag != root.tag || old->parameter != root.parameter))
        why = "is there with another tag or parameter";
      if (why && report)
        cn_error(ctx, i, "user-root", "a user root %s", why);
      if (!why && !old)
        cn_push(&out->at, root);
    }
}

void cn_user_roots_find(struct cn_ctx *ctx, LLVMValueRef function, struct cn_user_roots *out)
{
  CN_ASSERT(LLVMIsAFunction(function));
  gather_roots(ctx, function, out, false);
}

/* Refuse words that also hold Cairn's references, because the collector would update them twice. */
static void refuse_reference_words(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_user_roots *roots)
{
  struct cn_alloca_layouts maps;

  cn_alloca_layouts_find(ctx, function, &maps);
  for (size_t m = 0; m < maps.maps.count; m++)
    for (size_t i = 0; i < roots->at.count; i++) {
      const struct cn_alloca_layout *map = &maps.maps.at[m];
      uint64_t word = roots->at.at[i].offset / WORD_BYTES;
      if (map->alloca == roots->at.at[i].alloca && word < map->words && cn_bitset_contains(map->bits, word))
        cn_error(ctx, map->alloca, "user-root", "a user root holds a reference");
    }
  cn_alloca_layouts_free(&maps);
}

void cn_user_roots_check_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_user_roots roots;

  CN_ASSERT(LLVMIsAFunction(function));
  gather_roots(ctx, function, &roots, true);
  if (roots.at.count)
    refuse_reference_words(ctx, function, &roots);
  cn_free(&roots.at);
}

static void check_marker_use(struct cn_ctx *ctx, LLVMValueRef function, LLVMValueRef user)
{
  if (!is_marker_call(function, user))
    cn_error(ctx, LLVMIsAInstruction(user) ? user : function, "user-root", "@%s is used other than by a call",
             CN_USER_ROOT);
  else if (!cn_is_managed(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
    cn_error(ctx, user, "user-root", "a user root in an unmanaged function, whose frames have no maps");
}

void cn_user_roots_check_marker(struct cn_ctx *ctx)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, CN_USER_ROOT);

  if (!function)
    return;
  if (!find_marker(ctx) || !LLVMIsDeclaration(function)) {
    cn_error(ctx, function, "user-root", "@%s is not declared as void (ptr, i32, i64), without a body", CN_USER_ROOT);
    return;
  }
  CN_EACH_USE(use, function)
    check_marker_use(ctx, function, LLVMGetUser(use));
}

void cn_user_roots_build_marker(struct cn_ctx *ctx, const struct cn_user_root *root)
{
  LLVMTypeRef type = marker_type(ctx), byte = LLVMInt8TypeInContext(ctx->llvm);
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, CN_USER_ROOT);
  LLVMValueRef at = LLVMGetNextInstruction(root->alloca), offset = make_i64(ctx, root->offset);
  struct cn_user_roots known;

  cn_user_roots_find(ctx, LLVMGetBasicBlockParent(LLVMGetInstructionParent(at)), &known);
  bool there = find_same_word(&known, root) != NULL;
  cn_free(&known.at);
  if (there)
    return;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  if (!function)
    function = LLVMAddFunction(ctx->module, CN_USER_ROOT, type);
  cn_markers_add_attributes(ctx, CN_USER_ROOT);
  while (LLVMIsAAllocaInst(at))
    at = LLVMGetNextInstruction(at);
  LLVMPositionBuilderBefore(builder, at);
  LLVMValueRef word = root->offset ? LLVMBuildInBoundsGEP2(builder, byte, root->alloca, &offset, 1, "") : root->alloca;
  LLVMValueRef arguments[] = {
      word, LLVMConstInt(LLVMInt32TypeInContext(ctx->llvm), LLVMConstIntGetZExtValue(root->tag), false),
      root->parameter};
  LLVMBuildCall2(builder, type, function, arguments, 3, "");
  LLVMDisposeBuilder(builder);
}
