/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds and checks safepoint-free regions, from `call void @cairn.nopoll.begin()` to `call void @cairn.nopoll.end()`,
 * or in functions with the attribute "cairn-nopoll". No collection can observe a partial change inside a region, such
 * as a store whose mark for the collector is still missing. Regions nest.
 *
 * Part of prepare and of place-safepoints; pass `drop-markers` calls it, too. Needs: any function. Provides:
 * diagnostics before the module changes; the number of open regions at each place; markers around the body of a
 * function with the attribute (cn_nopoll_wrap()); attributes of markers, and their deletion. Breaks: nothing.
 *
 * The markers are calls of undefined functions, so LLVM assumes that they read and write any memory. The optimiser
 * therefore keeps the order of markers and accesses on every path, and regions stay closed on every path. Only accesses
 * to memory that is private to the function may move over a marker. verify-safepoints checks the regions again
 * (check_nopoll.c), then pass `drop-markers` deletes the markers. The code generator then still keeps the order of
 * accesses and safepoints, because all safepoints are calls.
 */
#include "compile/markers/markers.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "compile/analysis/calls.h"
#include "compile/core/each.h"
#include "compile/core/emit.h"
#include "compile/core/emitted_names.h"
#include "compile/cost/cost.h"
#include "compile/markers/spans.h"

static LLVMValueRef find_marker(struct cn_ctx *ctx, const char *name)
{
  return LLVMGetNamedFunction(ctx->module, name);
}

/* 1 if `i` opens a region, -1 if `i` closes a region, else 0. */
static int region_depth_change_of(LLVMValueRef i)
{
  LLVMValueRef callee = LLVMIsACallInst(i) ? cn_direct_callee(i) : NULL;
  size_t length;

  if (!callee || !LLVMIsDeclaration(callee))
    return 0;
  const char *name = LLVMGetValueName2(callee, &length);
  return strcmp(name, CN_NOPOLL_BEGIN) == 0 ? 1 : strcmp(name, CN_NOPOLL_END) == 0 ? -1 : 0;
}

static bool is_marker_used_in(struct cn_ctx *ctx, const char *name, LLVMValueRef function)
{
  LLVMValueRef of = find_marker(ctx, name);

  for (LLVMUseRef use = of ? LLVMGetFirstUse(of) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function)
      return true;
  }
  return false;
}

static bool has_markers(struct cn_ctx *ctx, LLVMValueRef function)
{
  return is_marker_used_in(ctx, CN_NOPOLL_BEGIN, function) || is_marker_used_in(ctx, CN_NOPOLL_END, function);
}

bool cn_nopoll_has_attribute(LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  return cn_string_attribute(function, CN_ATTR_NOPOLL) != NULL;
}

bool cn_nopoll_is_used_in_module(struct cn_ctx *ctx)
{
  if (find_marker(ctx, CN_NOPOLL_BEGIN) || find_marker(ctx, CN_NOPOLL_END))
    return true;
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_nopoll_has_attribute(f))
      return true;
  return false;
}

/* ---- numbers of open regions ---- */

static uint32_t region_depth_after(LLVMValueRef i, uint32_t depth)
{
  int by = region_depth_change_of(i);

  return by > 0 ? depth + 1 : depth - (by < 0 && depth);
}

static uint32_t region_depth_at_end(LLVMBasicBlockRef block, uint32_t depth)
{
  CN_EACH_INSTRUCTION(i, block)
    depth = region_depth_after(i, depth);
  return depth;
}

/* The depth at the start of a block is the depth at the end of the first predecessor that precedes the block in reverse
 * post-order. Every block except the entry has an earlier predecessor. check_block_regions() refuses predecessors with
 * different depths. */
uint32_t *cn_nopoll_compute_depths(struct cn_ctx *ctx, const struct cn_cfg *cfg)
{
  if (!has_markers(ctx, cfg->function))
    return NULL;
  uint32_t *depths = cn_alloc(cfg->count * sizeof *depths);
  for (uint32_t b = 1; b < cfg->count; b++) {
    uint32_t p = 0;
    while (cfg->blocks[b].preds[p] >= b) {
      p++;
      CN_CHECK(p < cfg->blocks[b].pred_count); /* a predecessor precedes the block (cfg.h) */
    }
    uint32_t from = cfg->blocks[b].preds[p];
    depths[b] = region_depth_at_end(cfg->blocks[from].block, depths[from]);
  }
  return depths;
}

uint32_t cn_nopoll_depth_before(LLVMValueRef at, uint32_t depth)
{
  LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetInstructionParent(at));

  for (; i != at; i = LLVMGetNextInstruction(i))
    depth = region_depth_after(i, depth);
  return depth;
}

LLVMValueRef cn_nopoll_find_outside(LLVMValueRef at, uint32_t depth)
{
  while (at && depth) {
    depth = region_depth_after(at, depth);
    at = LLVMGetNextInstruction(at);
  }
  return at;
}

bool cn_nopoll_is_in_region(struct cn_ctx *ctx, LLVMValueRef at)
{
  LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
  struct cn_cfg cfg;

  if (!has_markers(ctx, LLVMGetBasicBlockParent(block)))
    return false;
  cn_cfg_build_edges(&cfg, LLVMGetBasicBlockParent(block));
  uint32_t *depths = cn_nopoll_compute_depths(ctx, &cfg);
  uint32_t b = cn_cfg_index_of(&cfg, block);
  uint32_t depth = cn_nopoll_depth_before(at, b == CN_NO_BLOCK ? 0 : depths[b]);
  free(depths);
  cn_cfg_free(&cfg);
  return depth != 0;
}

/* ---- checks ---- */

static void check_marker_uses(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef function = find_marker(ctx, name);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false);

  if (!function)
    return;
  if (!LLVMIsDeclaration(function) || LLVMGlobalGetValueType(function) != type) {
    cn_error(ctx, function, "nopoll-region", "@%s is not declared as void (), without a body", name);
    return;
  }
  CN_EACH_USE(use, function) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsACallInst(user) || cn_direct_callee(user) != function)
      cn_error(ctx, LLVMIsAInstruction(user) ? user : function, "nopoll-region", "@%s is used other than by a call",
               name);
  }
}

/* The name of a call in the program, even if a pass of Cairn has replaced the call. */
static const char *original_call_name_of(LLVMValueRef call, char *buffer, size_t size)
{
  static const char *const prefixes[] = {CN_CALL_PREFIX, CN_BODY_PREFIX};
  LLVMValueRef callee = cn_direct_callee(call);
  size_t length;
  const char *name = callee ? LLVMGetValueName2(callee, &length) : "";

  if (cn_is_slow_allocation(name))
    return "an allocation";
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
      snprintf(buffer, size, "call to @%s", name + strlen(prefixes[i]));
      return buffer;
    }
  return cn_calls_describe(call, buffer, size);
}

static void check_call_is_safepoint_free(struct cn_ctx *ctx, LLVMValueRef i, const char *where)
{
  char name[160];

  if (cn_classify_call(i).kind == CN_CALL_PARSE_POINT)
    cn_error(ctx, i, "nopoll-safepoint", "%s may come to a safepoint, in a %s without any; move it out",
             original_call_name_of(i, name, sizeof name), where);
}

static bool is_function_exit(LLVMValueRef end)
{
  return LLVMIsAReturnInst(end) || LLVMIsAResumeInst(end) ||
         (LLVMIsACleanupReturnInst(end) && LLVMGetNumSuccessors(end) == 0);
}

static void check_block_regions(struct cn_ctx *ctx, const struct cn_cfg *cfg, const uint32_t *depths, uint32_t b)
{
  LLVMValueRef end = LLVMGetBasicBlockTerminator(cfg->blocks[b].block);
  uint32_t depth = depths[b];

  CN_ASSERT(b < cfg->count);
  CN_EACH_INSTRUCTION(i, cfg->blocks[b].block) {
    if (region_depth_change_of(i) < 0 && depth == 0)
      cn_error(ctx, i, "nopoll-region", "a region without safepoints ends that has not begun");
    depth = region_depth_after(i, depth);
    if (depth && !cn_nopoll_has_attribute(cfg->function))
      check_call_is_safepoint_free(ctx, i, "region");
  }
  if (depth && is_function_exit(end))
    cn_error(ctx, end, "nopoll-region", "the function is left in a region without safepoints");
  for (uint32_t s = 0; s < cfg->blocks[b].succ_count; s++) {
    uint32_t to = cfg->blocks[b].succs[s];
    LLVMValueRef first = LLVMGetFirstInstruction(cfg->blocks[to].block);
    if (depths[to] != depth && !LLVMIsAUnreachableInst(first))
      cn_error(ctx, end, "nopoll-region",
               "from here on a region without safepoints is open on some paths and not on others");
  }
}

static void check_function_regions(struct cn_ctx *ctx, LLVMValueRef function)
{
  bool none = cn_nopoll_has_attribute(function);
  struct cn_cfg cfg;

  cn_cfg_build_edges(&cfg, function);
  uint32_t *depths = cn_nopoll_compute_depths(ctx, &cfg);
  for (uint32_t b = 0; b < cfg.count; b++) {
    if (depths)
      check_block_regions(ctx, &cfg, depths, b);
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg.blocks[b].block); i && none; i = LLVMGetNextInstruction(i))
      check_call_is_safepoint_free(ctx, i, "function");
  }
  free(depths);
  cn_cfg_free(&cfg);
}

bool cn_nopoll_check(struct cn_ctx *ctx)
{
  check_marker_uses(ctx, CN_NOPOLL_BEGIN);
  check_marker_uses(ctx, CN_NOPOLL_END);
  CN_EACH_FUNCTION(f, ctx->module)
    if (!LLVMIsDeclaration(f) && cn_is_managed(f) && !cn_has_statepoints(f))
      check_function_regions(ctx, f);
  return ctx->errors == 0;
}

/* ---- markers ---- */

static LLVMValueRef declare_marker(struct cn_ctx *ctx, const char *name)
{
  LLVMValueRef function = find_marker(ctx, name);

  if (!function)
    function = LLVMAddFunction(ctx->module, name, LLVMFunctionType(LLVMVoidTypeInContext(ctx->llvm), NULL, 0, false));
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "nounwind", 0);
  cn_add_enum_attribute(ctx, function, CN_FUNCTION_INDEX, "willreturn", 0);
  LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX,
                          LLVMCreateStringAttribute(ctx->llvm, CN_ATTR_WORK, sizeof CN_ATTR_WORK - 1, "1", 1));
  return function;
}

static void build_marker(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef before)
{
  LLVMPositionBuilderBefore(builder, before);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, NULL, 0, "");
}

/* True if the function may throw an exception, which would leave the region open. */
static bool may_throw(LLVMValueRef function)
{
  CN_EACH_BLOCK(b, function)
    CN_EACH_INSTRUCTION(i, b)
      if ((cn_is_call(i) && !cn_calls_has_attribute(i, "nounwind")) || LLVMIsAResumeInst(i))
        return true;
  return false;
}

void cn_nopoll_wrap(struct cn_ctx *ctx, LLVMValueRef function)
{
  CN_ASSERT(LLVMIsAFunction(function));
  if (may_throw(function)) {
    LLVMAddAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_enum_attribute_of_name(ctx, "noinline"));
    return;
  }
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(ctx->llvm);
  LLVMValueRef begin = declare_marker(ctx, CN_NOPOLL_BEGIN), end = declare_marker(ctx, CN_NOPOLL_END);
  LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(function));
  while (LLVMIsAAllocaInst(first))
    first = LLVMGetNextInstruction(first);
  build_marker(builder, begin, first);
  CN_EACH_BLOCK(b, function) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsAReturnInst(last))
      continue;
    LLVMValueRef before = LLVMGetPreviousInstruction(last);
    build_marker(builder, end, before && cn_calls_is_musttail(before) ? before : last);
  }
  LLVMDisposeBuilder(builder);
}

void cn_nopoll_add_marker_attributes(struct cn_ctx *ctx)
{
  static const char *const names[] = {CN_NOPOLL_BEGIN, CN_NOPOLL_END};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (find_marker(ctx, names[i]) && LLVMIsDeclaration(find_marker(ctx, names[i])))
      declare_marker(ctx, names[i]);
}

bool cn_nopoll_drop_markers(struct cn_ctx *ctx)
{
  static const char *const names[] = {CN_NOPOLL_BEGIN, CN_NOPOLL_END};

  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    LLVMValueRef function = find_marker(ctx, names[i]);
    if (!function)
      continue;
    check_marker_uses(ctx, names[i]);
    if (ctx->errors)
      return false;
    cn_markers_erase(function);
  }
  return true;
}
