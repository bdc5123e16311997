/* SPDX-License-Identifier: Apache-2.0
 *
 * Records type, member and source line of stores of references, for the message about a reference that is stored
 * outside the memory that the collector scans (check-stores), and the members of structs in objects, for the message
 * about a derived pointer (derived_stores.c). The front end's IR still shows the struct of each store, and debug
 * information names the struct's members. The optimiser drops both.
 *
 * Part of pass `rules`. Needs: the front end's IR. Provides: metadata cairn.slot, one string, on stores of references
 * through ordinary pointers; metadata cairn.members on functions, a node for each struct whose members the function
 * reaches in objects: its name, and the name of each element, or an empty string. Breaks: nothing.
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
/* A struct whose members `function` reaches in objects. */
struct object_struct {
  LLVMValueRef function;
  LLVMTypeRef type;
};
struct store_list {
  CN_VECTOR(struct named_store) at;
  CN_VECTOR(struct object_struct) structs;
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

/* Record the struct of an address in an object, once for each function. */
static void gather_object_struct(struct store_list *stores, struct cn_ptrmap *seen, LLVMValueRef function,
                                 LLVMValueRef gep)
{
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
  bool fresh;

  if (!cn_is_ref(LLVMTypeOf(gep)) || LLVMGetTypeKind(type) != LLVMStructTypeKind || !struct_name_of(type))
    return;
  cn_ptrmap_add(seen, type, &fresh);
  if (fresh)
    cn_push(&stores->structs, ((struct object_struct){function, type}));
}

static void gather_function(struct cn_ctx *ctx, struct store_list *stores, LLVMValueRef function)
{
  struct cn_ptrmap seen = {0};

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAStoreInst(i))
        gather_reference_store(ctx, stores, i);
      else if (LLVMIsAGetElementPtrInst(i))
        gather_object_struct(stores, &seen, function, i);
  cn_ptrmap_free(&seen);
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

static LLVMMetadataRef member_at(struct cn_ctx *ctx, struct store_list *stores, LLVMTypeRef struct_type,
                                 uint64_t offset)
{
  const char *name = struct_name_of(struct_type);
  CN_CHECK(name); /* slot_struct_of(), gather_object_struct() */
  const uint64_t *type = cn_ptrmap_find(&stores->types, LLVMMDStringInContext2(ctx->llvm, name, strlen(name)));

  return type ? cn_rules_member_at(ctx, (LLVMMetadataRef)(uintptr_t)*type, offset) : NULL;
}

/* Format the text "member 'next' of struct node". */
static char *format_slot_name(struct cn_ctx *ctx, struct store_list *stores, const struct named_store *s)
{
  size_t length = 0;

  if (!s->type)
    return cn_strdup(CN_SLOT_UNKNOWN);
  LLVMMetadataRef member = member_at(ctx, stores, s->type, s->offset);
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

/* ---- the structs of objects ---- */

static LLVMMetadataRef text_metadata(struct cn_ctx *ctx, const char *text, size_t length)
{
  return LLVMMDStringInContext2(ctx->llvm, text, length);
}

static LLVMMetadataRef make_struct_node(struct cn_ctx *ctx, struct store_list *stores, LLVMTypeRef type)
{
  const char *name = struct_name_of(type);
  CN_VECTOR(LLVMMetadataRef) names = {0};

  cn_push(&names, text_metadata(ctx, name, strlen(name)));
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
    LLVMMetadataRef member = member_at(ctx, stores, type, LLVMOffsetOfElement(ctx->layout, type, i));
    size_t length = 0;
    const char *text = member ? LLVMDITypeGetName(member, &length) : "";
    cn_push(&names, text_metadata(ctx, text, length));
  }
  LLVMMetadataRef node = LLVMMDNodeInContext2(ctx->llvm, names.at, names.count);
  cn_free(&names);
  return node;
}

static unsigned members_kind(struct cn_ctx *ctx)
{
  return LLVMGetMDKindIDInContext(ctx->llvm, CN_MEMBERS_METADATA, sizeof CN_MEMBERS_METADATA - 1);
}

/* Attach the nodes of the structs from `first` on to their common function. Returns the index after them. */
static size_t attach_structs(struct cn_ctx *ctx, struct store_list *stores, struct cn_ptrmap *nodes, size_t first)
{
  LLVMValueRef function = stores->structs.at[first].function;
  CN_VECTOR(LLVMMetadataRef) all = {0};
  bool fresh;

  for (; first < stores->structs.count && stores->structs.at[first].function == function; first++) {
    LLVMTypeRef type = stores->structs.at[first].type;
    uint64_t *node = cn_ptrmap_add(nodes, type, &fresh);
    if (fresh)
      *node = (uintptr_t)make_struct_node(ctx, stores, type);
    cn_push(&all, (LLVMMetadataRef)(uintptr_t)*node);
  }
  LLVMGlobalSetMetadata(function, members_kind(ctx), LLVMMDNodeInContext2(ctx->llvm, all.at, all.count));
  cn_free(&all);
  return first;
}

void cn_store_names_add(struct cn_ctx *ctx)
{
  struct store_list stores = {0};
  struct cn_ptrmap nodes = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    gather_function(ctx, &stores, f);
  if (stores.at.count || stores.structs.count)
    cn_rules_visit_types(ctx, add_named_type, &stores);
  for (size_t i = 0; i < stores.at.count; i++)
    attach_slot_name(ctx, &stores, &stores.at.at[i]);
  for (size_t i = 0; i < stores.structs.count;)
    i = attach_structs(ctx, &stores, &nodes, i);
  cn_free(&stores.at);
  cn_free(&stores.structs);
  cn_ptrmap_free(&stores.types);
  cn_ptrmap_free(&nodes);
}

static LLVMValueRef members_of(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMValueRef found = NULL;
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);

  for (unsigned i = 0; i < count; i++)
    if (LLVMValueMetadataEntriesGetKind(entries, i) == members_kind(ctx))
      found = LLVMMetadataAsValue(ctx->llvm, LLVMValueMetadataEntriesGetMetadata(entries, i));
  LLVMDisposeValueMetadataEntries(entries);
  return found;
}

static LLVMValueRef operand_of_node(LLVMValueRef node, unsigned index)
{
  unsigned count = node && LLVMIsAMDNode(node) ? (unsigned)LLVMGetMDNodeNumOperands(node) : 0;
  LLVMValueRef found = NULL;

  if (index < count) {
    LLVMValueRef *all = cn_alloc(count * sizeof *all);
    LLVMGetMDNodeOperands(node, all);
    found = all[index];
    free(all);
  }
  return found;
}

/* The text of a string, which is empty without a string. */
static const char *text_of(LLVMValueRef string)
{
  unsigned length;

  return string && LLVMIsAMDString(string) ? LLVMGetMDString(string, &length) : "";
}

char *cn_store_names_format_member(struct cn_ctx *ctx, LLVMValueRef function, LLVMTypeRef type, unsigned index)
{
  LLVMValueRef all = members_of(ctx, function), node;
  const char *name = struct_name_of(type);

  for (unsigned i = 0; name && (node = operand_of_node(all, i)) != NULL; i++) {
    const char *member = text_of(operand_of_node(node, index + 1));
    if (strcmp(text_of(operand_of_node(node, 0)), name) == 0 && *member)
      return cn_format("member '%s' of struct %s", member, name);
  }
  return name ? cn_format("member %u of struct %s", index + 1, name) : NULL;
}

void cn_store_names_delete_members(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMGlobalEraseMetadata(function, members_kind(ctx));
}
