/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `check-stores`: no reference is stored where the collector does not look.
 *
 * Needs: cn_check_stores_mark() ran on the function before the optimiser. Provides: every store of
 * a reference through an ordinary pointer, and every copy that may bring references to where one
 * leads, goes to a local or a global that holds some, or is checked at run time (cairn_check_store,
 * cairn_check_copy). Breaks: nothing.
 *
 * Locals and globals that hold references are described. Memory of the C library is not: the
 * collector would lose a reference in it silently. Often only inlining shows the pointer's origin,
 * so this runs late. Until then the stores are `unordered` atomic, which costs nothing and keeps
 * the optimiser from making memcpy of them.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/alloca_layout.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/managed_functions.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/memory_types.h"
#include "compile/core/names.h"
#include "compile/lower/check_stores.h"

typedef CN_VECTOR(LLVMValueRef) values;

/* If `i` stores a value that holds references to ordinary memory, return the address and set
 * `*type` to the value's type; else null. */
static LLVMValueRef stored_at(LLVMValueRef i, LLVMTypeRef *type)
{
  bool store = LLVMIsAStoreInst(i) != NULL, exchange = LLVMIsAAtomicCmpXchgInst(i) != NULL;

  if (!store && !exchange && !LLVMIsAAtomicRMWInst(i))
    return NULL;
  LLVMValueRef slot = LLVMGetOperand(i, store ? 1 : 0);
  *type = LLVMTypeOf(LLVMGetOperand(i, store ? 0 : exchange ? 2 : 1));
  return cn_holds_ref(*type) && !cn_is_ref(LLVMTypeOf(slot)) ? slot : NULL;
}

static bool is_gep(LLVMValueRef pointer)
{
  return LLVMIsAGetElementPtrInst(pointer) ||
         (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

static void add_once(values *list, LLVMValueRef value)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i] == value)
      return;
  cn_push(list, value);
}

/* Find what `pointer` may be computed from: operands [first, last) of a GEP, cast, phi or select. A
 * pointer without any is an origin. */
static void find_operands(LLVMValueRef pointer, unsigned *first, unsigned *last)
{
  *first = *last = 0;
  if (is_gep(pointer) || LLVMIsABitCastInst(pointer) || LLVMIsAFreezeInst(pointer)) {
    *last = 1;
  } else if (LLVMIsASelectInst(pointer)) {
    *first = 1;
    *last = 3;
  } else if (LLVMIsAPHINode(pointer)) {
    *last = LLVMCountIncoming(pointer);
  }
  CN_ASSERT(*first == *last || *last <= (unsigned)LLVMGetNumOperands(pointer));
}

static bool is_struct_result(LLVMValueRef argument)
{
  LLVMValueRef function = LLVMGetParamParent(argument);
  CN_ASSERT(function);
  unsigned kind = cn_attribute_kind("sret");

  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (LLVMGetParam(function, i) == argument)
      return LLVMGetEnumAttributeAtIndex(function, i + 1, kind) != NULL;
  return false;
}

static bool is_described(LLVMValueRef origin)
{
  if (LLVMIsAGlobalVariable(origin)) /* a root if its type says so */
    return cn_holds_ref(LLVMGlobalGetValueType(origin));
  if (LLVMIsAAllocaInst(origin) || LLVMIsUndef(origin) || LLVMIsNull(origin))
    return true;
  return LLVMIsAArgument(origin) && is_struct_result(origin);
}

/* All that `pointer` may be computed from, itself first. */
static values find_sources(LLVMValueRef pointer)
{
  values seen = {0};

  add_once(&seen, pointer);
  for (size_t i = 0; i < seen.count; i++) {
    unsigned first, last;
    find_operands(seen.at[i], &first, &last);
    for (; first < last; first++)
      add_once(&seen, LLVMGetOperand(seen.at[i], first));
  }
  return seen;
}

static bool is_origin(LLVMValueRef pointer)
{
  unsigned first, last;

  find_operands(pointer, &first, &last);
  return first == last;
}

/* Does `pointer` go to locals and globals only? */
static bool is_proved(LLVMValueRef pointer)
{
  values sources = find_sources(pointer);
  bool proved = true;

  for (size_t i = 0; i < sources.count && proved; i++)
    proved = !is_origin(sources.at[i]) || is_described(sources.at[i]);
  cn_free(&sources);
  return proved;
}

/* Does `pointer` + `offset` surely lie in a global, where the global's type has no reference? */
static bool misses_global(struct cn_ctx *ctx, LLVMValueRef pointer, uint64_t offset)
{
  for (; is_gep(pointer); pointer = LLVMGetOperand(pointer, 0))
    if (!cn_types_gep_offset(ctx, pointer, &offset))
      return false;
  return LLVMIsAGlobalVariable(pointer) &&
         !cn_types_ref_at(ctx, LLVMGlobalGetValueType(pointer), offset);
}

void cn_check_stores_mark(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMTypeRef type;

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAStoreInst(i) && stored_at(i, &type) && cn_is_ref(type) && !LLVMGetVolatile(i) &&
          LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
          LLVMGetAlignment(i) >= LLVMABISizeOfType(ctx->layout, LLVMTypeOf(LLVMGetOperand(i, 0))) &&
          !is_proved(LLVMGetOperand(i, 1)))
        LLVMSetOrdering(i, LLVMAtomicOrderingUnordered);
}

/* Call `name` of the runtime, a leaf, with `arguments` before `at`. */
static void call_before(struct cn_ctx *ctx, LLVMValueRef at, const char *name,
                        LLVMValueRef *arguments, unsigned count)
{
  LLVMTypeRef types[3];

  CN_CHECK(count <= sizeof types / sizeof *types && LLVMIsAInstruction(at));
  for (unsigned i = 0; i < count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), types, count, false);
  LLVMValueRef callee = cn_emit_declare(ctx, name, type, LLVMCCallConv);
  if (!callee)
    return;
  cn_emit_mark_leaf(ctx, callee);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMPositionBuilderBefore(builder, at);
  LLVMBuildCall2(builder, type, callee, arguments, count, "");
  LLVMDisposeBuilder(builder);
}

/* The source's name of the place, and its line (store_names.c); or null. */
static char *source_name(struct cn_ctx *ctx, LLVMValueRef at)
{
  unsigned length, kind = LLVMGetMDKindIDInContext(ctx->llvm, CN_SLOT_METADATA,
                                                   (unsigned)strlen(CN_SLOT_METADATA));
  LLVMValueRef node = LLVMHasMetadata(at) ? LLVMGetMetadata(at, kind) : NULL, string = NULL;

  if (node && LLVMGetMDNodeNumOperands(node) == 1)
    LLVMGetMDNodeOperands(node, &string);
  const char *text = string ? LLVMGetMDString(string, &length) : NULL;
  return text ? cn_format("%.*s", (int)length, text) : NULL;
}

static char *unknown_place(LLVMValueRef at)
{
  unsigned length = 0, line = LLVMGetDebugLocLine(at);
  const char *file = line ? LLVMGetDebugLocFilename(at, &length) : NULL;

  return file ? cn_format("%s at %.*s:%u", CN_SLOT_UNKNOWN, (int)length, file, line)
              : cn_strdup(CN_SLOT_UNKNOWN);
}

/* Add the string that the message at run time shows: place and source line of a store. */
static LLVMValueRef description(struct cn_ctx *ctx, LLVMBuilderRef builder, LLVMValueRef at)
{
  char *named = source_name(ctx, at);
  char *text = named ? named : unknown_place(at);
  LLVMValueRef string = LLVMBuildGlobalString(builder, text, "cairn.slot");

  LLVMSetUnnamedAddress(string, LLVMGlobalUnnamedAddr);
  free(text);
  return string;
}

static void check_slot(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot, uint64_t offset)
{
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMTypeRef byte = LLVMInt8TypeInContext(ctx->llvm);
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(ctx->llvm), offset, false);

  LLVMPositionBuilderBefore(builder, at);
  if (offset)
    slot = LLVMBuildGEP2(builder, byte, slot, &index, 1, "");
  LLVMValueRef arguments[] = {slot, description(ctx, builder, at)};
  LLVMDisposeBuilder(builder);
  call_before(ctx, at, CN_CHECK_STORE, arguments, 2);
}

/* Check each reference of a value of `type` that `at` stores at `slot` + `offset`. */
static void check_type(struct cn_ctx *ctx, LLVMValueRef at, LLVMValueRef slot, LLVMTypeRef type,
                       uint64_t offset)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  if (!cn_holds_ref(type))
    return;
  if (cn_is_ref(type)) {
    if (misses_global(ctx, slot, offset) || !is_proved(slot))
      check_slot(ctx, at, slot, offset);
  } else if (kind == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      check_type(ctx, at, slot, LLVMStructGetTypeAtIndex(type, i),
                 offset + LLVMOffsetOfElement(ctx->layout, type, i));
  } else if (kind != LLVMScalableVectorTypeKind) { /* those are refused */
    CN_CHECK(kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind);
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t size = LLVMABISizeOfType(ctx->layout, element);
    uint64_t count =
        kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    for (uint64_t i = 0; i < count; i++)
      check_type(ctx, at, slot, element, offset + i * size);
  }
}

static void check_store(struct cn_ctx *ctx, LLVMValueRef store, LLVMValueRef slot, LLVMTypeRef type)
{
  CN_ASSERT(cn_holds_ref(type) && !cn_is_ref(LLVMTypeOf(slot)));
  if (LLVMIsAStoreInst(store) && LLVMGetOrdering(store) == LLVMAtomicOrderingUnordered)
    LLVMSetOrdering(store, LLVMAtomicOrderingNotAtomic);
  check_type(ctx, store, slot, type, 0);
}

/* The locals of a function, found when the first copy asks. */
struct locals {
  struct cn_alloca_layouts layouts;
  bool found;
};

/* May `pointer` go to a local of `function` in which no references are known? A local is described
 * by its type, or by references that are loaded or stored there; in one of bytes the collector does
 * not look. */
static bool may_be_bytes(struct cn_ctx *ctx, LLVMValueRef function, struct locals *locals,
                         LLVMValueRef pointer)
{
  values sources = find_sources(pointer);
  bool bytes = false;

  if (!locals->found)
    cn_alloca_layout_find(ctx, function, &locals->layouts);
  locals->found = true;
  for (size_t i = 0; i < locals->layouts.maps.count && !bytes; i++) {
    const struct cn_alloca_layout *local = &locals->layouts.maps.at[i];
    for (size_t s = 0; s < sources.count && !bytes; s++)
      bytes = sources.at[s] == local->alloca && !cn_alloca_layout_holds_refs(local);
  }
  cn_free(&sources);
  return bytes;
}

/* A copy does not tell what it copies. From managed memory that may be references; from ordinary
 * memory, too, if the size is a constant, as in the assignment of a struct. The runtime looks. */
static void check_copy(struct cn_ctx *ctx, LLVMValueRef copy, struct locals *locals)
{
  LLVMValueRef arguments[3], function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(copy));

  CN_CHECK(LLVMGetNumArgOperands(copy) >= 3);
  for (unsigned i = 0; i < 3; i++)
    arguments[i] = LLVMGetOperand(copy, i);
  bool from_managed = cn_is_ref(LLVMTypeOf(arguments[1]));
  bool is_constant = LLVMIsAConstantInt(arguments[2]) != NULL;
  bool is_small = is_constant && LLVMConstIntGetZExtValue(arguments[2]) < sizeof(uint64_t);
  if (cn_is_ref(LLVMTypeOf(arguments[0])) || is_small || (!from_managed && !is_constant) ||
      LLVMGetIntTypeWidth(LLVMTypeOf(arguments[2])) != 64)
    return;
  if (!is_proved(arguments[0]))
    call_before(ctx, copy, from_managed ? CN_CHECK_COPY : CN_CHECK_NATIVE_COPY, arguments, 3);
  else if (from_managed && may_be_bytes(ctx, function, locals, arguments[0]))
    call_before(ctx, copy, CN_CHECK_COPY_TO_BYTES, arguments, 3);
}

static void check_function(struct cn_ctx *ctx, LLVMValueRef function, bool copies)
{
  struct locals locals = {0};
  LLVMTypeRef type;

  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      LLVMValueRef slot = stored_at(i, &type);
      if (slot)
        check_store(ctx, i, slot, type);
      else if (copies && cn_calls_copy(i))
        check_copy(ctx, i, &locals);
    }
  cn_alloca_layout_free(&locals.layouts);
}

bool cn_check_stores(struct cn_ctx *ctx)
{
  bool copies = cn_managed_mentions_references(ctx);

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      check_function(ctx, f, copies);
  return ctx->errors == 0;
}
