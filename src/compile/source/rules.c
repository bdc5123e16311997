/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `rules`: checks the source rules of managed C, while each instruction still has its source line.
 *
 * Needs: the front end's IR, with debug locations. Provides: every rule of this pass holds, or an error. Breaks:
 * nothing. Passes structs by address (struct_arguments.c), changes the types of atomic operations (atomics.c), compiles
 * tagged unions (unions.c), marks static objects, and adds names of types (type_names.c), members and stores
 * (store_names.c) and the attribute "cairn-unmanaged" (native_functions.c).
 *
 * Each rule refuses code that would hide a reference from the collector. src/compile/verify checks the output of the
 * optimiser. The conversion rules are for C only: if a front end marks functions itself (options->manage_all is off),
 * its IR may convert references, and a later pass proves the conversion harmless.
 */
#include "compile/source/rules.h"

#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/managed_functions.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/core/emitted_names.h"
#include "compile/allocation/static_objects.h"
#include "compile/lower/lower.h"
#include "compile/source/debug_types.h"
#include "compile/source/unions.h"

static bool is_ref_or_ref_vector(LLVMTypeRef type)
{
  return cn_is_ref(type) || cn_is_ref_vector(type);
}

/* ---- conversions ---- */

/* True if all uses of `cast` are differences of references, which `prepare` makes opaque. */
static bool is_used_in_differences_only(LLVMValueRef cast)
{
  LLVMValueRef operands[2];

  CN_EACH_USE(use, cast)
    if (!LLVMIsAInstruction(LLVMGetUser(use)) || !cn_differences_match(LLVMGetUser(use), operands))
      return false;
  return LLVMGetFirstUse(cast) != NULL;
}

/* Check the conversion `value`, which is an instruction or a constant expression, and report errors at `at`. */
static void check_conversion(struct cn_ctx *ctx, LLVMValueRef value, LLVMOpcode opcode, LLVMValueRef at)
{
  bool address = opcode == LLVMPtrToInt || opcode == LLVMPtrToAddr;
  CN_ASSERT(LLVMIsAInstruction(value) || LLVMIsAConstantExpr(value));
  if (!address && opcode != LLVMIntToPtr && opcode != LLVMAddrSpaceCast)
    return;
  LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(value, 0)), to = LLVMTypeOf(value);
  if (is_ref_or_ref_vector(from) && address && !is_used_in_differences_only(value))
    cn_error(ctx, at, "reference-to-integer",
             "a reference is converted to an integer, which becomes wrong when the collector moves the object; "
             "compare references, or subtract them from each other");
  if (is_ref_or_ref_vector(to) && opcode == LLVMIntToPtr)
    cn_error(ctx, at, "integer-to-reference",
             "an integer is converted to a reference, which names no object of the collector; "
             "keep the reference itself");
  if (is_ref_or_ref_vector(from) && !is_ref_or_ref_vector(to) && opcode == LLVMAddrSpaceCast)
    cn_error(ctx, at, "reference-to-unmanaged",
             "a reference is converted to an ordinary pointer, which the collector does not update; "
             "copy the data with cairn_copy_out()");
  if (is_ref_or_ref_vector(to) && !is_ref_or_ref_vector(from) && opcode == LLVMAddrSpaceCast)
    cn_error(ctx, at, "unmanaged-to-reference",
             "an ordinary pointer is converted to a reference, but it is not the address of a "
             "managed object; allocate with cairn_new() and copy with cairn_copy_in()");
}

static void check_constant_conversions(struct cn_ctx *ctx, LLVMValueRef constant, LLVMValueRef at)
{
  if (LLVMIsAConstantExpr(constant))
    check_conversion(ctx, constant, LLVMGetConstOpcode(constant), at);
  if (!LLVMIsAConstantExpr(constant) && !LLVMIsAConstantStruct(constant) && !LLVMIsAConstantArray(constant) &&
      !LLVMIsAConstantVector(constant))
    return;
  for (int i = 0; i < LLVMGetNumOperands(constant); i++)
    check_constant_conversions(ctx, LLVMGetOperand(constant, (unsigned)i), at);
}

static void check_conversions(struct cn_ctx *ctx, LLVMValueRef instruction)
{
  LLVMValueRef of_difference[2];

  if (!ctx->options->manage_all || cn_differences_match(instruction, of_difference))
    return;
  check_conversion(ctx, instruction, LLVMGetInstructionOpcode(instruction), instruction);
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
    if (operand && LLVMIsAConstant(operand))
      check_constant_conversions(ctx, operand, instruction);
  }
}

/* ---- calls ---- */

static LLVMTypeRef argument_attribute_type(LLVMValueRef call, unsigned argument, const char *name)
{
  LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, argument + 1, cn_attribute_kind(name));

  return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

static bool is_local_with_refs(LLVMValueRef pointer)
{
  LLVMValueRef root = cn_types_root_of(pointer);

  return LLVMIsAAllocaInst(root) && cn_holds_ref(LLVMGetAllocatedType(root));
}

static bool asm_touches_ref(LLVMValueRef call)
{
  if (cn_holds_ref(LLVMTypeOf(call)))
    return true;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef argument = LLVMGetOperand(call, i);
    LLVMTypeRef pointee = argument_attribute_type(call, i, "elementtype");
    if (cn_holds_ref(LLVMTypeOf(argument)) || (pointee && cn_holds_ref(pointee)) || is_local_with_refs(argument))
      return true;
  }
  return false;
}

static void check_variadic_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  CN_ASSERT(cn_is_call(call));
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  LLVMValueRef callee = cn_direct_callee(call);

  if (!LLVMIsFunctionVarArg(type) || (callee && LLVMGetIntrinsicID(callee)))
    return;
  for (unsigned i = LLVMCountParamTypes(type); i < LLVMGetNumArgOperands(call); i++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(call, i))))
      cn_error(ctx, call, "variadic-reference",
               "a reference is passed as a variadic argument, where the collector does not find it; "
               "pass it as a declared parameter, or copy the data with cairn_copy_out()");
}

/* In C, struct_arguments.c has changed such calls. */
static void check_byval_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef type = argument_attribute_type(call, i, "byval");
    if (type && cn_holds_ref(type))
      cn_error(ctx, call, "byval-reference",
               "a struct that holds references is passed by value on the stack, where the "
               "collector does not find it; pass a pointer to it");
  }
}

/* Refuse calls of ifuncs: such a call reaches a stub of the dynamic linker, which lacks the mark of managed code. */
static void check_ifunc_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  bool refs = cn_holds_ref(LLVMTypeOf(call));
  size_t length;

  if (LLVMGetValueKind(callee) != LLVMGlobalIFuncValueKind)
    return;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && !refs; i++)
    refs = cn_holds_ref(LLVMTypeOf(LLVMGetArgOperand(call, i)));
  if (refs)
    cn_error(ctx, call, "ifunc-reference",
             "'%s' is chosen when the program is loaded (ifunc, target_clones), and the call passes or returns a "
             "reference: it would go through a stub, which is unmanaged code; choose by a pointer to a function, "
             "or by __builtin_cpu_supports()",
             LLVMGetValueName2(callee, &length));
}

static void check_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  if (LLVMIsAInlineAsm(LLVMGetCalledValue(call))) {
    if (asm_touches_ref(call))
      cn_error(ctx, call, "asm-reference",
               "a reference is given to inline assembly, which the collector cannot read; load the data in C and "
               "give the assembly the data");
    return;
  }
  check_variadic_call(ctx, call);
  check_byval_call(ctx, call);
  check_ifunc_call(ctx, call);
  if (ctx->options->manage_all)
    cn_rules_check_library_call(ctx, call);
  if (cn_calls_has_attribute(call, "returns_twice"))
    cn_error(ctx, call, "returns-twice",
             "setjmp() in a function that handles references keeps them in a buffer that the collector "
             "does not update; return a status instead, or call it in a function without references "
             "(pthread_cleanup_push() calls it, too: compile with -fexceptions, then it does not)");
}

/* ---- va_arg ---- */

static bool is_va_list_field_load(LLVMValueRef pointer)
{
  LLVMValueRef root = cn_types_root_of(pointer);
  LLVMValueRef from = LLVMIsALoadInst(root) ? LLVMGetOperand(root, 0) : NULL;

  if (!from || !LLVMIsAGetElementPtrInst(from))
    return false;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(from);
  const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
  return name && (strcmp(name, "struct.__va_list_tag") == 0 || strcmp(name, "struct.__va_list") == 0);
}

/* True if `pointer` is an address in the area of a va_list. clang expands va_arg to a loaded field, an offset, and a
 * phi of the register area and the memory area. The check follows only one phi, because phis of loops would lead a
 * longer search in circles. */
static bool is_va_list_address(LLVMValueRef pointer)
{
  LLVMValueRef root = cn_types_root_of(pointer);

  if (!LLVMIsAPHINode(root))
    return is_va_list_field_load(root);
  for (unsigned i = 0; i < LLVMCountIncoming(root); i++)
    if (is_va_list_field_load(LLVMGetIncomingValue(root, i)))
      return true;
  return false;
}

/* True if `pointer` is an address in the area of a va_list, or an address that lies there, of a large struct. */
static bool is_in_va_list(LLVMValueRef pointer)
{
  LLVMValueRef root = cn_types_root_of(pointer);

  return is_va_list_address(pointer) || (LLVMIsALoadInst(root) && is_va_list_address(LLVMGetOperand(root, 0)));
}

static void check_va_arg(struct cn_ctx *ctx, LLVMValueRef i)
{
  bool reads = LLVMIsAVAArgInst(i) || (LLVMIsALoadInst(i) && is_va_list_address(LLVMGetOperand(i, 0)));
  bool copies =
      cn_calls_is_memory_copy(i) && is_local_with_refs(LLVMGetOperand(i, 0)) && is_in_va_list(LLVMGetOperand(i, 1));

  if ((reads && cn_holds_ref(LLVMTypeOf(i))) || copies)
    cn_error(ctx, i, "va-arg-reference",
             "a reference is taken from variadic arguments, where the collector does not update it; "
             "declare a parameter for it");
}

/* ---- functions and globals ---- */

static void check_byval_parameters(struct cn_ctx *ctx, LLVMValueRef function)
{
  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, i + 1, cn_attribute_kind("byval"));
    LLVMTypeRef type = attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
    if (type && cn_holds_ref(type))
      cn_error(ctx, function, "byval-reference",
               "parameter %u is a struct that holds references and is passed by value on the "
               "stack, where the collector does not find it; take a pointer to it",
               i + 1);
  }
}

static void check_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_CHECK(!LLVMIsDeclaration(function) && !cn_has_statepoints(function));
  check_byval_parameters(ctx, function);
  if (ctx->options->manage_all) {
    cn_atomics_retype(ctx, function);
    cn_unions_compile(ctx, function, false);
    cn_rules_check_containers(ctx, function);
    cn_rules_check_alignment(ctx, function);
  }
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b) {
      check_conversions(ctx, i);
      if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i) || LLVMIsACallBrInst(i))
        check_call(ctx, i);
      check_va_arg(ctx, i);
      if (LLVMIsAAllocaInst(i) && cn_types_has_misaligned_ref(ctx, LLVMGetAllocatedType(i)))
        cn_error(ctx, i, "misaligned-reference",
                 "a packed struct puts a reference at an address that is not a multiple of 8; do not pack structs "
                 "that hold references");
      if (ctx->options->manage_all)
        cn_rules_check_access(ctx, i);
    }
}

static void check_native_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(!cn_is_managed(function));
  if (ctx->options->manage_all)
    cn_unions_compile(ctx, function, true);
  cn_rules_check_native(ctx, function);
}

/* True if the variable's initialiser also initialises a flexible array, so that its IR type is larger than its type. */
static bool initialises_flexible_array(struct cn_ctx *ctx, LLVMValueRef global)
{
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  LLVMMetadataRef variable = cn_debug_variable(ctx, global);
  LLVMMetadataRef said = variable ? cn_debug_operand(ctx, variable, CN_DEBUG_TYPE_OPERAND) : NULL;

  return said && LLVMGetTypeKind(type) == LLVMStructTypeKind &&
         LLVMABISizeOfType(ctx->layout, type) > cn_debug_type_size(ctx, said);
}

static void check_managed_variable(struct cn_ctx *ctx, LLVMValueRef global)
{
  size_t length;
  const char *name = LLVMGetValueName2(global, &length), *flaw = cn_static_objects_flaw(global);

  CN_ASSERT(cn_is_ref(LLVMTypeOf(global)));
  if (flaw)
    cn_error(ctx, global, "managed-global",
             "the variable '%s' is a managed object, but is %s; declare a static or external object, or a reference, "
             "and set it with cairn_new()",
             name, flaw);
  else if (!LLVMIsDeclaration(global) && initialises_flexible_array(ctx, global))
    cn_error(ctx, global, "managed-global",
             "the managed object '%s' has an initialised flexible array, whose length its header would lack; give the "
             "array a length, or allocate the object with cairn_new_flex()",
             name);
  else
    cn_static_objects_mark(ctx, global);
}

static void check_global(struct cn_ctx *ctx, LLVMValueRef global)
{
  if (ctx->options->manage_all && cn_is_ref(LLVMTypeOf(global)))
    check_managed_variable(ctx, global);
  if (ctx->options->manage_all && LLVMGetInitializer(global))
    check_constant_conversions(ctx, LLVMGetInitializer(global), global);
}

/* Check unions by debug information, then the globals: clang gives an initialised global the type of its initialiser,
 * which shows only the initialised member of a union. */
static void check_unions(struct cn_ctx *ctx)
{
  unsigned errors = ctx->errors;
  size_t length;

  cn_rules_check_unions(ctx);
  if (ctx->errors > errors) /* a refused union would also cause errors at globals */
    return;
  CN_EACH_GLOBAL(g, ctx->module)
    if (cn_rules_global_hides_refs(ctx, g))
      cn_error(ctx, g, "union-overlay",
               "a union in '%s' is initialised by a member that has fewer references than another; "
               "initialise the largest one, or none",
               LLVMGetValueName2(g, &length));
}

static void check_module(struct cn_ctx *ctx)
{
  if (ctx->options->manage_all) {
    cn_struct_arguments_pass_by_address(ctx);
    cn_struct_words_give_types(ctx);
    cn_rules_check_members(ctx);
    cn_store_names_add(ctx);
  }
  cn_type_names_add(ctx);
  if (ctx->options->manage_all)
    cn_rules_check_weak_variables(ctx);
  CN_EACH_GLOBAL(g, ctx->module)
    check_global(ctx, g);
  CN_EACH_FUNCTION(f, ctx->module) {
    if (cn_managed_is_to_be_managed(ctx, f) &&
        !cn_has_statepoints(f)) /* functions with statepoints were checked before */
      check_function(ctx, f);
    else if (!cn_is_managed(f) && !LLVMIsDeclaration(f))
      check_native_function(ctx, f);
  }
  if (ctx->options->manage_all) {
    cn_unions_compile_constants(ctx);
    check_unions(ctx);
  }
}

bool cn_check_source_rules(struct cn_ctx *ctx)
{
  const char *text = ctx->options->record_layouts;
  struct cn_record_layouts *records = text ? cn_record_layouts_read(text) : NULL;

  CN_CHECK(ctx->records == NULL);
  ctx->records = records;
  cn_managed_mark_natives(ctx);
  cn_refuse_statepoint_flaws(ctx);
  check_module(ctx);
  ctx->records = NULL;
  cn_record_layouts_free(records);
  return ctx->errors == 0;
}
