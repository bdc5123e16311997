/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds unmanaged memory that is assigned to a global or a member of a type that points to references:
 *   table->files = malloc(n * sizeof *table->files);   table->files[i] = file;
 * The uses of a pointer in the unit show the type of its target: a global or a member points to references if the unit
 * stores or loads a reference through a pointer that it loads from there. rules_access.c checks locals by their debug
 * information.
 *
 * Part of pass `rules`. Needs: the front end's IR. Provides: diagnostic unmanaged-store. Breaks: nothing.
 */
#include <stdlib.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/source/rules.h"

/* A global (`index` 0), or member number `index` - 1 of a struct type. */
struct pointer_place {
  const void *of;
  unsigned index;
};
struct pointer_places {
  CN_VECTOR(struct pointer_place) at;
};

/* The most globals and members of a unit that are checked; further ones are skipped. */
enum { MAX_POINTER_PLACES = 256 };

static bool find_pointer_place(LLVMValueRef pointer, struct pointer_place *out)
{
  LLVMValueRef global = cn_types_global_of(pointer);

  if (global) {
    *out = (struct pointer_place){global, 0};
    return true;
  }
  if (!LLVMIsAGetElementPtrInst(pointer) || LLVMGetNumOperands(pointer) != 3)
    return false;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
  LLVMValueRef index = LLVMIsAConstantInt(LLVMGetOperand(pointer, 2));
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind || !index)
    return false;
  *out = (struct pointer_place){type, (unsigned)LLVMConstIntGetZExtValue(index) + 1};
  return true;
}

static bool has_pointer_place(const struct pointer_places *places, struct pointer_place place)
{
  for (size_t i = 0; i < places->at.count; i++)
    if (places->at.at[i].of == place.of && places->at.at[i].index == place.index)
      return true;
  return false;
}

/* If `i` loads or stores a reference, list the global or member that holds the pointer to its memory. */
static void add_pointer_place(struct pointer_places *places, LLVMValueRef i)
{
  LLVMValueRef pointer = NULL;
  struct pointer_place place;

  if (LLVMIsALoadInst(i) && cn_is_ref(LLVMTypeOf(i)))
    pointer = LLVMGetOperand(i, 0);
  else if (LLVMIsAStoreInst(i) && cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0))))
    pointer = LLVMGetOperand(i, 1);
  if (!pointer || cn_is_ref(LLVMTypeOf(pointer)) || places->at.count == MAX_POINTER_PLACES)
    return;
  LLVMValueRef root = cn_types_root_of(pointer);
  if (LLVMIsALoadInst(root) && find_pointer_place(LLVMGetOperand(root, 0), &place) && !has_pointer_place(places, place))
    cn_push(&places->at, place);
}

static void check_unmanaged_store(struct cn_ctx *ctx, const struct pointer_places *places, LLVMValueRef store)
{
  LLVMValueRef pointer = LLVMGetOperand(store, 1);
  const char *memory = cn_rules_unmanaged_allocator_of(LLVMGetOperand(store, 0));
  struct pointer_place place;
  size_t length;

  CN_ASSERT(LLVMIsAStoreInst(store));
  if (!memory || !find_pointer_place(pointer, &place) || !has_pointer_place(places, place))
    return;
  const char *name = place.index ? LLVMGetStructName((LLVMTypeRef)(uintptr_t)place.of)
                                 : LLVMGetValueName2(cn_types_global_of(pointer), &length);
  char *member =
      place.index ? cn_format("member %u of %s", place.index, name ? name : "a struct") : cn_format("global %s", name);
  cn_error(ctx, store, "unmanaged-store",
           "%s leads to references, and is given memory from %s(), where the collector does not "
           "find them; make it a managed array, from cairn_new_array()",
           member, memory);
  free(member);
}

static void visit_instructions(struct cn_ctx *ctx, struct pointer_places *places,
                               void (*visit)(struct cn_ctx *, struct pointer_places *, LLVMValueRef))
{
  CN_EACH_FUNCTION(f, ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        visit(ctx, places, i);
}

static void add_place_of_instruction(struct cn_ctx *ctx, struct pointer_places *places, LLVMValueRef i)
{
  (void)ctx;
  add_pointer_place(places, i);
}

static void check_instruction(struct cn_ctx *ctx, struct pointer_places *places, LLVMValueRef i)
{
  if (LLVMIsAStoreInst(i))
    check_unmanaged_store(ctx, places, i);
}

void cn_rules_check_members(struct cn_ctx *ctx)
{
  struct pointer_places places = {0};

  visit_instructions(ctx, &places, add_place_of_instruction);
  CN_ASSERT(places.at.count <= MAX_POINTER_PLACES);
  if (places.at.count)
    visit_instructions(ctx, &places, check_instruction);
  cn_free(&places.at);
}
