/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the metadata of layout statics: the names of the type and its fields, weak fields, and flags such as
 * "finalisable". Emits the names. The names are in a separate section of mergeable strings, and a layout refers to its
 * names by a distance. So the linker merges equal strings and drops the strings of layouts that it drops, and the
 * dynamic linker has nothing to relocate. Needs, breaks: nothing. Provides: struct cn_type_metadata, or an error;
 * constants and globals of names.
 */
#include "compile/allocation/type_metadata.h"

#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/emitted_names.h"

typedef CN_VECTOR(char) text_vector;

static void append_bytes(text_vector *out, const char *bytes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    cn_push(out, bytes[i]);
}

static void append_prefixed_number(text_vector *out, const char *before, uint64_t number)
{
  char *digits = cn_format("%s%llu", before, (unsigned long long)number);

  append_bytes(out, digits, strlen(digits));
  free(digits);
}

/* ---- metadata ---- */

static LLVMValueRef metadata_operand(LLVMValueRef node, unsigned index)
{
  unsigned count = node && LLVMIsAMDNode(node) ? (unsigned)LLVMGetMDNodeNumOperands(node) : 0;

  if (index >= count)
    return NULL;
  LLVMValueRef *all = cn_alloc(count * sizeof *all);
  LLVMGetMDNodeOperands(node, all);
  LLVMValueRef found = all[index];
  free(all);
  return found;
}

/* Append a name. False if `value` is not a string, is empty, or has a byte that ends a name. */
static bool append_name(text_vector *out, LLVMValueRef value)
{
  unsigned length = 0;
  const char *name = value && LLVMIsAMDString(value) ? LLVMGetMDString(value, &length) : NULL;

  if (!name || length == 0 || memchr(name, '\n', length) || memchr(name, 0, length))
    return false;
  append_bytes(out, name, length);
  return true;
}

static bool read_number(LLVMValueRef value, uint64_t *number)
{
  if (!value || !LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return false;
  *number = LLVMConstIntGetZExtValue(value);
  return true;
}

static bool is_metadata_word(LLVMValueRef value, const char *word)
{
  unsigned length;
  const char *found = value && LLVMIsAMDString(value) ? LLVMGetMDString(value, &length) : NULL;

  return found && length == strlen(word) && memcmp(found, word, length) == 0;
}

static unsigned metadata_operand_count(LLVMValueRef node)
{
  return node && LLVMIsAMDNode(node) ? (unsigned)LLVMGetMDNodeNumOperands(node) : 0;
}

/* The offset of the last element of the field's arrays. */
static uint64_t last_offset_of(const struct cn_weak_field *field)
{
  uint64_t last = field->offset, more;

  for (unsigned i = 0; i < field->depth; i++)
    if (field->counts[i] > 1 && (__builtin_mul_overflow(field->counts[i] - 1, field->strides[i], &more) ||
                                 __builtin_add_overflow(last, more, &last)))
      return UINT64_MAX;
  CN_ASSERT(last >= field->offset);
  return last;
}

/* Append a field's metadata, !{!"NAME", i64 OFFSET, {i64 COUNT, i64 STRIDE}, [!"weak"]}. */
static bool append_field_metadata(text_vector *out, LLVMValueRef node, struct cn_type_metadata *said)
{
  struct cn_weak_field field = {0};
  unsigned count = metadata_operand_count(node);
  bool weak = count > 0 && is_metadata_word(metadata_operand(node, count - 1), "weak");

  count -= weak;
  if (count < 2 || count % 2 != 0 || count > 2 + 2 * CN_MAX_FIELD_ARRAY_DEPTH ||
      !read_number(metadata_operand(node, 1), &field.offset))
    return false;
  append_prefixed_number(out, "\n", field.offset);
  for (unsigned i = 2; i < count; i += 2, field.depth++) {
    uint64_t *stride = &field.strides[field.depth], *of = &field.counts[field.depth];
    if (!read_number(metadata_operand(node, i), of) || !read_number(metadata_operand(node, i + 1), stride) ||
        *stride == 0)
      return false;
    append_prefixed_number(out, "*", *of);
    append_prefixed_number(out, "/", *stride);
  }
  if (weak)
    cn_push(&said->weak, field);
  append_bytes(out, " ", 1);
  if (!append_name(out, metadata_operand(node, 0)))
    return false;
  struct cn_stated_field stated = {.first = field.offset, .last = last_offset_of(&field)};
  stated.name = LLVMGetMDString(metadata_operand(node, 0), &stated.name_length);
  cn_push(&said->fields, stated);
  return true;
}

static bool append_type_metadata(text_vector *out, LLVMValueRef node, struct cn_type_metadata *said)
{
  if (!append_name(out, metadata_operand(node, 0)))
    return false;
  for (unsigned i = 1; i < metadata_operand_count(node); i++) {
    LLVMValueRef one = metadata_operand(node, i);
    if (is_metadata_word(one, "finalisable"))
      said->flags |= CAIRN_ABI_LAYOUT_FINALISABLE;
    else if (is_metadata_word(one, "never-moves"))
      said->flags |= CAIRN_ABI_LAYOUT_FIXED;
    else if (is_metadata_word(one, "ephemeron"))
      said->flags |= CAIRN_ABI_LAYOUT_EPHEMERON;
    else if (!append_field_metadata(out, one, said))
      return false;
  }
  return true;
}

bool cn_weak_field_covers_offset(const struct cn_weak_field *field, uint64_t offset)
{
  CN_CHECK(field->depth <= CN_MAX_FIELD_ARRAY_DEPTH);
  if (offset < field->offset)
    return false;
  offset -= field->offset;
  for (unsigned i = 0; i < field->depth; i++) {
    if (field->counts[i] != 0 && offset / field->strides[i] >= field->counts[i])
      return false;
    offset %= field->strides[i];
  }
  return offset == 0;
}

/* ---- the LLVM type ---- */

/* Append the name of the type. LLVM names C's struct node "struct.node", and adds a number to names that are in use
 * already. */
static void append_llvm_type_name(text_vector *out, LLVMTypeRef type)
{
  static const char *const kinds[] = {"struct", "union", "class"};
  const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;

  if (!name) {
    char *printed = LLVMPrintTypeToString(type);
    append_bytes(out, printed, strcspn(printed, "\n"));
    LLVMDisposeMessage(printed);
    return;
  }
  const char *dot = strrchr(name, '.');
  size_t length = strcspn(name, "\n");
  if (dot && dot != name && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1))
    length = (size_t)(dot - name);
  append_bytes(out, name, length);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t prefix = strlen(kinds[i]);
    if (length > prefix && strncmp(name, kinds[i], prefix) == 0 && name[prefix] == '.')
      out->at[prefix] = ' ';
  }
}

/* ---- both ---- */

static LLVMValueRef metadata_of(struct cn_ctx *ctx, LLVMValueRef global, const char *name)
{
  unsigned kind = LLVMGetMDKindIDInContext(ctx->llvm, name, (unsigned)strlen(name));
  LLVMValueRef found = NULL;
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);

  for (unsigned i = 0; i < count && !found; i++)
    if (LLVMValueMetadataEntriesGetKind(entries, i) == kind)
      found = LLVMMetadataAsValue(ctx->llvm, LLVMValueMetadataEntriesGetMetadata(entries, i));
  LLVMDisposeValueMetadataEntries(entries);
  return found;
}

/* Copy a name from metadata; null if the operand is not a name. */
static char *copy_name(LLVMValueRef operand)
{
  text_vector out = {0};

  if (!append_name(&out, operand)) {
    cn_free(&out);
    return NULL;
  }
  cn_push(&out, '\0');
  return out.at;
}

static bool read_shared_metadata(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef at,
                                 struct cn_type_metadata *said)
{
  LLVMValueRef node = metadata_of(ctx, global, CN_SHARED_METADATA);
  unsigned count = metadata_operand_count(node);

  if (!node)
    return true;
  said->shared = copy_name(metadata_operand(node, 0));
  said->module = copy_name(metadata_operand(node, 1));
  said->exported = count == 3 && is_metadata_word(metadata_operand(node, 2), CN_SHARED_EXPORTED);
  bool ok =
      said->shared && said->module && count == 2u + said->exported && strlen(said->shared) <= CN_MAX_SHARED_NAME_BYTES;
  if (!ok)
    cn_error(ctx, at, "shared-layout",
             "!" CN_SHARED_METADATA " must be !{!\"NAME\", !\"MODULE\"}, or with !\"" CN_SHARED_EXPORTED
             "\" at the end; NAME has at most %d bytes",
             CN_MAX_SHARED_NAME_BYTES);
  return ok;
}

bool cn_type_metadata_is_of_c(LLVMValueRef global)
{
  return strstr(LLVMGetValueName2(global, &(size_t){0}), "cairn_layout_") != NULL;
}

bool cn_type_metadata_exists(struct cn_ctx *ctx, LLVMValueRef global)
{
  return metadata_of(ctx, global, CN_TYPE_METADATA) != NULL;
}

bool cn_type_metadata_read(struct cn_ctx *ctx, LLVMValueRef global, LLVMValueRef at, struct cn_type_metadata *said)
{
  LLVMValueRef node = metadata_of(ctx, global, CN_TYPE_METADATA);
  text_vector out = {0};
  bool ok = true;

  *said = (struct cn_type_metadata){0};
  if (!node)
    append_llvm_type_name(&out, LLVMGlobalGetValueType(global));
  else
    ok = append_type_metadata(&out, node, said);
  if (!ok)
    cn_error(ctx, at, "type-metadata",
             "!" CN_TYPE_METADATA " must be !{!\"TYPE\", ...}: !\"finalisable\", "
             "!\"never-moves\", !\"ephemeron\", and for each field a !{!\"FIELD\", i64 OFFSET, ...}, where pairs "
             "i64 COUNT, i64 STRIDE may follow, and !\"weak\" in the end");
  if (cn_type_metadata_is_of_c(global))
    said->fields.count = 0; /* Cairn has made the metadata from debug information, where bit-fields share bytes */
  cn_push(&out, '\0');
  said->names = out.at;
  return read_shared_metadata(ctx, global, at, said) && ok;
}

void cn_type_metadata_free(struct cn_type_metadata *said)
{
  free(said->names);
  free(said->shared);
  free(said->module);
  cn_free(&said->weak);
  cn_free(&said->fields);
}

LLVMValueRef cn_layout_names_make_constant(struct cn_ctx *ctx, const char *names)
{
  return LLVMConstStringInContext2(ctx->llvm, names, strlen(names), false);
}

/* Add a global with the first free name. LLVM's choice would depend on names that the module had before, and the
 * object's symbol table has the name. */
static LLVMValueRef add_name_global(struct cn_ctx *ctx, LLVMTypeRef type)
{
  char *name = cn_strdup(CN_NAME_PREFIX);

  while (LLVMGetNamedGlobal(ctx->module, name)) {
    free(name);
    name = cn_format(CN_NAME_PREFIX ".%u", ++ctx->layout_names);
  }
  LLVMValueRef global = LLVMAddGlobal(ctx->module, type, name);
  free(name);
  return global;
}

LLVMValueRef cn_layout_names_add_global(struct cn_ctx *ctx, LLVMValueRef string)
{
  CN_CHECK(LLVMIsConstantString(string));
  LLVMValueRef global = add_name_global(ctx, LLVMTypeOf(string));

  LLVMSetInitializer(global, string);
  LLVMSetGlobalConstant(global, true);
  LLVMSetLinkage(global, LLVMPrivateLinkage);
  LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
  LLVMSetSection(global, CN_NAME_SECTION);
  LLVMSetAlignment(global, 1);
  return global;
}
