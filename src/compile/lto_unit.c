/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks units for link-time optimisation. The marks record a unit's properties until the linker joins units, and
 * prevent other compilers from generating code for the unit. Needs: the unit after `rules`. Provides: the marks below
 * (cn_lto_mark_unit()), and Cairn's own attribute on calls of leaves; cairn_compile_joined_options(), which reads the
 * options; cn_lto_unmark_program(), which removes the marks and reports functions without them. Breaks: nothing.
 *
 * A linker joins units like any other bitcode. So a unit has
 *   - module flags with the unit's options; most options must be equal in all units, and the linker names two units
 *     that differ;
 *   - an attribute of each function, which functions of other compilers lack;
 *   - a guard, which is a reference to a hidden, undefined symbol. Only the second half of Cairn's pipeline makes
 *     safepoints and removes the guard; code of another compiler for the unit fails to link.
 */
#include "compile/pipeline.h"

#include <string.h>
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/core/words.h"
#include "compile/codegen/module_flags.h"

#define UNIT_ATTRIBUTE_NAME "cairn-lto"
#define GUARD_NAME "cairn.lto.guard"
#define USED_LIST_NAME "llvm.used"
#define VERSION_FLAG_NAME "cairn.version"

/* ---- options ---- */

#define OPTION_OFFSET(name) offsetof(struct cairn_compile_options, name)

_Static_assert(sizeof(enum cairn_safepoints) == sizeof(unsigned) && sizeof(enum cairn_slots) == sizeof(unsigned) &&
                   sizeof(enum cairn_poll) == sizeof(unsigned) && sizeof(enum cairn_barriers) == sizeof(unsigned),
               "all are read and written as unsigned");

static const struct {
  const char *name;
  enum cn_flag_joins joins;
  size_t field;
} option_flags[] = {
    {"cairn.safepoints", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(safepoints)},
    {"cairn.without", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(relocations_off)},
    {"cairn.without-placement", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(placements_off)},
    {"cairn.slots", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(slots)},
    {"cairn.slot-budget", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(slot_budget)},
    {"cairn.polls", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(polls)},
    {"cairn.poll", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(poll)},
    {"cairn.poll-budget", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(poll_budget)},
    {"cairn.barriers", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(barriers)},
    {"cairn.inline-max", CN_FLAG_JOIN_EQUAL, OPTION_OFFSET(inline_max)},
    {"cairn.opt-level", CN_FLAG_JOIN_MAX, OPTION_OFFSET(opt_level)},
    {"cairn.size-level", CN_FLAG_JOIN_MIN, OPTION_OFFSET(size_level)},
};

/* True if the option matters for the unit. A unit without allocations fits any limit of in-line allocation. */
static bool is_relevant_option(struct cn_ctx *ctx, size_t field)
{
  size_t length;

  if (field != OPTION_OFFSET(inline_max))
    return true;
  CN_EACH_FUNCTION(f, ctx->module)
    if (LLVMGetFirstUse(f) && cn_is_allocation_name(LLVMGetValueName2(f, &length)))
      return true;
  return false;
}

static void add_option_flags(struct cn_ctx *ctx)
{
  for (size_t i = 0; i < sizeof option_flags / sizeof *option_flags; i++) {
    unsigned value;
    if (!is_relevant_option(ctx, option_flags[i].field))
      continue;
    memcpy(&value, (const char *)ctx->options + option_flags[i].field, sizeof value);
    cn_add_module_flag(ctx->module, option_flags[i].name, option_flags[i].joins, value);
  }
  cn_words_add_flag(ctx);
  /* Each version of Cairn may change the form of a unit between the halves of the pipeline. */
  LLVMAddModuleFlag(ctx->module, LLVMModuleFlagBehaviorError, VERSION_FLAG_NAME, sizeof VERSION_FLAG_NAME - 1,
                    LLVMMDStringInContext2(ctx->llvm, CAIRN_VERSION, sizeof CAIRN_VERSION - 1));
}

void cairn_compile_joined_options(LLVMModuleRef joined, struct cairn_compile_options *options)
{
  for (size_t i = 0; i < sizeof option_flags / sizeof *option_flags; i++) {
    void *field = (char *)options + option_flags[i].field;
    unsigned value;
    memcpy(&value, field, sizeof value);
    value = cn_module_flag_of(joined, option_flags[i].name, value);
    memcpy(field, &value, sizeof value);
  }
}

/* ---- the guard ---- */

static bool is_undefined_guard_symbol(LLVMValueRef value)
{
  size_t length;

  return value && strcmp(LLVMGetValueName2(value, &length), CN_LTO_GUARD) == 0;
}

static void add_lto_guard(struct cn_ctx *ctx)
{
  LLVMTypeRef pointer = LLVMPointerTypeInContext(ctx->llvm, 0);
  LLVMValueRef missing = LLVMAddGlobal(ctx->module, LLVMInt8TypeInContext(ctx->llvm), CN_LTO_GUARD);
  LLVMValueRef guard = LLVMAddGlobal(ctx->module, pointer, GUARD_NAME);
  LLVMSetVisibility(missing, LLVMHiddenVisibility);
  LLVMSetInitializer(guard, missing);
  LLVMSetLinkage(guard, LLVMInternalLinkage);
  cn_emit_append_to_list(ctx, USED_LIST_NAME, pointer, &guard, 1);
}

static bool is_lto_guard(LLVMValueRef value)
{
  LLVMValueRef global = LLVMIsAGlobalVariable(value);

  return global && !LLVMIsDeclaration(global) && is_undefined_guard_symbol(LLVMGetInitializer(global));
}

static void drop_lto_guards(struct cn_ctx *ctx)
{
  LLVMValueRef missing = LLVMGetNamedGlobal(ctx->module, CN_LTO_GUARD);

  if (!missing)
    return;
  cn_emit_remove_from_list(ctx, USED_LIST_NAME, is_lto_guard);
  for (LLVMValueRef g = LLVMGetFirstGlobal(ctx->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (is_lto_guard(g)) {
      LLVMReplaceAllUsesWith(g, LLVMConstNull(LLVMTypeOf(g))); /* an old list may still use the guard */
      LLVMDeleteGlobal(g);
    }
  }
  LLVMReplaceAllUsesWith(missing, LLVMConstNull(LLVMTypeOf(missing)));
  LLVMDeleteGlobal(missing);
}

/* ---- leaves ---- */

/* Mark calls of leaves with Cairn's own attribute. LLVM drops nocallback when it joins modules, because code of other
 * modules may call back, but the unit's leaves stay leaves. Without the mark, Cairn would call these leaves as native
 * code, during which another thread may collect, although they take and return references. */
static void mark_leaf_calls(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMAttributeRef leaf = LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_LEAF, sizeof CN_ATTR_LEAF - 1, "", 0);

  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_is_call(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) &&
          !(cn_direct_callee(i) && LLVMGetIntrinsicID(cn_direct_callee(i))) &&
          cn_calls_has_attribute(i, "nocallback") && cn_classify_call(i).kind == CN_CALL_LEAF)
        LLVMAddCallSiteAttribute(i, CN_FUNCTION_INDEX, leaf);
}

/* ---- both halves ---- */

void cn_lto_mark_unit(struct cn_ctx *ctx)
{
  LLVMAttributeRef unit =
      LLVMCreateStringAttribute(ctx->llvm, UNIT_ATTRIBUTE_NAME, sizeof UNIT_ATTRIBUTE_NAME - 1, "", 0);

  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f)) {
      LLVMAddAttributeAtIndex(f, CN_FUNCTION_INDEX, unit);
      mark_leaf_calls(ctx, f);
    }
  add_option_flags(ctx);
  add_lto_guard(ctx);
}

bool cn_lto_unmark_program(struct cn_ctx *ctx)
{
  CN_EACH_FUNCTION(f, ctx->module) {
    if (LLVMIsDeclaration(f))
      continue;
    if (!cn_string_attribute(f, UNIT_ATTRIBUTE_NAME))
      cn_error(ctx, f, "foreign-unit",
               "it comes from bitcode of another compiler, so its source rules are unchecked; compile it without "
               "-flto");
    LLVMRemoveStringAttributeAtIndex(f, CN_FUNCTION_INDEX, UNIT_ATTRIBUTE_NAME, sizeof UNIT_ATTRIBUTE_NAME - 1);
  }
  drop_lto_guards(ctx);
  return ctx->errors == 0;
}
