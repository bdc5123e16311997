/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the places of references in an alloca. The search follows the uses of the alloca's address and of addresses
 * computed from it to loads and stores of references, and to arguments whose attributes give a type. The search stops
 * at an address that is stored in memory or passed without a type. See docs/relocation.md, "Locals in memory". Needs:
 * nothing. Provides: the bits of one struct cn_alloca_layout; predicates of copies and accesses (alloca_layout.h).
 * Breaks: nothing.
 */
#include "base/bitset.h"
#include "base/check.h"
#include "base/ptrmap.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/effects/intrinsics.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"

bool cn_alloca_uses_is_copy(LLVMValueRef i)
{
  return cn_intrinsic_has_effect(i, CN_EFFECT_COPY);
}

void cn_alloca_uses_mark_reference(struct cn_alloca_layout *map, uint64_t offset)
{
  if (offset % CN_ALLOCA_WORD_BYTES || offset / CN_ALLOCA_WORD_BYTES >= map->words)
    map->unclear = true;
  else
    cn_bitset_add(map->bits, offset / CN_ALLOCA_WORD_BYTES);
}

void cn_alloca_uses_mark_references(struct cn_ctx *ctx, struct cn_alloca_layout *map, LLVMTypeRef type, uint64_t offset)
{
  if (!cn_holds_ref(type))
    return;
  switch (cn_holds_scalable_vector(type) ? LLVMScalableVectorTypeKind : LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    cn_alloca_uses_mark_reference(map, offset);
    break;
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      cn_alloca_uses_mark_references(ctx, map, LLVMStructGetTypeAtIndex(type, i),
                                     offset + LLVMOffsetOfElement(ctx->layout, type, i));
    break;
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind: {
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t count = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    for (uint64_t i = 0; i < count && !map->unclear; i++)
      cn_alloca_uses_mark_references(ctx, map, element, offset + i * LLVMABISizeOfType(ctx->layout, element));
    break;
  }
  default:
    map->unclear = true;
  }
}

/* A pointer into an alloca, at a constant or a variable offset. */
struct alloca_pointer {
  LLVMValueRef pointer;
  uint64_t offset;
  bool known;
};

struct alloca_walk {
  struct cn_ctx *ctx;
  struct cn_alloca_layout *map;
  CN_VECTOR(struct alloca_pointer) places;
  struct cn_ptrmap seen;
};

static void push_unseen_pointer(struct alloca_walk *walk, LLVMValueRef pointer, uint64_t offset, bool known)
{
  bool fresh;

  cn_ptrmap_add(&walk->seen, pointer, &fresh);
  if (fresh)
    cn_push(&walk->places, (struct alloca_pointer){pointer, offset, known});
}

static void mark_accessed_type(struct alloca_walk *walk, const struct alloca_pointer *place, LLVMTypeRef type)
{
  if (!cn_holds_ref(type))
    return;
  if (place->known)
    cn_alloca_uses_mark_references(walk->ctx, walk->map, type, place->offset);
  else
    walk->map->floating = true;
}

/* Mark the references that an intrinsic with a mask or a length may access, as if it accessed all elements. */
static void mark_vector_access(struct alloca_walk *walk, const struct alloca_pointer *place, LLVMValueRef call)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(call);
  struct alloca_pointer at = *place;

  at.known &= row && (row->effect == CN_EFFECT_LOAD || row->effect == CN_EFFECT_STORE) &&
              LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(call, (unsigned)row->place))) == LLVMPointerTypeKind &&
              row->mask - row->place < 2; /* a stride makes the offset variable */
  mark_accessed_type(walk, &at, LLVMTypeOf(call));
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
    mark_accessed_type(walk, &at, LLVMTypeOf(LLVMGetArgOperand(call, a)));
}

static bool returns_its_argument(LLVMValueRef call, bool *moves)
{
  *moves = cn_intrinsic_has_effect(call, CN_EFFECT_INSIDE);
  return *moves || cn_intrinsic_has_effect(call, CN_EFFECT_SAME);
}

bool cn_alloca_uses_returns_argument(LLVMValueRef call)
{
  bool moves;

  CN_ASSERT(cn_is_call(call));
  return returns_its_argument(call, &moves);
}

/* Mark the references of the type that the argument's attributes say the callee reads or writes. */
static void follow_argument(struct alloca_walk *walk, const struct alloca_pointer *place, LLVMValueRef call,
                            unsigned operand)
{
  static const char *const typed[] = {"byval", "inalloca", "preallocated", "sret", "byref", "elementtype"};
  enum { COPIED_ATTRIBUTE_COUNT = 3 }; /* byval, inalloca, preallocated: the callee gets a copy */
  LLVMValueRef callee = cn_direct_callee(call);

  for (size_t t = 0; t < sizeof typed / sizeof *typed; t++) {
    unsigned kind = cn_attribute_kind(typed[t]);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, operand + 1, kind);
    if (!attribute && callee)
      attribute = LLVMGetEnumAttributeAtIndex(callee, operand + 1, kind);
    if (!attribute)
      continue;
    mark_accessed_type(walk, place, LLVMGetTypeAttributeValue(attribute));
    if (t < COPIED_ATTRIBUTE_COUNT && cn_classify_call(call).kind == CN_CALL_PARSE_POINT)
      walk->map->copied = call;
  }
  unsigned returned = cn_attribute_kind("returned");
  if (LLVMGetCallSiteEnumAttribute(call, operand + 1, returned) ||
      (callee && LLVMGetEnumAttributeAtIndex(callee, operand + 1, returned)))
    push_unseen_pointer(walk, call, place->offset, place->known);
}

static void follow_call(struct alloca_walk *walk, const struct alloca_pointer *place, LLVMValueRef call,
                        unsigned operand)
{
  LLVMValueRef callee = cn_direct_callee(call);
  bool moves;

  if (operand >= LLVMGetNumArgOperands(call))
    return;
  if (!callee || !LLVMGetIntrinsicID(callee))
    follow_argument(walk, place, call, operand);
  else if (returns_its_argument(call, &moves))
    push_unseen_pointer(walk, call, place->offset, place->known && !moves);
  else if (!cn_alloca_uses_is_copy(call) && !cn_intrinsic_has_effect(call, CN_EFFECT_POINT))
    mark_vector_access(walk, place, call);
}

static void follow_use(struct alloca_walk *walk, const struct alloca_pointer *place, LLVMValueRef user,
                       unsigned operand)
{
  uint64_t offset = place->offset;
  bool known;

  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMLoad:
    mark_accessed_type(walk, place, LLVMTypeOf(user));
    break;
  case LLVMStore:
    if (operand == 1)
      mark_accessed_type(walk, place, LLVMTypeOf(LLVMGetOperand(user, 0)));
    break;
  case LLVMAtomicCmpXchg:
  case LLVMAtomicRMW:
    mark_accessed_type(walk, place, LLVMTypeOf(LLVMGetOperand(user, 1)));
    break;
  case LLVMGetElementPtr:
    if (operand != 0)
      break; /* the address is an index */
    known = place->known && cn_types_gep_offset(walk->ctx, user, &offset);
    push_unseen_pointer(walk, user, offset, known);
    break;
  case LLVMBitCast:
  case LLVMFreeze:
  case LLVMAddrSpaceCast:
    push_unseen_pointer(walk, user, offset, place->known);
    break;
  case LLVMPHI:
  case LLVMSelect:
  case LLVMInsertElement:
  case LLVMExtractElement:
  case LLVMShuffleVector:
  case LLVMInsertValue:
  case LLVMExtractValue:
  case LLVMPtrToInt:
  case LLVMPtrToAddr:
  case LLVMIntToPtr:
  case LLVMAdd:
  case LLVMSub:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
    push_unseen_pointer(walk, user, 0, false);
    break;
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr:
    follow_call(walk, place, user, operand);
    break;
  default:
    break;
  }
}

void cn_alloca_uses_mark_accesses(struct cn_ctx *ctx, struct cn_alloca_layout *map, LLVMValueRef pointer)
{
  struct alloca_walk walk = {.ctx = ctx, .map = map};

  push_unseen_pointer(&walk, pointer, 0, true);
  for (size_t i = 0; i < walk.places.count; i++)
    CN_EACH_USE(use, walk.places.at[i].pointer) {
      struct alloca_pointer place = walk.places.at[i];
      LLVMValueRef user = LLVMGetUser(use);
      if (!LLVMIsAInstruction(user))
        continue;
      unsigned operand = 0;
      while (LLVMGetOperand(user, operand) != place.pointer)
        operand++;
      /* A store of the pointer to its own address uses the pointer twice; the later operand is the address. */
      if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == place.pointer)
        operand = 1;
      follow_use(&walk, &place, user, operand);
    }
  cn_free(&walk.places);
  cn_ptrmap_free(&walk.seen);
}

bool cn_alloca_uses_access_references(struct cn_ctx *ctx, LLVMValueRef pointer)
{
  struct cn_alloca_layout map = {0}; /* the map has zero words, so every access lies outside */

  cn_alloca_uses_mark_accesses(ctx, &map, pointer);
  return map.unclear || map.floating;
}
