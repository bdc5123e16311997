/* SPDX-License-Identifier: Apache-2.0
 *
 * The fast walk against the general one, on random stacks: frames of all sizes, from one word to
 * more than 512 KB, with and without frame pointers, saved registers in the usual order and not,
 * roots of all kinds, stale return addresses everywhere, up to the last word of the mapping. What
 * would go wrong: a frame or a root is missed, a register is looked for in the wrong place, what
 * lies after the stack is read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "mock_frames.h"
#include "runtime/roots/fast_walk.h"

enum { WORDS = 400000, KINDS = 40, DEPTH = 300, MOST_FOUND = 16000 };

static uintptr_t *stack; /* after its last word nothing can be read */
static struct mock_safepoint safepoints[KINDS];
static struct mock_function functions[KINDS];
static struct cairn_image image;
static struct cairn_mutator mutator;

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (random_state >> 33) % below;
}

static uintptr_t pc_of(uint64_t kind)
{
  return 0x10000 + 0x100 * kind + 8;
}

/* ---- random maps ---- */

static void save_as(struct cn_safepoint *safepoint, unsigned shape)
{
  safepoint->saved = (uint16_t)cn_arch_shape_registers(shape);
  safepoint->return_address_offset = (int32_t)(intptr_t)cn_arch_return_slot(0, shape);
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    safepoint->saved_offset[i] = (int32_t)cn_arch_prologue_shapes[shape].offset[i];
}

static int32_t lowest_offset(const struct cn_safepoint *safepoint)
{
  int32_t lowest = safepoint->return_address_offset;

  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    if ((safepoint->saved >> i & 1) && safepoint->saved_offset[i] < lowest)
      lowest = safepoint->saved_offset[i];
  return lowest;
}

/* Some prologues have no shape: one of their registers lies below all others. */
static void draw_saved(struct cn_safepoint *safepoint, unsigned words)
{
  int32_t room = -8 * (int32_t)words;

  save_as(safepoint, (unsigned)draw(CN_ARCH_SHAPES));
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    if ((safepoint->saved >> i & 1) && draw(40) == 0 && lowest_offset(safepoint) - 16 >= room)
      safepoint->saved_offset[i] = lowest_offset(safepoint) - 16;
  if (lowest_offset(safepoint) < room) {
    safepoint->saved = 0;
    safepoint->return_address_offset = -8;
  }
}

static struct cn_frame_place draw_place(unsigned words)
{
  if (words < 2 || draw(2))
    return (struct cn_frame_place){1, cn_arch_callee_saved[draw(CN_CALLEE_SAVED_COUNT)], 0};
  return (struct cn_frame_place){0, SP, (int32_t)(8 * draw(words - 1))};
}

/* Words that the frame has at least: what roots and saved registers take. */
static unsigned draw_safepoint(struct mock_safepoint *mock)
{
  struct cn_safepoint *safepoint = &mock->safepoint;
  unsigned words = draw(12) == 0 ? 66000 : 1 + (unsigned)draw(20);

  safepoint->cfa_reg = SP;
  safepoint->cfa_offset = 8 * (int32_t)words;
  draw_saved(safepoint, words);
  safepoint->roots = (uint32_t)draw(8);
  for (uint32_t i = 0; i < safepoint->roots; i++) {
    mock->roots[i] = (struct cn_root){.base = draw_place(words)};
    if (draw(15) == 0) {
      mock->roots[i].is_derived = true;
      mock->roots[i].derived = draw_place(words);
    }
  }
  if (words > 4 && draw(8) == 0) {
    safepoint->areas = 1;
    mock->areas[0] = (struct cn_described_area){.reg = SP, .count = 2, .stride = 8};
  }
  if (words > 2 && words < 100 && draw(4) == 0) {
    unsigned shape;
    do {
      shape = (unsigned)draw(CN_ARCH_SHAPES);
    } while (!(cn_arch_shape_registers(shape) >> FP & 1) || cn_arch_frame_record_bytes(shape) > 8 * (words + 8));
    safepoint->cfa_reg = DWARF(FP);
    safepoint->cfa_offset = (int32_t)cn_arch_frame_record_bytes(shape);
    save_as(safepoint, shape);
    words += 8 + CN_CALLEE_SAVED_COUNT;
  }
  return words;
}

/* ---- a random stack ---- */

struct mock_stack {
  struct cn_saved_regs *regs;
  int depth;
};

static struct mock_stack build(unsigned *least)
{
  struct mock_stack made = {.regs = (struct cn_saved_regs *)&stack[8]};
  uintptr_t *sp = (uintptr_t *)cn_arch_sp_after(made.regs);
  uintptr_t *pc = &made.regs->pc, *base_pointer = &made.regs->gpr[DWARF(FP)];

  for (int i = 0; i < WORDS; i++) /* stale return addresses */
    stack[i] = draw(3) ? 0xdead0000 + (uintptr_t)i * 8 : pc_of(draw(KINDS));
  for (int i = 0; i < DEPTH; i++) {
    uint64_t kind = draw(KINDS);
    const struct cn_safepoint *safepoint = &safepoints[kind].safepoint;
    unsigned words = least[kind] + (safepoint->cfa_reg == SP ? 0 : (unsigned)draw(30));
    uintptr_t *cfa = sp + words;
    if (cfa > stack + WORDS)
      continue;
    *pc = pc_of(kind);
    if (safepoint->cfa_reg != SP)
      *base_pointer = (uintptr_t)cfa - (uintptr_t)safepoint->cfa_offset;
    if (safepoint->saved >> FP & 1)
      base_pointer = cfa + safepoint->saved_offset[FP] / 8;
    pc = cfa + safepoint->return_address_offset / 8;
    sp = cfa;
    made.depth++;
  }
  *pc = (uintptr_t)mock_image; /* native */
  return made;
}

/* ---- both walks ---- */

struct found {
  uintptr_t *slot;
  void *base;
};

struct list {
  struct found at[MOST_FOUND];
  size_t count;
  uint64_t frames, stretched;
  struct cn_walk walk;
};

static struct list general, fast;

static void note(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct list *list = env;

  assert_int_equal(tag, parameter ? CAIRN_ROOT_BASE : CAIRN_ROOT_DEFAULT);
  assert_true(list->count < MOST_FOUND);
  list->at[list->count++] = (struct found){slot, parameter};
}

static void walk_generally(const struct cn_saved_regs *regs)
{
  general.count = general.frames = 0;
  bool more = cn_walk_begin(&general.walk, &mutator, regs);
  for (; more; more = cn_walk_next(&general.walk), general.frames++)
    cn_frame_roots_visit_all(&general.walk, note, &general);
}

static void walk_fast(const struct cn_saved_regs *regs)
{
  static struct cn_root_slots slots;

  fast.count = fast.frames = fast.stretched = slots.count = 0;
  bool more = cn_walk_begin(&fast.walk, &mutator, regs);
  while (more) {
    uint64_t frames = cn_fast_walk_regular_frames(&fast.walk, &slots, note, &fast);
    fast.frames += frames;
    fast.stretched += frames;
    if (frames > 0 && !cn_walk_resolve_frame(&fast.walk))
      break;
    fast.frames++;
    cn_frame_roots_visit_all(&fast.walk, note, &fast);
    more = cn_walk_next(&fast.walk);
  }
  for (size_t i = 0; i < slots.count; i++)
    note(&fast, slots.at[i], CAIRN_ROOT_DEFAULT, NULL);
}

static int by_slot(const void *a, const void *b)
{
  const struct found *one = a, *other = b;

  if (one->slot != other->slot)
    return one->slot < other->slot ? -1 : 1;
  return one->base < other->base ? -1 : one->base > other->base;
}

static void compare(void)
{
  assert_int_equal(fast.frames, general.frames);
  assert_int_equal(fast.count, general.count);
  assert_int_equal(fast.walk.frame.sp, general.walk.frame.sp);
  assert_memory_equal(fast.walk.frame.place, general.walk.frame.place, sizeof general.walk.frame.place);
  qsort(fast.at, fast.count, sizeof fast.at[0], by_slot);
  qsort(general.at, general.count, sizeof general.at[0], by_slot);
  for (size_t i = 0; i < general.count; i++) {
    assert_ptr_equal(fast.at[i].slot, general.at[i].slot);
    assert_ptr_equal(fast.at[i].base, general.at[i].base);
  }
}

static void same_as_general(uint64_t seed, uint64_t *stretched)
{
  unsigned least[KINDS];

  random_state = seed;
  memset(safepoints, 0, sizeof safepoints);
  for (uint64_t i = 0; i < KINDS; i++) {
    least[i] = draw_safepoint(&safepoints[i]);
    safepoints[i].pc = pc_of(i);
    functions[i] = (struct mock_function){0x10000 + 0x100 * i, 0x100, 1, &safepoints[i]};
  }
  mock_image(&image, functions, KINDS);
  /* As in a signal handler on a stack of its own, below the thread's. */
  mutator = (struct cairn_mutator){.stack_end = (uintptr_t)(stack + WORDS) + (1 << 20)};
  struct mock_stack made = build(least);
  walk_generally(made.regs);
  assert_int_equal(general.frames, made.depth);
  walk_fast(made.regs);
  compare();
  *stretched += fast.stretched;
}

static void all_seeds(void)
{
  uint64_t stretched = 0;

  for (uint64_t seed = 1; seed <= 40; seed++)
    same_as_general(seed, &stretched);
  assert_true(stretched > 2000); /* or nothing has been tested */
}

static void portable(void **state)
{
  (void)state;
  cn_fast_walk_portable_only = true;
  all_seeds();
}

/* So many safepoints that the loop fetches ahead. */
static void with_many_safepoints(void **state)
{
  enum { MANY = 3000 };
  static struct mock_safepoint others[MANY];
  static struct mock_function other_functions[MANY];
  static struct cairn_image other_image;

  (void)state;
  for (uintptr_t i = 0; i < MANY; i++) {
    others[i] = (struct mock_safepoint){.pc = 0x1000000 + 16 * i + 5, .safepoint = {.cfa_reg = SP, .cfa_offset = 8}};
    other_functions[i] = (struct mock_function){0x1000000 + 16 * i, 16, 1, &others[i]};
  }
  mock_image(&other_image, other_functions, MANY);
  cn_index_prepare_walk();
  for (int i = 0; i < MANY; i++)
    assert_non_null(cn_index_look_up_map(others[i].pc));
  assert_true(atomic_load(&cn_index_current)->mask >= CN_PREFETCH_MIN_TABLE_ENTRIES);
  for (int any = 0; any < 2; any++) {
    cn_fast_walk_portable_only = any;
    all_seeds();
  }
}

static void of_this_processor(void **state)
{
  (void)state;
  if (cn_arch_find_fast_walk() == NULL)
    skip();
  cn_fast_walk_portable_only = false;
  all_seeds();
}

/* ---- a broken stack ends the program, as in the general walk ---- */

static void two_frames(struct cn_safepoint safepoint, uintptr_t base_pointer)
{
  static struct mock_safepoint mock;
  struct mock_function function = {0x10000, 0x100, 1, &mock};
  struct cn_saved_regs *regs = (struct cn_saved_regs *)stack;
  struct cn_walk walk;

  mock = (struct mock_safepoint){.pc = pc_of(0), .safepoint = safepoint};
  mock_image(&image, &function, 1);
  mutator = (struct cairn_mutator){.stack_end = (uintptr_t)(stack + 40)};
  regs->pc = pc_of(0);
  regs->gpr[DWARF(FP)] = base_pointer;
  assert_true(cn_walk_begin(&walk, &mutator, regs)); /* now the safepoint has been met */
  walk_fast(regs);
}

static void beyond_the_end(void)
{
  two_frames((struct cn_safepoint){.cfa_reg = SP, .cfa_offset = 24 * 8}, 0);
}

static struct cn_safepoint by_frame_pointer(void)
{
  struct cn_safepoint safepoint = {.cfa_reg = DWARF(FP), .cfa_offset = 16, .saved = 1 << FP};

  safepoint.saved_offset[FP] = -16;
  return safepoint;
}

static void below(void)
{
  two_frames(by_frame_pointer(), (uintptr_t)(stack + 2));
}

static void not_aligned(void)
{
  two_frames(by_frame_pointer(), (uintptr_t)(stack + 25) + 4);
}

static void to_nowhere(void)
{
  two_frames(by_frame_pointer(), UINTPTR_MAX - 15);
}

static void broken_stacks(void **state)
{
  (void)state;
  for (int wide = 0; wide < 2; wide++) {
    cn_fast_walk_portable_only = !wide;
    aborts(beyond_the_end, "the frame does not end on the stack");
    aborts(below, "the frame does not end on the stack");
    aborts(not_aligned, "the frame does not end on the stack");
    aborts(to_nowhere, "the frame");
  }
}

/* At the end of a mapping, with a page after it that cannot be read. */
static int map_stack(void **state)
{
  size_t bytes = (WORDS * sizeof *stack + 4095) / 4096 * 4096;
  char *at = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  (void)state;
  if (at == MAP_FAILED || mprotect(at + bytes, 4096, PROT_NONE) != 0)
    return -1;
  stack = (uintptr_t *)(at + bytes) - WORDS;
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(portable),
      cmocka_unit_test(of_this_processor),
      cmocka_unit_test(broken_stacks),
      cmocka_unit_test(with_many_safepoints),
  };

  return cmocka_run_group_tests(tests, map_stack, NULL);
}
