/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of pass `allocate`: gathers the objects that may share a check, and the stores that fill them right after their
 * allocation. From the first call on, the block is scanned up to the first instruction that
 *
 *   - may reach a safepoint or let others see memory: any call except further allocations and those that make or read
 *     immediates,
 *   - may read the object, or lets its address go elsewhere than into an object of the group,
 *   - must stay on its side of a safepoint: it makes a number of a reference, or compares references,
 *   - reads or writes other memory, except that it may load constants: an allocation may call the program back, and a
 *     callback may change that memory and read it (docs/runtime.md, "Inside an allocation").
 *
 * Other instructions compute values from values: they can run before the allocation.
 */
#include "compile/allocation/fresh.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/memory_types.h"

/* The role of an instruction in the group. */
enum role { THE_END, OTHER, PART, OBJECT };

void cn_fresh_begin(struct cn_fresh_group *group, const struct cn_fresh *object)
{
  CN_ASSERT(object->prefix + object->payload <= CAIRN_ABI_INLINE_ALLOC_MAX);
  memset(group, 0, sizeof *group);
  group->objects[0] = *object;
  group->count = 1;
  group->bytes = object->prefix + object->payload;
}

void cn_fresh_free(struct cn_fresh_group *group)
{
  cn_free(&group->parts);
}

bool cn_fresh_is_stored(const struct cn_fresh *object, uint64_t offset)
{
  CN_ASSERT(offset % 8 == 0 && offset < object->payload);
  return offset < CN_FRESH_COVERED && object->stored[offset / 8] == 0xff;
}

static struct cn_fresh *object_of_call(struct cn_fresh_group *group, LLVMValueRef value)
{
  for (size_t i = 0; i < group->count; i++)
    if (group->objects[i].call == value)
      return &group->objects[i];
  return NULL;
}

/* True if `value` is an object, or the address of a member. */
static bool is_related(struct cn_fresh_group *group, LLVMValueRef value)
{
  for (; LLVMIsAGetElementPtrInst(value); value = LLVMGetOperand(value, 0))
    ;
  return object_of_call(group, value) != NULL;
}

static bool uses_related(struct cn_fresh_group *group, LLVMValueRef instruction)
{
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (is_related(group, LLVMGetOperand(instruction, (unsigned)i)))
      return true;
  return false;
}

/* The object that `address` lies in, at *offset; null if that is unknown. */
static struct cn_fresh *object_at(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef address,
                                  uint64_t *offset)
{
  *offset = 0;
  for (; LLVMIsAGetElementPtrInst(address); address = LLVMGetOperand(address, 0))
    if (!cn_types_gep_offset(ctx, address, offset))
      return NULL;
  struct cn_fresh *object = object_of_call(group, address);
  *offset += object ? object->tag : 0;
  return object;
}

static bool is_plain(LLVMValueRef access)
{
  return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static void note_stored(struct cn_fresh *object, uint64_t offset, uint64_t bytes)
{
  for (uint64_t at = offset; at < offset + bytes && at < CN_FRESH_COVERED; at++)
    object->stored[at / 8] |= (uint8_t)(1U << at % 8);
}

static enum role role_of_store(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, 0), address = LLVMGetOperand(store, 1);
  uint64_t offset, bytes;

  if (!is_plain(store) || cn_is_scalable(LLVMTypeOf(value)))
    return THE_END;
  if (!is_related(group, address))
    return THE_END;
  struct cn_fresh *object = object_at(ctx, group, address, &offset);
  bytes = LLVMStoreSizeOfType(ctx->layout, LLVMTypeOf(value));
  if (!object || bytes > object->payload || offset > object->payload - bytes ||
      (is_related(group, value) && !object_of_call(group, value)))
    return THE_END;
  /* A type of odd bits is stored with its padding. */
  note_stored(object, offset, bytes);
  return PART;
}

static bool holds_reference(LLVMValueRef instruction)
{
  if (cn_holds_ref(LLVMTypeOf(instruction)))
    return true;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i))))
      return true;
  return false;
}

/* True if the instruction only computes a value from values. */
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

  if (!uses_related(group, gep))
    return OTHER;
  return is_related(group, LLVMGetOperand(gep, 0)) && cn_types_gep_offset(ctx, gep, &offset) ? PART : THE_END;
}

/* True if the instruction makes or reads an immediate, which is the same on both sides of a safepoint. */
static bool is_tag(LLVMValueRef instruction)
{
  LLVMValueRef callee = LLVMIsACallInst(instruction) ? cn_direct_callee(instruction) : NULL;
  size_t length;

  return callee && cn_calls_is_tag(LLVMGetValueName2(callee, &length));
}

static bool reads_constant(LLVMValueRef load)
{
  LLVMValueRef address = LLVMGetOperand(load, 0);

  while (LLVMIsAGetElementPtrInst(address) ||
         (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) == LLVMGetElementPtr))
    address = LLVMGetOperand(address, 0);
  return LLVMIsAGlobalVariable(address) && LLVMIsGlobalConstant(address);
}

static enum role role_of(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef i)
{
  if (LLVMIsAStoreInst(i))
    return role_of_store(ctx, group, i);
  if (LLVMIsAGetElementPtrInst(i))
    return role_of_address(ctx, group, i);
  if (LLVMIsALoadInst(i))
    return is_plain(i) && reads_constant(i) ? OTHER : THE_END;
  if (cn_layouts_allocator(i))
    return OBJECT;
  if (is_tag(i))
    return uses_related(group, i) ? THE_END : OTHER;
  return is_pure_computation(i) && !holds_reference(i) ? OTHER : THE_END;
}

/* Add the object that the call allocates, if it fits. */
static bool add_fresh_object(struct cn_ctx *ctx, struct cn_fresh_group *group, LLVMValueRef call, cn_fresh_asked *ask,
                             uint64_t most)
{
  struct cn_fresh object = {0};

  if (group->count == CN_FRESH_MOST || group->bytes > most || !ask(ctx, call, &object) ||
      object.prefix + object.payload > most - group->bytes)
    return false;
  group->bytes += object.prefix + object.payload;
  group->objects[group->count++] = object;
  return true;
}

void cn_fresh_gather(struct cn_ctx *ctx, struct cn_fresh_group *group, cn_fresh_asked *ask, uint64_t most)
{
  CN_ASSERT(group->count == 1 && group->parts.count == 0);
  CN_VECTOR(LLVMValueRef) others = {0};
  LLVMValueRef first = group->objects[0].call;
  size_t before = 0; /* how many of the others lie before the last part */
  int far = 0;

  for (LLVMValueRef i = LLVMGetNextInstruction(first); i && far < CN_FRESH_FAR; i = LLVMGetNextInstruction(i), far++) {
    enum role role = role_of(ctx, group, i);
    if (role == THE_END || (role == OBJECT && !add_fresh_object(ctx, group, i, ask, most)))
      break;
    if (role == OTHER)
      cn_push(&others, i);
    else
      before = others.count;
    if (role == PART)
      cn_push(&group->parts, i);
  }
  for (size_t i = 0; i < before; i++)
    cn_move_before(ctx, others.at[i], first);
  cn_free(&others);
}
