/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks source rules union-overlay and tagged-union by the types of unions: a union may overlay a reference only with
 * references, unless cairn_union() declares the union. Part of pass `rules`.
 *
 * Needs: full debug information (clang -g) with the BTF type tag on cairn_managed pointers; clang's record layouts for
 * pointers whose tag is missing (record_layouts.c). Provides: the rule holds for each union type that the unit uses, or
 * an error; for other rules, a walk over the types of debug information (cn_rules_visit_types()), and members by
 * offset. Breaks: nothing.
 *
 * IR has a union only as one of its members, and hides references in the others. Debug information has all members but
 * omits address spaces, so include/cairn/cairn.h adds the tag.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/source/debug_types.h"
#include "compile/source/rules.h"
#include "compile/source/unions.h"

#define MAX_REF_OFFSETS 4096

typedef CN_VECTOR(uint64_t) offset_vector;

struct type_search {
  struct cn_ctx *ctx;
  cn_rules_type_visitor *visit;
  void *env;
  struct cn_ptrmap seen;
  CN_VECTOR(LLVMMetadataRef) work;
};

/* The type of a member or of an array element. `known`: pointers in the type are references even without tags. */
struct typed_part {
  LLVMMetadataRef type;
  bool known;
};

static void find_ref_offsets(struct cn_ctx *ctx, struct typed_part part, uint64_t at, offset_vector *out);

static uint64_t array_element_count(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  LLVMMetadataRef ranges = cn_debug_operand(ctx, type, CN_DEBUG_ELEMENTS_OPERAND);
  uint64_t count = 1;

  for (unsigned i = 0; i < cn_debug_operand_count(ctx, ranges); i++) {
    LLVMMetadataRef range = cn_debug_operand(ctx, ranges, i);
    LLVMValueRef length = range ? cn_debug_operand_value(ctx, range, 0) : NULL;
    int64_t n = length && LLVMIsAConstantInt(length) ? LLVMConstIntGetSExtValue(length) : 1;
    count *= n > 0 ? (uint64_t)n : 1;
  }
  return count;
}

static void find_refs_in_array(struct cn_ctx *ctx, struct typed_part array, uint64_t at, offset_vector *out)
{
  struct typed_part element = {cn_debug_operand(ctx, array.type, CN_DEBUG_BASE_OPERAND), array.known};
  uint64_t size = LLVMDITypeGetSizeInBits(array.type) / 8, count = array_element_count(ctx, array.type);
  CN_CHECK(count > 0);
  size_t before = out->count;

  if (!element.type)
    return;
  find_ref_offsets(ctx, element, at, out);
  if (out->count == before)
    return;
  for (uint64_t i = 1; i < count && out->count < MAX_REF_OFFSETS; i++)
    find_ref_offsets(ctx, element, at + i * (size / count), out);
}

/* The `type` of the result is null if unknown. */
static struct typed_part member_part_of(struct cn_ctx *ctx, LLVMMetadataRef type, LLVMMetadataRef member)
{
  LLVMMetadataRef base = cn_debug_is_type(member) ? cn_debug_operand(ctx, member, CN_DEBUG_BASE_OPERAND) : NULL;

  return (struct typed_part){base, base && cn_record_layouts_is_reference(ctx, type, member)};
}

static void find_refs_in_members(struct cn_ctx *ctx, LLVMMetadataRef type, uint64_t at, offset_vector *out)
{
  LLVMMetadataRef members = cn_debug_operand(ctx, type, CN_DEBUG_ELEMENTS_OPERAND);

  for (unsigned i = 0; i < cn_debug_operand_count(ctx, members); i++) {
    LLVMMetadataRef member = cn_debug_operand(ctx, members, i);
    struct typed_part part = member_part_of(ctx, type, member);
    if (part.type)
      find_ref_offsets(ctx, part, at + LLVMDITypeGetOffsetInBits(member) / 8, out);
  }
}

static void find_ref_offsets(struct cn_ctx *ctx, struct typed_part part, uint64_t at, offset_vector *out)
{
  LLVMMetadataRef type = part.type;

  while (cn_debug_is_type(type) && out->count < MAX_REF_OFFSETS) {
    switch (LLVMGetDINodeTag(type)) {
    case CN_DW_TAG_POINTER:
      if (part.known || cn_debug_is_reference(ctx, type))
        cn_push(out, at);
      return;
    case CN_DW_TAG_ARRAY:
      find_refs_in_array(ctx, (struct typed_part){type, part.known}, at, out);
      return;
    case CN_DW_TAG_STRUCTURE:
    case CN_DW_TAG_UNION:
      find_refs_in_members(ctx, type, at, out);
      return;
    default: /* typedef, const, volatile, ... */
      type = cn_debug_operand(ctx, type, CN_DEBUG_BASE_OPERAND);
    }
  }
}

static bool has_offset(const offset_vector *list, uint64_t offset)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i] == offset)
      return true;
  return false;
}

/* True if a member has data at the offset of a reference in another member. */
static bool has_overlaid_reference(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  LLVMMetadataRef members = cn_debug_operand(ctx, type, CN_DEBUG_ELEMENTS_OPERAND);
  offset_vector all = {0}, one = {0};
  bool bad = false;

  CN_ASSERT(LLVMGetDINodeTag(type) == CN_DW_TAG_UNION);
  find_refs_in_members(ctx, type, 0, &all);
  for (unsigned i = 0; all.count > 0 && i < cn_debug_operand_count(ctx, members) && !bad; i++) {
    struct typed_part part = member_part_of(ctx, type, cn_debug_operand(ctx, members, i));
    one.count = 0;
    if (part.type)
      find_ref_offsets(ctx, part, 0, &one);
    for (size_t r = 0; part.type && r < all.count && !bad; r++)
      bad = all.at[r] < cn_debug_type_size(ctx, part.type) && !has_offset(&one, all.at[r]);
  }
  cn_free(&all);
  cn_free(&one);
  return bad;
}

bool cn_rules_points_to_refs(struct cn_ctx *ctx, LLVMMetadataRef variable)
{
  LLVMMetadataRef type = cn_debug_strip_typedefs(ctx, cn_debug_operand(ctx, variable, CN_DEBUG_TYPE_OPERAND));
  offset_vector found = {0};

  if (!cn_debug_is_type(type) || LLVMGetDINodeTag(type) != CN_DW_TAG_POINTER || cn_debug_is_reference(ctx, type))
    return false;
  LLVMMetadataRef pointee = cn_debug_operand(ctx, type, CN_DEBUG_BASE_OPERAND);
  if (pointee)
    find_ref_offsets(ctx, (struct typed_part){pointee, false}, 0, &found);
  bool any = found.count > 0;
  cn_free(&found);
  return any;
}

bool cn_rules_global_hides_refs(struct cn_ctx *ctx, LLVMValueRef global)
{
  CN_ASSERT(LLVMIsAGlobalValue(global));
  LLVMMetadataRef variable = cn_debug_variable(ctx, global);
  LLVMMetadataRef declared = variable ? cn_debug_operand(ctx, variable, CN_DEBUG_TYPE_OPERAND) : NULL;
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  offset_vector found = {0};
  bool hides = false;

  if (declared && LLVMTypeIsSized(type))
    find_ref_offsets(ctx, (struct typed_part){declared, false}, 0, &found);
  for (size_t i = 0; i < found.count && !hides; i++)
    hides = found.at[i] < LLVMABISizeOfType(ctx->layout, type) && !cn_types_has_ref_at(ctx, type, found.at[i]);
  cn_free(&found);
  return hides;
}

static void report_union(struct cn_ctx *ctx, LLVMMetadataRef type, const char *rule, const char *message)
{
  LLVMMetadataRef file = cn_debug_operand(ctx, type, CN_DEBUG_FILE_OPERAND);
  struct cairn_diagnostic d = {
      .severity = CAIRN_ERROR,
      .rule = rule,
      .message = message,
      .line = LLVMDITypeGetLine(type),
  };
  unsigned length;

  if (file) {
    d.file = LLVMDIFileGetFilename(file, &length);
    d.directory = LLVMDIFileGetDirectory(file, &length);
  }
  ctx->errors++;
  if (ctx->options->diagnose)
    ctx->options->diagnose(ctx->options->env, &d);
}

static void add_reached_node(struct type_search *s, LLVMMetadataRef node)
{
  bool fresh;

  if (!node)
    return;
  cn_ptrmap_add(&s->seen, node, &fresh);
  if (fresh)
    cn_push(&s->work, node);
}

/* Visit all types that are reachable from the work list: debug information is a graph. */
static void visit_reachable_types(struct type_search *s)
{
  while (s->work.count) {
    LLVMMetadataRef node = s->work.at[--s->work.count];
    LLVMValueRef value = LLVMMetadataAsValue(s->ctx->llvm, node);
    if (!LLVMIsAMDNode(value))
      continue;
    if (LLVMGetMetadataKind(node) == LLVMDICompositeTypeMetadataKind)
      s->visit(s->ctx, node, s->env);
    unsigned count = LLVMGetMDNodeNumOperands(value);
    LLVMValueRef *operands = cn_alloc(count * sizeof *operands);
    LLVMGetMDNodeOperands(value, operands);
    for (unsigned i = count; i-- > 0;)
      if (operands[i] && !LLVMIsAConstant(operands[i]))
        add_reached_node(s, LLVMValueAsMetadata(operands[i]));
    free(operands);
  }
}

static void add_types_of_locals(struct type_search *s, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r))
        if (LLVMDbgRecordGetKind(r) != LLVMDbgRecordLabel) {
          add_reached_node(s, LLVMDbgVariableRecordGetVariable(r));
          visit_reachable_types(s);
        }
}

void cn_rules_visit_types(struct cn_ctx *ctx, cn_rules_type_visitor *visit, void *env)
{
  struct type_search s = {.ctx = ctx, .visit = visit, .env = env};
  unsigned count = LLVMGetNamedMetadataNumOperands(ctx->module, "llvm.dbg.cu");
  LLVMValueRef *units = cn_alloc(count * sizeof *units);

  LLVMGetNamedMetadataOperands(ctx->module, "llvm.dbg.cu", units);
  for (unsigned i = 0; i < count; i++) {
    add_reached_node(&s, LLVMValueAsMetadata(units[i]));
    visit_reachable_types(&s);
  }
  free(units);
  CN_EACH_FUNCTION(f, ctx->module) {
    add_reached_node(&s, LLVMGetSubprogram(f));
    visit_reachable_types(&s);
    add_types_of_locals(&s, f);
  }
  CN_ASSERT(s.work.count == 0);
  cn_free(&s.work);
  cn_ptrmap_free(&s.seen);
}

/* True if a tagged union may have the member: a reference, a number, an enumeration or a pointer. */
static bool is_tagged_member(struct cn_ctx *ctx, LLVMMetadataRef member)
{
  LLVMMetadataRef type = cn_debug_strip_typedefs(ctx, cn_debug_operand(ctx, member, CN_DEBUG_BASE_OPERAND));
  uint64_t bits = type ? LLVMDITypeGetSizeInBits(type) : 0;

  if (bits == 0 || bits > 64 || LLVMDITypeGetSizeInBits(member) != bits ||
      cn_debug_has_tag(ctx, member, CN_DEBUG_ANNOTATIONS_OPERAND, "cairn-weak"))
    return false;
  unsigned tag = LLVMGetDINodeTag(type);
  return tag == CN_DW_TAG_POINTER || tag == CN_DW_TAG_ENUMERATION || tag == CN_DW_TAG_BASE;
}

static void check_tagged_union(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  LLVMMetadataRef members = cn_debug_operand(ctx, type, CN_DEBUG_ELEMENTS_OPERAND);

  for (unsigned i = 0; i < cn_debug_operand_count(ctx, members); i++)
    if (!is_tagged_member(ctx, cn_debug_operand(ctx, members, i))) {
      report_union(ctx, type, "tagged-union",
                   "a member of a cairn_union() is not a reference, a number, an enumeration or a pointer of at most "
                   "8 bytes; put other data into an object");
      return;
    }
}

static bool is_bit_of_union(LLVMMetadataRef type)
{
  static const char name[] = CN_UNION_BIT_TYPE;
  size_t length;
  const char *found = cn_debug_is_type(type) ? LLVMDITypeGetName(type, &length) : NULL;

  return found && length == sizeof name - 1 && memcmp(found, name, length) == 0;
}

/* Note and check the unions that cairn_union() declares in a struct: the member before such a union has a type of
 * Cairn's. */
static void note_tagged_unions(struct cn_ctx *ctx, LLVMMetadataRef type, void *env)
{
  LLVMMetadataRef members = cn_debug_operand(ctx, type, CN_DEBUG_ELEMENTS_OPERAND), before = NULL;
  struct cn_ptrmap *tagged = env;
  bool fresh;

  if (LLVMGetDINodeTag(type) != CN_DW_TAG_STRUCTURE)
    return;
  for (unsigned i = 0; i < cn_debug_operand_count(ctx, members); i++) {
    LLVMMetadataRef member = cn_debug_operand(ctx, members, i);
    LLVMMetadataRef own = cn_debug_is_type(member) ? cn_debug_operand(ctx, member, CN_DEBUG_BASE_OPERAND) : NULL;
    if (before && is_bit_of_union(before) && cn_debug_is_type(own) && LLVMGetDINodeTag(own) == CN_DW_TAG_UNION) {
      cn_ptrmap_add(tagged, own, &fresh);
      if (fresh)
        check_tagged_union(ctx, own);
    }
    before = own;
  }
}

static void check_union_type(struct cn_ctx *ctx, LLVMMetadataRef type, void *env)
{
  if (LLVMGetDINodeTag(type) == CN_DW_TAG_UNION && !cn_ptrmap_find(env, type) && has_overlaid_reference(ctx, type))
    report_union(ctx, type, "union-overlay",
                 "a union overlays a reference with other data, so the collector cannot tell them apart; give each "
                 "its own member in a struct, or declare a tagged union by cairn_union()");
}

void cn_rules_check_unions(struct cn_ctx *ctx)
{
  struct cn_ptrmap tagged = {0};

  cn_rules_visit_types(ctx, note_tagged_unions, &tagged);
  cn_rules_visit_types(ctx, check_union_type, &tagged);
  cn_ptrmap_free(&tagged);
}

LLVMMetadataRef cn_rules_member_at(struct cn_ctx *ctx, LLVMMetadataRef type, uint64_t offset)
{
  LLVMMetadataRef members = cn_debug_operand(ctx, type, CN_DEBUG_ELEMENTS_OPERAND);

  for (unsigned i = 0; i < cn_debug_operand_count(ctx, members); i++) {
    LLVMMetadataRef member = cn_debug_operand(ctx, members, i);
    if (cn_debug_is_type(member) && LLVMDITypeGetOffsetInBits(member) == offset * 8)
      return member;
  }
  return NULL;
}
