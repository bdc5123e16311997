/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides, alike for all passes, which types hold references or are scalable vectors, which functions are managed,
 * which values never move, which instructions cast pointers to integers or cast locals, and which function or intrinsic
 * a call names (statepoints-later, "Distinguishing references"). Also declares intrinsics, the only change of a module.
 * Owns the managed address spaces and strategies of each thread, which a run of a pass sets. Needs: nothing. Provides:
 * the section "types, functions, calls" of pass.h. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "base/ptrmap.h"
#include "compile/core/emitted_names.h"
#include "compile/core/pass.h"

/* The managed address spaces of the pass that runs in this thread; an empty set stands for the default space. Passes
 * test types for references everywhere, mostly without a context, so the set is the one file-scope variable of the
 * passes. Each run of a pass begins with cn_reference_spaces_enter() and ends with cn_reference_spaces_leave(), so no
 * state survives a call of the library. */
static _Thread_local struct cn_reference_spaces managed_spaces;

struct cn_reference_spaces cn_reference_spaces_enter(const struct cairn_compile_options *options)
{
  struct cn_reference_spaces before = managed_spaces;

  managed_spaces =
      (struct cn_reference_spaces){options->address_spaces, options->address_space_count, options->strategies};
  return before;
}

void cn_reference_spaces_leave(struct cn_reference_spaces before)
{
  managed_spaces = before;
}

static bool is_managed_space(unsigned space)
{
  for (size_t i = 0; i < managed_spaces.count; i++)
    if (managed_spaces.at[i] == space)
      return true;
  return managed_spaces.count == 0 && space == CAIRN_ABI_ADDRESS_SPACE;
}

bool cn_is_ref(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind && is_managed_space(LLVMGetPointerAddressSpace(type));
}

bool cn_is_ref_vector(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  return (kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind) && cn_is_ref(LLVMGetElementType(type));
}

/* A search through the parts of a type. Types share parts: a struct of two structs of two structs ... has exponentially
 * many parts of few types. So after UNRECORDED_SEARCH_STEPS the search records the types that it has visited. */
struct type_search {
  bool (*wanted)(LLVMTypeRef type);
  unsigned steps;
  struct cn_ptrmap seen;
};

enum { UNRECORDED_SEARCH_STEPS = 1000 };

static bool finds_wanted_type(struct type_search *search, LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  bool fresh = true;

  if (search->wanted(type))
    return true;
  if (kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind || kind == LLVMArrayTypeKind)
    return finds_wanted_type(search, LLVMGetElementType(type));
  if (kind != LLVMStructTypeKind)
    return false;
  if (search->steps++ > UNRECORDED_SEARCH_STEPS)
    cn_ptrmap_add(&search->seen, type, &fresh);
  unsigned count = fresh ? LLVMCountStructElementTypes(type) : 0;
  for (unsigned i = 0; i < count; i++)
    if (finds_wanted_type(search, LLVMStructGetTypeAtIndex(type, i)))
      return true;
  return false;
}

static bool contains_type(LLVMTypeRef type, bool (*wanted)(LLVMTypeRef type))
{
  struct type_search search = {.wanted = wanted};
  bool found = finds_wanted_type(&search, type);

  cn_ptrmap_free(&search.seen);
  return found;
}

bool cn_holds_ref(LLVMTypeRef type)
{
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    return cn_is_ref(type);
  case LLVMVectorTypeKind:
  case LLVMScalableVectorTypeKind:
  case LLVMArrayTypeKind:
  case LLVMStructTypeKind:
    return contains_type(type, cn_is_ref);
  default:
    return false;
  }
}

static bool is_scalable_vector(LLVMTypeRef type)
{
  return LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind;
}

bool cn_holds_scalable_vector(LLVMTypeRef type)
{
  return contains_type(type, is_scalable_vector);
}

bool cn_is_pointer_to_integer_cast(LLVMValueRef instruction)
{
  if (!LLVMIsAInstruction(instruction))
    return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  return opcode == LLVMPtrToInt || opcode == LLVMPtrToAddr;
}

unsigned cn_difference_metadata_kind(LLVMContextRef llvm)
{
  return LLVMGetMDKindIDInContext(llvm, CN_DIFFERENCE_METADATA, (unsigned)strlen(CN_DIFFERENCE_METADATA));
}

bool cn_is_marked_difference(LLVMValueRef instruction)
{
  CN_ASSERT(LLVMIsAInstruction(instruction));
  return LLVMHasMetadata(instruction) &&
         LLVMGetMetadata(instruction, cn_difference_metadata_kind(LLVMGetValueContext(instruction)));
}

/* True for the strategies that the code generator lowers to statepoints. */
static bool is_lowered_strategy(const char *gc)
{
  return strcmp(gc, "statepoint-example") == 0 || strcmp(gc, "coreclr") == 0;
}

/* True if the options of the pass that runs in this thread list the strategy. */
static bool is_listed_strategy(const char *gc)
{
  const char *at = managed_spaces.strategies;
  size_t length = strlen(gc);

  while (at && *at) {
    size_t next = strcspn(at, ",");
    if (next == length && memcmp(at, gc, length) == 0)
      return true;
    at += next + (at[next] == ',');
  }
  return false;
}

bool cn_is_managed_gc_strategy(const char *gc)
{
  return is_lowered_strategy(gc) || is_listed_strategy(gc);
}

LLVMAttributeRef cn_string_attribute(LLVMValueRef function, const char *name)
{
  CN_ASSERT(LLVMIsAFunction(function));
  return LLVMGetStringAttributeAtIndex(function, CN_FUNCTION_INDEX, name, (unsigned)strlen(name));
}

bool cn_is_managed(LLVMValueRef function)
{
  const char *gc = LLVMGetGC(function);

  CN_ASSERT(LLVMIsAFunction(function));
  if (gc && cn_is_managed_gc_strategy(gc))
    return true;
  return cn_string_attribute(function, "cairn") != NULL;
}

void cn_use_lowered_strategy(LLVMValueRef function)
{
  const char *gc = LLVMGetGC(function);

  CN_ASSERT(cn_is_managed(function));
  if (!gc || (!is_lowered_strategy(gc) && is_listed_strategy(gc)))
    LLVMSetGC(function, "statepoint-example");
}

LLVMValueRef cn_intrinsic(struct cn_ctx *ctx, const char *name, LLVMTypeRef *types, size_t count)
{
  unsigned id = cn_intrinsic_id(name);

  CN_CHECK(id != 0);
  return LLVMGetIntrinsicDeclaration(ctx->module, id, types, count);
}

LLVMValueRef cn_direct_callee(LLVMValueRef call)
{
  CN_ASSERT(LLVMIsAInstruction(call));
  return LLVMIsAFunction(LLVMGetCalledValue(call));
}

bool cn_calls_some_intrinsic(LLVMValueRef call)
{
  LLVMValueRef callee = cn_direct_callee(call);

  CN_ASSERT(LLVMIsAInstruction(call));
  return callee && LLVMGetIntrinsicID(callee) != 0;
}

bool cn_calls_intrinsic(LLVMValueRef instruction, const char *name)
{
  if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction))
    return false;
  LLVMValueRef callee = cn_direct_callee(instruction);
  unsigned id = callee ? LLVMGetIntrinsicID(callee) : 0;
  return id != 0 && id == cn_intrinsic_id(name);
}

static bool is_immovable_argument(LLVMValueRef argument)
{
  LLVMValueRef function = LLVMGetParamParent(argument);
  LLVMAttributeIndex index = 1;

  for (LLVMValueRef p = LLVMGetFirstParam(function); p != argument; p = LLVMGetNextParam(p))
    index++;
  return LLVMGetStringAttributeAtIndex(function, index, CN_ATTR_IMMOVABLE, (unsigned)strlen(CN_ATTR_IMMOVABLE)) != NULL;
}

static bool is_immovable_result(LLVMValueRef call)
{
  unsigned length = (unsigned)strlen(CN_ATTR_IMMOVABLE);
  LLVMValueRef callee = cn_direct_callee(call);

  if (LLVMGetCallSiteStringAttribute(call, LLVMAttributeReturnIndex, CN_ATTR_IMMOVABLE, length))
    return true;
  return callee && LLVMGetStringAttributeAtIndex(callee, LLVMAttributeReturnIndex, CN_ATTR_IMMOVABLE, length);
}

bool cn_is_local_cast(LLVMValueRef value)
{
  return LLVMIsAAddrSpaceCastInst(value) && LLVMIsAAllocaInst(LLVMGetOperand(value, 0));
}

bool cn_is_immovable(LLVMValueRef value)
{
  if (!cn_is_ref(LLVMTypeOf(value)))
    return false;
  if (LLVMIsAArgument(value))
    return is_immovable_argument(value);
  if (LLVMIsACallInst(value) || LLVMIsAInvokeInst(value))
    return is_immovable_result(value) || cn_calls_intrinsic(value, "llvm.threadlocal.address");
  if (cn_is_local_cast(value))
    return true;
  if (!LLVMIsALoadInst(value) || !LLVMHasMetadata(value))
    return false;
  LLVMContextRef llvm = LLVMGetTypeContext(LLVMTypeOf(value));
  unsigned kind = LLVMGetMDKindIDInContext(llvm, CN_IMMOVABLE_METADATA, (unsigned)strlen(CN_IMMOVABLE_METADATA));
  return LLVMGetMetadata(value, kind) != NULL;
}
