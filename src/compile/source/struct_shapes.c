/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the references in small structs that clang passes and returns as integers: i64, or [2 x i64]. A definition
 * stores such a parameter to a local of the struct's type, and a call loads the argument from memory, whose type IR
 * tells in most cases. A struct of a single reference becomes an integer by a cast. Clang marks other integers
 * `noundef`, and finds the place of a result before it casts the result. Needs: clang's IR without optimisation.
 * Provides: the cn_struct_words_*() functions, cn_struct_signature_complete(). Breaks: nothing.
 */
#include "compile/source/struct_words.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/core/convention.h"
#include "compile/core/debug_records.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/memory_types.h"

enum { WORD_BYTES = 8, WORD_BITS = 64 };

/* ---- words ---- */

bool cn_struct_is_coerced_type(LLVMTypeRef type)
{
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind && LLVMGetArrayLength2(type) == CN_STRUCT_WORDS_MAX)
    type = LLVMGetElementType(type);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == WORD_BITS;
}

static bool is_pair(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMArrayTypeKind;
}

struct cn_struct_words cn_struct_words_in_memory(struct cn_ctx *ctx, LLVMValueRef pointer, LLVMTypeRef type,
                                                 bool *known)
{
  LLVMTypeRef memory = cn_types_memory_type_of(pointer);
  struct cn_struct_words words = {.count = is_pair(type) ? CN_STRUCT_WORDS_MAX : 1};
  bool any = false;

  CN_ASSERT(cn_struct_is_coerced_type(type));
  *known = memory != NULL;
  for (unsigned i = 0; memory && i < words.count; i++)
    any |= words.is_ref[i] = cn_types_has_ref_at(ctx, memory, (uint64_t)i * WORD_BYTES);
  return any ? words : (struct cn_struct_words){0};
}

static struct cn_struct_words single_reference(void)
{
  return (struct cn_struct_words){.count = 1, .is_ref = {true}};
}

static LLVMValueRef only_user(LLVMValueRef value)
{
  LLVMUseRef use = LLVMGetFirstUse(value);

  return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

/* The words of a parameter or a result that `user` alone uses. */
static struct cn_struct_words words_by_user(struct cn_ctx *ctx, LLVMValueRef value, LLVMValueRef user)
{
  bool known;

  if (user && LLVMIsAIntToPtrInst(user) && cn_is_ref(LLVMTypeOf(user)))
    return single_reference();
  if (user && LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value)
    return cn_struct_words_in_memory(ctx, LLVMGetOperand(user, 1), LLVMTypeOf(value), &known);
  return (struct cn_struct_words){0};
}

/* The words of an argument or a returned value, by its origin. */
static struct cn_struct_words words_by_origin(struct cn_ctx *ctx, LLVMValueRef value)
{
  bool known;

  if (LLVMIsAPtrToIntInst(value) && cn_is_ref(LLVMTypeOf(LLVMGetOperand(value, 0))))
    return single_reference();
  if (LLVMIsALoadInst(value))
    return cn_struct_words_in_memory(ctx, LLVMGetOperand(value, 0), LLVMTypeOf(value), &known);
  return (struct cn_struct_words){0};
}

/* ---- definitions ---- */

/* True if the debug information says that the function returns a struct or a union. */
static bool returns_record(struct cn_ctx *ctx, LLVMValueRef function)
{
  enum { SUBPROGRAM_TYPE_OPERAND = 4, SUBROUTINE_TYPES_OPERAND = 5 };
  LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
  LLVMMetadataRef type = subprogram ? cn_debug_operand(ctx, subprogram, SUBPROGRAM_TYPE_OPERAND) : NULL;
  LLVMMetadataRef types = type ? cn_debug_operand(ctx, type, SUBROUTINE_TYPES_OPERAND) : NULL;
  LLVMMetadataRef result = types ? cn_debug_strip_typedefs(ctx, cn_debug_operand(ctx, types, 0)) : NULL;
  unsigned tag = cn_debug_is_type(result) ? LLVMGetDINodeTag(result) : 0;

  return tag == CN_DW_TAG_STRUCTURE || tag == CN_DW_TAG_UNION;
}

static struct cn_struct_words words_of_returns(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct cn_struct_words words = {0};

  if (!cn_struct_is_coerced_type(LLVMGetReturnType(LLVMGlobalGetValueType(function))) || !returns_record(ctx, function))
    return words;
  CN_EACH_BLOCK(b, function) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (LLVMIsAReturnInst(end))
      words = words_by_origin(ctx, LLVMGetOperand(end, 0));
  }
  return words;
}

void cn_struct_words_of_definition(struct cn_ctx *ctx, LLVMValueRef function, struct cn_struct_signature *signature)
{
  unsigned noundef = cn_attribute_kind("noundef");

  signature->count = LLVMCountParams(function);
  signature->words = cn_alloc((signature->count + 1) * sizeof *signature->words);
  signature->result = words_of_returns(ctx, function);
  for (unsigned p = cn_convention_port_of(ctx->module)->first_integer_struct; p < signature->count; p++) {
    LLVMValueRef parameter = LLVMGetParam(function, p);
    if (cn_struct_is_coerced_type(LLVMTypeOf(parameter)) && !LLVMGetEnumAttributeAtIndex(function, p + 1, noundef))
      signature->words[p] = words_by_user(ctx, parameter, only_user(parameter));
  }
}

/* ---- calls ---- */

/* True if clang found the place of the call's result before it cast the result: for a struct. */
static bool casts_for_place(LLVMValueRef call, LLVMValueRef cast)
{
  LLVMValueRef store = only_user(cast), place = LLVMGetNextInstruction(call);

  return store && LLVMIsAStoreInst(store) && LLVMGetOperand(store, 0) == cast && place &&
         place == LLVMGetOperand(store, 1) && LLVMIsAGetElementPtrInst(place);
}

static struct cn_struct_words words_of_result(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef user = only_user(call);

  if (!cn_struct_is_coerced_type(LLVMTypeOf(call)) ||
      (user && LLVMIsAIntToPtrInst(user) && !casts_for_place(call, user)))
    return (struct cn_struct_words){0};
  return words_by_user(ctx, call, user);
}

void cn_struct_words_of_call(struct cn_ctx *ctx, LLVMValueRef call, struct cn_struct_signature *signature)
{
  unsigned noundef = cn_attribute_kind("noundef");

  signature->count = LLVMGetNumArgOperands(call);
  signature->words = cn_alloc((signature->count + 1) * sizeof *signature->words);
  signature->result = words_of_result(ctx, call);
  for (unsigned a = cn_convention_port_of(ctx->module)->first_integer_struct; a < signature->count; a++) {
    LLVMValueRef argument = LLVMGetArgOperand(call, a);
    if (cn_struct_is_coerced_type(LLVMTypeOf(argument)) && !LLVMGetCallSiteEnumAttribute(call, a + 1, noundef))
      signature->words[a] = words_by_origin(ctx, argument);
  }
}

/* ---- signatures ---- */

bool cn_struct_returns_by_address(LLVMValueRef function)
{
  return LLVMGetEnumAttributeAtIndex(function, 1, cn_attribute_kind("sret")) != NULL;
}

bool cn_struct_call_returns_by_address(LLVMValueRef call)
{
  return LLVMGetCallSiteEnumAttribute(call, 1, cn_attribute_kind("sret")) != NULL;
}

/* The integer registers of a parameter that stays as it is; -1 if they are unknown. `used` have been taken before. */
static int registers_of(LLVMTypeRef type, unsigned used)
{
  LLVMTypeRef element = type;
  unsigned count = 1;

  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
    element = LLVMGetElementType(type);
    count = (unsigned)LLVMGetArrayLength2(type);
  }
  switch (LLVMGetTypeKind(element)) {
  case LLVMPointerTypeKind:
    return (int)count;
  case LLVMIntegerTypeKind:
    if (LLVMGetIntTypeWidth(element) <= WORD_BITS)
      return (int)count;
    return LLVMGetIntTypeWidth(element) == 2 * WORD_BITS ? (int)(2 * count + used % 2) : -1;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind:
  case LLVMVectorTypeKind:
    return 0;
  default:
    return -1;
  }
}

static LLVMTypeRef word_type(struct cn_ctx *ctx, bool is_ref)
{
  return is_ref ? LLVMPointerTypeInContext(ctx->llvm, CAIRN_ABI_ADDRESS_SPACE) : LLVMInt64TypeInContext(ctx->llvm);
}

/* A parameter of two words is in registers or in memory as a whole: a third word fills a last register. So the
 * registers of the parameters before must be known. */
void cn_struct_signature_complete(struct cn_ctx *ctx, LLVMTypeRef old, bool returns_by_address,
                                  struct cn_struct_signature *signature)
{
  unsigned fixed = LLVMCountParamTypes(old), used = 0,
           most = cn_convention_port_of(ctx->module)->argument_registers[CN_REGISTER_CLASS_INTEGER], n = 0;
  LLVMTypeRef *olds = cn_alloc((fixed + 1) * sizeof *olds);
  LLVMTypeRef *types = cn_alloc((3 * fixed + 1) * sizeof *types);
  bool changes = signature->result.count > 0, known = true, right = true;

  LLVMGetParamTypes(old, olds);
  signature->places = cn_alloc((signature->count + 1) * sizeof *signature->places);
  for (unsigned p = 0; p < fixed; p++) {
    const struct cn_struct_words *words = &signature->words[p];
    int registers = words->count ? (int)words->count : registers_of(olds[p], used);
    right &= known || words->count <= 1;
    known &= registers >= 0;
    changes |= words->count > 0;
    if (words->count && used < most && used + words->count > most)
      types[n++] = word_type(ctx, false);
    signature->places[p] = n;
    for (unsigned i = 0; i < words->count; i++)
      types[n++] = word_type(ctx, words->is_ref[i]);
    if (!words->count)
      types[n++] = olds[p];
    used = p == 0 && returns_by_address ? 0 : used + (unsigned)registers > most ? most : used + (unsigned)registers;
  }
  LLVMTypeRef result = LLVMGetReturnType(old), words[CN_STRUCT_WORDS_MAX];
  for (unsigned i = 0; i < signature->result.count; i++)
    words[i] = word_type(ctx, signature->result.is_ref[i]);
  if (signature->result.count)
    result =
        signature->result.count == 1 ? words[0] : LLVMStructTypeInContext(ctx->llvm, words, CN_STRUCT_WORDS_MAX, false);
  signature->type = changes && right ? LLVMFunctionType(result, types, n, LLVMIsFunctionVarArg(old)) : NULL;
  free(types);
  free(olds);
}

void cn_struct_signature_free(struct cn_struct_signature *signature)
{
  free(signature->words);
  free(signature->places);
}
