/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses references in functions whose frames the collector skips, references that are passed to such functions, and
 * jumps of such functions that the runtime does not see, on targets where it must see all. Part of pass `rules`.
 *
 * Needs: unoptimised IR. Provides: diagnostics unmanaged-function, reference-to-unmanaged, unseen-jump. Breaks:
 * nothing.
 *
 * In C such a function is marked cairn_unmanaged, and must not use references. Another front end may omit the gc
 * strategy for speed in a function that reads objects, which is harmless unless the function keeps a reference over a
 * call that may collect. If a function keeps a reference over such a call, the front end most likely forgot its
 * strategy, and the reference would be a lost root.
 */
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/managed_functions.h"
#include "compile/core/convention.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/rewrite/values/refs.h"
#include "compile/source/rules.h"

static LLVMValueRef find_local_with_refs(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsAAllocaInst(i) && cn_holds_ref(LLVMGetAllocatedType(i)))
        return i;
  return NULL;
}

/* "reference %list"; a number means nothing to authors of C, who get the line of the call. */
static const char *describe_reference(LLVMValueRef value, LLVMValueRef call, char *buffer, size_t size)
{
  char name[120];
  size_t length;

  LLVMGetValueName2(value, &length);
  if (length == 0 && LLVMGetDebugLocLine(call) != 0)
    return "a reference";
  CN_CHECK(size > 10);
  snprintf(buffer, size, "reference %s", cn_value_name(value, name, sizeof name));
  return buffer;
}

static LLVMValueRef find_value_with_refs(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_holds_ref(LLVMTypeOf(i)))
        return i;
  return NULL;
}

static void check_c_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(!cn_is_managed(function));
  LLVMValueRef value = find_value_with_refs(function), found = value ? value : find_local_with_refs(function);

  if (found)
    cn_error(ctx, found, "unmanaged-function",
             "a cairn_unmanaged function uses a reference, but the collector does not look "
             "into its frame; give it ordinary data");
}

static void check_ir_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_CHECK(!cn_is_managed(function) && !LLVMIsDeclaration(function));
  LLVMValueRef local = find_local_with_refs(function);
  char reference[160], call_name[160];
  struct cn_cfg cfg;
  struct cn_refs refs;

  cn_cfg_build(&cfg, function);
  cn_refs_build(&refs, &cfg, 0);
  cn_liveness_compute(&refs);
  for (size_t p = 0; p < refs.points.count; p++) {
    const struct cn_parse_point *point = &refs.points.at[p];
    LLVMValueRef value = point->live.count ? refs.values.at[point->live.at[0]].value : local;
    if (!value)
      continue;
    cn_error(ctx, point->call, "unmanaged-function",
             "%s is kept over %s%s, which may move the object, but the function has no "
             "gc strategy of Cairn and the collector does not look into its frame; add "
             "gc \"statepoint-example\" (in C: annotate(\"cairn\"), or compile without -fcairn-manage=marked)",
             describe_reference(value, point->call, reference, sizeof reference),
             LLVMIsAFunction(LLVMGetCalledValue(point->call)) ? "the " : "an ",
             cn_calls_describe(point->call, call_name, sizeof call_name));
    break;
  }
  cn_refs_free(&refs);
  cn_cfg_free(&cfg);
}

static void check_jumps(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (LLVMIsACallInst(i) && cn_calls_intrinsic(i, "llvm.eh.sjlj.longjmp"))
        cn_error(ctx, i, "unseen-jump",
                 "__builtin_longjmp() may leave managed functions, whose frames the runtime would then walk on this "
                 "target; call longjmp()");
}

void cn_rules_check_native(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  if (cn_convention_port_of(ctx->module)->needs_seen_jumps)
    check_jumps(ctx, function);
  /* Trust bodies for inlining only, and functions that the front end marks as leaves. */
  bool trusted =
      LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage || cn_string_attribute(function, CN_ATTR_LEAF);

  if (!ctx->options->manage_all) {
    if (!trusted)
      check_ir_function(ctx, function);
  } else if (!LLVMGetGC(function)) {
    check_c_function(ctx, function);
  }
}

/* True if `name` is a library function that clang recognises by name but the table of leaves omits. */
static bool is_stdio_function(const char *name)
{
  static const char *const names[] = {
      "fopen",  "fprintf",  "fread",   "fscanf",  "fwrite", "printf",    "scanf",    "snprintf", "sprintf",
      "sscanf", "vfprintf", "vfscanf", "vprintf", "vscanf", "vsnprintf", "vsprintf", "vsscanf",
  };

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return false;
}

/* Report a reference that is passed to the library function `name`, with the remedy. */
static void refuse_library_call(struct cn_ctx *ctx, LLVMValueRef call, const char *name)
{
  if (strcmp(name, "free") == 0)
    cn_error(
        ctx, call, "reference-to-unmanaged",
        "free() is given a reference, but the collector frees objects; leave the call out, and set a variable that "
        "must not keep the object alive to null");
  else if (strcmp(name, "realloc") == 0 || strcmp(name, "reallocarray") == 0)
    cn_error(ctx, call, "reference-to-unmanaged",
             "%s() is given a reference, but only the collector has the memory of objects; call "
             "cairn_resize_array(array, count)",
             name);
  else
    cn_error(ctx, call, "reference-to-unmanaged",
             "%s() is given a reference, but takes an ordinary pointer, which the collector does not update; include "
             "<cairn/string.h>, which has strlen() and others for managed memory, or copy the data with "
             "cairn_copy_out() or cairn_copy_in()",
             name);
}

/* clang declares a library function that it recognises with the address spaces of the arguments. For every other
 * function clang itself reports that a reference becomes an ordinary pointer. A program may declare a leaf that takes
 * references and is the library's function: `cairn_leaf ... __asm__("strlen")`. */
void cn_rules_check_library_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length;

  CN_ASSERT(cn_is_call(call));
  if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || LLVMGetIntrinsicID(callee))
    return;
  const char *name = LLVMGetValueName2(callee, &length);
  bool pointer = LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind;
  if ((!cn_calls_leaf_reason(name) && !is_stdio_function(name)) || (!pointer && cn_calls_reads_references(name)) ||
      cn_calls_library_name(name) != name)
    return;
  if (cn_managed_is_annotated(ctx->module, callee, CN_ANNOTATION_LEAF))
    return;
  unsigned fixed = LLVMCountParamTypes(LLVMGetCalledFunctionType(call));
  for (unsigned i = 0; i < fixed; i++)
    if (cn_holds_ref(LLVMTypeOf(LLVMGetOperand(call, i)))) {
      refuse_library_call(ctx, call, name);
      return;
    }
}
