/* SPDX-License-Identifier: Apache-2.0
 *
 * Records type, member and source line of stores of references, for the message about a reference that is stored
 * outside the memory that the collector scans (check-stores). The front end's IR still shows the struct of each store,
 * and debug information names the struct's members. The optimiser drops both.
 *
 * Part of pass `rules`. Needs: the front end's IR. Provides: metadata cairn.slot, one string, on stores of references
 * through ordinary pointers. Breaks: nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/source/rules.h"

/* A store of a reference to a member of the named struct `type`, or to other memory if `type` is null. */
struct named_store {
  LLVMValueRef store;
  LLVMTypeRef type;
  uint64_t offset;
};
struct store_list {
  CN_VECTOR(struct named_store) at;
  struct cn_ptrmap types; /* name -> debug information of the type */
};

static const char *struct_name_of(LLVMTypeRef type)
{
  static const char prefix[] = "struct.";
  const char *name = LLVMGetStructName(type);

  return name && strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : NULL;
}

/* The struct that `slot` points into, with the offset of `slot` in it; null if the IR does not show the struct. */
static LLVMTypeRef slot_struct_of(struct cn_ctx *ctx, LLVMValueRef slot, uint64_t *offset)
{
  if (!LLVMIsAGetElementPtrInst(slot) || LLVMGetNumOperands(slot) != 3)
    return NULL;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(slot);
  LLVMValueRef index = LLVMIsAConstantInt(LLVMGetOperand(slot, 2));
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind || !index || !struct_name_of(type))
    return NULL;
  *offset = LLVMOffsetOfElement(ctx->layout, type, (unsigned)LLVMConstIntGetZExtValue(index));
  return type;
}

static void gather_reference_store(struct cn_ctx *ctx, struct store_list *stores, LLVMValueRef store)
{
  LLVMValueRef slot = LLVMGetOperand(store, 1);
  uint64_t offset = 0;

  CN_ASSERT(LLVMIsAStoreInst(store));
  if (!cn_is_ref(LLVMTypeOf(LLVMGetOperand(store, 0))) || cn_is_ref(LLVMTypeOf(slot)) || LLVMIsAAllocaInst(slot))
    return;
  LLVMTypeRef type = slot_struct_of(ctx, slot, &offset);
  if (type || LLVMGetDebugLocLine(store))
    cn_push(&stores->at, ((struct named_store){store, type, offset}));
}

/* Record the first type with members for each name. Equal strings of metadata have equal addresses. */
static void add_named_type(struct cn_ctx *ctx, LLVMMetadataRef type, void *env)
{
  struct store_list *stores = env;
  size_t length;
  const char *name = LLVMDITypeGetName(type, &length);

  if (length && cn_rules_member_at(ctx, type, 0)) {
    uint64_t *known = cn_ptrmap_add(&stores->types, LLVMMDStringInContext2(ctx->llvm, name, length), NULL);
    if (!*known)
      *known = (uintptr_t)type;
  }
}

static LLVMMetadataRef stored_member_of(struct cn_ctx *ctx, struct store_list *stores, const struct named_store *s)
{
  const char *name = struct_name_of(s->type);
  CN_CHECK(name); /* slot_struct_of() */
  const uint64_t *type = cn_ptrmap_find(&stores->types, LLVMMDStringInContext2(ctx->llvm, name, strlen(name)));

  return type ? cn_rules_member_at(ctx, (LLVMMetadataRef)(uintptr_t)*type, s->offset) : NULL;
}

/* Format the text "member 'next' of struct node". */
static char *format_slot_name(struct cn_ctx *ctx, struct store_list *stores, const struct named_store *s)
{
  size_t length = 0;

  if (!s->type)
    return cn_strdup(CN_SLOT_UNKNOWN);
  LLVMMetadataRef member = stored_member_of(ctx, stores, s);
  const char *name = member ? LLVMDITypeGetName(member, &length) : "";
  return length ? cn_format("member '%.*s' of struct %s", (int)length, name, struct_name_of(s->type))
                : cn_format("offset %lu of struct %s", (unsigned long)s->offset, struct_name_of(s->type));
}

static void attach_slot_name(struct cn_ctx *ctx, struct store_list *stores, const struct named_store *s)
{
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, CN_SLOT_METADATA, (unsigned)strlen(CN_SLOT_METADATA));
  unsigned length = 0, line = LLVMGetDebugLocLine(s->store);
  const char *file = line ? LLVMGetDebugLocFilename(s->store, &length) : NULL;
  char *place = format_slot_name(ctx, stores, s);
  char *text = file ? cn_format("%s at %.*s:%u", place, (int)length, file, line) : place;
  LLVMMetadataRef string = LLVMMDStringInContext2(ctx->llvm, text, strlen(text));
  LLVMMetadataRef node = LLVMMDNodeInContext2(ctx->llvm, &string, 1);

  LLVMSetMetadata(s->store, kind, LLVMMetadataAsValue(ctx->llvm, node));
  if (text != place)
    free(text);
  free(place);
}

void cn_store_names_add(struct cn_ctx *ctx)
{
  struct store_list stores = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (LLVMIsAStoreInst(i))
          gather_reference_store(ctx, &stores, i);
  if (stores.at.count)
    cn_rules_visit_types(ctx, add_named_type, &stores);
  for (size_t i = 0; i < stores.at.count; i++)
    attach_slot_name(ctx, &stores, &stores.at.at[i]);
  cn_free(&stores.at);
  cn_ptrmap_free(&stores.types);
}
