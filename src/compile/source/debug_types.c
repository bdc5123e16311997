/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads types in debug information: tags, sizes, and annotations of references. LLVM-C has few accessors of debug
 * information, so most properties are read as operands with the numbers of LLVM 22. Part of pass `rules`. Needs: the
 * front end's debug information. Provides: the functions of debug_types.h. Breaks: nothing.
 */
#include "compile/source/debug_types.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"

#define MANAGED_TAG "cairn_managed"

unsigned cn_debug_operand_count(struct cn_ctx *ctx, LLVMMetadataRef node)
{
  LLVMValueRef value = node ? LLVMMetadataAsValue(ctx->llvm, node) : NULL;

  return value && LLVMIsAMDNode(value) ? LLVMGetMDNodeNumOperands(value) : 0;
}

bool cn_debug_is_string(struct cn_ctx *ctx, LLVMMetadataRef node, const char *text)
{
  unsigned length;
  LLVMValueRef value = node ? LLVMMetadataAsValue(ctx->llvm, node) : NULL;
  const char *found = value ? LLVMGetMDString(value, &length) : NULL;

  return found && length == strlen(text) && memcmp(found, text, length) == 0;
}

static bool has_annotation(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned operand, const char *kind,
                           const char *text)
{
  LLVMMetadataRef annotations = cn_debug_operand(ctx, node, operand);

  for (unsigned i = 0; i < cn_debug_operand_count(ctx, annotations); i++) {
    LLVMMetadataRef pair = cn_debug_operand(ctx, annotations, i);
    if (pair && cn_debug_is_string(ctx, cn_debug_operand(ctx, pair, 0), kind) &&
        cn_debug_is_string(ctx, cn_debug_operand(ctx, pair, 1), text))
      return true;
  }
  return false;
}

bool cn_debug_is_reference(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  return has_annotation(ctx, type, CN_DEBUG_ANNOTATIONS_OPERAND, "btf_type_tag", MANAGED_TAG);
}

bool cn_debug_has_tag(struct cn_ctx *ctx, LLVMMetadataRef node, unsigned annotations, const char *tag)
{
  return has_annotation(ctx, node, annotations, "btf_decl_tag", tag);
}

bool cn_debug_type_has_tag(struct cn_ctx *ctx, LLVMMetadataRef type, const char *tag)
{
  for (; cn_debug_is_type(type); type = cn_debug_operand(ctx, type, CN_DEBUG_BASE_OPERAND)) {
    unsigned kind = LLVMGetDINodeTag(type);
    bool record = kind == CN_DW_TAG_STRUCTURE || kind == CN_DW_TAG_UNION;
    if (record || kind == CN_DW_TAG_POINTER)
      return record && cn_debug_has_tag(ctx, type, CN_DEBUG_OWN_ANNOTATIONS_OPERAND, tag);
    if (kind == CN_DW_TAG_TYPEDEF && cn_debug_has_tag(ctx, type, CN_DEBUG_ANNOTATIONS_OPERAND, tag))
      return true;
  }
  return false;
}

uint64_t cn_debug_type_size(struct cn_ctx *ctx, LLVMMetadataRef type)
{
  while (cn_debug_is_type(type) && LLVMDITypeGetSizeInBits(type) == 0)
    type = cn_debug_operand(ctx, type, CN_DEBUG_BASE_OPERAND);
  return type ? LLVMDITypeGetSizeInBits(type) / 8 : 0;
}

LLVMMetadataRef cn_debug_variable(struct cn_ctx *ctx, LLVMValueRef global)
{
  unsigned dbg = LLVMGetMDKindIDInContext(ctx->llvm, "dbg", 3);
  LLVMMetadataRef found = NULL;
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(global, &count);

  for (unsigned i = 0; i < count && !found; i++)
    if (LLVMValueMetadataEntriesGetKind(entries, i) == dbg)
      found = LLVMDIGlobalVariableExpressionGetVariable(LLVMValueMetadataEntriesGetMetadata(entries, i));
  LLVMDisposeValueMetadataEntries(entries);
  return found;
}
