/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the form of each loop of a function, so that the loop reaches a poll within the budget at the least cost
 * (docs/placement.md, "Loops"; late-insertion-slides-2014, future work). The forms are chunks, a copy free of polls,
 * and an unrolled loop with one poll. Part of pass `place-safepoints`.
 *
 * Needs: any function. Provides: loops whose polls cost little. Breaks: struct cn_cfg, cn_loops.
 *
 * Read this before you add a form:
 * 1. fits_FORM() only reads, and must find one form both times: choose_forms() runs again after put_into_lcssa_form()
 *    has changed the function. It must test the option of the form by cn_is_placement_option_on(). Loops with a header
 *    in a safepoint-free interval keep their form.
 * 2. A form that copies blocks is possible only if s->copies is set; cn_choose_loop_forms() then makes LCSSA form.
 * 3. Outer loops get their form before inner loops. A form that changes the choice for inner loops sets a bit of enum
 *    around in s->inside; choose_form_of_loop() reads the bit for each inner loop.
 * 4. build_forms() runs after `s` is freed, and each form that it builds changes the function: a form may name only
 *    blocks and instructions that earlier forms leave in place; a comment at build_forms() justifies the order.
 * 5. A form whose retreating edge needs no poll must add the most work of its loop to `bounded` of struct
 *    cn_loop_form_polls.
 */
#include <stdlib.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/vector.h"
#include "compile/analysis/calls.h"
#include "compile/analysis/cfg.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "compile/markers/markers.h"
#include "compile/place/loops/loop_forms.h"

/* The new forms of a function's loops, outer loops first. */
struct chosen_forms {
  CN_VECTOR(struct cn_nest) nests;
  CN_VECTOR(struct cn_countable_loop) chunks;
  CN_VECTOR(struct cn_unrolled_loop) unrolls;
  CN_VECTOR(struct cn_peeled_loop) peels;
};

/* The forms of the loops around a loop. */
enum around {
  LOOP_IN_CHUNKS =
      1, /* the inner loop polls at its entry: each iteration of the outer chunk might else do the work of a chunk */
  LOOP_IN_COPIED_NEST = 2 /* the nest has a copy for few iterations */
};

/* True if LLVM's passes skip the function, so that no pass can make LCSSA form. */
static bool is_optnone(LLVMValueRef function)
{
  return LLVMGetEnumAttributeAtIndex(function, CN_FUNCTION_INDEX, cn_attribute_kind("optnone"));
}

/* ---- sizes of copies ---- */

/* True if a loop with instruction `i` can be copied. The only calls that can be copied are intrinsics. */
static bool may_copy_instruction(LLVMValueRef i)
{
  LLVMValueRef callee = LLVMIsACallInst(i) ? cn_direct_callee(i) : NULL;

  if (LLVMIsATerminatorInst(i))
    return cn_is_branch(i) || LLVMIsASwitchInst(i);
  if (cn_is_call(i) && (!callee || !LLVMGetIntrinsicID(callee) || cn_calls_has_attribute(i, "convergent") ||
                        cn_calls_has_attribute(i, "noduplicate")))
    return false;
  return !LLVMIsAAllocaInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMTokenTypeKind;
}

uint32_t cn_clone_size(const struct cn_loops *loops, uint32_t loop, uint32_t most)
{
  const struct cn_loop *l = &loops->at[loop];
  uint32_t size = 0;

  for (uint32_t b = 0; b < l->count; b++) {
    LLVMValueRef i = LLVMGetFirstInstruction(loops->cfg->blocks[l->blocks[b]].block);
    for (; i; i = LLVMGetNextInstruction(i), size++)
      if (size == most || !may_copy_instruction(i))
        return UINT32_MAX;
  }
  return size;
}

/* ---- the choice ---- */

struct form_search {
  struct cn_ctx *ctx;
  struct chosen_forms *forms;
  struct cn_loops loops;
  uint64_t small_work;
  bool copies;     /* loops may be copied */
  uint32_t *open;  /* cn_nopoll_compute_depths() */
  uint8_t *inside; /* by loop: the bits of enum around for its inner loops */
};

static bool may_copy_nest(const struct form_search *s, uint32_t l, struct cn_nest *nest)
{
  return s->copies && !s->open && cn_is_placement_option_on(s->ctx, CAIRN_PLACEMENT_NESTS) &&
         cn_nest_is_worth_copy(s->ctx, &s->loops, l, s->small_work, nest);
}

static bool may_cut_into_chunks(const struct form_search *s, uint32_t l, struct cn_countable_loop *c)
{
  return cn_is_placement_option_on(s->ctx, CAIRN_PLACEMENT_CHUNKS) &&
         cn_countable_is_worth_chunks(s->ctx, &s->loops, l, s->small_work, c);
}

static bool may_unroll(const struct form_search *s, uint32_t l, struct cn_unrolled_loop *u)
{
  return s->copies && cn_is_placement_option_on(s->ctx, CAIRN_PLACEMENT_UNROLL) &&
         s->loops.at[l].work > s->small_work && !s->loops.at[l].calls && cn_unroll_is_worth(s->ctx, &s->loops, l, u);
}

static bool may_peel(const struct form_search *s, uint32_t l, struct cn_peeled_loop *p)
{
  return s->copies && cn_is_placement_option_on(s->ctx, CAIRN_PLACEMENT_PEEL) && s->loops.at[l].work > s->small_work &&
         !s->loops.at[l].calls && cn_peel_is_worth(s->ctx, &s->loops, l, p);
}

static void choose_form_of_loop(struct form_search *s, uint32_t l)
{
  const struct cn_loop *loop = &s->loops.at[l];
  uint8_t around = loop->parent == CN_NO_BLOCK ? 0 : s->inside[loop->parent];
  struct cn_nest nest = {.polls_first = around & LOOP_IN_CHUNKS};
  struct cn_countable_loop chunks = {.loop = l, .polls_first = around & LOOP_IN_CHUNKS};
  struct cn_unrolled_loop unroll;
  struct cn_peeled_loop peel;

  s->inside[l] = around;
  if (s->open && s->open[loop->header] != 0)
    return;
  bool cut = may_cut_into_chunks(s, l, &chunks), copy = !(around & LOOP_IN_COPIED_NEST) && may_copy_nest(s, l, &nest);
  if (copy && cut && !cn_countable_always_runs_inner(&s->loops, l, 0)) {
    cn_nest_free(&nest); /* iterations that skip the inner loops would poll */
    copy = false;
  }
  if (copy) {
    cn_push(&s->forms->nests, nest);
    s->inside[l] |= LOOP_IN_COPIED_NEST;
  } else if (cut) {
    CN_ASSERT(chunks.trips && chunks.header == s->loops.cfg->blocks[loop->header].block);
    cn_push(&s->forms->chunks, chunks);
    s->inside[l] |= LOOP_IN_CHUNKS;
  } else if (!(around & LOOP_IN_COPIED_NEST) && may_unroll(s, l, &unroll)) {
    cn_push(&s->forms->unrolls, unroll);
  } else if (!(around & LOOP_IN_COPIED_NEST) && may_peel(s, l, &peel)) {
    cn_push(&s->forms->peels, peel);
  }
}

/* Choose the forms of outer loops before the forms of inner loops. The inner loops of a nest with a copy for few
 * iterations make many iterations in the old body. */
static void choose_forms(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work, struct chosen_forms *forms)
{
  struct form_search s = {.ctx = ctx, .forms = forms, .small_work = small_work, .copies = !is_optnone(function)};
  struct cn_cfg cfg;

  cn_cfg_build(&cfg, function);
  cn_loops_build_with_costs(&s.loops, &cfg);
  s.open = cn_nopoll_compute_depths(ctx, &cfg);
  s.inside = cn_alloc(s.loops.count * sizeof *s.inside);
  for (uint32_t l = s.loops.count; l-- > 0;)
    choose_form_of_loop(&s, l);
  free(s.inside);
  free(s.open);
  cn_loops_free(&s.loops);
  cn_cfg_free(&cfg);
}

/* Put the function into LCSSA form, so that copies of a loop can feed the phis after the loop, and the start and bound
 * of a later loop stay the same values. */
static void put_into_lcssa_form(struct cn_ctx *ctx, LLVMValueRef function)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

  cn_check_llvm_error(ctx, function, LLVMRunPassesOnFunction(function, "lcssa", ctx->machine, options));
  LLVMDisposePassBuilderOptions(options);
}

static void free_forms(struct chosen_forms *forms)
{
  for (size_t i = 0; i < forms->nests.count; i++)
    cn_nest_free(&forms->nests.at[i]);
  for (size_t i = 0; i < forms->unrolls.count; i++)
    free(forms->unrolls.at[i].blocks);
  for (size_t i = 0; i < forms->peels.count; i++)
    free(forms->peels.at[i].blocks);
  cn_free(&forms->nests);
  cn_free(&forms->chunks);
  cn_free(&forms->unrolls);
  cn_free(&forms->peels);
}

/* Copy nests first, because their inner loops must still have the old form. Unroll and peel last: the other forms leave
 * uncountable loops unchanged. */
static void build_forms(struct cn_ctx *ctx, struct chosen_forms *forms, struct cn_loop_form_polls *out)
{
  for (size_t i = 0; i < forms->nests.count; i++) {
    cn_remark(ctx, LLVMGetBasicBlockTerminator(forms->nests.at[i].blocks[0]), "loop",
              "has a copy in which the loops in it do not poll, for few trips of these");
    cn_nest_copy(ctx, &forms->nests.at[i], out);
  }
  for (size_t i = forms->chunks.count; i-- > 0;) {
    const struct cn_countable_loop *c = &forms->chunks.at[i];
    CN_CHECK(c->trips && c->work);
    cn_remark(ctx, c->compare, "loop", "cut into chunks of %lu trips, with a poll after each", (unsigned long)c->trips);
    cn_strip_mine_loop(ctx, c, out);
  }
  for (size_t i = 0; i < forms->unrolls.count; i++) {
    const struct cn_unrolled_loop *u = &forms->unrolls.at[i];
    CN_ASSERT(u->count && u->times > 1);
    cn_remark(ctx, LLVMGetBasicBlockTerminator(u->blocks[0]), "loop", "unrolled, with a poll on every %u. trip",
              u->times);
    cn_unroll_loop(ctx, u);
  }
  for (size_t i = 0; i < forms->peels.count; i++) {
    cn_remark(ctx, LLVMGetBasicBlockTerminator(forms->peels.at[i].blocks[0]), "loop",
              "peeled, with no poll on the first trip");
    cn_peel_loop(ctx, &forms->peels.at[i]);
  }
}

void cn_choose_loop_forms(struct cn_ctx *ctx, LLVMValueRef function, uint64_t small_work,
                          struct cn_loop_form_polls *out)
{
  struct chosen_forms forms = {0};

  choose_forms(ctx, function, small_work, &forms);
  if (forms.nests.count || forms.unrolls.count || forms.peels.count) {
    free_forms(&forms);
    put_into_lcssa_form(ctx, function);
    choose_forms(ctx, function, small_work, &forms);
  }
  build_forms(ctx, &forms, out);
  free_forms(&forms);
}
