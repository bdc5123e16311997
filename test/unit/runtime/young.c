/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers and young scans, over a stack that is an array and grows and shrinks at random, by
 * returns and by exceptions. What would go wrong: an activation that has run is not looked at, nor
 * the locals of an older one whose address was taken, nor a root of which the last scan said that
 * it would come again; a return goes to the wrong place; a barrier is put where there is no return
 * address; each scan looks at everything; a root comes twice or in no part, or one thread gets all.
 * Of the older activations: the roots of one that has run, or of one that has not, are in no part.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include "mock_frames.h"
#include "runtime/core/anchors.h"
#include "runtime/roots/roots.h"
#include "runtime/walk/return_barriers.h"

enum { FRAME = 4, DEEPEST = 3000, STEPS = 4000 };
enum { TOP = FRAME * DEEPEST + 64 }; /* below the youngest frame are a stub's */
enum { AREA = 0, ROOT = 1, PC = 3 }; /* words of a frame */
enum { CODE_BYTES = 0x20000 };
static const uintptr_t code = 0x10000, pc = 0x10008;

extern const char cn_arch_native_return[];

static uintptr_t stack[TOP + 8];
static struct cairn_image image;
static int depth;  /* activations; the oldest is number 1 */
static int lowest; /* the oldest that has run since the last scan */

static uint64_t random_state = 1;

static int draw(int below)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (int)((random_state >> 33) % (unsigned)below);
}

static uintptr_t *frame(int number)
{
  return &stack[TOP - FRAME * number];
}

static struct cn_saved_regs *registers(void)
{
  return (struct cn_saved_regs *)frame(depth) - 1;
}

static const struct cn_saved_regs *stopped_here(void)
{
  struct cn_saved_regs *regs = registers();

  memset(regs, 0, sizeof *regs);
  regs->pc = pc;
  return regs;
}

static bool begin_walk(struct cn_walk *walk)
{
  cairn_mutator.stopped = stopped_here();
  return cn_walk_begin(walk, &cairn_mutator, cairn_mutator.stopped);
}

/* ---- what a scan finds ---- */

static bool root_seen[DEEPEST + 1], area_seen[DEEPEST + 1];
static bool comes_again[DEEPEST + 1]; /* by the last scan */
static int order[2 * DEEPEST + 2];    /* the activation of each root that is found; 0: an area's */
static size_t orders;
static int said_again;
static bool wanted, complete;   /* older roots are; all have come */
static bool given[DEEPEST + 1]; /* since they are, and the activation has not run since */
static long parts, completed;

static void found(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  long word = slot - stack;
  long number = (TOP - word + FRAME - 1) / FRAME;

  (void)env;
  (void)parameter;
  assert_int_equal(tag, CAIRN_ROOT_DEFAULT);
  assert_in_range(number, 1, depth);
  assert_true(orders < sizeof order / sizeof *order);
  order[orders++] = slot == frame((int)number) + ROOT ? (int)number : 0;
  if (slot == frame((int)number) + ROOT)
    root_seen[number] = true;
  else if (slot == frame((int)number) + AREA)
    area_seen[number] = true;
  else
    fail_msg("word %ld of the stack is no root", word);
}

/* Note what comes again. Returns of how many roots that is said. */
static int note_order(const struct cn_young_scan_result *young)
{
  int again = 0;

  assert_true(young->settled <= young->end && young->end <= orders);
  memset(comes_again, 0, sizeof comes_again);
  for (size_t i = 0; i < orders; i++)
    if (order[i] != 0 && (i < young->settled || i >= young->end)) {
      comes_again[order[i]] = true;
      again++;
    }
  return again;
}

static void found_older(void *env, struct cairn_slot slot)
{
  int number = (int)((TOP - (slot.address - stack) + FRAME - 1) / FRAME);

  (void)env;
  assert_in_range(number, 1, depth);
  if (slot.address == frame(number) + ROOT)
    given[number] = true;
  else
    assert_ptr_equal(slot.address, frame(number) + AREA);
}

/* Some of the older roots, after a scan. When all have come they stay so. */
static void visit_older(void)
{
  for (int i = draw(4); !complete && i > 0; i--) {
    complete = !cairn_deferred_roots_visit(found_older, NULL);
    parts += !complete;
  }
  completed += complete;
  for (int i = 1; complete && i <= depth; i++)
    assert_true(given[i]);
}

static void want_older(void)
{
  wanted = draw(4) != 0;
  complete = false;
  memset(given, 0, sizeof given);
  cairn_deferred_roots(wanted);
}

static uint64_t scan(void)
{
  const struct cn_root_task source = {&cairn_mutator, NULL, .waits = false};
  struct cn_walk walk;

  if (draw(20) == 0)
    want_older();
  cn_deferred_frames_begin_stop();
  orders = 0;
  memset(root_seen, 0, sizeof root_seen);
  memset(area_seen, 0, sizeof area_seen);
  cairn_mutator.stopped = stopped_here();
  struct cn_young_scan_result young;
  assert_true(cn_young_scan_stack(&source, &walk, found, NULL, &young));
  for (int i = 1; i <= depth; i++) {
    assert_true(area_seen[i]);
    assert_true(root_seen[i] || (i < lowest && !comes_again[i]));
  }
  said_again = note_order(&young);
  for (int i = 1; i <= depth; i++)
    given[i] = root_seen[i] || (i < lowest && given[i]);
  lowest = depth;
  if (wanted)
    visit_older();
  return young.visited;
}

static void all_seen(void)
{
  const struct cn_root_task source = {&cairn_mutator, NULL, .waits = false};
  struct cn_walk walk;

  cairn_mutator.stopped = stopped_here();
  cn_young_note_full_scan(&source, &walk);
  memset(comes_again, 0, sizeof comes_again);
  for (int i = 1; i <= depth; i++)
    given[i] = true;
}

/* Whoever walks sees what is there, whatever the return addresses are. */
static void look(void)
{
  struct cn_walk walk;
  int number = depth;

  for (bool more = begin_walk(&walk); more; more = cn_walk_next(&walk)) {
    assert_int_equal(walk.frame.pc, pc);
    assert_int_equal(walk.frame.sp, (uintptr_t)frame(number));
    number--;
  }
  assert_int_equal(number, 0);
}

/* ---- what the program does ---- */

static void grow(int by)
{
  for (; by > 0 && depth < DEEPEST; by--) {
    uintptr_t *words = frame(++depth);
    words[ROOT] = words[AREA] = words[2] = 0;
    words[PC] = depth == 1 ? (uintptr_t)mock_image : pc;
  }
}

/* What lies below the stack pointer was used by others, and is used by the stub. */
static void come_back(uintptr_t word)
{
  static uintptr_t before[TOP + 8];
  struct cn_saved_regs *regs = registers();
  unsigned index;

  assert_true(cn_arch_find_return_barrier(word, &index));
  for (uintptr_t *at = stack; at < (uintptr_t *)regs; at++)
    *at = pc;
  regs->pc = cn_return_barrier_cells[index];
  assert_int_equal(regs->pc, pc);
  memcpy(before, stack, sizeof before);
  cairn_mutator.stopped = NULL;
  cn_return_barrier_returned(regs, word);
  assert_memory_equal(stack, before, (size_t)((char *)frame(depth) - (char *)stack));
}

static void shrink(int by, bool exception)
{
  for (; by > 0 && depth > 1; by--) {
    uintptr_t word = frame(depth)[PC];
    depth--;
    if (!exception && word != pc)
      come_back(word);
  }
  if (depth < lowest)
    lowest = depth;
}

static void prepare(void)
{
  static struct mock_safepoint safepoint = {
      .pc = pc,
      .safepoint = {.cfa_reg = SP, .cfa_offset = 8 * FRAME, .roots = 1, .areas = 1},
      .roots = {{.base = {0, SP, 8 * ROOT}}},
      .areas = {{.reg = SP, .offset = 8 * AREA, .stride = 8, .count = 1}}};
  static struct mock_function function = {code, 256, 1, &safepoint};

  /* The code is read where return addresses may be signed. */
  mmap((void *)code, CODE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  mock_image(&image, &function, 1);
  if (cairn_mutator.anchors == NULL)
    cn_anchors_make_for_mutator(&cairn_mutator);
  cairn_mutator.anchor = cairn_mutator.anchors;
  cairn_mutator.stack_end = (uintptr_t)&stack[TOP];
  cairn_mutator.attached = 1;
  cn_return_barriers_return_set(cairn_mutator.own.barriers);
  cairn_mutator.own.barriers = NULL;
  depth = lowest = 0;
  grow(1);
}

static void at_random(void **state)
{
  int aged = 0;

  (void)state;
  if (!cn_arch_may_replace_returns())
    skip();
  prepare();
  for (int i = 0; i < STEPS; i++) {
    int most = draw(8) == 0 ? DEEPEST : draw(3) == 0 ? 300 : 30;
    switch (draw(4)) {
    case 0:
      grow(draw(most));
      break;
    case 1:
      shrink(draw(most), draw(4) == 0);
      break;
    case 2:
      shrink(draw(most), false);
      grow(draw(10));
      break;
    default:
      if (draw(20) == 0) {
        cn_return_barriers_distrust_all();
        scan();
        lowest = depth;
      }
      if (draw(30) != 0)
        scan();
      else
        all_seen();
      lowest = depth;
      assert_in_range(scan(), 1, 2 * 16 + 1); /* the youngest barrier is near */
      assert_in_range(said_again, 0, 2 * 16 + 1);
      aged += said_again;
    }
    look();
  }
  assert_true(aged > STEPS);
  assert_true(parts > 100 && completed > 100);
  shrink(DEEPEST, false);
  look();
}

/* ---- a root in a register that the youngest activation had saved, and has restored since ---- */

enum { VALUE = 4711 };
static long kept_seen;

static void found_kept(void *env, struct cairn_slot slot)
{
  (void)env;
  assert_int_equal(*slot.address, VALUE);
  kept_seen++;
}

static void ignore(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  (void)env;
  (void)slot;
  (void)tag;
  (void)parameter;
}

/* Returns whether there was more. */
static bool scan_and_visit(uintptr_t at, int visits)
{
  const struct cn_root_task source = {&cairn_mutator, NULL, .waits = false};
  struct cn_saved_regs *regs = registers();
  struct cn_young_scan_result young;
  struct cn_walk walk;
  bool more = true;

  (void)stopped_here();
  regs->pc = at;
  regs->gpr[DWARF(KEPT)] = VALUE;
  cairn_mutator.stopped = regs;
  cn_deferred_frames_begin_stop();
  assert_true(cn_young_scan_stack(&source, &walk, ignore, NULL, &young));
  while (more && visits-- > 0)
    more = cairn_deferred_roots_visit(found_kept, NULL);
  return more;
}

static void register_of_before(void **state)
{
  enum { COUNT = 1000 };
  static struct mock_safepoint has = {.pc = pc, .safepoint = {.cfa_reg = SP, .cfa_offset = 8 * FRAME, .roots = 1}};
  static struct mock_safepoint saves = {
      .pc = 0x20008,
      .safepoint = {.cfa_reg = SP, .cfa_offset = 8 * FRAME, .saved = 1 << KEPT, .saved_offset = {[KEPT] = -16}}};
  static struct mock_function functions[] = {{code, 256, 1, &has}, {0x20000, 256, 1, &saves}};

  (void)state;
  if (!cn_arch_may_replace_returns())
    skip();
  has.roots[0] = (struct cn_root){.base = {1, DWARF(KEPT), 0}};
  prepare();
  cairn_mutator.stopped = NULL;
  mock_image(&image, functions, 2);
  grow(COUNT - 1);
  frame(depth)[2] = VALUE;
  scan_and_visit(saves.pc, 0); /* sets barriers */
  cairn_deferred_roots(true);
  assert_true(scan_and_visit(saves.pc, 1));
  long seen = kept_seen;
  assert_in_range(seen, 1, COUNT / 2);
  shrink(1, false);
  frame(depth + 1)[2] = 1;
  assert_false(scan_and_visit(pc, COUNT));
  assert_in_range(kept_seen, COUNT - 40, COUNT);
  cairn_deferred_roots(false);
}

/* Native code between all: who goes on is said in an anchor, which is no return address. */
static void natives(void **state)
{
  enum { COUNT = 100 };

  (void)state;
  prepare();
  struct cn_anchor *anchors = cairn_mutator.anchors;
  grow(COUNT);
  for (int i = 1; i < depth; i++) {
    anchors[i - 1] = (struct cn_anchor){.pc = pc, .sp = (uintptr_t)frame(i)};
    frame(i + 1)[PC] = (uintptr_t)cn_arch_native_return;
  }
  cairn_mutator.anchor = anchors + depth - 1;
  for (int times = 0; times < 3; times++) {
    assert_int_equal(scan(), depth);
    for (int i = 1; i < depth; i++)
      assert_int_equal(anchors[i - 1].pc, pc);
  }
}

static void nowhere(struct cairn_stack_iterator *iterator, void *data)
{
  (void)iterator;
  (void)data;
}

/* A walk may lead from stack to stack, so all is looked at and no barrier is set; but those that
 * are there stop a later scan. */
static void barriers_of_before(void **state)
{
  static const struct cairn_code_manager manager = {.name = "test", .previous = nowhere};
  static struct cairn_stack other;
  static uintptr_t words[64];

  (void)state;
  if (!cn_arch_may_replace_returns())
    skip();
  prepare();
  grow(500);
  scan();
  assert_in_range(said_again, 1, 40);
  const struct cn_root_task source = {&cairn_mutator, NULL, .waits = false};
  struct cn_young_scan_result young;
  struct cn_walk walk;
  cairn_mutator.stopped = NULL;
  other.low = (uintptr_t)words;
  other.high = (uintptr_t)(words + 64);
  assert_int_equal(cairn_stack_add(&other), CAIRN_OK);
  assert_int_equal(cairn_code_region_add(&manager, 0x1000, 0x2000, NULL), CAIRN_OK);
  assert_false(cn_young_scan_stack(&source, &walk, found, NULL, &young));
  assert_int_equal(young.settled, 0);
  assert_true(young.end == SIZE_MAX);
  cn_return_barriers_return_set(cairn_mutator.own.barriers);
  cairn_mutator.own.barriers = NULL;
  assert_false(cn_young_scan_stack(&source, &walk, found, NULL, &young));
  assert_int_equal(young.end, 0);
  cairn_mutator.stopped = NULL;
  assert_int_equal(cairn_code_region_remove(0x1000), CAIRN_OK);
  cairn_stack_remove(&other);
}

/* ---- parts ---- */

enum { PART = 1024, GLOBALS = 5000, SMALL = 700, HANDLES = 3000, THREADS = 4 };

struct cairn_handle *cairn_handle_new(uintptr_t reference);
uintptr_t cairn_handle_get(struct cairn_handle *handle);
void cairn_handle_free(struct cairn_handle *handle);

static _Atomic size_t parts_seen, slots_seen, largest;

static void count_part(void *env, uintptr_t *const *slots, size_t count)
{
  (void)env;
  parts_seen++;
  slots_seen += count;
  for (size_t before = largest; before < count;)
    if (atomic_compare_exchange_weak(&largest, &before, count))
      break;
  for (size_t i = 0; i < count; i++)
    __atomic_fetch_add(slots[i], 1, __ATOMIC_RELAXED);
}

static void *fetch_parts(void *unused)
{
  struct cairn_root_set *set;

  while ((set = cairn_roots_fetch()) != NULL)
    cairn_roots_visit_array(set, count_part, NULL);
  return unused;
}

/* All that has a slot, by several threads. */
static void enumerate(enum cairn_roots which)
{
  pthread_t threads[THREADS];

  parts_seen = slots_seen = largest = 0;
  cairn_roots_begin(which);
  for (int round = which == CAIRN_ROOTS_YOUNG ? 0 : 1; round < 2; round++) {
    for (int i = 0; i < THREADS; i++)
      assert_int_equal(pthread_create(&threads[i], NULL, fetch_parts, NULL), 0);
    for (int i = 0; i < THREADS; i++)
      pthread_join(threads[i], NULL);
    if (round == 0)
      cairn_roots_rest();
  }
  cairn_roots_end();
  assert_in_range(largest, 1, PART);
}

/* What a deep stack has, each slot once, in both rounds together, too. */
static void parts_of_a_stack(void **state)
{
  (void)state;
  prepare();
  grow(DEEPEST);
  for (int times = 1; times <= 3; times++) {
    cairn_mutator.stopped = stopped_here();
    enumerate(times == 2 ? CAIRN_ROOTS_YOUNG : CAIRN_ROOTS_LOOK);
    assert_in_range(parts_seen, 2 * DEEPEST / PART, 2 * DEEPEST / PART + 8);
    assert_int_equal(slots_seen, 2 * DEEPEST);
    for (int i = 1; i <= DEEPEST; i++) {
      assert_int_equal(frame(i)[ROOT], times);
      assert_int_equal(frame(i)[AREA], times);
    }
    for (int i = 2; i <= DEEPEST; i++)
      frame(i)[PC] = pc; /* without barriers */
    cn_return_barriers_return_set(cairn_mutator.own.barriers);
    cairn_mutator.own.barriers = NULL;
  }
}

static struct cairn_layout *layout_at(char *place, uint32_t refs)
{
  struct cairn_layout *layout = (struct cairn_layout *)(void *)place;

  *layout =
      (struct cairn_layout){.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_refs = refs, .base_size = refs * sizeof(uintptr_t)};
  for (uint32_t i = 0; i < refs; i++)
    layout->offsets[i] = i * (uint32_t)sizeof(uintptr_t);
  return layout;
}

/* A large table, many small globals, and handles. */
static void parts_of_tables(void **state)
{
  static _Alignas(struct cairn_layout) char layouts[2 * sizeof(struct cairn_layout) + 4 * GLOBALS + 64];
  static uintptr_t large[GLOBALS], small[SMALL];
  static struct cairn_global_root globals[SMALL + 1];
  static struct cairn_handle *handles[HANDLES];
  struct cairn_image tables = {.version = CAIRN_ABI_IMAGE_VERSION,
                               .size = sizeof tables,
                               .roots_start = globals,
                               .roots_stop = globals + SMALL + 1,
                               .layouts_start = (unsigned char *)layouts,
                               .layouts_stop = (unsigned char *)layouts + sizeof layouts};

  (void)state;
  prepare();
  globals[0] = (struct cairn_global_root){large, layout_at(layouts + sizeof *globals[0].layout + 32, GLOBALS)};
  for (int i = 0; i < SMALL; i++)
    globals[i + 1] = (struct cairn_global_root){&small[i], layout_at(layouts, 1)};
  for (int i = 0; i < HANDLES; i++)
    handles[i] = cairn_handle_new(0);
  for (int i = 0; i < HANDLES; i += 3)
    cairn_handle_free(handles[i]);
  cairn_mutator.stopped = NULL;
  cairn_image_register(&tables);
  cairn_mutator.stopped = stopped_here();
  enumerate(CAIRN_ROOTS_ALL);
  assert_int_equal(slots_seen, GLOBALS + SMALL + HANDLES - HANDLES / 3 + 2 * depth);
  assert_in_range(parts_seen, 8, 12);
  for (int i = 0; i < GLOBALS; i++)
    assert_int_equal(large[i], 1);
  for (int i = 0; i < SMALL; i++)
    assert_int_equal(small[i], 1);
  for (int i = 0; i < HANDLES; i++)
    if (i % 3 != 0)
      assert_int_equal(cairn_handle_get(handles[i]), 1);
  cairn_mutator.stopped = NULL;
  cairn_image_unregister(&tables);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_random),          cmocka_unit_test(register_of_before), cmocka_unit_test(natives),
      cmocka_unit_test(barriers_of_before), cmocka_unit_test(parts_of_a_stack),   cmocka_unit_test(parts_of_tables),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
