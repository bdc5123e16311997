/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `allocate`: expands the allocation calls of managed functions into bump allocation in line, notes at run time
 * that the program has uncleared arrays, and reports calls that it cannot expand. lower_resize.c expands calls that
 * resize, and object_queries.c lowers queries of objects.
 *
 * Needs: layouts. Provides: managed functions without calls of cairn_alloc and its like. In-line code allocates cleared
 * blocks of at most CAIRN_ABI_INLINE_CLEAR_MAX bytes, and uncleared blocks of at most CAIRN_ABI_INLINE_ALLOC_MAX bytes;
 * -fcairn-inline-max may lower the limits. The slow functions allocate the other blocks, and all objects of finalisable
 * types, because the runtime must register finalisable objects, and objects whose layout is known at run time only.
 * Calls of slow functions are parse points. Small new objects have CN_ATTR_FRESH, which barriers/ and verify/barriers
 * read. Breaks: control flow; attribute `memory` of all managed functions.
 *
 *        free = mutator.alloc; end = free + block
 *        if (end > mutator.limit) [unlikely] goto slow
 *        mutator.alloc = end; object = free + prefix; store header (and count)
 *        clear the words that the stores leave; the stores
 *        a fence of stores, if the processor needs one; goto tail
 *   slow: r = preserve_all cairn_alloc_slow(layout)           <- a parse point, later
 *        the stores
 *   tail: phi [object], [r]
 *
 * One check allocates several objects of constant size whose calls follow each other in a block. Both arms have a copy
 * of the stores that fill the objects (fresh.c). So the fast arm is a block without calls: it gets no poll, and the
 * objects' addresses leave the arm only at its end. Collections, other threads and the program's code thus never read a
 * word before it is stored:
 * - A signal handler may interrupt the arm anywhere. The handler allocates from a separate part of the buffer.
 *   Collections that the handler asks for wait for the next safepoint, and stops wait for the handler's end
 *   (runtime/signals).
 * - If the handler leaves by a jump, the arm never continues. cn_buffer_fill_unfinished() then turns the arm's memory
 *   into a sequence of blocks or fillers, which no reference points to.
 *
 * The slow functions preserve every register except the result's register, so that the fast path has no spill
 * (docs/llvm-22.md, "cold calls").
 */
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/words.h"
#include "compile/cost/cost.h"
#include "compile/allocation/fresh.h"
#include "compile/allocation/object_queries.h"

struct allocation_site {
  struct cn_ctx *ctx;
  const struct cn_allocator *allocator;
  LLVMValueRef call, layout, count; /* count: null for a single object */
  struct cn_layout_sizes sizes;
  uint64_t prefix; /* bytes before the payload */
  uint64_t most;   /* largest count that is allocated in line, or 0 */
  uint64_t tag;    /* the distance of a reference from the payload's address */
  bool run_time;   /* the layout is known at run time only: `sizes`, `prefix` and `most` are 0 */
  LLVMBuilderRef builder;
};

static LLVMValueRef word_constant(const struct allocation_site *s, uint64_t value)
{
  return LLVMConstInt(LLVMInt64TypeInContext(s->ctx->llvm), value, false);
}

static uint64_t larger_size(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/* The size of a payload with `count` elements, in bytes; a multiple of the object alignment. This function must agree
 * with cairn_layout_payload(). */
static uint64_t payload_size_of(const struct cn_layout_sizes *sizes, uint64_t count)
{
  uint64_t size = larger_size(sizes->base_size, sizes->elem_offset + count * sizes->elem_size);

  return (size + CAIRN_ABI_OBJECT_ALIGN - 1) & ~(uint64_t)(CAIRN_ABI_OBJECT_ALIGN - 1);
}

static LLVMValueRef emit_payload_size(const struct allocation_site *s)
{
  const struct cn_layout_sizes *z = &s->sizes;
  uint64_t mask = CAIRN_ABI_OBJECT_ALIGN - 1;

  LLVMValueRef size = LLVMBuildMul(s->builder, s->count, word_constant(s, z->elem_size), "");
  size = LLVMBuildAdd(s->builder, size, word_constant(s, z->elem_offset), "");
  if (z->base_size > z->elem_offset) {
    LLVMValueRef less = LLVMBuildICmp(s->builder, LLVMIntULT, size, word_constant(s, z->base_size), "");
    size = LLVMBuildSelect(s->builder, less, word_constant(s, z->base_size), size, "");
  }
  if (((z->elem_size | z->elem_offset | z->base_size) & mask) == 0)
    return size;
  size = LLVMBuildAdd(s->builder, size, word_constant(s, mask), "");
  return LLVMBuildAnd(s->builder, size, word_constant(s, ~mask), "");
}

/* Mark the call as one that returns a new object in a block of at most CAIRN_ABI_INLINE_ALLOC_MAX bytes. */
static void mark_small_fresh_object(const struct allocation_site *s, LLVMValueRef call)
{
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX,
                           LLVMCreateStringAttribute(s->ctx->llvm, CN_ATTR_FRESH, sizeof CN_ATTR_FRESH - 1,
                                                     CN_FRESH_SMALL, sizeof CN_FRESH_SMALL - 1));
}

/* Turn the address of fresh memory into a reference. The conversion is an empty piece of assembly, because LLVM treats
 * assembly as a call, and a call's result is a base pointer. inttoptr would hide the reference's origin. */
static LLVMValueRef emit_reference_to_fresh(const struct allocation_site *s, LLVMValueRef address)
{
  CN_ASSERT(LLVMTypeOf(address) == LLVMInt64TypeInContext(s->ctx->llvm));
  static const char constraints[] = "=r,0";
  LLVMTypeRef parameter = LLVMInt64TypeInContext(s->ctx->llvm);
  LLVMTypeRef type = LLVMFunctionType(cn_ref_type(s->ctx), &parameter, 1, false);
  LLVMValueRef code =
      LLVMGetInlineAsm(type, "", 0, constraints, sizeof constraints - 1, false, false, LLVMInlineAsmDialectATT, false);

  LLVMValueRef object = LLVMBuildCall2(s->builder, type, code, &address, 1, "object");
  mark_small_fresh_object(s, object);
  return object;
}

static LLVMValueRef emit_address_before_payload(const struct allocation_site *s, LLVMValueRef reference,
                                                uint64_t distance)
{
  LLVMValueRef offset = word_constant(s, -(distance + s->tag));

  if (distance + s->tag == 0)
    return reference;
  return LLVMBuildGEP2(s->builder, LLVMInt8TypeInContext(s->ctx->llvm), reference, &offset, 1, "");
}

static void emit_header_word_store(const struct allocation_site *s, LLVMValueRef reference, uint64_t distance,
                                   LLVMValueRef value)
{
  CN_CHECK(distance % sizeof(uint64_t) == 0 && distance <= CAIRN_ABI_INDEXED_HEADER_SIZE);
  LLVMValueRef at = emit_address_before_payload(s, reference, distance);

  LLVMSetAlignment(LLVMBuildStore(s->builder, value, at), CAIRN_ABI_OBJECT_ALIGN);
}

/* Emit the test whether the slow function is needed. The memory to allocate is [*free, *end). */
static LLVMValueRef emit_buffer_test(const struct allocation_site *s, LLVMValueRef bytes, LLVMValueRef *free,
                                     LLVMValueRef *end)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(s->ctx->llvm);
  LLVMBuilderRef b = s->builder;

  *free = LLVMBuildLoad2(b, i64, cn_emit_mutator_field_address(s->ctx, b, CAIRN_ABI_MUTATOR_ALLOC), "free");
  LLVMValueRef limit =
      LLVMBuildLoad2(b, i64, cn_emit_mutator_field_address(s->ctx, b, CAIRN_ABI_MUTATOR_LIMIT), "limit");
  LLVMSetVolatile(limit, true); /* other threads set the limit to 0, so the test is also a poll */
  *end = LLVMBuildAdd(b, *free, bytes, "end");
  LLVMValueRef full = LLVMBuildICmp(b, LLVMIntUGT, *end, limit, "full");
  if (!s->count || LLVMIsAConstantInt(s->count))
    return full;
  LLVMValueRef large = LLVMBuildICmp(b, LLVMIntUGT, s->count, word_constant(s, s->most), "large");
  return LLVMBuildOr(b, large, full, "");
}

/* The object whose block begins `distance` bytes after `free`, with its header. */
static LLVMValueRef emit_fresh_object(const struct allocation_site *s, LLVMValueRef free, uint64_t distance)
{
  LLVMBuilderRef b = s->builder;
  LLVMValueRef reference =
      emit_reference_to_fresh(s, LLVMBuildAdd(b, free, word_constant(s, distance + s->prefix + s->tag), ""));

  if (s->count) {
    LLVMValueRef twice = LLVMBuildShl(b, s->count, word_constant(s, 1), "");
    emit_header_word_store(s, reference, CAIRN_ABI_INDEXED_HEADER_SIZE, LLVMBuildOr(b, twice, word_constant(s, 1), ""));
  }
  emit_header_word_store(s, reference, CAIRN_ABI_HEADER_SIZE, cn_layouts_emit_address(s->ctx, b, s->layout));
  return reference;
}

/* Emit a note that the program has uncleared arrays. Note and allocation are in one arm, and so in one safepoint-free
 * interval. */
static void emit_note_uncleared(const struct allocation_site *s)
{
  LLVMValueRef one = LLVMConstInt(LLVMInt8TypeInContext(s->ctx->llvm), 1, false);

  LLVMBuildStore(s->builder, one, cn_emit_mutator_field_address(s->ctx, s->builder, CAIRN_ABI_MUTATOR_UNCLEARED));
}

static void emit_clear_memory(const struct allocation_site *s, LLVMValueRef from, LLVMValueRef bytes)
{
  LLVMValueRef zero = LLVMConstInt(LLVMInt8TypeInContext(s->ctx->llvm), 0, false);
  LLVMValueRef clear = LLVMBuildMemSet(s->builder, from, zero, bytes, CAIRN_ABI_OBJECT_ALIGN);

  cn_work_attach_promise(s->ctx, clear, cn_work_of_bytes(CAIRN_ABI_INLINE_CLEAR_MAX));
}

/* Clear the words of the payload, except those that the stores of the group fill. */
static void emit_clear_unstored_words(const struct allocation_site *s, LLVMValueRef reference,
                                      const struct cn_fresh_object *object)
{
  for (uint64_t from = 0, to; from < object->payload; from = to + 8) {
    for (to = from; to < object->payload && !cn_fresh_is_word_stored(object, to); to += 8)
      ;
    if (to == from)
      continue;
    emit_clear_memory(s, emit_address_before_payload(s, reference, -from), word_constant(s, to - from));
  }
}

/* True if the block provably takes at most CAIRN_ABI_INLINE_ALLOC_MAX bytes. */
static bool is_small_block(const struct allocation_site *s)
{
  uint64_t count = 0;

  if (s->run_time || (s->count && !LLVMIsAConstantInt(s->count)))
    return false;
  if (s->count)
    count = LLVMConstIntGetZExtValue(s->count);
  return count <= CAIRN_ABI_INLINE_ALLOC_MAX && s->sizes.elem_size <= CAIRN_ABI_INLINE_ALLOC_MAX &&
         payload_size_of(&s->sizes, count) <= CAIRN_ABI_INLINE_ALLOC_MAX - s->prefix;
}

static LLVMValueRef emit_slow_call(const struct allocation_site *s)
{
  LLVMTypeRef parameters[] = {LLVMPointerTypeInContext(s->ctx->llvm, 0), LLVMInt64TypeInContext(s->ctx->llvm)};
  LLVMTypeRef type = LLVMFunctionType(cn_ref_type(s->ctx), parameters, s->count ? 2 : 1, false);
  LLVMValueRef function = cn_emit_declare_function(s->ctx, s->allocator->slow, type, LLVMPreserveAllCallConv);

  if (!function)
    return NULL;
  LLVMValueRef arguments[] = {cn_layouts_emit_address(s->ctx, s->builder, s->layout), s->count};
  LLVMValueRef call = LLVMBuildCall2(s->builder, type, function, arguments, s->count ? 2 : 1, "");
  LLVMSetInstructionCallConv(call, LLVMPreserveAllCallConv);
  if (is_small_block(s))
    mark_small_fresh_object(s, call);
  return call;
}

/* Replace the call by a call of the slow function, for a block that may be too large or a finalisable type. */
static void expand_out_of_line(struct allocation_site *s)
{
  LLVMValueRef result = emit_slow_call(s);

  if (!result)
    return;
  LLVMReplaceAllUsesWith(s->call, result);
  LLVMInstructionEraseFromParent(s->call);
}

static LLVMBasicBlockRef insert_block_before(const struct allocation_site *s, LLVMBasicBlockRef before,
                                             const char *name)
{
  return LLVMInsertBasicBlockInContext(s->ctx->llvm, before, name);
}

struct expansion_arms {
  LLVMBasicBlockRef fast, slow, tail;
  LLVMValueRef free, end;
};

static struct expansion_arms split_into_arms(const struct allocation_site *s, LLVMValueRef bytes)
{
  LLVMBasicBlockRef head = LLVMGetInstructionParent(s->call);
  struct expansion_arms arms = {.tail = cn_split_block_before(s->ctx, s->call, "allocated")};

  arms.fast = insert_block_before(s, arms.tail, "alloc.fast");
  arms.slow = insert_block_before(s, arms.tail, "alloc.slow");
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(head));
  LLVMPositionBuilderAtEnd(s->builder, head);
  LLVMValueRef test = emit_buffer_test(s, bytes, &arms.free, &arms.end);
  cn_emit_mark_branch_unlikely(s->ctx, LLVMBuildCondBr(s->builder, test, arms.slow, arms.fast));
  LLVMPositionBuilderAtEnd(s->builder, arms.fast);
  LLVMBuildStore(s->builder, arms.end, cn_emit_mutator_field_address(s->ctx, s->builder, CAIRN_ABI_MUTATOR_ALLOC));
  return arms;
}

/* Replace the call by a phi of the objects that the arms made. */
static void join_arms(const struct allocation_site *s, const struct expansion_arms *arms, LLVMValueRef fast,
                      LLVMValueRef slow)
{
  LLVMValueRef incoming[] = {fast, slow};
  LLVMBasicBlockRef blocks[] = {arms->fast, arms->slow};

  LLVMPositionBuilderBeforeInstrAndDbgRecords(s->builder, cn_first_after_phis(arms->tail));
  LLVMValueRef phi = LLVMBuildPhi(s->builder, cn_ref_type(s->ctx), "");
  LLVMAddIncoming(phi, incoming, blocks, 2);
  LLVMReplaceAllUsesWith(s->call, phi);
  LLVMInstructionEraseFromParent(s->call);
}

static void expand_array_in_line(struct allocation_site *s)
{
  CN_CHECK(s->count && s->sizes.elem_size > 0 && s->most > 0);
  LLVMBuilderRef b = s->builder;
  LLVMValueRef size = emit_payload_size(s);
  struct expansion_arms arms = split_into_arms(s, LLVMBuildAdd(b, size, word_constant(s, s->prefix), ""));
  LLVMValueRef fast = emit_fresh_object(s, arms.free, 0);

  if (s->allocator->uninit)
    emit_note_uncleared(s);
  else
    emit_clear_memory(s, emit_address_before_payload(s, fast, 0), size);
  cn_emit_store_fence(s->ctx, b);
  LLVMBuildBr(b, arms.tail);
  LLVMPositionBuilderAtEnd(b, arms.slow);
  LLVMValueRef slow = emit_slow_call(s);
  LLVMBuildBr(b, arms.tail);
  if (slow)
    join_arms(s, &arms, fast, slow);
}

/* The quick tier allocates by calls, which are less work for the code generator. */
static uint64_t max_inline_bytes(struct cn_ctx *ctx, bool uninit)
{
  uint64_t most = ctx->options->tier == CAIRN_TIER_QUICK ? 0 : cn_max_inline_bytes(ctx);

  CN_CHECK(most % CAIRN_ABI_OBJECT_ALIGN == 0 && most <= CAIRN_ABI_INLINE_ALLOC_MAX);
  return !uninit && most > CAIRN_ABI_INLINE_CLEAR_MAX ? CAIRN_ABI_INLINE_CLEAR_MAX : most;
}

static uint64_t max_inline_count(const struct allocation_site *s)
{
  uint64_t most = max_inline_bytes(s->ctx, s->allocator->uninit), room = most - s->prefix;

  CN_CHECK(s->sizes.elem_size > 0);
  if (s->prefix > most || payload_size_of(&s->sizes, 0) > room || s->sizes.elem_offset > room)
    return 0;
  return (room - s->sizes.elem_offset) / s->sizes.elem_size;
}

static void check_allocation(struct cn_ctx *ctx, LLVMValueRef call, const struct cn_allocator *allocator)
{
  struct cn_layout_sizes sizes;

  if (!LLVMIsACallInst(call)) {
    cn_error(ctx, call, "invoke", "an invoke of an allocation function; run pass prepare first");
    return;
  }
  if (cn_layouts_is_run_time_operand(LLVMGetOperand(call, 0)))
    return;
  if (!cn_layouts_is_layout_constant(LLVMGetOperand(call, 0))) {
    cn_error(ctx, call, "unknown-layout", "an allocation call without a layout constant; run pass layouts first");
    return;
  }
  cn_layouts_read_sizes(LLVMGetOperand(call, 0), &sizes);
  if ((sizes.elem_size == 0) != (allocator->form == CN_LAYOUT_FORM_OBJECT))
    cn_error(ctx, call, "unknown-layout", "an allocation call whose layout is for another form of object");
  if (allocator->resizes && sizes.finalisable)
    cn_error(ctx, call, "finalisable-resize",
             "an array of a finalisable type is resized: the array that it was would be finalised, "
             "too; keep the array in an object of the type");
  if (allocator->uninit && sizes.refs)
    cn_error(ctx, call, "uninit-references",
             "@%s is given a layout with references, which would keep the memory's old contents", allocator->name);
}

static struct allocation_site allocation_site_of(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call)
{
  const struct cn_allocator *allocator = cn_layouts_called_allocator(call);
  struct allocation_site s = {.ctx = ctx,
                              .allocator = allocator,
                              .call = call,
                              .layout = LLVMGetOperand(call, 0),
                              .tag = cn_words(ctx).reference,
                              .run_time = cn_layouts_is_run_time_operand(LLVMGetOperand(call, 0)),
                              .builder = builder};

  if (s.run_time) {
    s.count = allocator->form == CN_LAYOUT_FORM_OBJECT ? NULL : LLVMGetOperand(call, 1);
    return s;
  }
  CN_CHECK(cn_layouts_is_layout_constant(s.layout)); /* check_allocation() has checked it */
  cn_layouts_read_sizes(s.layout, &s.sizes);
  s.prefix = allocator->form == CN_LAYOUT_FORM_OBJECT ? CAIRN_ABI_HEADER_SIZE : CAIRN_ABI_INDEXED_HEADER_SIZE;
  if (allocator->form != CN_LAYOUT_FORM_OBJECT) {
    s.count = LLVMGetOperand(call, 1);
    s.most = max_inline_count(&s);
  }
  return s;
}

/* True if the call makes an object of constant size that in-line code can allocate. Then *object is filled in. */
static bool is_constant_size_inline(struct cn_ctx *ctx, LLVMValueRef call, struct cn_fresh_object *object)
{
  if (!LLVMIsACallInst(call) || cn_layouts_called_allocator(call)->resizes)
    return false;
  struct allocation_site s = allocation_site_of(ctx, NULL, call);
  if (s.run_time || s.sizes.finalisable)
    return false;
  bool in_line;
  uint64_t count = 0;

  if (!s.count) {
    in_line = s.prefix + payload_size_of(&s.sizes, 0) <= max_inline_bytes(ctx, false);
  } else {
    in_line = LLVMIsAConstantInt(s.count) && LLVMConstIntGetZExtValue(s.count) <= s.most &&
              s.prefix + payload_size_of(&s.sizes, 0) <= max_inline_bytes(ctx, s.allocator->uninit);
    count = in_line ? LLVMConstIntGetZExtValue(s.count) : 0;
  }
  *object = (struct cn_fresh_object){.call = call,
                                     .allocator = s.allocator,
                                     .prefix = s.prefix,
                                     .tag = s.tag,
                                     .payload = payload_size_of(&s.sizes, count)};
  return in_line;
}

/* ---- groups ---- */

static LLVMValueRef group_copy_of(const struct cn_fresh_group *group, const LLVMValueRef *objects,
                                  const LLVMValueRef *copies, size_t made, LLVMValueRef value)
{
  for (size_t i = 0; i < group->count; i++)
    if (group->objects[i].call == value)
      return objects[i];
  for (size_t i = 0; i < made; i++)
    if (group->parts.at[i] == value)
      return copies[i];
  return value;
}

/* Emit copies of the group's stores into `objects`. */
static void emit_group_parts(const struct allocation_site *s, const struct cn_fresh_group *group,
                             const LLVMValueRef *objects)
{
  LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(s->builder);
  LLVMValueRef copies[CN_FRESH_MAX_INSTRUCTIONS];

  CN_CHECK(group->parts.count <= CN_FRESH_MAX_INSTRUCTIONS);
  for (size_t i = 0; i < group->parts.count; i++) {
    LLVMValueRef part = group->parts.at[i], copy = LLVMInstructionClone(part);
    for (unsigned n = 0; n < (unsigned)LLVMGetNumOperands(part); n++)
      LLVMSetOperand(copy, n, group_copy_of(group, objects, copies, i, LLVMGetOperand(part, n)));
    LLVMSetCurrentDebugLocation2(s->builder, LLVMInstructionGetDebugLoc(part));
    LLVMInsertIntoBuilder(s->builder, copy);
    copies[i] = copy;
  }
  LLVMSetCurrentDebugLocation2(s->builder, line);
}

/* Erase the original stores, because both arms have copies. Addresses with other users stay. */
static void erase_group_parts(struct cn_fresh_group *group)
{
  for (size_t i = group->parts.count; i-- > 0;)
    if (!LLVMGetFirstUse(group->parts.at[i]))
      LLVMInstructionEraseFromParent(group->parts.at[i]);
}

static void emit_group_fast_arm(const struct allocation_site *sites, const struct cn_fresh_group *group,
                                const struct expansion_arms *arms, LLVMValueRef *objects)
{
  uint64_t distance = 0;

  for (size_t i = 0; i < group->count; i++) {
    objects[i] = emit_fresh_object(&sites[i], arms->free, distance);
    distance += group->objects[i].prefix + group->objects[i].payload;
  }
  CN_CHECK(distance == group->bytes);
  for (size_t i = 0; i < group->count; i++)
    if (group->objects[i].allocator->uninit)
      emit_note_uncleared(&sites[i]);
    else
      emit_clear_unstored_words(&sites[i], objects[i], &group->objects[i]);
  emit_group_parts(&sites[0], group, objects);
  cn_emit_store_fence(sites[0].ctx, sites[0].builder);
  LLVMBuildBr(sites[0].builder, arms->tail);
}

static bool emit_group_slow_arm(const struct allocation_site *sites, const struct cn_fresh_group *group,
                                const struct expansion_arms *arms, LLVMValueRef *objects)
{
  LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(sites[0].builder);

  LLVMPositionBuilderAtEnd(sites[0].builder, arms->slow);
  for (size_t i = 0; i < group->count; i++) {
    LLVMSetCurrentDebugLocation2(sites[i].builder, LLVMInstructionGetDebugLoc(sites[i].call));
    if (!(objects[i] = emit_slow_call(&sites[i])))
      return false;
  }
  LLVMSetCurrentDebugLocation2(sites[0].builder, line);
  emit_group_parts(&sites[0], group, objects);
  LLVMBuildBr(sites[0].builder, arms->tail);
  return true;
}

static void expand_group(struct cn_ctx *ctx, LLVMBuilderRef builder, struct cn_fresh_group *group)
{
  struct allocation_site sites[CN_FRESH_MAX_OBJECTS];
  LLVMValueRef fast[CN_FRESH_MAX_OBJECTS], slow[CN_FRESH_MAX_OBJECTS];

  for (size_t i = 0; i < group->count; i++)
    sites[i] = allocation_site_of(ctx, builder, group->objects[i].call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(sites[0].call));
  struct expansion_arms arms = split_into_arms(&sites[0], word_constant(&sites[0], group->bytes));
  emit_group_fast_arm(sites, group, &arms, fast);
  if (!emit_group_slow_arm(sites, group, &arms, slow))
    return;
  for (size_t i = 0; i < group->count; i++)
    join_arms(&sites[i], &arms, fast[i], slow[i]);
  erase_group_parts(group);
}

/* ---- the pass ---- */

static void expand_allocation(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef call)
{
  const struct cn_allocator *allocator = cn_layouts_called_allocator(call);

  LLVMPositionBuilderBefore(builder, call);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
  if (allocator->resizes) {
    cn_expand_resize_call(ctx, builder, call, allocator);
    return;
  }
  struct allocation_site s = allocation_site_of(ctx, builder, call);
  if (s.count && !LLVMIsAConstantInt(s.count) && s.most > 0 && !s.sizes.finalisable)
    expand_array_in_line(&s);
  else
    expand_out_of_line(&s);
}

typedef CN_VECTOR(LLVMValueRef) call_list;
typedef CN_VECTOR(struct cn_fresh_group) group_list;

/* Gather the calls, which are in the order of the function, into groups. The calls outside of groups remain in `calls`.
 */
static void group_allocations(struct cn_ctx *ctx, call_list *calls, group_list *groups)
{
  size_t rest = 0;

  for (size_t i = 0, next; i < calls->count; i = next) {
    struct cn_fresh_group group;
    struct cn_fresh_object object;
    next = i + 1;
    if (!is_constant_size_inline(ctx, calls->at[i], &object)) {
      calls->at[rest++] = calls->at[i];
      continue;
    }
    cn_fresh_begin_group(&group, &object);
    cn_fresh_gather_group(ctx, &group, is_constant_size_inline, max_inline_bytes(ctx, false));
    next = i + group.count;
    for (size_t n = 1; n < group.count; n++)
      CN_CHECK(i + n < calls->count && calls->at[i + n] == group.objects[n].call);
    cn_push(groups, group);
  }
  calls->count = rest;
}

/* Expand the calls from the last to the first, because an expansion moves the rest of its block, up to the next call
 * that has been expanded. */
static void expand_all_allocations(struct cn_ctx *ctx, LLVMValueRef function)
{
  call_list calls = {0};
  group_list groups = {0};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_layouts_called_allocator(i))
        cn_push(&calls, i);
  group_allocations(ctx, &calls, &groups);
  for (size_t i = groups.count; i-- > 0 && ctx->errors == 0;)
    expand_group(ctx, builder, &groups.at[i]);
  for (size_t i = calls.count; i-- > 0 && ctx->errors == 0;)
    expand_allocation(ctx, builder, calls.at[i]);
  for (size_t i = 0; i < groups.count; i++)
    cn_fresh_free_group(&groups.at[i]);
  cn_free(&groups);
  cn_free(&calls);
  LLVMDisposeBuilder(builder);
}

static void check_all_allocations(struct cn_ctx *ctx, LLVMValueRef function)
{
  const struct cn_allocator *allocator;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if ((allocator = cn_layouts_called_allocator(i)) != NULL)
        check_allocation(ctx, i, allocator);
}

bool cn_expand_allocations(struct cn_ctx *ctx)
{
  unsigned memory = cn_attribute_kind("memory");

  for (LLVMValueRef f = LLVMGetFirstFunction(ctx->module); f && ctx->errors == 0; f = LLVMGetNextFunction(f)) {
    if (!cn_is_managed(f))
      continue;
    /* Drop the inferred attribute, because in-line allocation writes memory that other functions read. */
    LLVMRemoveEnumAttributeAtIndex(f, CN_FUNCTION_INDEX, memory);
    check_all_allocations(ctx, f);
    if (ctx->errors == 0)
      expand_all_allocations(ctx, f);
  }
  if (ctx->errors == 0)
    cn_object_queries_lower(ctx);
  return ctx->errors == 0;
}
