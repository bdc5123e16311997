/* SPDX-License-Identifier: Apache-2.0
 *
 * Pass `escape`: turns objects that stay private to their function into locals. The pass allocates other objects at the
 * places of their escapes, and thus later than the source does, or only on some paths. It splits phis of several
 * objects (join.c). Remarks say why an object stays allocated.
 *
 * Needs: optimised IR after inlining, because an object that is passed to a call escapes; layout statics; code without
 * safepoints. Provides: fewer calls of cairn_alloc() and its like, and values in place of the objects that LLVM
 * promotes. Breaks: struct cn_cfg.
 *
 * LLVM already removes objects that are only written to, and forwards stored values to loads on the same path. LLVM
 * promotes locals even across joins of paths. So each round turns objects into locals, which LLVM then promotes.
 * Objects that only a promoted local pointed to are private in the next round.
 */
#include <stdlib.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/core/scalars.h"
#include "compile/cost/cost.h"
#include "compile/effects/deopt_records.h"
#include "compile/escape/escape.h"

enum { MAX_REPLACEMENT_ROUNDS = 16 }; /* rounds per function; longer chains of objects are rare */

/* LLVM's passes after each round, and its passes after the last round. */
static const char promotion_passes[] = "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg";
static const char cleanup_passes[] = "jump-threading,correlated-propagation,simplifycfg,"
                                     "loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,"
                                     "loop(indvars,loop-deletion,loop-unroll-full),sroa,gvn,memcpyopt,sccp,bdce,"
                                     "instcombine<no-verify-fixpoint>,dse,adce,simplifycfg,sroa<preserve-cfg>";

struct replacement_work {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_cfg cfg;
  struct cn_loops loops;
  struct cn_safepoint_free_intervals windows;
  uint64_t *often;
  uint64_t floating; /* bytes of the new locals that stay in memory */
  bool parted;       /* the current round has split a phi web */
};

typedef CN_VECTOR(LLVMValueRef) value_vector;

static void find_allocation_calls(LLVMValueRef function, value_vector *calls)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if (cn_layouts_called_allocator(i))
        cn_push(calls, i);
}

static void analyse_function(struct replacement_work *w)
{
  cn_cfg_build(&w->cfg, w->function);
  cn_loops_build(&w->loops, &w->cfg);
  w->often = cn_alloc(w->cfg.count * sizeof *w->often);
  cn_find_block_frequencies(&w->loops, w->often);
  cn_safepoint_free_find_intervals(&w->windows, &w->cfg);
}

static void free_analyses(struct replacement_work *w)
{
  free(w->often);
  cn_safepoint_free_dispose(&w->windows);
  cn_loops_free(&w->loops);
  cn_cfg_free(&w->cfg);
}

/* The reason why an object stays allocated even without escapes, or null. If LLVM left an object with references in
 * memory, a frame map would have to describe the local. But LLVM's loop-reduce may spill the address of a local that a
 * loop accesses at variable offsets, and then no frame map can describe the local. */
static const char *why_object_stays(const struct replacement_work *w, const struct cn_use_graph *web)
{
  if (!web->floating && !web->joined)
    return NULL;
  if (web->object->refs)
    return "it has references, and is accessed at places that are not constant";
  return web->object->size > CN_MAX_FLOATING_BYTES - w->floating
             ? "it is accessed at places that are not constant, and too large for the stack"
             : NULL;
}

static bool escapes_only_into_phis(const struct cn_use_graph *web)
{
  bool any = false;

  for (size_t i = 0; i < web->uses.count; i++) {
    if (web->uses.at[i].escapes && !web->uses.at[i].joins)
      return false;
    any |= web->uses.at[i].joins;
  }
  return any;
}

/* ---- remarks ---- */

static void remark_object(struct replacement_work *w, LLVMValueRef call, const char *rule, const char *what)
{
  if (!w->ctx->options->report ||
      LLVMGetCallSiteStringAttribute(call, CN_FUNCTION_INDEX, CN_ATTR_JOINED, sizeof CN_ATTR_JOINED - 1))
    return;
  char *name = cn_object_type_name(w->ctx, call);
  cn_remark(w->ctx, call, rule, "an object of type '%s' %s", name, what);
  free(name);
}

/* A description of the use: "it is passed on, by a call to @f in line 7". Caller frees. */
static char *describe_use(const struct cn_use_graph_use *use)
{
  char buffer[160];
  unsigned line = LLVMGetDebugLocLine(use->user);
  char *call = use->pointer && (LLVMIsACallInst(use->user) || LLVMIsAInvokeInst(use->user))
                   ? cn_format(", by a %s", cn_calls_describe(use->user, buffer, sizeof buffer))
                   : cn_strdup("");
  char *text = line ? cn_format("%s%s in line %u", use->escapes, call, line) : cn_format("%s%s", use->escapes, call);

  free(call);
  return text;
}

/* The reason why the phi web of an object was not split. Caller frees. */
static char *describe_phi_web(struct replacement_work *w, const struct cn_object_node *object)
{
  struct cn_phi_web family;
  bool found = cn_phi_web_find(w->ctx, &w->cfg, object, &family);
  char *why = found ? cn_strdup("there are too many rounds") : describe_use(&family.wrong);
  char *text = cn_format("it is one of several that a reference may lead to; %s", why);

  free(why);
  cn_phi_web_free(&family);
  return text;
}

/* The reason why an object is still allocated. Caller frees. */
static char *describe_object(struct replacement_work *w, const struct cn_object_node *object)
{
  struct cn_use_graph web;

  if (object->stays)
    return cn_strdup(object->stays);
  cn_use_graph_build(w->ctx, &w->cfg, object, &web);
  const struct cn_use_graph_use *use = cn_use_graph_first_escape(&web);
  const char *is_unfit = use ? NULL : why_object_stays(w, &web);
  char *text = escapes_only_into_phis(&web) ? describe_phi_web(w, object)
               : use                        ? describe_use(use)
                                            : cn_strdup(is_unfit ? is_unfit : "there are too many rounds");
  cn_use_graph_free(&web);
  return text;
}

static void remark_allocated_object(struct replacement_work *w, LLVMValueRef call)
{
  struct cn_object_node object;

  if (!cn_object_read_allocation(w->ctx, call, &object))
    return;
  char *why = describe_object(w, &object);
  char *what = cn_format("is allocated: %s", why);
  remark_object(w, call, "object-allocated", what);
  free(what);
  free(why);
}

static void remark_allocated_objects(struct replacement_work *w)
{
  value_vector calls = {0};

  if (!w->ctx->options->report)
    return;
  analyse_function(w);
  find_allocation_calls(w->function, &calls);
  for (size_t i = 0; i < calls.count; i++)
    remark_allocated_object(w, calls.at[i]);
  cn_free(&calls);
  free_analyses(w);
}

/* ---- one object ---- */

/* Split the phi web of an object, if it has one, so that the next round finds each phi as a separate object. */
static bool split_phi_web(struct replacement_work *w, const struct cn_object_node *object)
{
  struct cn_phi_web family;
  bool found = cn_phi_web_find(w->ctx, &w->cfg, object, &family);

  if (found)
    cn_phi_web_split(w->ctx, &family);
  cn_phi_web_free(&family);
  w->parted |= found;
  return found;
}

/* True if a copy of the contents preserves references, because the fields are few or all are data. */
static bool may_copy_contents(struct cn_ctx *ctx, const struct cn_object_node *object)
{
  struct cn_scalars scalars = {0};

  cn_scalars_of(ctx, object->type, &scalars);
  bool few = scalars.list.count <= CN_SCALARS_MOST;
  cn_free(&scalars.list);
  return few || !object->refs;
}

/* Allocate the object at its escapes. If true, `web` then is the use graph of the call's object, without escapes. */
static bool sink_allocation(struct replacement_work *w, const struct cn_object_node *object, struct cn_use_graph *web)
{
  struct cn_sink_analyses in = {w->ctx, &w->loops, &w->windows, w->often};
  struct cn_sink_places places;

  if (!may_copy_contents(w->ctx, object) || !cn_sink_find_places(&in, web, &places))
    return false;
  cn_sink_move_allocation(w->ctx, &w->cfg, web, &places);
  cn_use_graph_free(web);
  cn_use_graph_build(w->ctx, &w->cfg, object, web);
  CN_CHECK(!cn_use_graph_first_escape(web));
  return true;
}

/* Describe the object in the frame records that name it. `web` then is the use graph without these uses. */
static void describe_in_records(struct replacement_work *w, const struct cn_object_node *object,
                                struct cn_use_graph *web)
{
  struct cn_record_member member = {*object, *web};
  struct cn_record_group group = {0};
  bool any = false;

  for (size_t i = 0; i < web->uses.count; i++)
    any |= web->uses.at[i].recorded;
  if (!any)
    return;
  cn_push(&group.members, member);
  w->parted |= cn_records_describe(w->ctx, &group); /* the round's list of allocations may be outdated */
  cn_free(&group.members);
  cn_use_graph_free(web);
  cn_use_graph_build(w->ctx, &w->cfg, object, web);
  CN_CHECK(!cn_use_graph_first_escape(web));
}

/* Replace a group of objects that name one another by locals. Ends the round, because other allocations go, too. */
static bool replace_group(struct replacement_work *w, const struct cn_object_node *object)
{
  struct cn_record_group group;
  struct cn_use_graph web;
  bool found = cn_record_group_find(w->ctx, &w->cfg, object, &group);

  if (found)
    cn_records_describe(w->ctx, &group);
  for (size_t i = 0; found && i < group.members.count; i++) {
    const struct cn_object_node *member = &group.members.at[i].object;
    cn_use_graph_build(w->ctx, &w->cfg, member, &web);
    remark_object(w, member->root, "object-local", "becomes a local");
    cn_replace_object_by_local(w->ctx, &web);
    cn_use_graph_free(&web);
  }
  cn_record_group_free(&group);
  w->parted |= found;
  return found;
}

static bool is_stored_first(const struct cn_use_graph *web)
{
  const struct cn_use_graph_use *use = cn_use_graph_first_escape(web);

  return use && LLVMIsAStoreInst(use->user);
}

static bool replace_allocation(struct replacement_work *w, LLVMValueRef call)
{
  struct cn_object_node object;
  struct cn_use_graph web;

  if (!cn_object_read_allocation(w->ctx, call, &object) || object.stays)
    return false;
  if (cn_cfg_index_of(&w->cfg, LLVMGetInstructionParent(call)) == CN_NO_BLOCK)
    return false;
  cn_use_graph_build(w->ctx, &w->cfg, &object, &web);
  if (escapes_only_into_phis(&web) && split_phi_web(w, &object)) {
    cn_use_graph_free(&web);
    return true;
  }
  if (is_stored_first(&web) && replace_group(w, &object)) {
    cn_use_graph_free(&web);
    return true;
  }
  bool local = !cn_use_graph_first_escape(&web), changed = !why_object_stays(w, &web);
  if (changed && !local)
    changed = sink_allocation(w, &object, &web);
  if (changed) {
    describe_in_records(w, &object, &web);
    remark_object(w, call, local ? "object-local" : "object-sunk",
                  local ? "becomes a local" : "is allocated where it escapes");
    w->floating += web.floating || web.joined ? object.size : 0;
    cn_replace_object_by_local(w->ctx, &web);
  }
  cn_use_graph_free(&web);
  return changed;
}

/* ---- functions ---- */

static void drop_unused_layout_static(LLVMValueRef global)
{
  LLVMLinkage linkage = LLVMGetLinkage(global);

  if (!LLVMGetFirstUse(global) && (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage))
    LLVMDeleteGlobal(global);
}

/* Replace all possible allocations, up to the first phi web that is split. True if the function changed. */
static bool replace_in_one_round(struct replacement_work *w)
{
  value_vector calls = {0};
  bool any = false;

  w->parted = false;
  find_allocation_calls(w->function, &calls);
  if (calls.count)
    analyse_function(w);
  for (size_t i = 0; i < calls.count && !w->parted; i++) {
    LLVMValueRef global = LLVMGetOperand(calls.at[i], 0);
    if (!replace_allocation(w, calls.at[i]))
      continue;
    any = true;
    if (LLVMIsAGlobalVariable(global))
      drop_unused_layout_static(global);
  }
  if (calls.count)
    free_analyses(w);
  cn_free(&calls);
  return any;
}

/* Run rounds as long as they split phi webs. True if the first round changed the function. */
static bool replace_until_webs_are_split(struct replacement_work *w)
{
  bool any = replace_in_one_round(w);

  while (w->parted)
    replace_in_one_round(w);
  return any;
}

static bool run_llvm_passes(struct replacement_work *w, const char *passes)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  bool ok =
      cn_check_llvm_error(w->ctx, w->function, LLVMRunPassesOnFunction(w->function, passes, w->ctx->machine, options));

  LLVMDisposePassBuilderOptions(options);
  return ok;
}

static void replace_in_function(struct cn_ctx *ctx, LLVMValueRef function)
{
  struct replacement_work w = {.ctx = ctx, .function = function};
  int rounds = 0;

  while (rounds < MAX_REPLACEMENT_ROUNDS && replace_until_webs_are_split(&w) && run_llvm_passes(&w, promotion_passes))
    rounds++;
  if (rounds)
    run_llvm_passes(&w, cleanup_passes);
  remark_allocated_objects(&w);
}

bool cn_replace_local_allocations(struct cn_ctx *ctx)
{
  if (!cn_deopt_check_layouts(ctx))
    return false;
  if (ctx->options->opt_level == 0)
    return true;
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && !cn_has_statepoints(f))
      replace_in_function(ctx, f);
  return ctx->errors == 0;
}
