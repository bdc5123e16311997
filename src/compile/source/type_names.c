/* SPDX-License-Identifier: Apache-2.0
 *
 * Records the properties of types for layouts from debug information: the names of types and fields, the weak fields,
 * and whether a type is finalisable, never moves or is an ephemeron. The driver makes clang emit debug information for
 * every unit; the pipeline drops it before the optimiser unless the user asked for it.
 *
 * Part of pass `rules`. Needs: the front end's IR. Provides: metadata cairn.type on layout statics and managed
 * variables that lack it (allocation/type_metadata.h); an error for a weak field in too many nested arrays; a warning
 * if layout statics lack debug information. Breaks: nothing.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/allocation/type_metadata.h"
#include "compile/source/debug_types.h"
#include "compile/source/rules.h"

/* The layout statics of include/cairn/cairn.h. */
#define LAYOUT_STATIC_PREFIX "cairn_layout_"

/* The most named fields; further fields have names only if they are weak. Fields in more than MAX_ARRAY_DEPTH arrays
 * have no name. */
enum { MAX_NAMED_FIELDS = 1024, MAX_ARRAY_DEPTH = CN_MAX_FIELD_ARRAY_DEPTH };

/* A place in a type: its name, and the arrays around it, the outermost first. */
struct field_place {
  const char *name;
  uint64_t offset, counts[MAX_ARRAY_DEPTH], strides[MAX_ARRAY_DEPTH];
  unsigned depth;
  bool weak;
};

struct type_description {
  struct cn_ctx *ctx;
  CN_VECTOR(LLVMMetadataRef) operands;
};

static LLVMMetadataRef build_string_metadata(struct cn_ctx *ctx, const char *text)
{
  return LLVMMDStringInContext2(ctx->llvm, text, strlen(text));
}

static LLVMMetadataRef build_number_metadata(struct cn_ctx *ctx, uint64_t n)
{
  return LLVMValueAsMetadata(LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), n, false));
}

/* ---- types ---- */

static char *format_type_name(struct cn_ctx *ctx, LLVMMetadataRef type);

/* The name of a struct or union; an unnamed type is named by its place in the source. */
static char *format_composite_name(struct cn_ctx *ctx, LLVMMetadataRef type, const char *kind)
{
  size_t length;
  unsigned file_length = 0;
  const char *name = LLVMDITypeGetName(type, &length);
  LLVMMetadataRef file = cn_debug_operand(ctx, type, CN_DEBUG_FILE_OPERAND);
  const char *path = file ? LLVMDIFileGetFilename(file, &file_length) : "";

  if (length)
    return cn_format("%s %.*s", kind, (int)length, name);
  return cn_format("%s at %.*s:%u", kind, (int)file_length, path, LLVMDITypeGetLine(type));
}

static char *format_pointer_name(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  LLVMMetadataRef base = cn_debug_operand(ctx, type, CN_DEBUG_BASE_OPERAND);
  char *to = format_type_name(ctx, base);
  char *name = cn_format("%s %s*", to, cn_debug_is_reference(ctx, type) ? "managed " : "");

  free(to);
  return name;
}

/* The length of dimension `i` of an array, or 0. */
static uint64_t dimension_length_of(struct cn_ctx *ctx, LLVMMetadataRef array, unsigned i)
{
  LLVMMetadataRef range = cn_debug_operand(ctx, cn_debug_operand(ctx, array, CN_DEBUG_ELEMENTS_OPERAND), i);
  LLVMValueRef length = range ? cn_debug_operand_value(ctx, range, 0) : NULL;
  int64_t n = length && LLVMIsAConstantInt(length) ? LLVMConstIntGetSExtValue(length) : 0;

  return n > 0 ? (uint64_t)n : 0;
}

static unsigned dimension_count_of(struct cn_ctx *ctx, LLVMMetadataRef array)
{
  LLVMMetadataRef ranges = cn_debug_operand(ctx, array, CN_DEBUG_ELEMENTS_OPERAND);

  return cn_debug_operand_count(ctx, ranges);
}

static char *format_array_name(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  char *name = format_type_name(ctx, cn_debug_operand(ctx, type, CN_DEBUG_BASE_OPERAND)), *longer;

  for (unsigned i = 0; i < dimension_count_of(ctx, type); i++) {
    longer = cn_format("%s[%llu]", name, (unsigned long long)dimension_length_of(ctx, type, i));
    free(name);
    name = longer;
  }
  return name;
}

/* The name of the struct that a typedef stands for, or the typedef's name if the struct is unnamed. */
static char *format_typedef_name(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  size_t length, own_length;
  LLVMMetadataRef plain = cn_debug_strip_typedefs(ctx, type);
  const char *own = LLVMDITypeGetName(type, &own_length);

  if (cn_debug_is_type(plain) && LLVMGetMetadataKind(plain) == LLVMDICompositeTypeMetadataKind &&
      LLVMGetDINodeTag(plain) != CN_DW_TAG_ARRAY && LLVMDITypeGetName(plain, &length) && length)
    return format_type_name(ctx, plain);
  return cn_format("%.*s", (int)own_length, own);
}

static char *format_type_name(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  size_t length;

  if (!type)
    return cn_strdup("void");
  if (LLVMGetMetadataKind(type) == LLVMDISubroutineTypeMetadataKind)
    return cn_strdup("function");
  if (cn_debug_is_type(type))
    switch (LLVMGetDINodeTag(type)) {
    case CN_DW_TAG_POINTER:
      return format_pointer_name(ctx, type);
    case CN_DW_TAG_ARRAY:
      return format_array_name(ctx, type);
    case CN_DW_TAG_STRUCTURE:
      return format_composite_name(ctx, type, "struct");
    case CN_DW_TAG_UNION:
      return format_composite_name(ctx, type, "union");
    case CN_DW_TAG_ENUMERATION:
      return format_composite_name(ctx, type, "enum");
    case CN_DW_TAG_TYPEDEF:
      return format_typedef_name(ctx, type);
    default: /* const, volatile, ... */
      return format_type_name(ctx, cn_debug_operand(ctx, type, CN_DEBUG_BASE_OPERAND));
    }
  const char *name = LLVMDITypeGetName(type, &length);
  return cn_format("%.*s", (int)length, name);
}

/* ---- fields ---- */

static void add_fields(struct type_description *names, LLVMMetadataRef type, const struct field_place *place);

static void add_field_name(struct type_description *names, const struct field_place *place)
{
  LLVMMetadataRef operands[3 + 2 * MAX_ARRAY_DEPTH];
  unsigned count = 0;

  CN_CHECK(place->depth <= MAX_ARRAY_DEPTH);
  if (!*place->name || (names->operands.count > MAX_NAMED_FIELDS && !place->weak))
    return;
  operands[count++] = build_string_metadata(names->ctx, place->name);
  operands[count++] = build_number_metadata(names->ctx, place->offset);
  for (unsigned i = 0; i < place->depth; i++) {
    operands[count++] = build_number_metadata(names->ctx, place->counts[i]);
    operands[count++] = build_number_metadata(names->ctx, place->strides[i]);
  }
  if (place->weak)
    operands[count++] = build_string_metadata(names->ctx, "weak");
  cn_push(&names->operands, LLVMMDNodeInContext2(names->ctx->llvm, operands, count));
}

/* Add the members of a struct. Members of an unnamed member get names as members of the outer struct. */
static void add_member_fields(struct type_description *names, LLVMMetadataRef type, const struct field_place *place)
{
  LLVMMetadataRef members = cn_debug_operand(names->ctx, type, CN_DEBUG_ELEMENTS_OPERAND);

  for (unsigned i = 0; i < cn_debug_operand_count(names->ctx, members); i++) {
    LLVMMetadataRef member = cn_debug_operand(names->ctx, members, i);
    if (!cn_debug_is_type(member) || LLVMGetDINodeTag(member) != CN_DW_TAG_MEMBER)
      continue;
    struct field_place at = *place;
    size_t length;
    const char *own = LLVMDITypeGetName(member, &length);
    char *name = cn_format("%s%s%.*s", place->name, *place->name && length ? "." : "", (int)length, length ? own : "");
    at.name = name;
    at.offset += LLVMDITypeGetOffsetInBits(member) / 8;
    LLVMMetadataRef base = cn_debug_operand(names->ctx, member, CN_DEBUG_BASE_OPERAND);
    at.weak |= cn_debug_has_tag(names->ctx, member, CN_DEBUG_ANNOTATIONS_OPERAND, "cairn-weak") ||
               cn_debug_type_has_tag(names->ctx, base, "cairn-weak");
    add_fields(names, base, &at);
    free(name);
  }
}

static void add_element_fields(struct type_description *names, LLVMMetadataRef type, const struct field_place *place)
{
  LLVMMetadataRef element = cn_debug_operand(names->ctx, type, CN_DEBUG_BASE_OPERAND);
  unsigned depth = dimension_count_of(names->ctx, type);
  uint64_t stride = element ? cn_debug_type_size(names->ctx, element) : 0;
  struct field_place at = *place;

  if (stride != 0 && at.depth + depth > MAX_ARRAY_DEPTH && place->weak)
    cn_error(names->ctx, NULL, "type-metadata", "a weak field lies in more than %d arrays", MAX_ARRAY_DEPTH);
  if (stride == 0 || depth == 0 || at.depth + depth > MAX_ARRAY_DEPTH)
    return;
  for (unsigned i = depth; i-- > 0;) {
    at.counts[at.depth + i] = dimension_length_of(names->ctx, type, i);
    at.strides[at.depth + i] = stride;
    stride *= at.counts[at.depth + i] ? at.counts[at.depth + i] : 1;
  }
  at.depth += depth;
  char *name = cn_strdup(place->name), *longer;
  for (unsigned i = 0; i < depth; i++) {
    longer = cn_format("%s[]", name);
    free(name);
    name = longer;
  }
  at.name = name;
  add_fields(names, element, &at);
  free(name);
}

static void add_fields(struct type_description *names, LLVMMetadataRef type, const struct field_place *place)
{
  LLVMMetadataRef plain = cn_debug_strip_typedefs(names->ctx, type);
  unsigned tag = cn_debug_is_type(plain) ? LLVMGetDINodeTag(plain) : 0;

  if (tag == CN_DW_TAG_STRUCTURE || tag == CN_DW_TAG_UNION)
    add_member_fields(names, plain, place);
  else if (tag == CN_DW_TAG_ARRAY)
    add_element_fields(names, plain, place);
  else
    add_field_name(names, place);
}

/* ---- layout statics ---- */

static void add_type_flags(struct type_description *names, LLVMMetadataRef type)
{
  static const char *const words[] = {"finalisable", "never-moves", "ephemeron"};

  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    char *tag = cn_format("cairn-%s", words[i]);
    if (cn_debug_type_has_tag(names->ctx, type, tag))
      cn_push(&names->operands, build_string_metadata(names->ctx, words[i]));
    free(tag);
  }
}

/* Share the layout of a type by the type's name. */
static void add_shared_name(struct cn_ctx *ctx, LLVMValueRef global, const char *name)
{
  size_t length;
  const char *module = LLVMGetSourceFileName(ctx->module, &length);
  LLVMMetadataRef operands[] = {build_string_metadata(ctx, name), build_string_metadata(ctx, length ? module : "?")};

  LLVMGlobalSetMetadata(global, LLVMGetMDKindIDInContext(ctx->llvm, CN_SHARED_METADATA, sizeof CN_SHARED_METADATA - 1),
                        LLVMMDNodeInContext2(ctx->llvm, operands, 2));
}

/* The type in the layout of a managed variable: an array has the type of its elements. Null if the elements are arrays.
 */
static LLVMMetadataRef static_object_type(struct cn_ctx *ctx, LLVMMetadataRef variable)
{
  LLVMMetadataRef type = cn_debug_operand(ctx, variable, CN_DEBUG_TYPE_OPERAND),
                  plain = type ? cn_debug_strip_typedefs(ctx, type) : NULL;

  if (!cn_debug_is_type(plain) || LLVMGetDINodeTag(plain) != CN_DW_TAG_ARRAY)
    return type;
  return dimension_count_of(ctx, plain) == 1 ? cn_debug_operand(ctx, plain, CN_DEBUG_BASE_OPERAND) : NULL;
}

static void name_layout_static(struct cn_ctx *ctx, LLVMValueRef global, LLVMMetadataRef type)
{
  struct type_description names = {.ctx = ctx};
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, CN_TYPE_METADATA, sizeof CN_TYPE_METADATA - 1);

  char *name = format_type_name(ctx, type);
  cn_push(&names.operands, build_string_metadata(ctx, name));
  if (cn_debug_type_has_tag(ctx, type, "cairn-shared"))
    add_shared_name(ctx, global, name);
  free(name);
  add_type_flags(&names, type);
  if (type)
    add_fields(&names, type, &(struct field_place){.name = ""});
  LLVMGlobalSetMetadata(global, kind, LLVMMDNodeInContext2(ctx->llvm, names.operands.at, names.operands.count));
  cn_free(&names.operands);
}

/* True if `global` is a layout static of C, by its name. */
static bool is_layout_static_by_name(LLVMValueRef global)
{
  static const char local[] = "." LAYOUT_STATIC_PREFIX;
  size_t length;
  const char *name = LLVMGetValueName2(global, &length), *found = memmem(name, length, local, sizeof local - 1);

  return found != NULL && LLVMGetLinkage(global) == LLVMInternalLinkage &&
         strspn(found + sizeof local - 1, ".0123456789") == strlen(found + sizeof local - 1);
}

static bool is_static_object(struct cn_ctx *ctx, LLVMValueRef global)
{
  return ctx->options->manage_all && cn_is_ref(LLVMTypeOf(global)) && !LLVMIsDeclaration(global);
}

/* Layout statics are found by name, because allocation calls show their static only after locals are promoted. */
void cn_type_names_add(struct cn_ctx *ctx)
{
  LLVMValueRef bare = NULL;

  CN_EACH_GLOBAL(g, ctx->module) {
    LLVMMetadataRef variable = cn_debug_variable(ctx, g);
    if (cn_type_metadata_exists(ctx, g))
      continue;
    if (variable &&
        cn_debug_is_string(ctx, cn_debug_operand(ctx, variable, CN_DEBUG_NAME_OPERAND), LAYOUT_STATIC_PREFIX))
      name_layout_static(ctx, g, cn_debug_operand(ctx, variable, CN_DEBUG_TYPE_OPERAND));
    else if (variable && is_static_object(ctx, g) && static_object_type(ctx, variable))
      name_layout_static(ctx, g, static_object_type(ctx, variable));
    else if (!variable && is_layout_static_by_name(g))
      bare = g;
  }
  if (bare != NULL)
    cn_report(ctx, CAIRN_WARNING, NULL, "type-annotations",
              "types have no debug information, so cairn_weak, cairn_ephemeron, "
              "cairn_finalisable, cairn_never_moves and cairn_shared of theirs are not seen: compile with -g");
}
