/* SPDX-License-Identifier: Apache-2.0
 *
 * The building of LLVM IR: a module for each compilation, its types, accesses of memory, and calls of the program's
 * functions. References are `ptr addrspace(1)`, functions have a gc strategy (docs/frontends.md).
 *
 * Accesses carry TBAA, which tells LLVM that a store to a slot leaves the headers, lengths and places of objects alone.
 */
#include <stdio.h>
#include <string.h>
#include "unit.h"

enum { FS_ADDRESS_SPACE = 257 }; /* addresses from the thread pointer, on x86-64 */

static const char *const memory_names[] = {"header", "slot", "length", "items", "element", "fixed", "cell", "native"};

static LLVMValueRef make_tbaa(struct tj_unit *u, const char *name)
{
  LLVMMetadataRef root = LLVMMDStringInContext2(u->llvm, "tiny", 4),
                  string = LLVMMDStringInContext2(u->llvm, name, strlen(name)),
                  zero = LLVMValueAsMetadata(tj_i64(u, 0));
  LLVMMetadataRef roots[] = {root};
  LLVMMetadataRef type[] = {string, LLVMMDNodeInContext2(u->llvm, roots, 1), zero};
  LLVMMetadataRef node = LLVMMDNodeInContext2(u->llvm, type, 3), access[] = {node, node, zero};

  return LLVMMetadataAsValue(u->llvm, LLVMMDNodeInContext2(u->llvm, access, 3));
}

static void make_weights(struct tj_unit *u)
{
  LLVMMetadataRef weights[] = {LLVMMDStringInContext2(u->llvm, "branch_weights", 14),
                               LLVMValueAsMetadata(tj_i32(u, 100000)), LLVMValueAsMetadata(tj_i32(u, 1))};

  u->cold = LLVMMetadataAsValue(u->llvm, LLVMMDNodeInContext2(u->llvm, weights, 3));
}

void tj_ir_begin(struct tj_unit *u, const char *name)
{
  u->module = LLVMModuleCreateWithNameInContext(name, u->llvm);
  u->b = LLVMCreateBuilderInContext(u->llvm);
  u->i1 = LLVMInt1TypeInContext(u->llvm);
  u->i8 = LLVMInt8TypeInContext(u->llvm);
  u->i32 = LLVMInt32TypeInContext(u->llvm);
  u->i64 = LLVMInt64TypeInContext(u->llvm);
  u->f64 = LLVMDoubleTypeInContext(u->llvm);
  u->ref = LLVMPointerTypeInContext(u->llvm, 1);
  u->ptr = LLVMPointerTypeInContext(u->llvm, 0);
  u->nothing = LLVMVoidTypeInContext(u->llvm);
  u->kind_tbaa = LLVMGetMDKindIDInContext(u->llvm, "tbaa", 4);
  u->kind_prof = LLVMGetMDKindIDInContext(u->llvm, "prof", 4);
  for (unsigned i = 0; i <= TJ_NATIVE; i++)
    u->tbaa[i] = make_tbaa(u, memory_names[i]);
  make_weights(u);
  LLVMAddModuleFlag(u->module, LLVMModuleFlagBehaviorError, "cairn.words", 11,
                    LLVMMDStringInContext2(u->llvm, "0:1", 3));
}

LLVMValueRef tj_i64(struct tj_unit *u, int64_t n)
{
  return LLVMConstInt(LLVMInt64TypeInContext(u->llvm), (uint64_t)n, true);
}

LLVMValueRef tj_i32(struct tj_unit *u, uint32_t n)
{
  return LLVMConstInt(LLVMInt32TypeInContext(u->llvm), n, false);
}

LLVMBasicBlockRef tj_block(struct tj_unit *u, const char *name)
{
  return LLVMAppendBasicBlockInContext(u->llvm, u->function, name);
}

void tj_at(struct tj_unit *u, LLVMBasicBlockRef block)
{
  LLVMPositionBuilderAtEnd(u->b, block);
}

LLVMBasicBlockRef tj_here(struct tj_unit *u)
{
  return LLVMGetInsertBlock(u->b);
}

void tj_attribute(struct tj_unit *u, LLVMValueRef value, const char *name)
{
  LLVMAttributeRef attribute = LLVMCreateStringAttribute(u->llvm, name, (unsigned)strlen(name), "", 0);

  if (LLVMIsAFunction(value))
    LLVMAddAttributeAtIndex(value, (unsigned)LLVMAttributeFunctionIndex, attribute);
  else
    LLVMAddCallSiteAttribute(value, (unsigned)LLVMAttributeFunctionIndex, attribute);
}

/* ---- functions of the program ---- */

static const char *const runtime_names[] = {
#define RUNTIME(name, signature) "tiny_" #name,
#include "tiny/jit/runtime.def"
#undef RUNTIME
};

static const char *const runtime_signatures[] = {
#define RUNTIME(name, signature) signature,
#include "tiny/jit/runtime.def"
#undef RUNTIME
};

const char *tj_runtime_name(enum tj_runtime name)
{
  return runtime_names[name];
}

static LLVMTypeRef type_of_letter(struct tj_unit *u, char letter)
{
  switch (letter) {
  case 'v':
    return u->ref;
  case 'p':
    return u->ptr;
  case 'i':
    return u->i32;
  case 'l':
    return u->i64;
  case 'd':
    return u->f64;
  default:
    return u->nothing;
  }
}

static LLVMTypeRef type_of_signature(struct tj_unit *u, const char *signature)
{
  LLVMTypeRef parameters[16];
  unsigned count = 0;

  for (const char *s = signature + 1; *s; s++)
    parameters[count++] = type_of_letter(u, *s);
  return LLVMFunctionType(type_of_letter(u, signature[0]), parameters, count, false);
}

static LLVMValueRef call_runtime(struct tj_unit *u, enum tj_runtime name, LLVMValueRef *arguments,
                                 LLVMOperandBundleRef *bundle)
{
  LLVMTypeRef type = type_of_signature(u, runtime_signatures[name]);
  LLVMValueRef function = LLVMGetNamedFunction(u->module, runtime_names[name]);

  if (!function) {
    function = LLVMAddFunction(u->module, runtime_names[name], type);
    tj_attribute(u, function, "cairn-managed");
  }
  return LLVMBuildCallWithOperandBundles(u->b, type, function, arguments, LLVMCountParamTypes(type), bundle,
                                         bundle ? 1 : 0, "");
}

LLVMValueRef tj_call_runtime(struct tj_unit *u, enum tj_runtime name, LLVMValueRef *arguments)
{
  return call_runtime(u, name, arguments, NULL);
}

LLVMValueRef tj_call_program(struct tj_unit *u, struct tj_instance *in, enum tj_runtime name, LLVMValueRef *arguments)
{
  LLVMOperandBundleRef bundle = tj_records(u, in, true);
  LLVMValueRef result = call_runtime(u, name, arguments, &bundle);

  LLVMDisposeOperandBundle(bundle);
  return result;
}

/* ---- immediates ---- */

static LLVMValueRef call_tag(struct tj_unit *u, const char *name, LLVMTypeRef result, LLVMTypeRef operand,
                             LLVMValueRef value)
{
  LLVMTypeRef type = LLVMFunctionType(result, &operand, 1, false);
  LLVMValueRef function = LLVMGetNamedFunction(u->module, name);

  if (!function)
    function = LLVMAddFunction(u->module, name, type);
  return LLVMBuildCall2(u->b, type, function, &value, 1, "");
}

LLVMValueRef tj_tag_from(struct tj_unit *u, LLVMValueRef payload)
{
  return call_tag(u, "cairn.tag.from", u->ref, u->i64, payload);
}

LLVMValueRef tj_tag_value(struct tj_unit *u, LLVMValueRef word)
{
  return call_tag(u, "cairn.tag.value", u->i64, u->ref, word);
}

LLVMValueRef tj_tag_is(struct tj_unit *u, LLVMValueRef word)
{
  return call_tag(u, "cairn.tag.is", u->i1, u->ref, word);
}

/* ---- memory ---- */

LLVMValueRef tj_offset(struct tj_unit *u, LLVMValueRef object, int64_t offset)
{
  LLVMValueRef index = tj_i64(u, offset);

  return offset ? LLVMBuildInBoundsGEP2(u->b, u->i8, object, &index, 1, "") : object;
}

LLVMValueRef tj_load_at(struct tj_unit *u, LLVMTypeRef type, LLVMValueRef address, enum tj_memory memory)
{
  LLVMValueRef load = LLVMBuildLoad2(u->b, type, address, "");

  LLVMSetMetadata(load, u->kind_tbaa, u->tbaa[memory]);
  return load;
}

void tj_store_at(struct tj_unit *u, LLVMValueRef value, LLVMValueRef address, enum tj_memory memory)
{
  LLVMSetMetadata(LLVMBuildStore(u->b, value, address), u->kind_tbaa, u->tbaa[memory]);
}

LLVMValueRef tj_load(struct tj_unit *u, LLVMTypeRef type, LLVMValueRef object, int64_t offset, enum tj_memory memory)
{
  return tj_load_at(u, type, tj_offset(u, object, offset), memory);
}

void tj_store(struct tj_unit *u, LLVMValueRef value, LLVMValueRef object, int64_t offset, enum tj_memory memory)
{
  tj_store_at(u, value, tj_offset(u, object, offset), memory);
}

LLVMValueRef tj_native_address(struct tj_unit *u, const void *address)
{
  return LLVMConstIntToPtr(tj_i64(u, (int64_t)(intptr_t)address), u->ptr);
}

LLVMValueRef tj_thread_local_address(struct tj_unit *u, int64_t offset)
{
  return LLVMConstIntToPtr(tj_i64(u, offset), LLVMPointerTypeInContext(u->llvm, FS_ADDRESS_SPACE));
}

LLVMValueRef tj_load_thread_local(struct tj_unit *u, LLVMTypeRef type, int64_t offset)
{
  return tj_load_at(u, type, tj_thread_local_address(u, offset), TJ_NATIVE);
}

LLVMValueRef tj_stack_pointer(struct tj_unit *u)
{
  LLVMTypeRef type = LLVMFunctionType(u->i64, NULL, 0, false);
  LLVMValueRef code = LLVMGetInlineAsm(type, "movq %rsp, $0", 13, "=r", 2, true, false, LLVMInlineAsmDialectATT, false);

  return LLVMBuildCall2(u->b, type, code, NULL, 0, "");
}

LLVMValueRef tj_return_address(struct tj_unit *u)
{
  unsigned id = LLVMLookupIntrinsicID("llvm.returnaddress", strlen("llvm.returnaddress"));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(u->module, id, NULL, 0), level = tj_i32(u, 0);

  return LLVMBuildCall2(u->b, LLVMIntrinsicGetType(u->llvm, id, NULL, 0), function, &level, 1, "");
}

void tj_branch_likely(struct tj_unit *u, LLVMValueRef condition, LLVMBasicBlockRef likely, LLVMBasicBlockRef rare)
{
  LLVMSetMetadata(LLVMBuildCondBr(u->b, condition, likely, rare), u->kind_prof, u->cold);
}

LLVMValueRef tj_phi2(struct tj_unit *u, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                     LLVMBasicBlockRef from_b)
{
  LLVMValueRef phi = LLVMBuildPhi(u->b, type, ""), values[] = {a, b};
  LLVMBasicBlockRef blocks[] = {from_a, from_b};

  LLVMAddIncoming(phi, values, blocks, 2);
  return phi;
}

LLVMValueRef tj_intrinsic(struct tj_unit *u, const char *name, LLVMTypeRef overload, LLVMValueRef *arguments,
                          unsigned count)
{
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(u->module, id, &overload, 1);

  return LLVMBuildCall2(u->b, LLVMIntrinsicGetType(u->llvm, id, &overload, 1), function, arguments, count, "");
}
