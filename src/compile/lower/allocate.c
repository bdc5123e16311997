/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `allocate`: allocation calls in managed functions become bump allocation in line.
 *
 * Needs: layouts. Provides: no call of cairn_alloc and its like in a managed function; blocks of at
 * most CAIRN_ABI_INLINE_CLEAR_MAX bytes, or INLINE_ALLOC_MAX if they are not cleared, are allocated
 * in line, the rest by the slow functions, which are parse points. Breaks: control flow.
 *
 *        free = mutator.alloc; end = free + block
 *        if (end > mutator.limit) [unlikely] goto slow
 *        mutator.alloc = end; object = free + prefix; store header (and count), clear
 *        goto tail
 *   slow: r = preserve_all cairn_alloc_slow(layout)           <- a parse point, later
 *   tail: phi [object], [r]
 *
 * The slow functions keep every register but the result's, so that the fast path has no spill
 * (docs/llvm-22.md, "cold calls").
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/names.h"
#include "compile/cost/cost.h"
#include "compile/lower/layouts.h"
#include "compile/lower/resize.h"

/* One expansion. */
struct site {
  struct cn_ctx *ctx;
  const struct cn_allocator *allocator;
  LLVMValueRef call, layout, count; /* count: null for a single object */
  struct cn_layout_sizes sizes;
  uint64_t prefix; /* bytes before the payload */
  uint64_t most;   /* largest count that is allocated in line; 0: never */
  LLVMBuilderRef builder;
};

static LLVMValueRef word(const struct site *s, uint64_t value)
{
  return LLVMConstInt(LLVMInt64TypeInContext(s->ctx->llvm), value, false);
}

static uint64_t max_size(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* Bytes of the payload for `count` elements, a multiple of the object alignment. Must agree with
 * cairn_layout_payload(). */
static uint64_t payload_size(const struct cn_layout_sizes *sizes, uint64_t count)
{
  uint64_t size = max_size(sizes->base_size, sizes->elem_offset + count * sizes->elem_size);

  return (size + CAIRN_ABI_OBJECT_ALIGN - 1) & ~(uint64_t)(CAIRN_ABI_OBJECT_ALIGN - 1);
}

/* The same, emitted. */
static LLVMValueRef emit_payload_size(const struct site *s)
{
  const struct cn_layout_sizes *z = &s->sizes;
  uint64_t mask = CAIRN_ABI_OBJECT_ALIGN - 1;

  if (!s->count)
    return word(s, payload_size(z, 0));
  if (LLVMIsAConstantInt(s->count))
    return word(s, payload_size(z, LLVMConstIntGetZExtValue(s->count)));
  LLVMValueRef size = LLVMBuildMul(s->builder, s->count, word(s, z->elem_size), "");
  size = LLVMBuildAdd(s->builder, size, word(s, z->elem_offset), "");
  if (z->base_size > z->elem_offset) {
    LLVMValueRef less = LLVMBuildICmp(s->builder, LLVMIntULT, size, word(s, z->base_size), "");
    size = LLVMBuildSelect(s->builder, less, word(s, z->base_size), size, "");
  }
  if (((z->elem_size | z->elem_offset | z->base_size) & mask) == 0)
    return size;
  size = LLVMBuildAdd(s->builder, size, word(s, mask), "");
  return LLVMBuildAnd(s->builder, size, word(s, ~mask), "");
}

/* Make a reference of the address of fresh memory. inttoptr would hide the reference's origin; an
 * empty piece of assembly is a call, and a call's result is its own base. */
static LLVMValueRef emit_reference(const struct site *s, LLVMValueRef address)
{
  CN_ASSERT(LLVMTypeOf(address) == LLVMInt64TypeInContext(s->ctx->llvm));
  static const char constraints[] = "=r,0";
  LLVMTypeRef parameter = LLVMInt64TypeInContext(s->ctx->llvm);
  LLVMTypeRef type = LLVMFunctionType(cn_ref_type(s->ctx), &parameter, 1, false);
  LLVMValueRef code = LLVMGetInlineAsm(type, "", 0, constraints, sizeof constraints - 1, false,
                                       false, LLVMInlineAsmDialectATT, false);

  LLVMValueRef object = LLVMBuildCall2(s->builder, type, code, &address, 1, "object");
  LLVMAddCallSiteAttribute(
      object, CN_FUNCTION_INDEX,
      LLVMCreateStringAttribute(s->ctx->llvm, CN_ATTR_FRESH, sizeof CN_ATTR_FRESH - 1, "", 0));
  return object;
}

/* Store to the word that lies `distance` bytes before the payload. */
static void emit_header_word(const struct site *s, LLVMValueRef reference, uint64_t distance,
                             LLVMValueRef value)
{
  CN_CHECK(distance % sizeof(uint64_t) == 0 && distance <= CAIRN_ABI_INDEXED_HEADER_SIZE);
  LLVMValueRef offset = word(s, -distance);
  LLVMValueRef at =
      LLVMBuildGEP2(s->builder, LLVMInt8TypeInContext(s->ctx->llvm), reference, &offset, 1, "");

  LLVMSetAlignment(LLVMBuildStore(s->builder, value, at), CAIRN_ABI_OBJECT_ALIGN);
}

/* Emit the test: true if the slow function is needed. The block is [*free, *end). */
static LLVMValueRef emit_test(const struct site *s, LLVMValueRef size, LLVMValueRef *free,
                              LLVMValueRef *end)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(s->ctx->llvm);
  LLVMBuilderRef b = s->builder;

  *free = LLVMBuildLoad2(b, i64, cn_emit_mutator(s->ctx, b, CAIRN_ABI_MUTATOR_ALLOC), "free");
  LLVMValueRef limit =
      LLVMBuildLoad2(b, i64, cn_emit_mutator(s->ctx, b, CAIRN_ABI_MUTATOR_LIMIT), "limit");
  LLVMValueRef block = LLVMBuildAdd(b, size, word(s, s->prefix), "");
  *end = LLVMBuildAdd(b, *free, block, "end");
  LLVMValueRef full = LLVMBuildICmp(b, LLVMIntUGT, *end, limit, "full");
  if (!s->count || LLVMIsAConstantInt(s->count))
    return full;
  LLVMValueRef large = LLVMBuildICmp(b, LLVMIntUGT, s->count, word(s, s->most), "large");
  return LLVMBuildOr(b, large, full, "");
}

static LLVMValueRef emit_fast(const struct site *s, LLVMValueRef size, LLVMValueRef free,
                              LLVMValueRef end)
{
  LLVMBuilderRef b = s->builder;

  LLVMBuildStore(b, end, cn_emit_mutator(s->ctx, b, CAIRN_ABI_MUTATOR_ALLOC));
  LLVMValueRef address = LLVMBuildAdd(b, free, word(s, s->prefix), "");
  LLVMValueRef reference = emit_reference(s, address);
  if (s->count) {
    LLVMValueRef twice = LLVMBuildShl(b, s->count, word(s, 1), "");
    emit_header_word(s, reference, CAIRN_ABI_INDEXED_HEADER_SIZE,
                     LLVMBuildOr(b, twice, word(s, 1), ""));
  }
  emit_header_word(s, reference, CAIRN_ABI_HEADER_SIZE, s->layout);
  if (s->allocator->uninit)
    return reference;
  LLVMValueRef clear =
      LLVMBuildMemSet(b, reference, LLVMConstInt(LLVMInt8TypeInContext(s->ctx->llvm), 0, false),
                      size, CAIRN_ABI_OBJECT_ALIGN);
  cn_work_say(s->ctx, clear, cn_work_of_bytes(CAIRN_ABI_INLINE_CLEAR_MAX));
  return reference;
}

static LLVMValueRef emit_slow(const struct site *s)
{
  LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(s->ctx->llvm, 0),
                              LLVMInt64TypeInContext(s->ctx->llvm)};
  LLVMTypeRef type = LLVMFunctionType(cn_ref_type(s->ctx), parameters, s->count ? 2 : 1, false);
  LLVMValueRef function =
      cn_emit_declare(s->ctx, s->allocator->slow, type, LLVMPreserveAllCallConv);

  if (!function)
    return NULL;
  LLVMValueRef arguments[] = {s->layout, s->count};
  LLVMValueRef call = LLVMBuildCall2(s->builder, type, function, arguments, s->count ? 2 : 1, "");
  LLVMSetInstructionCallConv(call, LLVMPreserveAllCallConv);
  return call;
}

/* Call the slow function alone: the block is too large, or may be. */
static void expand_out_of_line(struct site *s)
{
  LLVMValueRef result = emit_slow(s);

  if (!result)
    return;
  LLVMReplaceAllUsesWith(s->call, result);
  LLVMInstructionEraseFromParent(s->call);
}

static LLVMBasicBlockRef new_block(const struct site *s, LLVMBasicBlockRef before, const char *name)
{
  return LLVMInsertBasicBlockInContext(s->ctx->llvm, before, name);
}

static void expand_in_line(struct site *s)
{
  CN_CHECK(s->count ? s->sizes.elem_size > 0 : s->sizes.elem_size == 0);
  CN_CHECK(!s->count || LLVMIsAConstantInt(s->count) || s->most > 0);
  LLVMBuilderRef b = s->builder;
  LLVMBasicBlockRef head = LLVMGetInstructionParent(s->call);
  LLVMBasicBlockRef tail = cn_split_before(s->ctx, s->call, "allocated");
  LLVMBasicBlockRef fast = new_block(s, tail, "alloc.fast"),
                    slow = new_block(s, tail, "alloc.slow");
  LLVMValueRef free, end;

  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(b, head);
  LLVMValueRef size = emit_payload_size(s);
  LLVMValueRef test = emit_test(s, size, &free, &end);
  cn_emit_unlikely(s->ctx, LLVMBuildCondBr(b, test, slow, fast));

  LLVMPositionBuilderAtEnd(b, fast);
  LLVMValueRef incoming[2] = {emit_fast(s, size, free, end), NULL};
  LLVMBuildBr(b, tail);
  LLVMPositionBuilderAtEnd(b, slow);
  incoming[1] = emit_slow(s);
  LLVMBuildBr(b, tail);
  if (!incoming[1])
    return;
  LLVMPositionBuilderBeforeInstrAndDbgRecords(b, LLVMGetFirstInstruction(tail));
  LLVMValueRef phi = LLVMBuildPhi(b, cn_ref_type(s->ctx), "");
  LLVMAddIncoming(phi, incoming, (LLVMBasicBlockRef[]){fast, slow}, 2);
  LLVMReplaceAllUsesWith(s->call, phi);
  LLVMInstructionEraseFromParent(s->call);
}

/* The largest count whose block may be allocated in line. */
static uint64_t most_in_line(const struct site *s)
{
  uint64_t most = s->allocator->uninit ? CAIRN_ABI_INLINE_ALLOC_MAX : CAIRN_ABI_INLINE_CLEAR_MAX;
  uint64_t room = most - s->prefix;

  CN_CHECK(s->sizes.elem_size > 0 && s->prefix < most);
  if (payload_size(&s->sizes, 0) > room || s->sizes.elem_offset > room)
    return 0;
  return (room - s->sizes.elem_offset) / s->sizes.elem_size;
}

/* Say what is wrong with a call that cannot be expanded. */
static void check(struct cn_ctx *ctx, LLVMValueRef call, const struct cn_allocator *allocator)
{
  struct cn_layout_sizes sizes;

  if (!LLVMIsACallInst(call)) {
    cn_error(ctx, call, "invoke",
             "an allocation function does not unwind: call it, do not invoke it");
    return;
  }
  if (!cn_layouts_is_constant(LLVMGetOperand(call, 0))) {
    cn_error(ctx, call, "unknown-layout",
             "an allocation call without a layout constant; run pass layouts first");
    return;
  }
  cn_layouts_read(LLVMGetOperand(call, 0), &sizes);
  if ((sizes.elem_size == 0) != (allocator->form == CN_LAYOUT_OBJECT))
    cn_error(ctx, call, "unknown-layout",
             "an allocation call whose layout is for another form of object");
  if (allocator->uninit && sizes.refs)
    cn_error(ctx, call, "uninit-references",
             "@%s is given a layout with references, which would be whatever lay there before",
             allocator->name);
}

static void expand(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call,
                   const struct cn_allocator *allocator)
{
  struct site s = {.ctx = ctx,
                   .allocator = allocator,
                   .call = call,
                   .layout = LLVMGetOperand(call, 0),
                   .builder = builder};
  bool in_line;

  CN_CHECK(cn_layouts_is_constant(s.layout)); /* check() has said so */
  if (allocator->resizes) {
    cn_resize_expand(ctx, builder, call, allocator);
    return;
  }
  cn_layouts_read(s.layout, &s.sizes);
  s.prefix =
      allocator->form == CN_LAYOUT_OBJECT ? CAIRN_ABI_HEADER_SIZE : CAIRN_ABI_INDEXED_HEADER_SIZE;
  if (allocator->form == CN_LAYOUT_OBJECT) {
    in_line = s.sizes.base_size <= CAIRN_ABI_INLINE_CLEAR_MAX - s.prefix;
  } else {
    s.count = LLVMGetOperand(call, 1);
    s.most = most_in_line(&s);
    in_line =
        LLVMIsAConstantInt(s.count) ? LLVMConstIntGetZExtValue(s.count) <= s.most : s.most > 0;
  }
  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  if (in_line)
    expand_in_line(&s);
  else
    expand_out_of_line(&s);
}

/* Expand from the last call to the first: an expansion moves the rest of its block, up to the next
 * call that has been expanded. */
static void expand_all(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_VECTOR(LLVMValueRef) calls = {0};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  const struct cn_allocator *allocator;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if ((allocator = cn_layouts_allocator(i)) != NULL) {
        check(ctx, i, allocator);
        cn_push(&calls, i);
      }
  for (size_t i = calls.count; i-- > 0 && ctx->errors == 0;)
    expand(ctx, builder, calls.at[i], cn_layouts_allocator(calls.at[i]));
  cn_free(&calls);
  LLVMDisposeBuilder(builder);
}

bool cn_allocate(struct cn_ctx *ctx)
{
  unsigned memory = cn_attribute_kind("memory");

  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f && ctx->errors == 0;
       f = LLVMGetNextFunction(f)) {
    if (!cn_is_managed(f))
      continue;
    /* The optimiser's inference no longer holds: allocation now writes memory that other functions
     * read. */
    LLVMRemoveEnumAttributeAtIndex(f, CN_FUNCTION_INDEX, memory);
    expand_all(ctx, f);
  }
  return ctx->errors == 0;
}
