/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks single loads and stores by source rules, sorts of references by the C library's qsort(), atomic accesses to
 * structs by calls, and locals that point to unmanaged memory for references. Part of passes `rules` and `prepare`.
 *
 * Needs: the front end's typed GEPs, before the optimiser makes byte offsets of them. Provides: rules union-overlay (by
 * access), unmanaged-store. Breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/core/each.h"
#include "compile/core/memory_types.h"
#include "compile/allocation/layout_constants.h"
#include "compile/source/rules.h"

static LLVMTypeRef first_scalar_type(LLVMTypeRef type)
{
  for (;;) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMArrayTypeKind)
      type = LLVMGetElementType(type);
    else if (kind == LLVMStructTypeKind && LLVMCountStructElementTypes(type) > 0)
      type = LLVMStructGetTypeAtIndex(type, 0);
    else
      return type;
  }
}

static bool is_scalar_type(LLVMTypeRef type)
{
  LLVMTypeKind kind = LLVMGetTypeKind(type);

  return kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind &&
         kind != LLVMScalableVectorTypeKind;
}

void cn_rules_check_access(struct cn_ctx *ctx, LLVMValueRef i)
{
  bool store = LLVMIsAStoreInst(i) != NULL;

  if (!store && !LLVMIsALoadInst(i))
    return;
  LLVMTypeRef accessed = LLVMTypeOf(store ? LLVMGetOperand(i, 0) : i);
  LLVMTypeRef named = cn_types_memory_type_of(LLVMGetOperand(i, store ? 1 : 0));
  if (!named || !is_scalar_type(accessed))
    return;
  LLVMTypeRef there = first_scalar_type(named);
  if (cn_is_ref(accessed) && !cn_is_ref(there))
    cn_error(ctx, i, "union-overlay",
             "a reference is %s where the type of the object has none, so the collector does not look there; give "
             "the reference its own member, outside of unions",
             store ? "stored" : "loaded");
  if (!cn_is_ref(accessed) && cn_is_ref(there))
    cn_error(ctx, i, "union-overlay",
             "a value of another type is %s where the type of the object has a reference, which the collector "
             "would follow; give it its own member, outside of unions",
             store ? "stored" : "loaded");
}

/* ---- stores of references, on promoted IR ---- */

const char *cn_rules_unmanaged_allocator_of(LLVMValueRef root)
{
  static const char *const names[] = {"malloc",   "calloc",       "realloc", "aligned_alloc",
                                      "memalign", "reallocarray", "valloc",  "mmap"};
  size_t length;

  if (LLVMIsAAllocaInst(root) && !LLVMIsAConstantInt(LLVMGetOperand(root, 0)))
    return "alloca";
  LLVMValueRef callee = LLVMIsACallInst(root) ? cn_direct_callee(root) : NULL;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    if (strcmp(name, names[n]) == 0)
      return names[n];
  return NULL;
}

/* True if `root` is a variable-length array `T name[n]`. The result of alloca() is always an array of bytes. */
static bool is_variable_length_array(LLVMValueRef root)
{
  return LLVMIsAAllocaInst(root) &&
         LLVMGetAllocatedType(root) != LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(root)));
}

static void report_unmanaged_memory(struct cn_ctx *ctx, LLVMValueRef at, const char *memory, LLVMValueRef root)
{
  if (is_variable_length_array(root)) {
    cn_error(ctx, at, "dynamic-alloca",
             "references are kept in a local array of variable length, whose place in the frame "
             "cannot be described to the collector; allocate it with cairn_new_array()");
    return;
  }
  cn_error(ctx, at, "unmanaged-store",
           "references are kept in memory from %s(), where the collector does not find them; allocate their holder "
           "with cairn_new() or cairn_new_array()",
           memory);
}

/* The type of the complete object `root`, if it is a global or an allocation; else null. */
static LLVMTypeRef object_type_of(LLVMValueRef root)
{
  if (LLVMIsAGlobalVariable(root))
    return LLVMGlobalGetValueType(root);
  if (!cn_layouts_called_allocator(root) || LLVMGetNumOperands(root) == 0)
    return NULL;
  LLVMValueRef layout = LLVMGetOperand(root, 0);
  return LLVMIsAGlobalVariable(layout) && !cn_layouts_is_layout_constant(layout) &&
                 LLVMTypeIsSized(LLVMGlobalGetValueType(layout))
             ? LLVMGlobalGetValueType(layout)
             : NULL;
}

/* True if `pointer` points to a type without references. In this case the program casts `&p->number`, a buffer of bytes
 * in a global, or an array of numbers to a pointer to references, through any number of locals. */
static bool target_lacks_refs(LLVMValueRef pointer)
{
  LLVMValueRef object = cn_types_managed_variable_of(pointer);
  LLVMTypeRef whole = object_type_of(object ? object : cn_types_root_of(pointer)),
              there = cn_types_memory_type_of(pointer);

  if (whole && !cn_holds_ref(whole))
    return true;
  return there && !LLVMIsAAllocaInst(cn_types_root_of(pointer)) && is_scalar_type(there) && !cn_is_ref(there);
}

static void check_reference_store(struct cn_ctx *ctx, LLVMValueRef store)
{
  LLVMValueRef value = LLVMGetOperand(store, 0), pointer = LLVMGetOperand(store, 1);
  LLVMValueRef root = cn_types_root_of(pointer);

  CN_ASSERT(LLVMIsAStoreInst(store));
  if (!cn_holds_ref(LLVMTypeOf(value)))
    return;
  const char *memory = cn_rules_unmanaged_allocator_of(root);
  if (memory)
    report_unmanaged_memory(ctx, store, memory, root);
  if (!memory && target_lacks_refs(pointer))
    cn_error(ctx, store, "union-overlay",
             "a reference is stored where the type of the object has none, so the collector does not look there; "
             "give the reference its own member");
}

static const char *sorter_name_of(LLVMValueRef call)
{
  size_t length;
  LLVMValueRef callee = LLVMIsACallInst(call) ? cn_direct_callee(call) : NULL;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";

  return (strcmp(name, "qsort") == 0 || strcmp(name, "qsort_r") == 0) && LLVMIsDeclaration(callee) ? name : NULL;
}

static void report_library_sort(struct cn_ctx *ctx, LLVMValueRef call)
{
  cn_error(ctx, call, "unmanaged-store",
           "%s() keeps elements in memory of its own while it compares, where the collector does "
           "not find references; call cairn_sort() of <cairn/array.h>, or sort indices",
           sorter_name_of(call));
}

static void check_library_sort(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMTypeRef type = cn_types_memory_type_of(LLVMGetOperand(call, 0));

  if (type && cn_holds_ref(type))
    report_library_sort(ctx, call);
}

/* Report an atomic access to a struct with references that clang turns into a call, as to __atomic_load(). */
static void check_atomic_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  size_t length;
  LLVMValueRef callee = LLVMIsACallInst(call) ? cn_direct_callee(call) : NULL;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";

  if (strncmp(name, "__atomic_", 9) != 0 || !LLVMIsDeclaration(callee))
    return;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef argument = LLVMGetOperand(call, i);
    LLVMTypeRef type =
        LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind ? cn_types_memory_type_of(argument) : NULL;
    if (!type || !cn_holds_ref(type))
      continue;
    cn_error(ctx, call, "unmanaged-store",
             "%s() copies a struct with references by native code, while the collector may move objects; "
             "store an object in one _Atomic reference",
             name);
    return;
  }
}

void cn_rules_check_stores(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAStoreInst(i))
        check_reference_store(ctx, i);
      else if (sorter_name_of(i))
        check_library_sort(ctx, i);
      else
        check_atomic_call(ctx, i);
}

/* Report calls of the C library's sort on the array that `pointer` points to. `pointer` is a load of a local
 * (check_container_stores()). */
static void check_sorts_of_array(struct cn_ctx *ctx, LLVMValueRef pointer)
{
  CN_EACH_USE(use, pointer) {
    LLVMValueRef user = LLVMGetUser(use);
    if (sorter_name_of(user) && LLVMGetOperand(user, 0) == pointer)
      report_library_sort(ctx, user);
  }
}

/* Report stores of unmanaged memory to `local`, whose #dbg_declare shows a pointer to references. */
static void check_container_stores(struct cn_ctx *ctx, LLVMValueRef local)
{
  CN_EACH_USE(use, local) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsALoadInst(user))
      check_sorts_of_array(ctx, user);
    if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 1) != local)
      continue;
    const char *memory = cn_rules_unmanaged_allocator_of(LLVMGetOperand(user, 0));
    if (memory)
      report_unmanaged_memory(ctx, user, memory, LLVMGetOperand(user, 0));
  }
}

void cn_rules_check_containers(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      for (LLVMDbgRecordRef r = LLVMGetFirstDbgRecord(i); r; r = LLVMGetNextDbgRecord(r)) {
        if (LLVMDbgRecordGetKind(r) != LLVMDbgRecordDeclare)
          continue;
        LLVMValueRef local = LLVMDbgVariableRecordGetValue(r, 0);
        if (local && LLVMIsAAllocaInst(local) && cn_rules_points_to_refs(ctx, LLVMDbgVariableRecordGetVariable(r)))
          check_container_stores(ctx, local);
      }
}
