/* SPDX-License-Identifier: Apache-2.0
 *
 * The walker over stacks that are arrays. What would go wrong: a frame is skipped, a register is
 * looked for where a younger frame did not save it, a native stretch ends the walk early. Broken
 * stacks must end the program with a message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include <stdio.h>
#include <ucontext.h>
#include "mock_frames.h"
#include "runtime/core/anchors.h"
#include "runtime/os/os.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/walk/walk.h"
#ifdef __aarch64__
#include "walk/port_aarch64.h"
#else
#include "walk/port_x86_64.h"
#endif

/* Code addresses: functions of 256 bytes at 0x10000, 0x20000, ... */
#define F(n) ((uintptr_t)(n) << 16)

static const struct cn_root no_root;
static uintptr_t memory[96], *const stack = memory + 32; /* 64 words, and room below for a stub's registers */
static struct cairn_image image;
static struct cairn_mutator mutator;
static struct cn_anchor *anchors;

static uintptr_t at(int word)
{
  return (uintptr_t)&stack[word];
}

static void reset(void)
{
  for (int i = 0; i < 64; i++)
    stack[i] = 0xdead0000u + (unsigned)i;
  if (anchors == NULL)
    anchors = cn_anchors_allocate();
  mutator = (struct cairn_mutator){.anchors = anchors, .anchor = anchors, .stack_end = at(64)};
}

/* A return address into code without frame maps; its bytes can be read. */
static uintptr_t native(void)
{
  return (uintptr_t)mock_image;
}

extern const char cn_arch_native_return[];

/* The anchor of a call from the code at `pc`, whose callee's stack arguments are at stack[word]:
 * the callee has not returned yet. */
static void anchor(int i, uintptr_t pc, int word)
{
  anchors[i] = (struct cn_anchor){.pc = pc, .sp = at(word)};
  stack[word - 1] = (uintptr_t)cn_arch_native_return;
}

/* Frame of `words` words over SP: CFA = SP + 8 * words. */
static struct cn_safepoint plain(int words)
{
  return (struct cn_safepoint){.cfa_reg = SP, .cfa_offset = 8 * words};
}

/* The youngest frame's SP is stack[17]. */
static struct cn_saved_regs *stub(uintptr_t pc)
{
  struct cn_saved_regs *regs = (struct cn_saved_regs *)&stack[17] - 1;

  regs->pc = pc;
  return regs;
}

static void steps_and_registers(void **state)
{
  struct mock_safepoint in_f[] = {{.pc = F(1) + 8, .safepoint = plain(4)}};
  struct mock_safepoint in_g[] = {{.pc = F(2) + 8, .safepoint = plain(3)}};
  struct mock_safepoint in_h[] = {{.pc = F(3) + 8, .safepoint = plain(0)}};
  struct mock_function functions[] = {{F(3), 256, 1, in_h}, {F(1), 256, 1, in_f}, {F(2), 256, 1, in_g}};
  struct cn_walk walk;

  (void)state;
  reset();
  in_f[0].safepoint.saved = 1 << KEPT | 1 << FP;
  in_f[0].safepoint.saved_offset[KEPT] = -24;
  in_f[0].safepoint.saved_offset[FP] = -16;
  in_h[0].safepoint.cfa_reg = DWARF(FP); /* as after a dynamic alloca */
  in_h[0].safepoint.cfa_offset = 16;
  mock_image(&image, functions, 3);
  struct cn_saved_regs *regs = stub(F(1) + 8);
  stack[20] = F(2) + 8; /* f: SP 17, CFA 21; rbp saved in stack[19] */
  stack[23] = F(3) + 8; /* g: SP 21, CFA 24 */
  stack[19] = at(30);   /* h's rbp: CFA = 32 */
  stack[31] = native(); /* native */

  assert_true(cn_walk_begin(&walk, &mutator, regs));
  assert_int_equal(walk.frame.pc, F(1) + 8);
  assert_int_equal(walk.frame.sp, at(17));
  assert_ptr_equal(walk.frame.regs, regs);
  assert_ptr_equal(cn_frame_register_place(&walk.frame, CHANGED), &regs->gpr[CHANGED]);
  assert_true(cn_walk_next(&walk));
  assert_int_equal(walk.frame.pc, F(2) + 8);
  assert_int_equal(walk.frame.sp, at(21));
  assert_ptr_equal(walk.frame.pc_slot, &stack[20]);
  assert_null(walk.frame.regs);
  assert_ptr_equal(cn_frame_register_place(&walk.frame, DWARF(KEPT)), &stack[18]);
  assert_ptr_equal(cn_frame_register_place(&walk.frame, DWARF(OTHER_KEPT)), &regs->gpr[DWARF(OTHER_KEPT)]);
  assert_true(cn_walk_next(&walk));
  assert_int_equal(walk.frame.sp, at(24));
  assert_ptr_equal(cn_frame_register_place(&walk.frame, DWARF(KEPT)), &stack[18]);
  assert_false(cn_walk_next(&walk));
  assert_int_equal(walk.frame.sp, at(32));
}

/* managed f <- native <- managed g <- native: two anchors, and two that are dead, one that a
 * longjmp left below and one whose call is over. */
static void natives_are_crossed(void **state)
{
  struct mock_safepoint in_f[] = {{.pc = F(1) + 8, .safepoint = plain(3)}};
  struct mock_safepoint in_g[] = {{.pc = F(2) + 8, .safepoint = plain(2)}};
  struct mock_function functions[] = {{F(1), 256, 1, in_f}, {F(2), 256, 1, in_g}};
  struct cn_walk walk;

  (void)state;
  reset();
  mock_image(&image, functions, 2);
  anchor(0, F(2) + 8, 50);
  anchors[1] = anchor_of_ended_call(F(2) + 8, at(40));
  anchor(2, F(2) + 8, 30);
  anchor(3, F(1) + 8, 18);
  mutator.anchor = anchors + 4;
  stack[19] = native(); /* f's caller is native; the youngest anchor, at SP 18, is below f's end */
  stack[31] = native();

  assert_true(cn_walk_begin(&walk, &mutator, stub(F(1) + 8)));
  assert_true(cn_walk_next(&walk));
  assert_int_equal(walk.frame.pc, F(2) + 8);
  assert_int_equal(walk.frame.sp, at(30));
  assert_ptr_equal(cn_frame_register_place(&walk.frame, DWARF(FP)), &anchors[2].saved[FP]);
  assert_true(cn_walk_next(&walk));
  assert_int_equal(walk.frame.sp, at(50));
  assert_int_equal(walk.natives, 2);
  stack[51] = native();
  assert_false(cn_walk_next(&walk));

  /* From native code: the youngest anchor's frame is the first. */
  assert_true(cn_walk_begin(&walk, &mutator, NULL));
  assert_int_equal(walk.frame.sp, at(18));
  mutator.anchor = anchors;
  assert_false(cn_walk_begin(&walk, &mutator, NULL));
}

struct found {
  uintptr_t *slot[16], *base[16];
  int count;
};

static void note(void *env, uintptr_t *slot, unsigned tag, void *base)
{
  struct found *found = env;

  found->slot[found->count] = slot;
  assert_int_equal(tag, base ? CAIRN_ROOT_BASE : CAIRN_ROOT_DEFAULT);
  found->base[found->count++] = base;
}

static void roots_of_a_frame(void **state)
{
  struct mock_safepoint in_f[] = {{.pc = F(1) + 8, .safepoint = plain(9)}};
  struct mock_function functions[] = {{F(1), 256, 1, in_f}};
  struct found found = {.count = 0};
  struct cn_walk walk;

  (void)state;
  reset();
  in_f[0].safepoint.roots = 3;
  in_f[0].safepoint.areas = 1;
  in_f[0].roots[0] = (struct cn_root){.base = {1, CHANGED, 0}};
  in_f[0].roots[1] = (struct cn_root){.base = {0, SP, 16}};
  in_f[0].roots[2] = (struct cn_root){.base = {0, SP, 16}, .derived = {1, DWARF(KEPT), 0}, .is_derived = true};
  in_f[0].areas[0] = (struct cn_described_area){.reg = SP, .offset = 24, .count = 3, .stride = 16, .ref_offset = 8};
  mock_image(&image, functions, 1);
  struct cn_saved_regs *regs = stub(F(1) + 8);

  assert_true(cn_walk_begin(&walk, &mutator, regs));
  cn_frame_roots_visit_all(&walk, note, &found);
  assert_int_equal(found.count, 6);
  assert_ptr_equal(found.slot[0], &stack[19]); /* those with a code first */
  assert_null(found.base[0]);
  assert_ptr_equal(found.slot[1], &regs->gpr[CHANGED]);
  assert_ptr_equal(found.slot[2], &regs->gpr[DWARF(KEPT)]);
  assert_ptr_equal(found.base[2], &stack[19]);
  for (int i = 0; i < 3; i++)
    assert_ptr_equal(found.slot[3 + i], &stack[21 + 2 * i]);
}

static void one_frame(struct cn_safepoint safepoint, struct cn_root root, uintptr_t caller)
{
  struct mock_safepoint in_f[] = {{.pc = F(1) + 8, .safepoint = safepoint, .roots = {root}}};
  struct mock_function functions[] = {{F(1), 256, 1, in_f}};
  struct found found = {.count = 0};
  struct cn_walk walk;

  reset();
  stack[18] = caller;
  mock_image(&image, functions, 1);
  if (cn_walk_begin(&walk, &mutator, stub(F(1) + 8))) {
    cn_frame_roots_visit_all(&walk, note, &found);
    cn_walk_next(&walk);
  }
}

static void no_record(void)
{
  one_frame(plain(2), no_root, F(1) + 12);
}

static void end_off_stack(void)
{
  one_frame(plain(70), no_root, native());
}

static void end_below(void)
{
  one_frame(plain(-2), no_root, native());
}

static void unsaved_base(void)
{
  struct cn_safepoint safepoint = plain(2);

  safepoint.cfa_reg = 40;
  one_frame(safepoint, no_root, native());
}

static void odd_slot(void)
{
  struct cn_safepoint safepoint = plain(2);

  safepoint.roots = 1;
  one_frame(safepoint, (struct cn_root){.base = {0, SP, 4}}, native());
}

static void caller_saved(void)
{
  struct mock_safepoint in_f[] = {{.pc = F(1) + 8, .safepoint = plain(2), .roots = {{.base = {1, CHANGED, 0}}}}};
  struct mock_function functions[] = {{F(1), 256, 1, in_f}};
  struct found found = {.count = 0};
  struct cn_walk walk;

  reset();
  in_f[0].safepoint.roots = 1;
  mock_image(&image, functions, 1);
  anchor(0, F(1) + 8, 20);
  mutator.anchor = anchors + 1;
  if (cn_walk_begin(&walk, &mutator, NULL))
    cn_frame_roots_visit_all(&walk, note, &found);
}

static void broken_stacks(void **state)
{
  (void)state;
  aborts(no_record, "cannot parse the stack at pc 0x1000c (no symbol)");
  aborts(no_record, "the managed function has no safepoint there");
  aborts(end_off_stack, "the frame does not end on the stack");
  aborts(end_below, "the frame does not end on the stack");
  aborts(unsaved_base, "the frame's base register is unknown");
  aborts(odd_slot, "a slot that is not aligned");
  aborts(caller_saved, "a reference in a register that the callee may have overwritten");
}

/* The walker's table, and the places in frame maps. */
static void shapes(void **state)
{
  struct cn_saved_places places;

  (void)state;
  for (unsigned shape = 0; shape < CN_ARCH_SHAPES; shape++) {
    assert_true(CN_ARCH_FRAME_PORT->fill_shape(shape, &places));
    assert_int_equal(cn_arch_shape_registers(shape), places.saved);
    assert_int_equal(cn_arch_shape_of(places.saved), shape);
    assert_int_equal((intptr_t)cn_arch_return_slot(0, shape), places.return_address);
    for (int reg = 0; reg < CN_CALLEE_SAVED_COUNT; reg++) {
      bool saved = places.saved >> reg & 1;
      assert_int_equal((intptr_t)cn_arch_prologue_shapes[shape].offset[reg], saved ? places.offset[reg] : 0);
      assert_int_equal(cn_arch_prologue_shapes[shape].keep[reg], saved ? 0 : UINTPTR_MAX);
    }
    if (places.saved >> FP & 1)
      assert_int_equal(-(intptr_t)cn_arch_frame_record_bytes(shape), places.offset[FP]);
  }
  assert_false(CN_ARCH_FRAME_PORT->fill_shape(CN_ARCH_SHAPES, &places));
}

/* Return addresses at the end of what is mapped: of calls that never return, and of signal
 * handlers. */
static void signal_frames(void **state)
{
  enum { SIZE = sizeof restorer, STEP = sizeof restorer[0] }; /* return addresses are multiples of the step */
  size_t page = cn_os_page_bytes();
  uintptr_t pages = cn_os_reserve_addresses(2 * page), end = pages + page, interrupted;
  static struct interrupted_code code;
  uintptr_t frame = frame_of_handler(&code, 1234);

  (void)state;
  assert_true(cn_os_commit_memory(pages, page));
  memcpy((void *)(end - SIZE), restorer, SIZE);
  for (uintptr_t pc = end - page + STEP; pc <= end; pc += STEP)
    assert_int_equal(cn_arch_is_signal_frame(pc, frame, &interrupted), pc == end - SIZE);
  assert_int_equal(interrupted, 1234);
  memcpy((void *)(end - STEP), restorer, STEP);
  assert_false(cn_arch_is_signal_frame(end - STEP, frame, &interrupted));
  assert_true(cn_os_commit_memory(end, page));
  memcpy((void *)(end - STEP), restorer, SIZE);
  assert_true(cn_arch_is_signal_frame(end - STEP, frame, &interrupted));
  cn_os_release_memory(pages, 2 * page);
}

/* Whatever was jumped to, there is nothing to read. */
static void stubs_anywhere(void **state)
{
  (void)state;
  assert_false(cn_arch_is_stub_or_thunk(0));
  assert_false(cn_arch_is_stub_or_thunk(4096));
  assert_false(cn_arch_is_stub_or_thunk(UINTPTR_MAX));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_and_registers),
      cmocka_unit_test(natives_are_crossed),
      cmocka_unit_test(roots_of_a_frame),
      cmocka_unit_test(broken_stacks),
      cmocka_unit_test(shapes),
      cmocka_unit_test(signal_frames),
      cmocka_unit_test(stubs_anywhere),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
