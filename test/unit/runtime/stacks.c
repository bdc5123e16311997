/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks that are no thread's. What would go wrong: two have the same memory, one has another's
 * anchors after a switch, a collection misses one that nobody led it to, or visits what waits on
 * the thread's own stack never.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include "aborts.h"
#include "mock_frames.h"
#include <stdio.h>
#include "runtime/core/anchors.h"
#include "runtime/libc/libc.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/walk.h"

#define F(n) ((uintptr_t)(n) << 16)
enum { WORDS = 64 };

extern const char cn_arch_native_return[];

static uintptr_t own[WORDS], memory[3][WORDS];
static struct cn_anchor *anchors;
static struct cairn_stack stacks[3];
static struct cairn_image image;
static struct mock_safepoint in_f[1];
static struct mock_function functions[1];

static bool waits(const struct cairn_stack *stack, struct cairn_stack_state *state)
{
  uintptr_t *word = (uintptr_t *)stack->low + 20;

  if (stack->data == NULL)
    return false;
  *state = (struct cairn_stack_state){.pc = word, .sp = (uintptr_t)(word + 1)};
  return true;
}

/* One function, with frames of four words, a reference in the first. */
static void prepare(void)
{
  in_f[0] = (struct mock_safepoint){
      .pc = F(1) + 8, .safepoint = {.cfa_reg = SP, .cfa_offset = 32, .roots = 1}, .roots = {{.base = {0, SP, 0}}}};
  functions[0] = (struct mock_function){F(1), 256, 1, in_f};
  mock_image(&image, functions, 1);
  if (anchors == NULL)
    anchors = cn_anchors_allocate();
  cairn_mutator.anchors = cairn_mutator.anchor = anchors;
  cairn_mutator.stack_bottom = (uintptr_t)own;
  cairn_mutator.stack_end = (uintptr_t)(own + WORDS);
  cairn_mutator.attached = 1;
  cairn_mutator.stopped = NULL;
}

/* What waits at word 20, an activation of that function, called by native code; its reference. */
static uintptr_t *activation(uintptr_t *base)
{
  base[20] = F(1) + 8;
  base[24] = (uintptr_t)mock_image;
  return &base[21];
}

static void fill(int i)
{
  stacks[i] =
      (struct cairn_stack){.low = (uintptr_t)memory[i], .high = (uintptr_t)(memory[i] + WORDS), .suspended = waits};
}

static void bounds(void **state)
{
  struct cairn_stack other;

  (void)state;
  prepare();
  fill(1);
  assert_false(cn_coroutine_stacks_exist());
  assert_int_equal(cairn_stack_add(&stacks[1]), CAIRN_OK);
  assert_int_equal(cairn_stack_add(&stacks[1]), CAIRN_E_OVERLAP);
  other = (struct cairn_stack){.low = stacks[1].high - 8, .high = stacks[1].high + 8};
  assert_int_equal(cairn_stack_add(&other), CAIRN_E_OVERLAP);
  other = (struct cairn_stack){.low = stacks[1].low - 8, .high = stacks[1].low + 8};
  assert_int_equal(cairn_stack_add(&other), CAIRN_E_OVERLAP);
  other = (struct cairn_stack){.low = stacks[1].low - 8, .high = stacks[1].high + 8};
  assert_int_equal(cairn_stack_add(&other), CAIRN_E_OVERLAP);
  other = (struct cairn_stack){.low = stacks[1].high, .high = stacks[1].high};
  assert_int_equal(cairn_stack_add(&other), CAIRN_E_BOUNDS);
  other = (struct cairn_stack){.low = stacks[1].high, .high = stacks[1].high + 4};
  assert_int_equal(cairn_stack_add(&other), CAIRN_E_BOUNDS);
  fill(2);
  fill(0);
  assert_int_equal(cairn_stack_add(&stacks[2]), CAIRN_OK);
  assert_int_equal(cairn_stack_add(&stacks[0]), CAIRN_OK);
  for (int i = 0; i < 3; i++) {
    assert_ptr_equal(cn_coroutine_stacks_at(stacks[i].low), &stacks[i]);
    assert_ptr_equal(cn_coroutine_stacks_at(stacks[i].high - 1), &stacks[i]);
    assert_true(cn_coroutine_stacks_have_address(stacks[i].low));
  }
  assert_null(cn_coroutine_stacks_at((uintptr_t)own));
  cairn_stack_remove(&stacks[1]);
  assert_null(cn_coroutine_stacks_at(stacks[1].low));
  assert_ptr_equal(cn_coroutine_stacks_at(stacks[0].low), &stacks[0]);
  cairn_stack_remove(&stacks[0]);
  cairn_stack_remove(&stacks[2]);
  assert_false(cn_coroutine_stacks_exist());
}

static void switches(void **state)
{
  (void)state;
  prepare();
  fill(0);
  assert_int_equal(cairn_stack_add(&stacks[0]), CAIRN_OK);
  cairn_mutator.anchor = anchors + 2;
  cairn_stack_switch(&stacks[0]);
  assert_ptr_equal(cairn_mutator.stack, &stacks[0]);
  assert_int_equal(cairn_mutator.stack_end, stacks[0].high);
  assert_int_equal(cairn_mutator.stack_bottom, stacks[0].low);
  assert_ptr_not_equal(cairn_mutator.anchors, anchors);
  assert_ptr_equal(cairn_mutator.anchor, cairn_mutator.anchors);
  assert_null(cn_anchors_wrong(cairn_mutator.anchors, cairn_mutator.anchor));
  cairn_mutator.anchor++;
  cairn_stack_switch(NULL);
  assert_ptr_equal(cairn_mutator.anchors, anchors);
  assert_ptr_equal(cairn_mutator.anchor, anchors + 2);
  assert_int_equal(cairn_mutator.stack_end, (uintptr_t)(own + WORDS));
  cairn_stack_switch(&stacks[0]);
  assert_ptr_equal(cairn_mutator.anchor, cairn_mutator.anchors + 1);
  cairn_stack_switch(NULL);
  cairn_stack_remove(&stacks[0]);
}

/* The anchors that are left of three of the thread's own stack, by a jump to `target`. */
static ptrdiff_t left_by_jump(uintptr_t target)
{
  cairn_mutator.state = CAIRN_ABI_NATIVE;
  for (int i = 0; i < 3; i++)
    anchors[i] = (struct cn_anchor){.sp = (uintptr_t)&own[40 - 10 * i]};
  cairn_mutator.anchor = anchors + 3;
  cn_jumps_abandon_frames(target);
  return cairn_mutator.anchor - anchors;
}

/* A jump to another stack is a switch, and leaves nothing, whichever of the two lies above. */
static void jumps(void **state)
{
  struct cn_anchor *there;

  (void)state;
  prepare();
  for (int i = 0; i < 3; i++) {
    fill(i);
    assert_int_equal(cairn_stack_add(&stacks[i]), CAIRN_OK);
    assert_int_equal(left_by_jump((uintptr_t)&memory[i][20]), 3);
  }
  cairn_stack_switch(&stacks[1]);
  there = cairn_mutator.anchor++;
  there->sp = (uintptr_t)&memory[1][30];
  cn_jumps_abandon_frames((uintptr_t)&own[WORDS - 1]);
  cn_jumps_abandon_frames((uintptr_t)&memory[0][20]);
  cn_jumps_abandon_frames((uintptr_t)&memory[2][20]);
  assert_ptr_equal(cairn_mutator.anchor, there + 1);
  cn_jumps_abandon_frames((uintptr_t)&memory[1][30]);
  assert_ptr_equal(cairn_mutator.anchor, there);
  cairn_stack_switch(NULL);
  for (int i = 0; i < 3; i++)
    cairn_stack_remove(&stacks[i]);

  /* To one that nobody knows, too; and on the thread's own. */
  assert_int_equal(left_by_jump((uintptr_t)&memory[0][20]), 3);
  assert_int_equal(left_by_jump(UINTPTR_MAX / 2), 3);
  assert_int_equal(left_by_jump((uintptr_t)&own[19]), 3);
  assert_int_equal(left_by_jump((uintptr_t)&own[20]), 2);
  assert_int_equal(left_by_jump((uintptr_t)&own[WORDS - 1]), 0);

  /* Handlers on an alternate stack are younger than what lies on the thread's own. On one above it
   * they count as interrupting; the linker chooses which these two are. */
  if ((uintptr_t)memory > (uintptr_t)own)
    return;
  anchors[1] = anchors[2] = (struct cn_anchor){.sp = (uintptr_t)&memory[0][20]};
  anchors[0].sp = (uintptr_t)&own[WORDS - 1];
  cairn_mutator.anchor = anchors + 3;
  cn_jumps_abandon_frames((uintptr_t)&own[20]);
  assert_ptr_equal(cairn_mutator.anchor, anchors + 1);
  assert_int_equal(cairn_mutator.state, CAIRN_ABI_NATIVE);
}

static void move(void *env, struct cairn_slot slot)
{
  (void)env;
  *slot.address += 0x1000;
}

/* The thread stops on stack `on`, or its own, with no managed code there. */
static void collect(uintptr_t *on)
{
  struct cn_saved_regs *regs = (struct cn_saved_regs *)on;

  regs->pc = (uintptr_t)mock_image;
  cairn_mutator.stopped = regs;
  cairn_visit_roots(move, NULL);
  cairn_mutator.stopped = NULL;
}

static void all_are_visited(void **state)
{
  uintptr_t *slot[3], *own_slot = activation(own);

  (void)state;
  prepare();
  for (int i = 0; i < 3; i++) {
    fill(i);
    slot[i] = activation(memory[i]);
    *slot[i] = 0x100 + (unsigned)i;
    assert_int_equal(cairn_stack_add(&stacks[i]), CAIRN_OK);
  }
  stacks[0].data = stacks[1].data = &stacks[0]; /* nothing waits on the third */
  stacks[1].suspended = NULL;                   /* and nothing native was called on the second */
  *own_slot = 0x99;
  collect(own);
  assert_int_equal(*slot[0], 0x1100);
  assert_int_equal(*slot[1], 0x101);
  assert_int_equal(*slot[2], 0x102);

  /* Native code on the second, called by an activation there; the thread is on the third. */
  cairn_stack_switch(&stacks[1]);
  memory[1][20] = (uintptr_t)cn_arch_native_return;
  *cairn_mutator.anchor++ = (struct cn_anchor){.pc = F(1) + 8, .sp = (uintptr_t)slot[1]};
  cairn_stack_switch(&stacks[2]);
  collect(memory[2]);
  assert_int_equal(*slot[0], 0x2100);
  assert_int_equal(*slot[1], 0x1101);
  assert_int_equal(*own_slot, 0x99);

  /* And the same on the thread's own. */
  cairn_stack_switch(NULL);
  own[20] = (uintptr_t)cn_arch_native_return;
  *cairn_mutator.anchor++ = (struct cn_anchor){.pc = F(1) + 8, .sp = (uintptr_t)own_slot};
  cairn_stack_switch(&stacks[2]);
  collect(memory[2]);
  assert_int_equal(*own_slot, 0x1099);
  assert_int_equal(*slot[1], 0x2101);
  cairn_stack_switch(NULL);
  for (int i = 0; i < 3; i++)
    cairn_stack_remove(&stacks[i]);
}

/* ---- what ends the program ---- */

static void one(void)
{
  prepare();
  fill(0);
  cairn_stack_add(&stacks[0]);
}

static void not_told_to(void)
{
  one();
  collect(memory[0]);
}

static void not_told_back(void)
{
  one();
  cairn_stack_switch(&stacks[0]);
  collect(own);
}

/* It has come back since, but a native call there is under way. */
static void not_told_before(void)
{
  one();
  memory[0][20] = (uintptr_t)cn_arch_native_return;
  *cairn_mutator.anchor++ = (struct cn_anchor){.pc = F(1) + 8, .sp = (uintptr_t)&memory[0][21]};
  collect(own);
}

static void remove_current(void)
{
  one();
  cairn_stack_switch(&stacks[0]);
  cairn_stack_remove(&stacks[0]);
}

static void remove_unknown(void)
{
  one();
  cairn_stack_remove(&stacks[0]);
  cairn_stack_remove(&stacks[0]);
}

static void fatal(void **state)
{
  (void)state;
  aborts(not_told_to, "cairn_stack_switch() was not told");
  aborts(not_told_back, "the thread is on its own stack, and cairn_stack_switch() was not told");
  aborts(not_told_before, "cairn_stack_switch() was not told");
  aborts(remove_current, "of the stack that the thread is on");
  aborts(remove_unknown, "of a stack that was not added");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds),          cmocka_unit_test(switches), cmocka_unit_test(jumps),
      cmocka_unit_test(all_are_visited), cmocka_unit_test(fatal),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
