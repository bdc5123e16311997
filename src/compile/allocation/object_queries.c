/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries of objects: markers that ask for the layout, the length or the size of an object.
 *
 *   i1  @cairn.layout.is(ptr addrspace(1), ptr layout)        the object has the layout: a load, and a comparison
 *   i1  @cairn.layout.is.array(ptr addrspace(1), ptr layout)  the same for arrays of the type
 *   i64 @cairn.object.count(ptr addrspace(1))                 the number of elements: a load, and a shift
 *   i64 @cairn.object.size(ptr addrspace(1))                  the bytes of the payload: a call of a leaf
 *
 * The reference points to an object's start. The optimiser sees pure functions: an object keeps its layout, but
 * cairn_resize_array() changes the length. Pass `layouts` replaces the layout statics. cn_object_queries_lower() is
 * part of pass `allocate`. Needs: layouts. Provides: loads, or a call of a leaf, in place of the markers; diagnostic
 * object-query. Breaks: nothing.
 */
#include "compile/allocation/object_queries.h"

#include <string.h>
#include <llvm-c/DebugInfo.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/words.h"

#define SIZE_FUNCTION "cairn_object_size"

/* LLVM 22's encoding of memory(argmem: read). */
#define MEMORY_READS_ARGUMENTS (1 << 0)

static const char *const query_names[CN_OBJECT_QUERY_COUNT] = {
    [CN_QUERY_IS] = CN_QUERY_PREFIX_LAYOUT,
    [CN_QUERY_IS_ARRAY] = CN_QUERY_PREFIX_LAYOUT ".array",
    [CN_QUERY_COUNT] = CN_QUERY_PREFIX_OBJECT "count",
    [CN_QUERY_SIZE] = CN_QUERY_PREFIX_OBJECT "size",
};

static bool asks_for_layout(enum cn_object_query query)
{
  return query == CN_QUERY_IS || query == CN_QUERY_IS_ARRAY;
}

/* ---- declarations ---- */

static LLVMTypeRef query_type_of(struct cn_ctx *ctx, enum cn_object_query query)
{
  LLVMTypeRef parameters[] = {cn_ref_type(ctx), LLVMPointerTypeInContext(ctx->llvm, 0)};
  LLVMTypeRef result = asks_for_layout(query) ? LLVMInt1TypeInContext(ctx->llvm) : LLVMInt64TypeInContext(ctx->llvm);

  return LLVMFunctionType(result, parameters, asks_for_layout(query) ? 2 : 1, false);
}

/* The declaration of the query, or null if the module lacks it. Reports wrong declarations and other uses. */
static LLVMValueRef find_query(struct cn_ctx *ctx, enum cn_object_query query)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, query_names[query]);

  if (!function)
    return NULL;
  if (!LLVMIsDeclaration(function) || LLVMGlobalGetValueType(function) != query_type_of(ctx, query)) {
    cn_error(ctx, function, "object-query", "@%s is not declared as Cairn has it (docs/frontends.md)",
             query_names[query]);
    return NULL;
  }
  CN_EACH_USE(use, function) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function ||
        LLVMGetCalledFunctionType(user) != LLVMGlobalGetValueType(function)) {
      cn_error(ctx, function, "object-query", "@%s is used other than by calling it", query_names[query]);
      return NULL;
    }
  }
  return function;
}

void cn_object_queries_prepare(struct cn_ctx *ctx)
{
  static const char *const attributes[] = {"nounwind", "willreturn", "nocallback", "nofree", "nosync", "nomerge"};

  for (enum cn_object_query query = 0; query < CN_OBJECT_QUERY_COUNT; query++) {
    LLVMValueRef function = find_query(ctx, query);
    if (!function)
      continue;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
      cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, attributes[i], 0);
    cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "memory",
                          asks_for_layout(query) ? 0 : MEMORY_READS_ARGUMENTS);
    cn_emit_mark_leaf(ctx, function);
  }
}

bool cn_object_query_of_call(LLVMValueRef instruction, enum cn_object_query *query)
{
  size_t length;
  LLVMValueRef callee = LLVMIsACallInst(instruction) ? cn_direct_callee(instruction) : NULL;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";

  for (*query = 0; *query < CN_OBJECT_QUERY_COUNT; ++*query)
    if (strcmp(name, query_names[*query]) == 0)
      return true;
  return false;
}

LLVMValueRef cn_object_query_layout(LLVMValueRef instruction, bool *array)
{
  enum cn_object_query query;

  if (!cn_object_query_of_call(instruction, &query) || !asks_for_layout(query))
    return NULL;
  *array = query == CN_QUERY_IS_ARRAY;
  return LLVMGetOperand(instruction, 1);
}

/* ---- lowering ---- */

struct query_lowering {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
};

static LLVMValueRef word_constant(const struct query_lowering *l, uint64_t value)
{
  return LLVMConstInt(LLVMInt64TypeInContext(l->ctx->llvm), value, false);
}

/* Load the word `distance` bytes before the object. */
static LLVMValueRef build_load_before(const struct query_lowering *l, LLVMValueRef reference, uint64_t distance)
{
  LLVMValueRef offset = word_constant(l, -(distance + cn_words(l->ctx).reference));
  LLVMValueRef at = LLVMBuildGEP2(l->builder, LLVMInt8TypeInContext(l->ctx->llvm), reference, &offset, 1, "");
  LLVMValueRef load = LLVMBuildLoad2(l->builder, LLVMInt64TypeInContext(l->ctx->llvm), at, "");

  LLVMSetAlignment(load, CAIRN_ABI_OBJECT_ALIGN);
  return load;
}

/* The collector's bits are above the layout's address, and the bits of the state are 0 while the program runs. */
static LLVMValueRef build_layout_test(const struct query_lowering *l, LLVMValueRef call)
{
  LLVMValueRef header = build_load_before(l, LLVMGetOperand(call, 0), CAIRN_ABI_HEADER_SIZE);
  LLVMValueRef layout = cn_layouts_emit_address(l->ctx, l->builder, LLVMGetOperand(call, 1));
  LLVMValueRef word = LLVMBuildPtrToInt(l->builder, layout, LLVMInt64TypeInContext(l->ctx->llvm), "");
  LLVMValueRef bits = LLVMBuildAnd(l->builder, LLVMBuildXor(l->builder, header, word, ""),
                                   word_constant(l, CAIRN_ABI_HEADER_LAYOUT | CAIRN_ABI_HEADER_STATE), "");

  return LLVMBuildICmp(l->builder, LLVMIntEQ, bits, word_constant(l, 0), "");
}

static LLVMValueRef build_size_call(const struct query_lowering *l, LLVMValueRef call)
{
  LLVMTypeRef type = query_type_of(l->ctx, CN_QUERY_SIZE);
  LLVMValueRef function = cn_emit_declare_function(l->ctx, SIZE_FUNCTION, type, LLVMCCallConv);
  LLVMValueRef object = LLVMGetOperand(call, 0);

  if (!function)
    return NULL;
  cn_emit_mark_leaf(l->ctx, function);
  return LLVMBuildCall2(l->builder, type, function, &object, 1, "");
}

static LLVMValueRef build_answer(const struct query_lowering *l, LLVMValueRef call, enum cn_object_query query)
{
  switch (query) {
  case CN_QUERY_IS:
  case CN_QUERY_IS_ARRAY:
    return build_layout_test(l, call);
  case CN_QUERY_COUNT:
    return LLVMBuildLShr(l->builder, build_load_before(l, LLVMGetOperand(call, 0), CAIRN_ABI_INDEXED_HEADER_SIZE),
                         word_constant(l, 1), "");
  case CN_QUERY_SIZE:
    return build_size_call(l, call);
  case CN_OBJECT_QUERY_COUNT:
    break;
  }
  CN_UNREACHABLE();
}

static void lower_query(const struct query_lowering *l, LLVMValueRef call, enum cn_object_query query)
{
  if (asks_for_layout(query) && !cn_layouts_is_layout_constant(LLVMGetOperand(call, 1)) &&
      !cn_layouts_is_run_time_operand(LLVMGetOperand(call, 1))) {
    cn_error(l->ctx, call, "unknown-layout", "a query without a layout; run pass layouts first");
    return;
  }
  LLVMPositionBuilderBefore(l->builder, call);
  LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(call));
  LLVMValueRef answer = build_answer(l, call, query);
  if (!answer)
    return;
  LLVMReplaceAllUsesWith(call, answer);
  LLVMInstructionEraseFromParent(call);
}

void cn_object_queries_lower(struct cn_ctx *ctx)
{
  struct query_lowering l = {.ctx = ctx, .builder = LLVMCreateBuilderInContext(ctx->llvm)};

  for (enum cn_object_query query = 0; query < CN_OBJECT_QUERY_COUNT && ctx->errors == 0; query++) {
    CN_VECTOR(LLVMValueRef) calls = {0};
    LLVMValueRef function = find_query(ctx, query);
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use))
      cn_push(&calls, LLVMGetUser(use));
    for (size_t i = 0; i < calls.count && ctx->errors == 0; i++)
      lower_query(&l, calls.at[i], query);
    cn_free(&calls);
    if (function && !LLVMGetFirstUse(function))
      LLVMDeleteFunction(function);
  }
  LLVMDisposeBuilder(l.builder);
}
