/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules with a call of an intrinsic, for the walk over all of them (effects.c).
 */
#ifndef CN_TEST_WALK_H
#define CN_TEST_WALK_H

#include <string.h>
#include <cairn/compile.h>
#include <llvm-c/Analysis.h>
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/pass.h"

/* ---- a function that calls an intrinsic ---- */

enum { MAX_OPERANDS = 16, CHOICES = 6, TYPES = 4, LOCALS_OF_ONE = 16 };

struct counts {
  unsigned walked, given, known, wrong;
  unsigned locals, freed, merged, cut; /* what the deciders allowed */
};

struct walk {
  LLVMContextRef llvm;
  LLVMTypeRef choices[CHOICES]; /* the first two have references */
  unsigned kinds_memory, kinds_immarg;
};

/* Start with the names of the intrinsics that no other name follows. */
static unsigned last_intrinsic(void)
{
  static const char last[] = "llvm.xcore.zext";

  return LLVMLookupIntrinsicID(last, sizeof last - 1);
}

static unsigned last_generic(void)
{
  static const char last[] = "llvm.xray.typedevent";

  return LLVMLookupIntrinsicID(last, sizeof last - 1);
}

static void start(struct walk *w)
{
  w->llvm = LLVMContextCreate();
  w->choices[0] = LLVMPointerTypeInContext(w->llvm, 1);
  w->choices[1] = LLVMVectorType(w->choices[0], 4);
  w->choices[2] = LLVMInt64TypeInContext(w->llvm);
  w->choices[3] = LLVMVectorType(w->choices[2], 4);
  w->choices[4] = LLVMVectorType(LLVMInt1TypeInContext(w->llvm), 4);
  w->choices[5] = LLVMPointerTypeInContext(w->llvm, 0);
  w->kinds_memory = LLVMGetEnumAttributeKindForName("memory", 6);
  w->kinds_immarg = LLVMGetEnumAttributeKindForName("immarg", 6);
}

static LLVMValueRef argument(struct walk *w, LLVMValueRef intrinsic, LLVMValueRef function, LLVMTypeRef type,
                             unsigned i)
{
  if (LLVMGetTypeKind(type) == LLVMMetadataTypeKind)
    return LLVMMetadataAsValue(w->llvm, LLVMMDStringInContext2(w->llvm, "x", 1));
  if (LLVMGetTypeKind(type) == LLVMTokenTypeKind || LLVMGetEnumAttributeAtIndex(intrinsic, i + 1, w->kinds_immarg))
    return LLVMConstNull(type);
  return LLVMGetParam(function, i);
}

/* The operands of the call: parameters; references to an object or to an array that the function
 * makes; or addresses of locals, with a call for each. */
enum given { PARAMETERS, OBJECT, ARRAY, LOCALS };

static LLVMValueRef declare(struct walk *w, LLVMModuleRef module, const char *name, LLVMTypeRef result,
                            LLVMTypeRef first, LLVMTypeRef second)
{
  LLVMTypeRef types[] = {first, second};
  LLVMTypeRef type = LLVMFunctionType(result, types, !first ? 0 : second ? 2 : 1, false);
  LLVMValueRef function = LLVMGetNamedFunction(module, name);

  (void)w;
  return function ? function : LLVMAddFunction(module, name, type);
}

/* What the operands of the walk are instead of parameters; null: they are those. */
static LLVMValueRef make_given(struct walk *w, LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function,
                               enum given given)
{
  LLVMTypeRef i64 = w->choices[2], reference = w->choices[0], pointer = w->choices[5];
  LLVMTypeRef element = given == ARRAY ? LLVMInt8TypeInContext(w->llvm) : i64;

  if (given == PARAMETERS)
    return NULL;
  if (given == LOCALS)
    return LLVMBuildAlloca(b, LLVMStructTypeInContext(w->llvm, &reference, 1, false), "");
  LLVMValueRef layout = LLVMAddGlobal(module, element, "layout");
  LLVMSetInitializer(layout, LLVMConstNull(element));
  LLVMSetGlobalConstant(layout, true);
  LLVMSetLinkage(layout, LLVMInternalLinkage);
  LLVMValueRef make =
      declare(w, module, given == ARRAY ? "cairn_alloc_array_uninit" : "cairn_alloc", reference, pointer, i64);
  LLVMValueRef last = LLVMGetLastParam(function);
  LLVMValueRef arguments[] = {layout, given == ARRAY ? last : LLVMConstInt(i64, 8, false)};
  return LLVMBuildCall2(b, LLVMGlobalGetValueType(make), make, arguments, 2, "");
}

static LLVMValueRef operand(struct walk *w, LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef given)
{
  LLVMTypeRef type = LLVMTypeOf(value);
  bool constant = LLVMIsConstant(value);

  if (!given || constant)
    return value;
  if (type == LLVMTypeOf(given))
    return given;
  if (!cn_is_ref_vector(type) || LLVMGetVectorSize(type) == 0 || !cn_is_ref(LLVMTypeOf(given)))
    return value;
  return LLVMBuildInsertElement(b, value, given, LLVMConstInt(w->choices[2], 0, false), "");
}

/* A managed function of the module calls `intrinsic` with its parameters or what is `given`; null
 * if LLVM's verifier does not take it. */
static LLVMValueRef make_call(struct walk *w, LLVMModuleRef module, LLVMValueRef intrinsic, enum given given)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(intrinsic), types[MAX_OPERANDS], own[MAX_OPERANDS];
  unsigned count = LLVMCountParamTypes(type);
  LLVMValueRef arguments[MAX_OPERANDS];

  if (count > MAX_OPERANDS - 1)
    return NULL;
  LLVMGetParamTypes(type, types);
  for (unsigned i = 0; i < count; i++)
    own[i] = LLVMGetTypeKind(types[i]) == LLVMMetadataTypeKind || LLVMGetTypeKind(types[i]) == LLVMTokenTypeKind
                 ? w->choices[2]
                 : types[i];
  own[count] = w->choices[given == PARAMETERS ? 0 : 2]; /* for any number of arguments; a length */
  LLVMValueRef function =
      LLVMAddFunction(module, "f", LLVMFunctionType(LLVMVoidTypeInContext(w->llvm), own, count + 1, false));
  LLVMSetGC(function, "statepoint-example");
  LLVMBuilderRef b = LLVMCreateBuilderInContext(w->llvm);
  LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(w->llvm, function, ""));
  LLVMValueRef call = NULL, places[LOCALS_OF_ONE];
  for (unsigned n = 0; n < (given == LOCALS ? LOCALS_OF_ONE : 1); n++)
    places[n] = make_given(w, module, b, function, given);
  for (unsigned n = 0; n < (given == LOCALS ? LOCALS_OF_ONE : 1); n++) {
    for (unsigned i = 0; i < count; i++)
      arguments[i] = operand(w, b, argument(w, intrinsic, function, types[i], i), places[n]);
    if (LLVMIsFunctionVarArg(type))
      arguments[count] = places[n] ? places[n] : LLVMGetParam(function, count);
    call = LLVMBuildCall2(b, type, intrinsic, arguments, count + (LLVMIsFunctionVarArg(type) ? 1 : 0), "");
  }
  if (given == LOCALS) {
    LLVMValueRef native = declare(w, module, "native", LLVMVoidTypeInContext(w->llvm), NULL, NULL);
    LLVMBuildCall2(b, LLVMGlobalGetValueType(native), native, NULL, 0, "");
  }
  LLVMBuildRetVoid(b);
  LLVMDisposeBuilder(b);
  return LLVMVerifyModule(module, LLVMReturnStatusAction, NULL) ? NULL : call;
}

/* ---- passes ---- */

static bool run(LLVMModuleRef module, const char *pass, enum cairn_barriers kind, struct cairn_diagnostics *said)
{
  struct cairn_compile_options options = {
      .diagnose = cairn_diagnostics_keep, .env = said, .barriers = kind, .opt_level = 2};

  return cairn_compile_pass(module, NULL, pass, &options) == CAIRN_OK;
}

static bool has_rule(const struct cairn_diagnostics *said, const char *rule)
{
  for (size_t i = 0; i < said->count; i++)
    if (strcmp(said->at[i].rule, rule) == 0)
      return true;
  return false;
}

static bool calls(LLVMModuleRef module, const char *prefix)
{
  size_t length;

  CN_EACH_FUNCTION(f, module)
    if (LLVMGetFirstUse(f) && strncmp(LLVMGetValueName2(f, &length), prefix, strlen(prefix)) == 0)
      return true;
  return false;
}

#endif
