/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepares IR for replacement: each use of an exported managed function's address becomes a use of an external symbol,
 * which is the function's entry. So a module's pointers to these functions reach each later version. Direct
 * calls within the module stay, and so do uses by the compiler itself (section llvm.metadata), aliases and addresses of
 * blocks. Any thread that owns the context.
 */
#include "jit/ir/ir.h"

#include <string.h>
#include <llvm-c/Core.h>
#include "base/vector.h"
#include "compile/core/pass.h"

typedef CN_VECTOR(LLVMValueRef) value_vector;

static bool is_replaceable(LLVMValueRef function)
{
  LLVMLinkage linkage = LLVMGetLinkage(function);
  LLVMVisibility visibility = LLVMGetVisibility(function);

  return !LLVMIsDeclaration(function) && visibility != LLVMHiddenVisibility && linkage != LLVMInternalLinkage &&
         linkage != LLVMPrivateLinkage && linkage != LLVMAvailableExternallyLinkage && cn_is_managed(function);
}

/* True for a constant that only the compiler reads. */
static bool is_metadata(LLVMValueRef constant)
{
  const char *section = LLVMIsAGlobalVariable(constant) ? LLVMGetSection(constant) : NULL;

  if (section)
    return strcmp(section, "llvm.metadata") == 0;
  for (LLVMUseRef use = LLVMGetFirstUse(constant); use; use = LLVMGetNextUse(use))
    if (LLVMIsAConstant(LLVMGetUser(use)) && is_metadata(LLVMGetUser(use)))
      return true;
  return false;
}

/* The callee is the last operand of a call. */
static unsigned value_operands_of(LLVMValueRef instruction)
{
  unsigned count = (unsigned)LLVMGetNumOperands(instruction);

  return LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction) ? count - 1 : count;
}

/* LLVM keeps a constant that was replaced, without uses. */
static bool is_replaced(LLVMValueRef constant)
{
  return !LLVMIsAGlobalVariable(constant) && !LLVMGetFirstUse(constant);
}

static bool uses_address(LLVMValueRef user, LLVMValueRef function)
{
  if (LLVMIsAConstant(user))
    return !LLVMIsAGlobalAlias(user) && !LLVMIsAFunction(user) && !LLVMIsABlockAddress(user) && !is_replaced(user) &&
           !is_metadata(user);
  for (unsigned i = 0; LLVMIsAInstruction(user) && i < value_operands_of(user); i++)
    if (LLVMGetOperand(user, i) == function)
      return true;
  return false;
}

bool cn_jit_uses_own_addresses(LLVMModuleRef ir)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(ir); f; f = LLVMGetNextFunction(f))
    for (LLVMUseRef use = is_replaceable(f) ? LLVMGetFirstUse(f) : NULL; use; use = LLVMGetNextUse(use))
      if (uses_address(LLVMGetUser(use), f))
        return true;
  return false;
}

/* ---- replacement ---- */

/* The function stays, also if its last use is gone. */
static void keep_definition(LLVMValueRef function)
{
  if (LLVMGetLinkage(function) == LLVMLinkOnceAnyLinkage)
    LLVMSetLinkage(function, LLVMWeakAnyLinkage);
  if (LLVMGetLinkage(function) == LLVMLinkOnceODRLinkage)
    LLVMSetLinkage(function, LLVMWeakODRLinkage);
}

/* The symbol of the function's entry; any other value stands for itself. */
static LLVMValueRef entry_of(LLVMModuleRef ir, LLVMValueRef value)
{
  if (!LLVMIsAFunction(value) || !is_replaceable(value))
    return value;
  char *name = cn_format(CN_JIT_ENTRY_PREFIX "%s", cn_jit_symbol_of(cn_jit_name_of(value)));
  LLVMValueRef entry = LLVMGetNamedFunction(ir, name);
  if (!entry) {
    entry = LLVMAddFunction(ir, name, LLVMGlobalGetValueType(value));
    LLVMSetFunctionCallConv(entry, LLVMGetFunctionCallConv(value));
    keep_definition(value);
  }
  free(name);
  return entry;
}

/* Copy an aggregate or an expression with entries in place of all functions: tables of many functions are copied once.
 * Null: the expression is of a rare kind. */
static LLVMValueRef rebuild_constant(LLVMModuleRef ir, LLVMValueRef constant)
{
  unsigned count = (unsigned)LLVMGetNumOperands(constant);
  LLVMTypeRef type = LLVMTypeOf(constant);
  value_vector parts = {0};
  LLVMValueRef made = NULL;

  for (unsigned i = 0; i < count; i++)
    cn_push(&parts, entry_of(ir, LLVMGetOperand(constant, i)));
  if (LLVMIsAConstantArray(constant))
    made = LLVMConstArray2(LLVMGetElementType(type), parts.at, count);
  else if (LLVMIsAConstantVector(constant))
    made = LLVMConstVector(parts.at, count);
  else if (LLVMIsAConstantStruct(constant) && LLVMGetStructName(type))
    made = LLVMConstNamedStruct(type, parts.at, count);
  else if (LLVMIsAConstantStruct(constant))
    made = LLVMConstStructInContext(LLVMGetTypeContext(type), parts.at, count, LLVMIsPackedStruct(type));
  else if (LLVMIsAConstantExpr(constant) && LLVMGetConstOpcode(constant) == LLVMPtrToInt)
    made = LLVMConstPtrToInt(parts.at[0], type);
  else if (LLVMIsAConstantExpr(constant) && LLVMGetConstOpcode(constant) == LLVMGetElementPtr)
    made = LLVMConstGEP2(LLVMGetGEPSourceElementType(constant), parts.at[0], parts.at + 1, count - 1);
  cn_free(&parts);
  return made;
}

static void replace_use(LLVMModuleRef ir, LLVMValueRef user, LLVMValueRef function)
{
  if (LLVMIsAGlobalVariable(user)) {
    LLVMSetInitializer(user, entry_of(ir, function));
  } else if (LLVMIsAConstant(user)) {
    LLVMValueRef made = rebuild_constant(ir, user);
    if (made)
      LLVMReplaceAllUsesWith(user, made);
  } else {
    for (unsigned i = 0; i < value_operands_of(user); i++)
      if (LLVMGetOperand(user, i) == function)
        LLVMSetOperand(user, i, entry_of(ir, function));
  }
}

static void replace_uses(LLVMModuleRef ir, LLVMValueRef function)
{
  value_vector users = {0};

  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
    if (uses_address(LLVMGetUser(use), function))
      cn_push(&users, LLVMGetUser(use));
  for (size_t i = 0; i < users.count; i++)
    replace_use(ir, users.at[i], function);
  cn_free(&users);
}

void cn_jit_replace_own_addresses(LLVMModuleRef ir)
{
  value_vector functions = {0};

  for (LLVMValueRef f = LLVMGetFirstFunction(ir); f; f = LLVMGetNextFunction(f))
    if (is_replaceable(f))
      cn_push(&functions, f);
  for (size_t i = 0; i < functions.count; i++)
    replace_uses(ir, functions.at[i]);
  cn_free(&functions);
}
