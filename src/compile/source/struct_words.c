/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives references in small structs their type where clang passes and returns the structs as integers: on some targets
 * a struct of 16 bytes as an [2 x i64], and one of 8 bytes as an i64; on others only one of 8 bytes that is in memory
 * (first_integer_struct of convention.h):
 *
 *   define void @f([2 x i64] %0)             define void @f(i64 %0, ptr addrspace(1) %1)
 *   call void @f([2 x i64] %pair)            call void @f(i64 %first, ptr addrspace(1) %second)
 *   ret [2 x i64] %pair                      ret { i64, ptr addrspace(1) } %words
 *
 * The registers stay the same (struct_shapes.c), so that a caller and a callee need not both be changed. IR does not
 * tell the type of a struct that a call loads through a pointer. Such a load becomes volatile: it stays next to its
 * call, where no safepoint is between.
 *
 * Needs: the front end's IR. Provides: no local of a definition gets a reference from an integer parameter. Breaks:
 * nothing; native code never passes or takes such a struct. Pass `rules` runs this step before its checks.
 */
#include "base/check.h"
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/source/rules.h"
#include "compile/source/struct_words.h"

#include <stdlib.h>

struct retyping {
  struct cn_ctx *ctx;
  LLVMBuilderRef builder;
  struct cn_ptrmap index; /* a changed definition -> 1 + its index in `changed` */
  CN_VECTOR(struct cn_struct_signature) changed;
};

/* ---- words ---- */

static LLVMTypeRef words_type(struct cn_ctx *ctx, const struct cn_struct_words *words)
{
  LLVMTypeRef types[CN_STRUCT_WORDS_MAX];

  for (unsigned i = 0; i < words->count; i++)
    types[i] = words->is_ref[i] ? LLVMPointerTypeInContext(ctx->llvm, CAIRN_ABI_ADDRESS_SPACE)
                                : LLVMInt64TypeInContext(ctx->llvm);
  return LLVMStructTypeInContext(ctx->llvm, types, words->count, false);
}

static LLVMValueRef word_address(struct retyping *r, const struct cn_struct_words *words, LLVMValueRef pointer,
                                 unsigned i)
{
  return i == 0 ? pointer : LLVMBuildStructGEP2(r->builder, words_type(r->ctx, words), pointer, i, "");
}

/* Build the integers that clang's type of the struct has, from the words. The rules refuse their use. */
static LLVMValueRef build_integers(struct retyping *r, LLVMTypeRef type, const struct cn_struct_words *words,
                                   const LLVMValueRef *values)
{
  LLVMTypeRef i64 = LLVMInt64TypeInContext(r->ctx->llvm);
  LLVMValueRef whole = LLVMGetPoison(type);

  for (unsigned i = 0; i < words->count; i++) {
    LLVMValueRef word = words->is_ref[i] ? LLVMBuildPtrToInt(r->builder, values[i], i64, "") : values[i];
    whole = words->count > 1 ? LLVMBuildInsertValue(r->builder, whole, word, i, "") : word;
  }
  return whole;
}

/* Let the user of `whole` take the words instead: a store or a cast. */
static void pass_words_to_user(struct retyping *r, LLVMValueRef whole, const struct cn_struct_words *words,
                               const LLVMValueRef *values)
{
  LLVMUseRef use = LLVMGetFirstUse(whole);
  LLVMValueRef user = use ? LLVMGetUser(use) : NULL;

  if (!user)
    return;
  LLVMPositionBuilderBefore(r->builder, user);
  if (LLVMGetNextUse(use) || !(LLVMIsAStoreInst(user) || (LLVMIsAIntToPtrInst(user) && words->is_ref[0]))) {
    if (LLVMIsACallInst(whole))
      LLVMPositionBuilderBefore(r->builder, whole);
    LLVMReplaceAllUsesWith(whole, build_integers(r, LLVMTypeOf(whole), words, values));
    return;
  }
  if (LLVMIsAIntToPtrInst(user))
    LLVMReplaceAllUsesWith(user, values[0]);
  for (unsigned i = 0; LLVMIsAStoreInst(user) && i < words->count; i++)
    LLVMSetAlignment(LLVMBuildStore(r->builder, values[i], word_address(r, words, LLVMGetOperand(user, 1), i)), 8);
  LLVMInstructionEraseFromParent(user);
}

/* The words of a value that a call passes or a function returns, built before `at`. */
static void take_words(struct retyping *r, LLVMValueRef whole, const struct cn_struct_words *words, LLVMValueRef at,
                       LLVMValueRef *values)
{
  LLVMTypeRef types = words_type(r->ctx, words);

  LLVMPositionBuilderBefore(r->builder, at);
  for (unsigned i = 0; i < words->count; i++) {
    LLVMTypeRef type = LLVMStructGetTypeAtIndex(types, i);
    if (LLVMIsAPtrToIntInst(whole)) {
      values[i] = LLVMGetOperand(whole, 0);
    } else if (LLVMIsALoadInst(whole)) {
      LLVMPositionBuilderBefore(r->builder, whole);
      values[i] = LLVMBuildLoad2(r->builder, type, word_address(r, words, LLVMGetOperand(whole, 0), i), "");
      LLVMSetAlignment(values[i], 8);
    } else {
      values[i] = words->count > 1 ? LLVMBuildExtractValue(r->builder, whole, i, "") : whole;
      if (words->is_ref[i])
        values[i] = LLVMBuildIntToPtr(r->builder, values[i], type, "");
    }
  }
}

static void erase_if_unused(LLVMValueRef value)
{
  if (!LLVMGetFirstUse(value) && (LLVMIsALoadInst(value) || LLVMIsAPtrToIntInst(value)))
    LLVMInstructionEraseFromParent(value);
}

/* ---- definitions ---- */

static void change_return(struct retyping *r, LLVMValueRef end, const struct cn_struct_words *words)
{
  LLVMValueRef whole = LLVMGetOperand(end, 0), values[CN_STRUCT_WORDS_MAX];

  take_words(r, whole, words, end, values);
  LLVMPositionBuilderBefore(r->builder, end);
  LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(end));
  LLVMValueRef result = values[0];
  if (words->count > 1) {
    result = LLVMGetPoison(words_type(r->ctx, words));
    for (unsigned i = 0; i < words->count; i++)
      result = LLVMBuildInsertValue(r->builder, result, values[i], i, "");
  }
  LLVMBuildRet(r->builder, result);
  LLVMInstructionEraseFromParent(end);
  erase_if_unused(whole);
}

static void change_definition(struct retyping *r, LLVMValueRef function, const struct cn_struct_signature *signature)
{
  LLVMValueRef new = cn_retype_begin(r->ctx, function, signature->type, signature->places), ends;
  size_t length;

  for (unsigned p = 0; p < signature->count; p++) {
    LLVMValueRef old = LLVMGetParam(function, p), values[CN_STRUCT_WORDS_MAX];
    const struct cn_struct_words *words = &signature->words[p];
    const char *name = LLVMGetValueName2(old, &length);
    LLVMSetValueName2(LLVMGetParam(new, signature->places[p]), name, length);
    for (unsigned i = 0; i < words->count; i++)
      values[i] = LLVMGetParam(new, signature->places[p] + i);
    if (words->count)
      pass_words_to_user(r, old, words, values);
    else
      LLVMReplaceAllUsesWith(old, LLVMGetParam(new, signature->places[p]));
  }
  CN_EACH_BLOCK(b, new)
    if (signature->result.count && (ends = LLVMGetBasicBlockTerminator(b)) && LLVMIsAReturnInst(ends))
      change_return(r, ends, &signature->result);
  cn_retype_end(function, new);
  cn_push(&r->changed, *signature);
  *cn_ptrmap_add(&r->index, new, NULL) = r->changed.count;
}

static void change_definitions(struct retyping *r)
{
  CN_VECTOR(LLVMValueRef) functions = {0};

  CN_EACH_FUNCTION(f, r->ctx->module)
    if (!LLVMIsDeclaration(f) && cn_can_retype_function(f))
      cn_push(&functions, f);
  for (size_t i = 0; i < functions.count; i++) {
    struct cn_struct_signature signature = {0};
    LLVMValueRef f = functions.at[i];
    cn_struct_words_of_definition(r->ctx, f, &signature);
    cn_struct_signature_complete(r->ctx, LLVMGlobalGetValueType(f), cn_struct_returns_by_address(f), &signature);
    if (signature.type)
      change_definition(r, f, &signature);
    else
      cn_struct_signature_free(&signature);
  }
  cn_free(&functions);
}

/* ---- calls ---- */

/* Loads of structs whose type is unknown stay at their calls. */
static void fix_unknown_loads(struct retyping *r, LLVMValueRef call, const struct cn_struct_signature *signature)
{
  bool known = false;

  for (unsigned a = 0; a < signature->count; a++) {
    LLVMValueRef argument = LLVMGetArgOperand(call, a);
    if (signature->words[a].count || !LLVMIsALoadInst(argument) || !cn_struct_is_coerced_type(LLVMTypeOf(argument)) ||
        LLVMGetTypeKind(LLVMTypeOf(argument)) != LLVMArrayTypeKind)
      continue;
    cn_struct_words_in_memory(r->ctx, LLVMGetOperand(argument, 0), LLVMTypeOf(argument), &known);
    if (!known)
      LLVMSetVolatile(argument, true);
  }
}

static LLVMValueRef build_call(struct retyping *r, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef *arguments,
                               unsigned count)
{
  LLVMValueRef callee = LLVMGetCalledValue(call), new;

  LLVMPositionBuilderBefore(r->builder, call);
  LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(call));
  if (LLVMIsAInvokeInst(call)) {
    new = LLVMBuildInvoke2(r->builder, type, callee, arguments, count, LLVMGetNormalDest(call), LLVMGetUnwindDest(call),
                           "");
  } else {
    new = LLVMBuildCall2(r->builder, type, callee, arguments, count, "");
    LLVMSetTailCallKind(new, LLVMGetTailCallKind(call));
  }
  LLVMSetInstructionCallConv(new, LLVMGetInstructionCallConv(call));
  cn_emit_copy_attributes(call, CN_FUNCTION_INDEX, new, CN_FUNCTION_INDEX, NULL);
  cn_emit_copy_metadata(r->ctx, call, new);
  return new;
}

/* Give the result's words to the user of the old call. */
static void pass_result(struct retyping *r, LLVMValueRef call, LLVMValueRef new, const struct cn_struct_words *words)
{
  LLVMValueRef values[CN_STRUCT_WORDS_MAX] = {new};

  if (!words->count) {
    LLVMReplaceAllUsesWith(call, new);
    return;
  }
  if (!LLVMGetFirstUse(call))
    return;
  LLVMPositionBuilderBefore(r->builder, LLVMIsACallInst(call) ? call : LLVMGetUser(LLVMGetFirstUse(call)));
  for (unsigned i = 0; words->count > 1 && i < words->count; i++)
    values[i] = LLVMBuildExtractValue(r->builder, new, i, "");
  pass_words_to_user(r, call, words, values);
}

static void change_call(struct retyping *r, LLVMValueRef call, const struct cn_struct_signature *signature)
{
  unsigned count = LLVMCountParamTypes(signature->type), fixed = LLVMCountParamTypes(LLVMGetCalledFunctionType(call));
  LLVMTypeRef i64 = LLVMInt64TypeInContext(r->ctx->llvm);
  CN_VECTOR(LLVMValueRef) arguments = {0};

  for (unsigned i = 0; i < count; i++)
    cn_push(&arguments, LLVMGetPoison(i64)); /* what fills a last register stays */
  for (unsigned a = 0; a < fixed; a++) {
    LLVMValueRef whole = LLVMGetArgOperand(call, a);
    if (signature->words[a].count)
      take_words(r, whole, &signature->words[a], call, arguments.at + signature->places[a]);
    else
      arguments.at[signature->places[a]] = whole;
  }
  for (unsigned a = fixed; a < LLVMGetNumArgOperands(call); a++)
    cn_push(&arguments, LLVMGetArgOperand(call, a));
  LLVMValueRef new = build_call(r, call, signature->type, arguments.at, (unsigned)arguments.count);
  for (unsigned a = 0; a < fixed; a++)
    if (!signature->words[a].count)
      cn_emit_copy_attributes(call, a + 1, new, signature->places[a] + 1, NULL);
  if (!signature->result.count)
    cn_emit_copy_attributes(call, LLVMAttributeReturnIndex, new, LLVMAttributeReturnIndex, NULL);
  pass_result(r, call, new, &signature->result);
  CN_VECTOR(LLVMValueRef) wholes = {0};
  for (unsigned a = 0; a < fixed; a++)
    if (signature->words[a].count)
      cn_push(&wholes, LLVMGetArgOperand(call, a));
  LLVMInstructionEraseFromParent(call);
  for (size_t i = 0; i < wholes.count; i++)
    erase_if_unused(wholes.at[i]);
  cn_free(&wholes);
  cn_free(&arguments);
}

/* True for calls whose prototype clang makes from types of C. */
static bool is_call_of_c(LLVMValueRef i)
{
  return cn_is_call(i) && !LLVMIsACallBrInst(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) &&
         !cn_calls_some_intrinsic(i) && !cn_calls_is_musttail(i) && LLVMGetNumOperandBundles(i) == 0;
}

static void report_variadic_words(struct retyping *r, LLVMValueRef call, const struct cn_struct_signature *signature)
{
  for (unsigned a = LLVMCountParamTypes(LLVMGetCalledFunctionType(call)); a < signature->count; a++)
    if (signature->words[a].count && LLVMGetTypeKind(LLVMTypeOf(LLVMGetArgOperand(call, a))) == LLVMArrayTypeKind)
      cn_error(r->ctx, call, "variadic-reference",
               "a struct that holds references is passed as a variadic argument, where the collector does not find "
               "them; pass it as a declared parameter");
}

/* Give a declaration the type of a call; further calls of it change alike. */
static void change_declaration(struct retyping *r, LLVMValueRef callee, const struct cn_struct_signature *signature)
{
  LLVMValueRef new = cn_retype_begin(r->ctx, callee, signature->type, signature->places);

  cn_retype_end(callee, new);
  cn_push(&r->changed, *signature);
  *cn_ptrmap_add(&r->index, new, NULL) = r->changed.count;
}

static void visit_call(struct retyping *r, LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);
  uint64_t *known = callee ? cn_ptrmap_find(&r->index, callee) : NULL;
  struct cn_struct_signature own = {0};
  const struct cn_struct_signature *signature = known ? &r->changed.at[*known - 1] : &own;
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);

  cn_struct_words_of_call(r->ctx, call, &own);
  report_variadic_words(r, call, &own);
  if (!known)
    cn_struct_signature_complete(r->ctx, type, cn_struct_call_returns_by_address(call), &own);
  if (known && LLVMCountParamTypes(type) != signature->count)
    signature = &own; /* a call by another prototype */
  if (!known)
    fix_unknown_loads(r, call, &own);
  if (signature->type)
    change_call(r, call, signature);
  if (signature == &own && own.type && callee && LLVMIsDeclaration(callee))
    change_declaration(r, callee, &own);
  else
    cn_struct_signature_free(&own);
}

static void change_calls(struct retyping *r, LLVMValueRef function)
{
  CN_VECTOR(LLVMValueRef) calls = {0};

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (is_call_of_c(i))
        cn_push(&calls, i);
  for (size_t i = 0; i < calls.count; i++)
    visit_call(r, calls.at[i]);
  cn_free(&calls);
}

void cn_struct_words_give_types(struct cn_ctx *ctx)
{
  struct retyping r = {.ctx = ctx};

  CN_ASSERT(ctx->options->manage_all);
  r.builder = LLVMCreateBuilderInContext(ctx->llvm);
  change_definitions(&r);
  CN_EACH_FUNCTION(f, ctx->module)
    change_calls(&r, f);
  for (size_t i = 0; i < r.changed.count; i++)
    cn_struct_signature_free(&r.changed.at[i]);
  cn_free(&r.changed);
  cn_ptrmap_free(&r.index);
  LLVMDisposeBuilder(r.builder);
}
