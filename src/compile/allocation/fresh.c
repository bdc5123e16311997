/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of pass `allocate`: gathers the objects that one test of the allocation buffer's limit may allocate, and the
 * stores that fill them right after their allocation. A scan of the block, from the first allocation call on, ends at
 * the first instruction that
 *
 *   - may reach a safepoint or let other code read memory: any call except further allocations and calls that make or
 *     read immediates,
 *   - may read the object, or stores its address outside of the group's objects,
 *   - must stay on its side of a safepoint, because it converts a reference to a number or compares references, or
 *   - reads or writes other memory than constants: an allocation may call a callback of the program that reads and
 *     changes that memory (docs/runtime.md, "Inside an allocation").
 *
 * The other instructions only compute values from values, so they can move before the allocation. Needs: constant
 * layouts. Provides: struct cn_fresh_group, with the words of each object that the stores fill. Breaks: the order of
 * instructions in the block.
 */
#include "compile/allocation/fresh.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/memory_types.h"

enum role { ROLE_ENDS_GROUP, ROLE_UNRELATED, ROLE_PART, ROLE_OBJECT };

void cn_fresh_begin_group(struct cn_fresh_group *group, const struct cn_fresh_object *object)
{
  CN_ASSERT(object->prefix + object->payload <= CAIRN_ABI_INLINE_ALLOC_MAX);
  memset(group, 0, sizeof *group);
  group->objects[0] = *object;
  group->count = 1;
  group->bytes = object->prefix + object->payload;
}

void cn_fresh_free_group(struct cn_fresh_group *group)
{
  cn_free(&group->parts);
}

bool cn_fresh_is_word_stored(const struct cn_fresh_object *object, uint64_t offset)
{
  CN_ASSERT(offset % 8 == 0 && offset < object->payload);
  return offset < CN_FRESH_NOTED_BYTES && object->stored[offset / 8] == 0xff;
}

static struct cn_fresh_object *object_of_call(struct cn_fresh_group *group, LLVMValueRef value)
{
  for (size_t i = 0; i < group->count; i++)
    if (group->objects[i].call == value)
      return &group->objects[i];
  return NULL;
}

static bool is_object_or_part(struct cn_fresh_group *group, LLVMValueRef value)
{
  for (; LLVMIsAGetElementPtrInst(value); value = LLVMGetOperand(value, 0))
    ;
  return object_of_call(group, value) != NULL;
}

static bool uses_object_or_part(struct cn_fresh_group *group, LLVMValueRef instruction)
{
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (is_object_or_part(group, LLVMGetOperand(instruction, (unsigned)i)))
      return true;
  return false;
}

/* The object of the group that `address` points into, or null. Sets `*offset` to the offset of `address` in the
 * payload. */
static struct cn_fresh_object *object_at_address(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef address,
                                                 uint64_t *offset)
{
  *offset = 0;
  for (; LLVMIsAGetElementPtrInst(address); address = LLVMGetOperand(address, 0))
    if (!cn_types_gep_offset(ctx, address, offset))
      return NULL;
  struct cn_fresh_object *object = object_of_call(group, address);
  *offset += object ? object->tag : 0;
  return object;
}

static bool is_plain_access(LLVMValueRef access)
{
  return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static void note_stored_bytes(struct cn_fresh_object *object, uint64_t offset, uint64_t bytes)
{
  for (uint64_t at = offset; at < offset + bytes && at < CN_FRESH_NOTED_BYTES; at++)
    object->stored[at / 8] |= (uint8_t)(1U << at % 8);
}

static enum role role_of_store(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, 0), address = LLVMGetOperand(store, 1);
  uint64_t offset, bytes;

  if (!is_plain_access(store) || cn_holds_scalable_vector(LLVMTypeOf(value)))
    return ROLE_ENDS_GROUP;
  if (!is_object_or_part(group, address))
    return ROLE_ENDS_GROUP;
  struct cn_fresh_object *object = object_at_address(ctx, group, address, &offset);
  bytes = LLVMStoreSizeOfType(ctx->layout, LLVMTypeOf(value));
  if (!object || bytes > object->payload || offset > object->payload - bytes ||
      (is_object_or_part(group, value) && !object_of_call(group, value)))
    return ROLE_ENDS_GROUP;
  /* A store of an integer whose width is not a multiple of 8 bits also writes the padding. */
  note_stored_bytes(object, offset, bytes);
  return ROLE_PART;
}

static bool involves_reference(LLVMValueRef instruction)
{
  if (cn_holds_ref(LLVMTypeOf(instruction)))
    return true;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i))))
      return true;
  return false;
}

/* True if the instruction computes a value only from other values. */
static bool is_pure_computation(LLVMValueRef instruction)
{
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
    return true;
  default:
    return LLVMIsABinaryOperator(instruction) || LLVMIsAUnaryOperator(instruction) || LLVMIsACastInst(instruction);
  }
}

static enum role role_of_address(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef gep)
{
  uint64_t offset = 0;

  if (!uses_object_or_part(group, gep))
    return ROLE_UNRELATED;
  return is_object_or_part(group, LLVMGetOperand(gep, 0)) && cn_types_gep_offset(ctx, gep, &offset) ? ROLE_PART
                                                                                                    : ROLE_ENDS_GROUP;
}

/* True if the instruction makes or reads an immediate, which is the same on both sides of a safepoint. */
static bool is_tag_call(LLVMValueRef instruction)
{
  LLVMValueRef callee = LLVMIsACallInst(instruction) ? cn_direct_callee(instruction) : NULL;
  size_t length;

  return callee && cn_calls_is_tag_name(LLVMGetValueName2(callee, &length));
}

static bool reads_constant_global(LLVMValueRef load)
{
  LLVMValueRef address = LLVMGetOperand(load, 0);

  while (LLVMIsAGetElementPtrInst(address) ||
         (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
    address = LLVMGetOperand(address, 0);
  return LLVMIsAGlobalVariable(address) && LLVMIsGlobalConstant(address);
}

static enum role role_of_instruction(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef i)
{
  if (LLVMIsAStoreInst(i))
    return role_of_store(ctx, group, i);
  if (LLVMIsAGetElementPtrInst(i))
    return role_of_address(ctx, group, i);
  if (LLVMIsALoadInst(i))
    return is_plain_access(i) && reads_constant_global(i) ? ROLE_UNRELATED : ROLE_ENDS_GROUP;
  if (cn_layouts_called_allocator(i))
    return ROLE_OBJECT;
  if (is_tag_call(i))
    return uses_object_or_part(group, i) ? ROLE_ENDS_GROUP : ROLE_UNRELATED;
  return is_pure_computation(i) && !involves_reference(i) ? ROLE_UNRELATED : ROLE_ENDS_GROUP;
}

static bool add_fresh_object(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef call,
                             cn_fresh_object_test *ask, uint64_t most)
{
  struct cn_fresh_object object = {0};

  if (group->count == CN_FRESH_MAX_OBJECTS || group->bytes > most || !ask(ctx, call, &object) ||
      object.prefix + object.payload > most - group->bytes)
    return false;
  group->bytes += object.prefix + object.payload;
  group->objects[group->count++] = object;
  return true;
}

void cn_fresh_gather_group(struct cn_ctx *ctx, struct cn_fresh_group *group, cn_fresh_object_test *ask, uint64_t most)
{
  CN_ASSERT(group->count == 1 && group->parts.count == 0);
  CN_VECTOR(LLVMValueRef) others = {0};
  LLVMValueRef first = group->objects[0].call;
  size_t before = 0; /* the number of `others` that precede the last part */
  int far = 0;

  for (LLVMValueRef i = LLVMGetNextInstruction(first); i && far < CN_FRESH_MAX_INSTRUCTIONS;
       i = LLVMGetNextInstruction(i), far++) {
    enum role role = role_of_instruction(ctx, group, i);
    if (role == ROLE_ENDS_GROUP || (role == ROLE_OBJECT && !add_fresh_object(ctx, group, i, ask, most)))
      break;
    if (role == ROLE_UNRELATED)
      cn_push(&others, i);
    else
      before = others.count;
    if (role == ROLE_PART)
      cn_push(&group->parts, i);
  }
  for (size_t i = 0; i < before; i++)
    cn_move_instruction_before(ctx, others.at[i], first);
  cn_free(&others);
}
