/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass note-stores: calls the runtime before each store of references, with its place in the source, so that
 * CAIRN_VERIFY=stores can name the store that lacked a barrier:
 *
 *   call void @cairn_note_store(ptr addrspace(1) to, i64 bytes, ptr place)
 *   call void @cairn_note_copy(ptr addrspace(1) to, ptr addrspace(1) from, i64 bytes, ptr place)
 *
 * The pass is off unless options->note_stores is set.
 *
 * Needs: optimised functions before rewriting, so that the pass notes the stores that run. Provides: a call of a leaf
 * immediately before each store. A vector or a struct has a call per reference. A masked store has a call per lane,
 * with length 0 if the mask excludes the lane. The runtime finds the slots of single references in the object's layout,
 * and the slots of copies in the layouts of both objects. Stores of null and stores to locals have no call. Breaks:
 * nothing.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "compile/barriers/barriers.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/effects/intrinsics.h"

static LLVMValueRef build_source_place(LLVMBuilderRef builder, LLVMValueRef at)
{
  unsigned length = 0, line = LLVMGetDebugLocLine(at);
  const char *file = line ? LLVMGetDebugLocFilename(at, &length) : NULL;
  char *text = file ? cn_format("%.*s:%u", (int)length, file, line) : cn_strdup("");
  LLVMValueRef string = LLVMBuildGlobalString(builder, text, "cairn.place");

  LLVMSetUnnamedAddress(string, LLVMGlobalUnnamedAddr);
  free(text);
  return string;
}

/* Sets the address and the length of the store. A store that barriers cannot cover may write anywhere, so it has
 * address null and the largest length. */
static void find_stored_range(struct cn_ctx *ctx, LLVMBuilderRef builder, const struct cn_access *access,
                              LLVMValueRef *slot, LLVMValueRef *bytes)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm);

  if (access->kind == CN_ACCESS_UNKNOWN || !cn_is_ref(LLVMTypeOf(access->slot))) {
    *slot = LLVMConstNull(cn_ref_type(ctx));
    *bytes = LLVMConstAllOnes(i64);
    return;
  }
  *slot = access->slot;
  CN_CHECK(access->bytes || access->value);
  *bytes = access->bytes ? LLVMBuildZExtOrBitCast(builder, access->bytes, i64, "")
                         : LLVMConstInt(i64, LLVMStoreSizeOfType(ctx->layout, LLVMTypeOf(access->value)), false);
}

static bool is_store_without_note(const struct cn_access *access)
{
  return access->kind == CN_ACCESS_NONE || access->kind == CN_ACCESS_NON_REFERENCES ||
         (access->value && LLVMIsNull(access->value)) ||
         (access->slot && cn_is_ref(LLVMTypeOf(access->slot)) &&
          cn_address_is_local_root(cn_address_root_of(access->slot)));
}

struct store_note {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  LLVMValueRef place;
  bool ok;
};

static void emit_runtime_call(struct store_note *note, const char *name, LLVMValueRef *arguments, unsigned count)
{
  LLVMTypeRef types[4];

  CN_CHECK(count <= sizeof types / sizeof *types);
  for (unsigned i = 0; i < count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(note->ctx->llvm), types, count, false);
  LLVMValueRef callee = cn_emit_declare_function(note->ctx, name, type, LLVMCCallConv);
  note->ok &= callee != NULL;
  if (!callee)
    return;
  cn_emit_mark_leaf(note->ctx, callee);
  LLVMBuildCall2(note->builder, type, callee, arguments, count, "");
}

static void emit_store_note(struct store_note *note, LLVMValueRef slot, LLVMValueRef bytes)
{
  LLVMValueRef arguments[] = {slot, bytes, note->place};

  emit_runtime_call(note, CN_NOTE_STORE, arguments, 3);
}

static LLVMValueRef managed_copy_source(LLVMValueRef at)
{
  enum { COPY_SOURCE_OPERAND = 1 };

  if (!cn_intrinsic_has_effect(at, CN_EFFECT_COPY))
    return NULL;
  LLVMValueRef from = LLVMGetArgOperand(at, COPY_SOURCE_OPERAND);
  return cn_is_ref(LLVMTypeOf(from)) && !cn_address_is_local_root(cn_address_root_of(from)) ? from : NULL;
}

static void emit_copy_note(struct store_note *note, LLVMValueRef slot, LLVMValueRef from, LLVMValueRef bytes)
{
  LLVMValueRef arguments[] = {slot, from, bytes, note->place};

  emit_runtime_call(note, CN_NOTE_COPY, arguments, 4);
}

/* Emits a call for each reference in a value of `type` at `offset` bytes from `slot`. */
static void emit_notes_of_type(struct store_note *note, LLVMTypeRef type, LLVMValueRef slot, uint64_t offset)
{
  struct cn_ctx *ctx = note->ctx;
  LLVMTypeRef i64 = LLVMInt64TypeInContext(ctx->llvm), byte = LLVMInt8TypeInContext(ctx->llvm);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  LLVMValueRef index = LLVMConstInt(i64, offset, false);

  if (!cn_holds_ref(type))
    return;
  if (cn_is_ref(type)) {
    if (offset)
      slot = LLVMBuildGEP2(note->builder, byte, slot, &index, 1, "");
    emit_store_note(note, slot, LLVMConstInt(i64, LLVMStoreSizeOfType(ctx->layout, type), false));
  } else if (kind == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      emit_notes_of_type(note, LLVMStructGetTypeAtIndex(type, i), slot,
                         offset + LLVMOffsetOfElement(ctx->layout, type, i));
  } else {
    CN_CHECK(kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind);
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t size = LLVMABISizeOfType(ctx->layout, element),
             count = kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    for (uint64_t i = 0; i < count; i++)
      emit_notes_of_type(note, element, slot, offset + i * size);
  }
}

/* The table row of a masked store of references whose lanes have fixed positions, or null. */
static const struct cn_intrinsic *masked_store_row_of(LLVMValueRef at)
{
  const struct cn_intrinsic *row = cn_intrinsic_row_of_call(at);

  return row && row->effect == CN_EFFECT_STORE && row->length < 0 &&
                 !cn_calls_intrinsic(at, "llvm.masked.compressstore") &&
                 cn_is_ref_vector(LLVMTypeOf(LLVMGetArgOperand(at, (unsigned)row->value))) &&
                 !cn_holds_scalable_vector(LLVMTypeOf(LLVMGetArgOperand(at, (unsigned)row->value)))
             ? row
             : NULL;
}

/* Emits a call for each lane, with length 0 if the mask excludes the lane. */
static void emit_lane_notes(struct store_note *note, LLVMValueRef at, const struct cn_intrinsic *row)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(note->ctx->llvm);
  LLVMValueRef place = LLVMGetArgOperand(at, (unsigned)row->place);
  LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(at, (unsigned)row->value));
  LLVMTypeRef element = LLVMGetElementType(type);
  LLVMValueRef size = LLVMConstInt(i64, LLVMStoreSizeOfType(note->ctx->layout, element), false);

  for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
    LLVMValueRef lane = LLVMConstInt(i64, i, false), slot;
    LLVMValueRef mask = LLVMGetArgOperand(at, (unsigned)row->mask);
    if (cn_is_ref(LLVMTypeOf(place)))
      slot = LLVMBuildGEP2(note->builder, element, place, &lane, 1, "");
    else
      slot = LLVMBuildExtractElement(note->builder, place, lane, "");
    LLVMValueRef chosen = LLVMBuildExtractElement(note->builder, mask, lane, "");
    emit_store_note(note, slot, LLVMBuildSelect(note->builder, chosen, size, LLVMConstInt(i64, 0, false), ""));
  }
}

static bool note_store(struct cn_ctx *ctx, LLVMValueRef at)
{
  const struct cn_access access = cn_access_written_by(ctx, at);
  LLVMValueRef slot, bytes;

  if (is_store_without_note(&access))
    return true;
  struct store_note note = {.ctx = ctx, .builder = LLVMCreateBuilderInContext(ctx->llvm), .ok = true};
  LLVMPositionBuilderBefore(note.builder, at);
  LLVMSetCurrentDebugLocation2(note.builder, LLVMInstructionGetDebugLoc(at));
  note.place = build_source_place(note.builder, at);
  find_stored_range(ctx, note.builder, &access, &slot, &bytes);
  const struct cn_intrinsic *lanes = access.kind == CN_ACCESS_UNKNOWN ? NULL : masked_store_row_of(at);
  LLVMValueRef from = access.kind == CN_ACCESS_RANGE ? managed_copy_source(at) : NULL;
  if (lanes)
    emit_lane_notes(&note, at, lanes);
  else if (from)
    emit_copy_note(&note, slot, from, bytes);
  else if (LLVMIsAStoreInst(at) && access.kind != CN_ACCESS_UNKNOWN)
    emit_notes_of_type(&note, LLVMTypeOf(access.value), slot, 0);
  else
    emit_store_note(&note, slot, bytes);
  LLVMDisposeBuilder(note.builder);
  return note.ok;
}

bool cn_note_stores(struct cn_ctx *ctx)
{
  if (!ctx->options->note_stores)
    return true;
  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMIsDeclaration(f) || !cn_is_managed(f))
      continue;
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (!note_store(ctx, i))
          return false;
  }
  return ctx->errors == 0;
}
