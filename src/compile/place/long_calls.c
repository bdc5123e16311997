/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds the time of calls of leaves such as memset and memcpy: a call for megabytes would delay a collection until the
 * call ends (late-insertion-slides-2014, "Future work": bounded time to safepoint). The calls cannot go through a
 * transition, because objects may move during a transition. Part of pass `place-safepoints`.
 *
 * Needs: any module. Provides: each call of a leaf with a length argument covers at most MAX_CALL_BYTES, or one piece
 * if pieces are larger, between two polls. Exempt are invokes, calls in safepoint-free intervals or funclets, and calls
 * whose attribute "cairn-work" promises few bytes. long_strings.c bounds the leaves that read up to the end of a
 * string. Breaks: struct cn_cfg.
 */
#include "compile/place/long_calls.h"

#include <string.h>
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/funclets.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/cost/loops.h"
#include "compile/markers/markers.h"
#include "compile/effects/intrinsics.h"

/* Calls for more bytes than this limit are cut into pieces. A call for this number of bytes takes two microseconds in a
 * cache, so cutting costs little. */
#define MAX_CALL_BYTES (16 << 10)
#define MIN_PIECE_BYTES 256
/* An inline call becomes a loop of bytes: one byte takes the time of this number of bytes in another call. */
#define INLINE_BYTE_COST 8

typedef CN_VECTOR(struct cn_long_call) call_vector;

static const struct long_leaf {
  const char *name;
  unsigned places;
  bool overlapping;
  enum cn_long_result result;
} long_leaves[] = {
    {"memset", 1, false, CN_LONG_RESULT_FIRST_ARGUMENT},
    {"memcpy", 2, false, CN_LONG_RESULT_FIRST_ARGUMENT},
    {"memmove", 2, true, CN_LONG_RESULT_FIRST_ARGUMENT},
    {"memcmp", 2, false, CN_LONG_RESULT_COMPARISON},
    {"bcmp", 2, false, CN_LONG_RESULT_COMPARISON},
    {"memchr", 1, false, CN_LONG_RESULT_FOUND_POINTER},
    /* The runtime checks copied words at multiples of eight in the destination (check_stores.c), where pieces begin. */
    {CN_CHECK_COPY, 2, false, CN_LONG_RESULT_NONE},
    {CN_CHECK_NATIVE_COPY, 2, false, CN_LONG_RESULT_NONE},
};
/* Intrinsics, by their effects. Source and destination of a copy may overlap, except for llvm.memcpy and
 * llvm.memcpy.inline. */
static const struct long_leaf fill_intrinsic = {"a fill", 1, false, CN_LONG_RESULT_NONE};
static const struct long_leaf copy_intrinsic = {"a copy", 2, true, CN_LONG_RESULT_NONE};
static const struct long_leaf disjoint_copy_intrinsic = {"a copy", 2, false, CN_LONG_RESULT_NONE};
enum { LENGTH_OPERAND = 2 };

_Static_assert((MIN_PIECE_BYTES & (MIN_PIECE_BYTES - 1)) == 0, "pieces are powers of two");
_Static_assert(MIN_PIECE_BYTES / INLINE_BYTE_COST % CAIRN_ABI_OBJECT_ALIGN == 0, "pieces keep the alignment");
_Static_assert(MIN_PIECE_BYTES <= MAX_CALL_BYTES, "a long call is longer than a piece");

static bool is_inline(LLVMValueRef call)
{
  return cn_calls_intrinsic(call, "llvm.memcpy.inline") || cn_calls_intrinsic(call, "llvm.memset.inline");
}

static const struct long_leaf *long_leaf_of_intrinsic(LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(call);

  if (!row || (row->effect != CN_EFFECT_BYTES && row->effect != CN_EFFECT_COPY))
    return NULL; /* expand-intrinsics has turned fills with patterns into loops */
  CN_ASSERT(row->length == LENGTH_OPERAND);
  if (row->effect == CN_EFFECT_BYTES)
    return &fill_intrinsic;
  return cn_calls_intrinsic(call, "llvm.memcpy") || is_inline(call) ? &disjoint_copy_intrinsic : &copy_intrinsic;
}

static const struct long_leaf *long_leaf_of(LLVMValueRef call, LLVMValueRef callee)
{
  size_t length;
  const char *name = cn_calls_library_name(LLVMGetValueName2(callee, &length));

  if (LLVMGetIntrinsicID(callee))
    return long_leaf_of_intrinsic(call);
  for (size_t i = 0; i < sizeof long_leaves / sizeof *long_leaves; i++)
    if (strcmp(name, long_leaves[i].name) == 0)
      return &long_leaves[i];
  return NULL;
}

/* True if the call has the types that C declares for the leaf. A program may define another function with the leaf's
 * name. */
static bool has_declared_types(const struct long_leaf *leaf, LLVMValueRef call)
{
  LLVMTypeRef result = LLVMTypeOf(call);
  LLVMTypeKind kind = LLVMGetTypeKind(result);

  CN_ASSERT(leaf->places == 1 || leaf->places == 2);
  if (LLVMGetNumArgOperands(call) < LENGTH_OPERAND + 1 || LLVMGetNumOperandBundles(call) ||
      LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, LENGTH_OPERAND))) != LLVMIntegerTypeKind ||
      LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(call, LENGTH_OPERAND))) > 64)
    return false;
  for (unsigned i = 0; i < leaf->places; i++)
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) != LLVMPointerTypeKind)
      return false;
  switch (leaf->result) {
  case CN_LONG_RESULT_NONE: /* not volatile */
    return !cn_is_block_copy_or_fill(call) || LLVMIsNull(LLVMGetOperand(call, LENGTH_OPERAND + 1));
  case CN_LONG_RESULT_FIRST_ARGUMENT:
    return result == LLVMTypeOf(LLVMGetOperand(call, 0));
  case CN_LONG_RESULT_COMPARISON:
    return kind == LLVMIntegerTypeKind;
  case CN_LONG_RESULT_FOUND_POINTER:
    return kind == LLVMPointerTypeKind;
  }
  CN_UNREACHABLE();
}

static uint64_t atomic_element_size(LLVMValueRef call)
{
  bool atomic = cn_intrinsic_row_of_call(call) && !cn_is_block_copy_or_fill(call);

  return atomic ? LLVMConstIntGetZExtValue(LLVMGetOperand(call, LENGTH_OPERAND + 1)) : 0;
}

uint64_t cn_long_pointee_size(struct cn_ctx *ctx, LLVMValueRef pointer)
{
  while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer) ||
         (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr))
    pointer = LLVMGetOperand(pointer, 0);
  if (LLVMIsAAllocaInst(pointer)) {
    LLVMValueRef count = LLVMGetOperand(pointer, 0);
    uint64_t each = LLVMABISizeOfType(ctx->layout, LLVMGetAllocatedType(pointer)), all;
    bool small = LLVMIsAConstantInt(count) && !__builtin_mul_overflow(each, LLVMConstIntGetZExtValue(count), &all);
    return small ? all : UINT64_MAX;
  }
  if (LLVMIsAGlobalVariable(pointer) && LLVMGetInitializer(pointer) && LLVMGetLinkage(pointer) != LLVMCommonLinkage)
    return LLVMABISizeOfType(ctx->layout, LLVMGlobalGetValueType(pointer));
  return UINT64_MAX;
}

/* The most bytes that the call may cover: its largest length, or the size of a smaller local or global that it
 * accesses. */
static uint64_t max_bytes_of_call(struct cn_ctx *ctx, LLVMValueRef call, unsigned places)
{
  uint64_t bytes = cn_largest_value(LLVMGetOperand(call, LENGTH_OPERAND), CN_DEFAULT_VALUE_DEPTH);

  for (unsigned i = 0; i < places; i++) {
    uint64_t room = cn_long_pointee_size(ctx, LLVMGetOperand(call, i));
    bytes = room < bytes ? room : bytes;
  }
  return bytes;
}

/* The size of a piece, a power of two so that pieces keep the alignment. */
static uint64_t piece_bytes_of(struct cn_ctx *ctx)
{
  uint64_t budget = cn_work_budget(ctx), piece = MIN_PIECE_BYTES;

  CN_CHECK(budget && budget < CN_WORK_UNKNOWN); /* else the loop is endless */
  while (cn_work_of_bytes(2 * piece) <= budget)
    piece *= 2;
  return piece;
}

uint64_t cn_long_limit_bytes(struct cn_ctx *ctx)
{
  uint64_t piece = piece_bytes_of(ctx);

  return MAX_CALL_BYTES < piece ? MAX_CALL_BYTES : piece;
}

bool cn_long_is_declared_short(LLVMValueRef call)
{
  LLVMAttributeRef said =
      LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, CN_ATTR_WORK, sizeof CN_ATTR_WORK - 1);

  return said && cn_work_parse_promise(said) <= cn_work_of_bytes(MAX_CALL_BYTES);
}

static bool is_long_call(struct cn_ctx *ctx, LLVMValueRef call, struct cn_long_call *out)
{
  LLVMValueRef callee = LLVMIsACallInst(call) ? cn_direct_callee(call) : NULL;
  const struct long_leaf *leaf = callee && LLVMIsDeclaration(callee) ? long_leaf_of(call, callee) : NULL;

  if (!leaf || cn_classify_call(call).kind != CN_CALL_LEAF || !has_declared_types(leaf, call))
    return false;
  uint64_t bytes = max_bytes_of_call(ctx, call, leaf->places), piece = piece_bytes_of(ctx);
  if (bytes <= MAX_CALL_BYTES) {
    cn_work_attach_promise(ctx, call, cn_work_of_bytes(bytes));
    return false;
  }
  if (cn_long_is_declared_short(call))
    return false;
  if (cn_nopoll_is_in_region(ctx, call) || cn_funclet_pad_of(LLVMGetInstructionParent(call)))
    return false;
  bool constant = LLVMIsAConstantInt(LLVMGetOperand(call, LENGTH_OPERAND)) != NULL;
  if (constant && bytes <= piece)
    return false;
  bool always = constant || ctx->options->size_level; /* a comparison with two calls is larger code */
  *out = (struct cn_long_call){.call = call,
                               .places = leaf->places,
                               .length = LENGTH_OPERAND,
                               .overlapping = leaf->overlapping,
                               .element = atomic_element_size(call),
                               .result = leaf->result,
                               .limit = always ? 0 : cn_long_limit_bytes(ctx),
                               /* The piece of an inline call has a variable length, so LLVM makes it a loop over
                                * bytes. */
                               .piece = is_inline(call) ? piece / INLINE_BYTE_COST : piece};
  return true;
}

void cn_long_calls_cut(struct cn_ctx *ctx, LLVMValueRef function, struct cn_poll_emitter *polls,
                       struct cn_ptrmap *polled)
{
  call_vector calls = {0};
  struct cn_long_call found;

  CN_CHECK(polls->user || polls->slow);
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_long_call(ctx, i, &found))
        cn_push(&calls, found);
  for (size_t i = 0; i < calls.count; i++) {
    cn_remark(ctx, calls.at[i].call, "long-call", "made in pieces of %lu bytes, with polls between",
              (unsigned long)calls.at[i].piece);
    if (polls->user)
      cn_long_cut_call(ctx, &calls.at[i], polls, polled);
    else
      cn_long_outline_call(ctx, &calls.at[i], polls, polled);
  }
  cn_free(&calls);
  if (!polls->user)
    cn_long_strings_guard_calls(ctx, function);
}
