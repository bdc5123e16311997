/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `prepare`: turns the front end's IR into IR that the optimiser may transform.
 *
 * Needs: source that obeys the rules (rules.c). Provides: managed functions with a gc strategy and without optnone;
 * promoted locals; opaque differences of references (differences.c); copies that the optimiser keeps as references
 * (copies.c); attributes of allocators, markers and immediates; errors of source rules (rules_access.c,
 * layout_stores.c, derived_stores.c). Breaks: nothing.
 *
 * Allocations of weak and finalisable types stay opaque. Unmanaged functions inline no managed callee.
 * cn_prepare_unit() and cn_prepare_program() are the parts before and after link-time optimisation joins units.
 */
#include <string.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/managed_functions.h"
#include "compile/analysis/data_layout.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/words.h"
#include "compile/lower/lower.h"
#include "compile/allocation/type_metadata.h"
#include "compile/allocation/object_queries.h"
#include "compile/markers/markers.h"
#include "compile/markers/spans.h"
#include "compile/optimise/prepare.h"
#include "compile/source/rules.h"

/* Add the attribute, which clones of the function keep, and markers in the body, which stay after inlining into
 * callers. */
static void add_nopoll_markers(struct cn_ctx *ctx, LLVMValueRef function)
{
  if (cn_managed_is_annotated(ctx->module, function, CN_ATTR_NOPOLL))
    LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                            LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_NOPOLL, sizeof CN_ATTR_NOPOLL - 1, "", 0));
  if (cn_string_attribute(function, CN_ATTR_NOPOLL) && !cn_has_statepoints(function))
    cn_nopoll_wrap(ctx, function);
}

/* Turn a C annotation of a declaration into an attribute. The annotation of a definition also makes it managed
 * (cn_managed_is_to_be_managed()). */
static void add_declared_kind_attribute(struct cn_ctx *ctx, LLVMValueRef function)
{
  static const char *const words[] = {CN_ATTR_NATIVE, CN_ATTR_MANAGED_CODE};

  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (cn_managed_is_annotated(ctx->module, function, words[i]))
      LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                              LLVMCreateStringAttribute(ctx->llvm, words[i], (unsigned)strlen(words[i]), "", 0));
  if (cn_string_attribute(function, CN_ATTR_NATIVE) && cn_string_attribute(function, CN_ATTR_MANAGED_CODE))
    cn_error(ctx, function, "declared-native",
             "@%s is declared to be native (cairn_native) and to be managed "
             "(cairn_managed_function)",
             LLVMGetValueName2(function, &(size_t){0}));
}

/* A cairn_leaf with references may have the name of a function of the C library, for example by __asm__("strlen").
 * LLVM would turn its calls into calls of other functions of the library, which take ordinary pointers. */
static void forbid_builtin_leaf(struct cn_ctx *ctx, LLVMValueRef function)
{
  if (!LLVMIsDeclaration(function) || !cn_managed_is_annotated(ctx->module, function, CN_ANNOTATION_LEAF))
    return;
  CN_EACH_USE(use, function) {
    LLVMValueRef call = LLVMGetUser(use);
    if (cn_is_call(call) && cn_direct_callee(call) == function &&
        cn_calls_type_has_refs(LLVMGetCalledFunctionType(call)))
      LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(ctx, "nobuiltin"));
  }
}

static void mark_managed(struct cn_ctx *ctx, LLVMValueRef function)
{
  if (!cn_managed_is_to_be_managed(ctx, function))
    return;
  add_nopoll_markers(ctx, function);
  if (!LLVMGetGC(function))
    LLVMSetGC(function, "statepoint-example");
  CN_CHECK(cn_is_managed(function));
  cn_use_lowered_strategy(function);
  /* Both the code generator's fix-up of references in registers and the optimiser skip optnone functions. */
  LLVMRemoveEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("optnone"));
  /* The function becomes internal, because the assembler drops symbols of private functions and the frame maps need the
   * symbol. */
  if (LLVMGetLinkage(function) == LLVMPrivateLinkage)
    LLVMSetLinkage(function, LLVMInternalLinkage);
}

static bool check_target(struct cn_ctx *ctx)
{
  const char *layout = LLVMGetDataLayoutStr(ctx->module);

  if (cn_layout_has_unknown_flags(layout)) {
    cn_error(ctx, NULL, "data-layout", "the data layout '%s' has pointers with a flag that LLVM %d does not have",
             layout, CN_LLVM_TESTED_VERSION);
    return false;
  }
  if (LLVMPointerSizeForAS(ctx->layout, CAIRN_ABI_ADDRESS_SPACE) == 8 &&
      LLVMByteOrder(ctx->layout) == LLVMLittleEndian && !cn_layout_has_narrow_references(ctx->options, layout))
    return true;
  cn_error(ctx, NULL, "data-layout",
           "the data layout '%s' does not have little-endian references with sizes, alignments and "
           "indices of 64 bits in address space 1",
           layout);
  return false;
}

/* LLVM 22's encodings of allockind("alloc,zeroed"), allockind("alloc,uninitialized") and allocsize(1). */
#define ALLOCKIND_ZEROED (1 | 1 << 4)
#define ALLOCKIND_UNINITIALIZED (1 | 1 << 3)
#define ALLOCSIZE_SECOND_ARGUMENT (UINT64_C(1) << 32 | UINT32_MAX)
/* Arrays of at most this length are valid for elements of any size. */
#define MAX_SURELY_VALID_LENGTH 65536

/* Describe the results of allocators to the optimiser. Allocators have no memory attribute, because an allocation may
 * run callbacks of the program that change any memory (docs/runtime.md, "Inside an allocation"). A collection is
 * invisible in IR, because each reference is relocated. */
static void describe_allocators(struct cn_ctx *ctx)
{
  for (size_t i = 0; i < CN_ALLOCATOR_COUNT; i++) {
    const struct cn_allocator *allocator = &cn_layouts_allocators[i];
    LLVMValueRef function = LLVMGetNamedFunction(ctx->module, allocator->name);
    if (!function || !LLVMIsDeclaration(function))
      continue;
    cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "nounwind", 0);
    cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "willreturn", 0);
    if (!allocator->resizes)
      cn_add_enum_attribute(ctx, function, LLVMAttributeReturnIndex, "noalias", 0);
    cn_add_enum_attribute(ctx, function, LLVMAttributeReturnIndex, "nonnull", 0);
    if (cn_words(ctx).reference == 0)
      cn_add_enum_attribute(ctx, function, LLVMAttributeReturnIndex, "align", CAIRN_ABI_OBJECT_ALIGN);
  }
}

/* Landing pads call cairn_thrown() inside a span. An exception that may leave a function there forbids its inlining. */
static void describe_thrown(struct cn_ctx *ctx)
{
  LLVMValueRef function = LLVMGetNamedFunction(ctx->module, CN_THROWN);

  if (function && LLVMIsDeclaration(function))
    cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "nounwind", 0);
}

static void add_enum_attribute(struct cn_ctx *ctx, LLVMValueRef call, const char *name, uint64_t value)
{
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, LLVMCreateEnumAttribute(ctx->llvm, cn_attribute_kind(name), value));
}

/* Describe the contents of an object to the optimiser, which may then remove the allocation of an unused object. An
 * allocation whose length may be an error stays undescribed, because the optimiser would remove the error too. */
static void describe_allocation(struct cn_ctx *ctx, LLVMValueRef call, const struct cn_allocator *allocator)
{
  LLVMValueRef count = LLVMGetNumArgOperands(call) == 2 ? LLVMGetOperand(call, 1) : NULL;

  if (!count || !LLVMIsAConstantInt(count))
    return;
  if (allocator->form == CN_LAYOUT_FORM_OBJECT)
    add_enum_attribute(ctx, call, "allocsize", ALLOCSIZE_SECOND_ARGUMENT);
  else if (LLVMConstIntGetZExtValue(count) > MAX_SURELY_VALID_LENGTH)
    return;
  add_enum_attribute(ctx, call, "allockind", allocator->uninit ? ALLOCKIND_UNINITIALIZED : ALLOCKIND_ZEROED);
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX,
                           LLVMCreateStringAttribute(ctx->llvm, "alloc-family", 12, "cairn", 5));
}

/* Forbid the merging of allocations, because a merged call for different types would have a computed layout.
 */
static void forbid_call_merging(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(ctx, "nomerge"));
}

/* True if the collector changes objects of the type, or keeps them after the program has dropped them; also if the type
 * is known at run time only. */
static bool is_weak_or_finalisable(struct cn_ctx *ctx, LLVMValueRef call)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(LLVMGetOperand(call, 0));
  struct cn_type_metadata said;

  if (!global || !LLVMTypeIsSized(LLVMGlobalGetValueType(global)))
    return true;
  if (!cn_type_metadata_exists(ctx, global))
    return false;
  cn_type_metadata_read(ctx, global, call, &said);
  bool asks = said.weak.count != 0 || (said.flags & CAIRN_ABI_LAYOUT_FINALISABLE) != 0;
  cn_type_metadata_free(&said);
  return asks;
}

/* Call an allocator without attributes for weak and finalisable objects, because the optimiser must keep their stores
 * and loads. */
static void replace_by_undescribed_allocator(struct cn_ctx *ctx, LLVMValueRef call,
                                             const struct cn_allocator *allocator)
{
  char *name = cn_format("%s" CN_ALLOC_ASKED, allocator->name);
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  LLVMValueRef function = cn_emit_declare_function(ctx, name, type, LLVMCCallConv);

  free(name);
  if (function)
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, function);
}

static void describe_allocations(struct cn_ctx *ctx, LLVMValueRef function)
{
  const struct cn_allocator *allocator;

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if ((allocator = cn_layouts_called_allocator(i)) != NULL) {
        forbid_call_merging(ctx, i);
        if (is_weak_or_finalisable(ctx, i))
          replace_by_undescribed_allocator(ctx, i, allocator);
        else
          describe_allocation(ctx, i, allocator);
      }
}

/* Keep a call of a known C function that gets a reference. LLVM would replace it, for example a call of memcmp() by one
 * of bcmp(), and the new call would pass references as ordinary pointers. LLVM makes intrinsics of copies, which take
 * references. */
static void keep_library_call(struct cn_ctx *ctx, LLVMValueRef call)
{
  static const char *const copies[] = {"memcpy", "memmove", "memset"};
  LLVMValueRef callee = cn_direct_callee(call);
  size_t length;
  const char *name = callee && LLVMIsDeclaration(callee) ? LLVMGetValueName2(callee, &length) : "";

  if (!cn_calls_leaf_reason(name) || !cn_calls_type_has_refs(LLVMGetCalledFunctionType(call)))
    return;
  for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
    if (strcmp(name, copies[i]) == 0)
      return;
  LLVMAddCallSiteAttribute(call, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(ctx, "nobuiltin"));
}

static void keep_library_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i))
        keep_library_call(ctx, i);
}

/* ---- the pass ---- */

/* Forbid the inlining of managed functions into an unmanaged function, because the unmanaged function would then
 * contain managed code. Calls through pointers are forbidden too, because the optimiser may find a pointer's callee. */
static void forbid_managed_inlining(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(!cn_is_managed(function));
  LLVMAttributeRef noinline = cn_enum_attribute_of_name(ctx, "noinline");

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && (!cn_direct_callee(i) || cn_is_managed(cn_direct_callee(i))))
        LLVMAddCallSiteAttribute(i, CN_FUNCTION_INDEX, noinline);
}

/* Drop the fake uses of clang -Og, which keep each variable live to the end of its scope for debuggers. Fake uses would
 * keep references live over every safepoint in the scope. */
static void drop_fake_uses(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      next = LLVMGetNextInstruction(i);
      if (cn_calls_intrinsic(i, "llvm.fake.use"))
        LLVMInstructionEraseFromParent(i);
    }
}

/* The first passes of LLVM's pipelines, in their order, which promote locals. If the control flow is not simplified
 * first, later passes form other loops from the promoted locals. Without optimisation the control flow stays. */
static const char *promotion_of(const struct cn_ctx *ctx)
{
  return ctx->options->opt_level ? "function(lower-expect,simplifycfg,sroa<preserve-cfg>)"
                                 : "function(sroa<preserve-cfg>)";
}

static void promote_locals(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

  cn_check_llvm_error(ctx, function, LLVMRunPassesOnFunction(function, promotion_of(ctx), ctx->machine, options));
  LLVMDisposePassBuilderOptions(options);
}

static void promote_all_locals(struct cn_ctx *ctx)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

  cn_check_llvm_error(ctx, NULL, LLVMRunPasses(ctx->module, promotion_of(ctx), ctx->machine, options));
  LLVMDisposePassBuilderOptions(options);
}

/* Check the rules that need promoted locals. A store gets at most one error. */
static void check_source_rules(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_ptrmap *types,
                               struct cn_derived_stores *derived)
{
  unsigned errors = ctx->errors;

  cn_rules_check_layout_compares(ctx, function);
  cn_rules_check_uninit(ctx, function);
  if (ctx->options->manage_all)
    cn_rules_check_stores(ctx, function);
  if (ctx->options->manage_all && ctx->errors == errors)
    cn_rules_check_derived_stores(ctx, function, derived);
  if (ctx->errors == errors)
    cn_rules_check_layout_stores(ctx, function, types);
}

static void prepare_before_promotion(struct cn_ctx *ctx, LLVMValueRef function)
{
  cn_throwing_allocations_move(ctx, function);
  keep_library_calls(ctx, function);
  drop_fake_uses(function);
  cn_copies_expand(ctx, function);
  cn_library_calls_expand(ctx, function);
  cn_spans_prepare(ctx, function);
}

static void prepare_after_promotion(struct cn_ctx *ctx, LLVMValueRef function, const struct cn_ptrmap *types,
                                    struct cn_derived_stores *derived)
{
  check_source_rules(ctx, function, types, derived);
  describe_allocations(ctx, function);
  cn_points_add_attributes(ctx, function);
  cn_differences_hide_subtractions(ctx, function);
  cn_copies_make_volatile(ctx, function);
  cn_mark_unproved_stores(ctx, function);
}

static bool is_to_be_prepared(LLVMValueRef function)
{
  return cn_is_managed(function) && !LLVMIsDeclaration(function) && !cn_has_statepoints(function);
}

/* True if all definitions may be promoted in one run of LLVM's pass manager, which takes as long to start as the passes
 * on a small function. The optimiser promotes the locals of unmanaged functions, too, but functions with statepoints
 * and unoptimised native functions stay as they are. */
static bool are_promoted_together(struct cn_ctx *ctx)
{
  if (ctx->options->tier == CAIRN_TIER_QUICK)
    return true;
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && !is_to_be_prepared(f) && (cn_has_statepoints(f) || ctx->options->opt_level == 0))
      return false;
  return true;
}

/* All locals are promoted before the first rule is checked, because rules follow calls to other functions. */
static void prepare_functions(struct cn_ctx *ctx, const struct cn_ptrmap *types)
{
  bool together = are_promoted_together(ctx);
  struct cn_derived_stores derived = {0};

  CN_EACH_FUNCTION(f, ctx->module)
    if (is_to_be_prepared(f)) {
      prepare_before_promotion(ctx, f);
      if (!together)
        promote_locals(ctx, f);
    }
  if (together)
    promote_all_locals(ctx);
  CN_EACH_FUNCTION(f, ctx->module)
    if (is_to_be_prepared(f))
      prepare_after_promotion(ctx, f, types, &derived);
  cn_rules_finish_derived_stores(ctx, &derived);
}

bool cn_prepare_unit(struct cn_ctx *ctx)
{
  struct cn_ptrmap types = {0};

  if (!check_target(ctx))
    return false;
  cn_markers_lower_points(ctx);
  cn_tags_prepare_functions(ctx);
  describe_allocators(ctx);
  describe_thrown(ctx);
  cn_object_queries_prepare(ctx);
  cn_library_calls_prepare(ctx);
  cn_nopoll_add_marker_attributes(ctx);
  cn_spans_add_marker_attributes(ctx);
  cn_markers_add_attributes(ctx, CN_USER_ROOT);
  cn_managed_mark_natives(ctx);
  CN_EACH_FUNCTION(f, ctx->module) {
    add_declared_kind_attribute(ctx, f);
    forbid_builtin_leaf(ctx, f);
    mark_managed(ctx, f);
  }
  cn_shared_layouts_mark_statics(ctx);
  cn_rules_gather_layout_types(ctx, &types);
  cn_spans_check_markers(ctx);
  cn_user_roots_check_marker(ctx);
  prepare_functions(ctx, &types);
  cn_ptrmap_free(&types);
  cn_callee_attributes_add(ctx);
  cn_body_addresses_replace(ctx);
  return ctx->errors == 0;
}

bool cn_prepare_program(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module)
    if (!cn_is_managed(f))
      forbid_managed_inlining(ctx, f);
  cn_user_words_make_volatile(ctx);
  if (cn_managed_module_has_references(ctx))
    cn_copies_guard_without_tbaa(ctx);
  else
    cn_hidden_locals_prevent(ctx); /* this excludes hidden locals */
  return ctx->errors == 0;
}

bool cn_prepare(struct cn_ctx *ctx)
{
  return cn_prepare_unit(ctx) && cn_prepare_program(ctx);
}
