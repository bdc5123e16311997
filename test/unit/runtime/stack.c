/* SPDX-License-Identifier: Apache-2.0
 *
 * The public iterator, over stacks that are arrays, with activations of a code info manager among
 * those with frame maps. What would go wrong: what is set is not what is walked from; a register
 * that a manager tells of, or tells to be lost, is looked for elsewhere; roots with tags are moved
 * wrongly; a walk of a stack that is no thread's takes the thread's anchors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include "mock_frames.h"
#include "runtime/core/anchors.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/walk.h"

enum { RESULT = 0, ALSO_CHANGED = 4 };

/* Code addresses: functions of 256 bytes at 0x10000, 0x20000, ...; region at 0x90000. */
#define F(n) ((uintptr_t)(n) << 16)

extern const char cn_arch_native_return[];

static uintptr_t memory[96], *const stack = memory + 32; /* 64 words, and room below for a stub's registers */
static struct cairn_image image;
static struct cn_anchor *anchors;
static struct mock_safepoint in_f[1], in_g[1];
static struct mock_function functions[2];

static uintptr_t at(int word)
{
  return (uintptr_t)&stack[word];
}

static uintptr_t native(void)
{
  return (uintptr_t)mock_image;
}

static struct cn_safepoint plain(int words)
{
  return (struct cn_safepoint){.cfa_reg = SP, .cfa_offset = 8 * words};
}

/* f, in the slow path, <- region <- g <- native. Frames end at stack[21], [27], [31]. */
static struct cn_saved_regs *prepare(void)
{
  struct cn_saved_regs *regs = (struct cn_saved_regs *)&stack[17] - 1;

  for (int i = 0; i < 64; i++)
    stack[i] = 0xdead0000u + (unsigned)i;
  in_f[0] = (struct mock_safepoint){.pc = F(1) + 8, .safepoint = plain(4)};
  in_g[0] = (struct mock_safepoint){.pc = F(2) + 8, .safepoint = plain(4)};
  functions[0] = (struct mock_function){F(1), 256, 1, in_f};
  functions[1] = (struct mock_function){F(2), 256, 1, in_g};
  mock_image(&image, functions, 2);
  if (anchors == NULL)
    anchors = cn_anchors_allocate();
  cairn_mutator.anchors = cairn_mutator.anchor = anchors;
  cairn_mutator.stack_end = at(64);
  cairn_mutator.attached = 1;
  cairn_mutator.stopped = regs;
  regs->pc = F(1) + 8;
  stack[20] = F(9) + 8;
  stack[26] = F(2) + 8;
  stack[30] = native();
  return regs;
}

/* ---- a manager: frames of six words, rbx saved in the first ---- */

struct told {
  uintptr_t *also_changed;
  unsigned tag;
  void *parameter;
  bool stuck, ends, stays;
};

static void previous(struct cairn_stack_iterator *iterator, void *data)
{
  const struct told *told = data;
  struct cairn_stack_iterator copy = *iterator; /* all of it is there */
  struct cairn_stack_state state;

  if (told->stuck)
    return;
  cairn_stack_get(&copy, &state);
  uintptr_t *frame = (uintptr_t *)state.sp;
  if (told->ends)
    state.pc = NULL;
  if (told->ends || told->stays) {
    cairn_stack_set(iterator, &state);
    return;
  }
  state.reg[DWARF(KEPT)] = &frame[0];
  state.reg[DWARF(OTHER_KEPT)] = NULL;
  state.reg[ALSO_CHANGED] = told->also_changed;
  state.pc = &frame[5];
  state.sp = (uintptr_t)&frame[6];
  cairn_stack_set(iterator, &state);
}

static void enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env, void *data)
{
  const struct told *told = data;

  callback(env, (uintptr_t *)cairn_stack_sp(iterator) + 1, told->tag, told->parameter);
}

static const struct cairn_code_manager manager = {.name = "sixes", .previous = previous, .enumerate = enumerate};

static void add(struct told *told)
{
  assert_int_equal(cairn_code_region_add(&manager, F(9), F(9) + 64, told), CAIRN_OK);
}

static void drop(void)
{
  assert_int_equal(cairn_code_region_remove(F(9)), CAIRN_OK);
}

static void managers_step(void **state)
{
  struct cn_saved_regs *regs = prepare();
  struct told told = {.also_changed = &stack[50]};
  struct cairn_stack_iterator it;
  struct cairn_stack_state now;
  uintptr_t value;
  char text[40];

  (void)state;
  add(&told);
  cairn_stack_youngest(&it);
  assert_int_equal(cairn_stack_ip(&it), F(1) + 8);
  cairn_stack_next(&it);
  assert_int_equal(cairn_stack_ip(&it), F(9) + 8);
  assert_int_equal(cairn_stack_describe(&it, text, sizeof text), 5);
  assert_string_equal(text, "sixes");
  assert_false(cairn_stack_span(&it, 1, &value));
  cairn_stack_get(&it, &now);
  assert_ptr_equal(now.pc, &stack[20]);
  assert_int_equal(now.sp, at(21));
  assert_ptr_equal(now.reg[DWARF(KEPT)], &regs->gpr[DWARF(KEPT)]);
  assert_null(now.reg[ALSO_CHANGED]);
  assert_null(now.reg[SP]);
  cairn_stack_next_virtual(&it);
  assert_int_equal(cairn_stack_ip(&it), F(2) + 8);
  cairn_stack_get(&it, &now);
  assert_ptr_equal(now.reg[DWARF(KEPT)], &stack[21]);
  assert_ptr_equal(now.reg[ALSO_CHANGED], &stack[50]);
  assert_ptr_equal(now.reg[DWARF(FP)], &regs->gpr[DWARF(FP)]);
  assert_null(now.reg[DWARF(OTHER_KEPT)]);
  assert_null(now.reg[CHANGED]);
  cairn_stack_next(&it);
  assert_true(cairn_stack_past_end(&it));
  assert_int_equal(cairn_stack_ip(&it), 0);
  cairn_stack_next(&it);
  assert_true(cairn_stack_past_end(&it));
  drop();
}

static void set_is_get(void **state)
{
  struct cn_saved_regs *regs = prepare();
  struct told told = {.also_changed = NULL};
  struct cairn_stack_iterator it;
  struct cairn_stack_state now, again;

  (void)state;
  add(&told);
  cairn_stack_youngest(&it);
  cairn_stack_get(&it, &now);
  assert_ptr_equal(now.reg[RESULT], &regs->gpr[RESULT]);
  assert_ptr_equal(now.pc, &regs->pc);
  cairn_stack_next(&it);
  cairn_stack_set(&it, &now);
  cairn_stack_get(&it, &again);
  assert_memory_equal(&now, &again, offsetof(struct cairn_stack_state, virtual_frame));
  assert_int_equal(now.virtual_frame, again.virtual_frame);
  now.pc = NULL;
  cairn_stack_set(&it, &now);
  assert_true(cairn_stack_past_end(&it));
  cairn_stack_get(&it, &again);
  assert_null(again.pc);
  drop();
}

/* f <- native <- g <- native <- g: whoever sets the iterator back finds the anchors again. */
static void set_goes_back(void **state)
{
  struct cairn_stack_iterator it;
  struct cairn_stack_state youngest, between;

  (void)state;
  prepare();
  stack[20] = stack[31] = stack[49] = stack[53] = native();
  stack[29] = stack[39] = (uintptr_t)cn_arch_native_return;
  anchors[0] = (struct cn_anchor){.pc = F(2) + 8, .sp = at(40)};
  anchors[1] = (struct cn_anchor){.pc = F(2) + 8, .sp = at(30)};
  stack[33] = stack[43] = native();
  cairn_mutator.anchor = anchors + 2;
  memset(&it, 0xff, sizeof it); /* what was in it does not matter */
  cairn_stack_youngest(&it);
  cairn_stack_get(&it, &youngest);
  cairn_stack_next(&it);
  cairn_stack_get(&it, &between);
  assert_int_equal(between.sp, at(30));
  cairn_stack_next(&it);
  cairn_stack_next(&it);
  assert_true(cairn_stack_past_end(&it));
  cairn_stack_set(&it, &between);
  cairn_stack_next(&it);
  assert_int_equal(cairn_stack_sp(&it), at(40));
  cairn_stack_set(&it, &youngest);
  assert_int_equal(cairn_stack_ip(&it), F(1) + 8);
  cairn_stack_next(&it);
  assert_int_equal(cairn_stack_sp(&it), at(30));
  cairn_stack_next(&it);
  assert_int_equal(cairn_stack_sp(&it), at(40));
  cairn_stack_next(&it);
  assert_true(cairn_stack_past_end(&it));
}

/* ---- a moving collection ---- */

enum { MOVED = 0x100000 };

static void move(void *env, struct cairn_slot slot)
{
  int *count = env;

  ++*count;
  if (*slot.address < MOVED) /* a slot may come twice */
    *slot.address += MOVED;
}

static void user(uintptr_t *root, unsigned tag, void *parameter, cairn_root_visitor *visit, void *env)
{
  uintptr_t reference = *root >> 8;

  assert_int_equal(tag, CAIRN_ROOT_USER + 7);
  assert_ptr_equal(parameter, &image);
  visit(env, (struct cairn_slot){&reference});
  *root = reference << 8 | 0x5a;
}

static void move_many(void *env, uintptr_t *const *slots, size_t count)
{
  for (size_t i = 0; i < count; i++)
    move(env, (struct cairn_slot){slots[i]});
}

/* The same root, one at a time and many at a time. */
static uintptr_t collect(struct told told, uintptr_t word)
{
  uintptr_t *base = told.tag == CAIRN_ROOT_BASE ? told.parameter : NULL;
  uintptr_t before = base != NULL ? *base : 0, after;
  int one = 0, many = 0;

  prepare();
  add(&told);
  stack[22] = word;
  cairn_visit_root_arrays(move_many, &many);
  after = stack[22];
  stack[22] = word;
  if (base != NULL)
    *base = before;
  cairn_visit_roots(move, &one);
  drop();
  assert_int_equal(after, stack[22]);
  assert_int_equal(one, many);
  return after;
}

static void tags(void **state)
{
  (void)state;
  prepare();
  assert_int_equal(collect((struct told){.tag = CAIRN_ROOT_DEFAULT}, 0x4000), MOVED + 0x4000);
  assert_int_equal(collect((struct told){.tag = CAIRN_ROOT_OFFSET, .parameter = (void *)24}, 0x4018), MOVED + 0x4018);
  assert_int_equal(collect((struct told){.tag = CAIRN_ROOT_OFFSET, .parameter = (void *)-(intptr_t)24}, 0x3fe8),
                   MOVED + 0x3fe8);
  assert_int_equal(collect((struct told){.tag = CAIRN_ROOT_OFFSET, .parameter = (void *)24}, 0), 0);
  uintptr_t base = 0x5000;
  assert_int_equal(collect((struct told){.tag = CAIRN_ROOT_BASE, .parameter = &base}, 0x5123), MOVED + 0x5123);
  assert_int_equal(base, MOVED + 0x5000);
  cairn_set_user_roots(user);
  assert_int_equal(collect((struct told){.tag = CAIRN_ROOT_USER + 7, .parameter = &image}, 0x7000 << 8 | 0x5a),
                   (uintptr_t)(MOVED + 0x7000) << 8 | 0x5a);
  cairn_set_user_roots(NULL);
}

/* ---- other stacks ---- */

static void suspended(void **state)
{
  struct told told = {.also_changed = NULL};
  struct cairn_stack_iterator it;
  struct cairn_stack_state from = {.pc = &stack[20], .sp = at(21)};

  (void)state;
  prepare();
  add(&told);
  anchors[0] = (struct cn_anchor){.pc = F(2) + 8, .sp = at(50)};
  cairn_mutator.anchor = anchors + 1;
  cairn_stack_suspended(&it, &from, at(0), at(40));
  assert_int_equal(cairn_stack_ip(&it), F(9) + 8);
  cairn_stack_next(&it);
  assert_int_equal(cairn_stack_ip(&it), F(2) + 8);
  cairn_stack_next(&it);
  assert_true(cairn_stack_past_end(&it)); /* the anchor is the thread's */
  drop();
}

static void *elsewhere(void *unused)
{
  struct cairn_stack_iterator it;

  (void)unused;
  cairn_stack_youngest(&it);
  assert_true(cairn_stack_past_end(&it));
  return NULL;
}

static void threads(void **state)
{
  struct cairn_stack_iterator it;
  pthread_t thread;

  (void)state;
  prepare();
  assert_int_equal(pthread_create(&thread, NULL, elsewhere, NULL), 0);
  pthread_join(thread, NULL);
  assert_int_equal(cairn_stack_of_thread(&it, -1), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_stack_of_thread(&it, cairn_mutator.thread), CAIRN_OK);
  assert_int_equal(cairn_stack_ip(&it), F(1) + 8);
  cairn_mutator.stopped = NULL;
  assert_int_equal(cairn_stack_of_thread(&it, cairn_mutator.thread), CAIRN_E_BUSY);
}

/* ---- what ends the program ---- */

static void no_step(void)
{
  struct told told = {.stuck = true};
  struct cairn_stack_iterator it;

  prepare();
  add(&told);
  cairn_stack_youngest(&it);
  cairn_stack_next(&it);
  cairn_stack_next(&it);
}

static void step_by(struct told told)
{
  struct cairn_stack_iterator it;

  prepare();
  stack[49] = (uintptr_t)cn_arch_native_return;
  anchors[0] = (struct cn_anchor){.pc = F(2) + 8, .sp = at(50)};
  cairn_mutator.anchor = anchors + 1;
  add(&told);
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
    ;
}

static void same_again(void)
{
  step_by((struct told){.stays = true});
}

static void early_end(void)
{
  step_by((struct told){.ends = true});
}

static void no_handler(void)
{
  collect((struct told){.tag = CAIRN_ROOT_USER}, 1);
}

static void region_gone(void)
{
  struct told told = {.also_changed = NULL};
  struct cairn_stack_iterator it;

  prepare();
  add(&told);
  cairn_stack_youngest(&it);
  cairn_stack_next(&it);
  drop();
  cairn_stack_next(&it);
}

static void no_base(void)
{
  collect((struct told){.tag = CAIRN_ROOT_BASE}, 1);
}

/* g has a reference in r12, which the manager says is lost. */
static void lost_register(void)
{
  struct told told = {.also_changed = NULL};
  struct cairn_stack_iterator it;

  prepare();
  in_g[0].safepoint.roots = 1;
  in_g[0].roots[0] = (struct cn_root){.base = {1, DWARF(OTHER_KEPT), 0}};
  mock_image(&image, functions, 2);
  add(&told);
  cairn_stack_youngest(&it);
  cairn_stack_next(&it);
  cairn_stack_next(&it);
  cairn_stack_enumerate(&it, NULL, NULL);
}

/* A backtrace goes on without what it cannot read, but leaves nothing locked: the next walk reads
 * that for itself. */
static void after_backtrace(void)
{
  struct cairn_stack_iterator it;

  prepare();
  in_f[0].safepoint.saved = 1;
  in_f[0].safepoint.saved_offset[0] = -8;
  mock_image(&image, functions, 2);
  cairn_backtrace(open("/dev/null", O_WRONLY));
  cairn_stack_youngest(&it);
}

static void fatal(void **state)
{
  (void)state;
  aborts(no_step, "its manager did not step to the caller");
  aborts(same_again, "its manager stepped to the same activation");
  aborts(early_end, "a manager says that there is no older activation");
  aborts(no_base, "bad code info manager at pc 0x90008 (no symbol): a root that is not kept");
  aborts(no_handler, "a user root");
  aborts(region_gone, "the region was removed");
  aborts(lost_register, "a reference in a register that was not saved");
  aborts(after_backtrace, "bad frame map: a register is saved outside the frame");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(managers_step), cmocka_unit_test(set_is_get), cmocka_unit_test(set_goes_back),
      cmocka_unit_test(tags),          cmocka_unit_test(suspended),  cmocka_unit_test(threads),
      cmocka_unit_test(fatal),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
