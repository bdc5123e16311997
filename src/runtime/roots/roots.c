/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerates all roots for collectors, in sets that several threads fetch and visit. A full enumeration has one round.
 * A young enumeration has two rounds: the first has the roots of stacks that the next young enumeration may leave out,
 * and the second has all other roots (cairn_visit_young_roots()). This file also checks the places that a region's
 * manager reports, and counts frames and roots.
 *
 * A set belongs to one thread from its fetch to the end of its visit, or, if other threads fetch parts of its slots, to
 * the end of the round. This file owns the sets, the list of unfetched parts, and the kind of the enumeration.
 *
 * Derived pointers (statepoints-later, "Base & Derived Pointers") need two phases: all offsets of all frames are read
 * before the first slot is written, and all derived slots are written after the last base. The reason is that one place
 * may be a root of several frames and pairs, for example an untouched callee-saved register. This order is necessary
 * only within a walk, because each place belongs to one walk (root_tasks.c). One thread may therefore write to the
 * slots that a walk has found while other threads walk other stacks.
 *
 * Runs in phase STOP, on any thread. During fetches the mutex `root_set_lock` guards the lists of sets, the list of
 * unfetched parts, and the positions in the tables of globals and handles. Between rounds the collecting thread uses
 * them alone, and changes the kind of the enumeration. Threads wait for new parts by atomic counts.
 */
#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/counts.h"
#include "runtime/core/grow.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/roots/roots.h"
#include "runtime/roots/fast_walk.h"
#include "runtime/walk/return_barriers.h"

struct derived_root {
  uintptr_t *slot, *base;
  uintptr_t offset; /* modulo 2^64, because the derived pointer may lie below its base */
};

/* A slot with a reference plus a constant. The collector visits only the reference. */
struct offset_root {
  uintptr_t *slot, reference, offset;
};

struct tagged_root {
  uintptr_t *slot;
  unsigned tag;
  void *parameter;
};

struct root_part {
  uintptr_t **at;
  size_t count;
};

/* The roots of one fetch: a part of the roots that this thread found in one task, or that another thread found. A set
 * is reused for later tasks and later collections. */
struct cairn_root_set {
  struct cn_walk walk;
  struct cn_root_slots slots;
  struct cn_root_slots rest;            /* roots of all tasks for the second round */
  CN_GROW(struct derived_root) derived; /* from all tasks */
  CN_GROW(struct offset_root) offsets;  /* from all tasks */
  CN_GROW(struct tagged_root) users;
  size_t visited;         /* number of visited entries of `offsets` */
  uint64_t frames, found; /* counts in this collection */
  struct root_part part;
  struct cairn_root_set *special; /* the set whose offsets and users this set's visit includes */
  bool lent;                      /* other threads fetch parts of its slots */
  struct cairn_root_set *next, *next_unused;
};

/* The approximate maximum of a fetch, so that several threads share a large table, or the roots of a deep stack. */
enum { ARRAY_PART_SLOTS = 1024 };

static struct cn_mutex root_set_lock;
static struct cairn_root_set *all_sets, *unused_sets;
static struct cairn_root_set *next_special_set; /* in the second round: the next set of `all_sets` */
static CN_GROW(struct root_part) left;          /* parts that were found and not fetched */
static size_t fetched_sets;                     /* number of fetched sets that were not visited */
static bool tables_fetched;                     /* all roots of images and handles are fetched */
static _Atomic uint32_t noting_threads;         /* number of threads that walk or take a task */
static _Atomic uint32_t news_count;      /* changes when new roots may be available, or when all roots are fetched */
static _Atomic uint32_t waiting_threads; /* number of threads that wait for a change of `news_count` */
static enum {
  ENUMERATE_NOTHING,
  ENUMERATE_ALL,
  ENUMERATE_TO_LOOK,
  YOUNG_FIRST_ROUND,
  YOUNG_SECOND_ROUND
} current_enumeration;

/* Checks a place from a manager; places from frame maps were checked during decoding. */
static void check_root_place(const struct cn_walk *walk, const void *place)
{
  if (place == NULL || (uintptr_t)place % sizeof(uintptr_t) != 0)
    cn_frame_roots_report_bad(walk, "a root that is not kept anywhere");
}

static void add_stack_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct cairn_root_set *roots = env;
  const struct cn_walk *walk = &roots->walk;

  check_root_place(walk, slot);
  switch (tag) {
  case CAIRN_ROOT_DEFAULT:
    cn_grow_push(&roots->slots, slot);
    return;
  case CAIRN_ROOT_OFFSET:
    if (*slot != 0)
      cn_grow_push(&roots->offsets, (struct offset_root){slot, *slot - (uintptr_t)parameter, (uintptr_t)parameter});
    return;
  case CAIRN_ROOT_BASE:
    /* The base of each derived pointer is a root, even if the frame map does not list it separately. */
    check_root_place(walk, parameter);
    cn_grow_push(&roots->slots, (uintptr_t *)parameter);
    cn_grow_push(&roots->derived, (struct derived_root){slot, parameter, *slot - *(uintptr_t *)parameter});
    return;
  default:
    if (!cn_user_roots_have_handler())
      cn_frame_roots_report_bad(walk, "a user root, but the program has not called cairn_set_user_roots()");
    cn_grow_push(&roots->users, (struct tagged_root){slot, tag, parameter});
  }
}

static void note_frame_roots(struct cairn_root_set *roots)
{
  struct cn_walk *walk = &roots->walk;

  CN_ASSERT(!walk->past_end);
  do {
    uint64_t frames = cn_fast_walk_regular_frames(walk, &roots->slots, add_stack_root, roots);
    roots->frames += frames;
    if (frames > 0 && !cn_walk_resolve_frame(walk))
      return;
    roots->frames++;
    cn_frame_roots_visit_all(walk, add_stack_root, roots);
  } while (cn_walk_next(walk));
}

/* Moves the roots that the next young collection will find again to the second round. */
static void split_young_roots(struct cairn_root_set *roots, const struct cn_young_scan_result *young)
{
  uintptr_t **at = roots->slots.at;
  size_t count = roots->slots.count, end = young->end < count ? young->end : count;

  CN_CHECK(young->settled <= end);
  for (size_t i = 0; i < young->settled; i++)
    cn_grow_push(&roots->rest, at[i]);
  for (size_t i = end; i < count; i++)
    cn_grow_push(&roots->rest, at[i]);
  roots->part = (struct root_part){at + young->settled, end - young->settled};
}

/* A full enumeration also sets the barriers that the next young collection needs. */
static void note_task_roots(struct cairn_root_set *roots, const struct cn_root_task *source)
{
  struct cn_young_scan_result young = {0};
  bool first = current_enumeration == YOUNG_FIRST_ROUND;

  if (first && cn_young_scan_stack(source, &roots->walk, add_stack_root, roots, &young))
    roots->frames += young.visited;
  else if (cn_root_tasks_begin_walk(source, &roots->walk))
    note_frame_roots(roots);
  if (first)
    split_young_roots(roots, &young);
  else
    roots->part = (struct root_part){roots->slots.at, roots->slots.count};
  if (current_enumeration == ENUMERATE_ALL)
    cn_young_note_full_scan(source, &roots->walk);
}

/* ---- sets ---- */

static struct cairn_root_set *make_root_set(void)
{
  size_t page = cn_os_page_bytes();
  struct cairn_root_set *roots = cn_os_resize_mapping(NULL, 0, (sizeof *roots + page - 1) / page * page);

  if (roots == NULL)
    cn_report_out_of_memory("no memory to note roots");
  roots->next = all_sets;
  all_sets = roots;
  return roots;
}

/* The caller holds `root_set_lock`. */
static struct cairn_root_set *take_unused_set(void)
{
  struct cairn_root_set *roots = unused_sets ? unused_sets : make_root_set();

  if (roots == unused_sets)
    unused_sets = roots->next_unused;
  CN_ASSERT(roots->slots.count == 0 && roots->special == NULL && !roots->lent);
  fetched_sets++;
  return roots;
}

/* The caller holds `root_set_lock`. */
static void release_set(struct cairn_root_set *roots)
{
  CN_ASSERT(roots->special == NULL);
  fetched_sets--;
  if (roots->lent)
    return;
  roots->slots.count = 0;
  roots->next_unused = unused_sets;
  unused_sets = roots;
}

static void end_visit(struct cairn_root_set *roots)
{
  roots->found += roots->part.count;
  roots->part = (struct root_part){NULL, 0};
  cn_mutex_take(&root_set_lock, UINT64_MAX);
  release_set(roots);
  cn_mutex_release(&root_set_lock);
}

/* ---- visits ---- */

/* Visits references with an offset, and roots with the language's tags. write_back_derived_roots() later writes derived
 * pointers and references with an offset to their slots. */
static void visit_special_roots(struct cairn_root_set *roots, cairn_root_visitor *visit, void *env)
{
  struct cairn_root_set *its = roots->special;

  if (its == NULL)
    return;
  CN_CHECK(its->users.count == 0 || cn_user_roots_have_handler());
  for (; its->visited < its->offsets.count; its->visited++)
    visit(env, (struct cairn_slot){&its->offsets.at[its->visited].reference});
  for (size_t i = 0; i < its->users.count; i++) {
    const struct tagged_root *user = &its->users.at[i];
    cn_user_roots_visit(user->slot, user->tag, user->parameter, visit, env);
  }
  roots->found += its->users.count;
  its->users.count = 0;
  roots->special = NULL;
}

void cairn_roots_visit(struct cairn_root_set *roots, cairn_root_visitor *visit, void *env)
{
  uintptr_t *const *at = roots->part.at, *const *end = at + roots->part.count;

  for (; at != end; at++)
    visit(env, (struct cairn_slot){*at});
  visit_special_roots(roots, visit, env);
  end_visit(roots);
}

struct array_visit {
  cairn_roots_visitor *visit;
  void *env;
};

static void visit_as_array(void *env, struct cairn_slot slot)
{
  const struct array_visit *many = env;

  many->visit(many->env, &slot.address, 1);
}

void cairn_roots_visit_array(struct cairn_root_set *roots, cairn_roots_visitor *visit, void *env)
{
  struct array_visit many = {visit, env};

  if (roots->part.count != 0)
    visit(env, roots->part.at, roots->part.count);
  visit_special_roots(roots, visit_as_array, &many);
  end_visit(roots);
}

/* ---- an enumeration ---- */

static void begin_root_tables(void)
{
  cn_global_roots_begin();
  cn_handles_begin();
  tables_fetched = false;
}

void cairn_roots_begin(enum cairn_roots which)
{
  if (current_enumeration != ENUMERATE_NOTHING)
    cairn_fatal("cairn_roots_begin(): another enumeration of the roots is not over");
  CN_CHECK(which <= CAIRN_ROOTS_LOOK);
  current_enumeration = which == CAIRN_ROOTS_YOUNG  ? YOUNG_FIRST_ROUND
                        : which == CAIRN_ROOTS_LOOK ? ENUMERATE_TO_LOOK
                                                    : ENUMERATE_ALL;
  CN_ASSERT(left.count == 0 && next_special_set == NULL && fetched_sets == 0);
  if (which == CAIRN_ROOTS_YOUNG)
    cn_deferred_frames_begin_stop();
  cn_root_tasks_begin();
  begin_root_tables();
}

static bool are_all_roots_visited(void)
{
  return fetched_sets == 0 && left.count == 0 && next_special_set == NULL && cn_root_tasks_are_done() &&
         (tables_fetched || current_enumeration == YOUNG_FIRST_ROUND);
}

/* Fetches a part of the roots that another thread found. The caller of this and of the next two functions holds
 * `root_set_lock`.
 */
static bool fetch_left_part(struct cairn_root_set *roots)
{
  if (left.count == 0)
    return false;
  struct root_part *from = &left.at[left.count - 1];
  size_t count = from->count < ARRAY_PART_SLOTS ? from->count : ARRAY_PART_SLOTS;
  roots->part = (struct root_part){from->at, count};
  from->at += count;
  from->count -= count;
  left.count -= from->count == 0;
  return true;
}

static bool fetch_special_roots(struct cairn_root_set *roots)
{
  struct cairn_root_set *its;

  while ((its = next_special_set) != NULL) {
    next_special_set = its->next;
    if (its->users.count != 0 || its->visited != its->offsets.count) {
      roots->special = its;
      return true;
    }
  }
  return false;
}

static bool fetch_table_roots(struct cairn_root_set *roots)
{
  if (current_enumeration == YOUNG_FIRST_ROUND || tables_fetched)
    return false;
  if (!cn_global_roots_fetch_next(&roots->slots, ARRAY_PART_SLOTS) &&
      !cn_handles_fetch_next(&roots->slots, ARRAY_PART_SLOTS)) {
    tables_fetched = true;
    return false;
  }
  roots->part = (struct root_part){roots->slots.at, roots->slots.count};
  return true;
}

/* Leaves all roots after the first part to other threads. If there are more roots, the set stays reserved until the end
 * of the round. */
static void share_excess_roots(struct cairn_root_set *roots)
{
  struct root_part *part = &roots->part;

  cn_mutex_take(&root_set_lock, UINT64_MAX);
  if (part->count > ARRAY_PART_SLOTS) {
    cn_grow_push(&left, (struct root_part){part->at + ARRAY_PART_SLOTS, part->count - ARRAY_PART_SLOTS});
    part->count = ARRAY_PART_SLOTS;
    roots->lent = true;
  }
  cn_mutex_release(&root_set_lock);
}

/* Wakes the threads that wait for the last walk, or for roots that this walk leaves to other threads. */
static void end_noting(bool found)
{
  if (atomic_fetch_sub(&noting_threads, 1) != 1 && !found)
    return;
  atomic_fetch_add(&news_count, 1);
  if (atomic_load(&waiting_threads) != 0)
    cn_os_wake_all(&news_count);
}

static bool fetch_task_roots(struct cairn_root_set *roots)
{
  struct cn_root_task source;

  if (current_enumeration == YOUNG_SECOND_ROUND)
    return false;
  atomic_fetch_add(&noting_threads, 1);
  bool found = cn_root_tasks_take_next(&source);
  if (found) {
    note_task_roots(roots, &source);
    cn_root_tasks_end_walk(&source);
    if (current_enumeration != YOUNG_FIRST_ROUND)
      roots->special = roots;
    share_excess_roots(roots);
  }
  end_noting(found);
  return found;
}

static bool fetch_next_roots(struct cairn_root_set *roots)
{
  cn_mutex_take(&root_set_lock, UINT64_MAX);
  bool found = fetch_left_part(roots) || fetch_special_roots(roots) || fetch_table_roots(roots);
  cn_mutex_release(&root_set_lock);
  return found || fetch_task_roots(roots);
}

/* If there are no roots to fetch, waits for the walks of other threads, which may leave roots to this thread. */
struct cairn_root_set *cairn_roots_fetch(void)
{
  if (current_enumeration == ENUMERATE_NOTHING)
    cairn_fatal("cairn_roots_fetch() outside of cairn_roots_begin() and cairn_roots_end()");
  cn_mutex_take(&root_set_lock, UINT64_MAX);
  struct cairn_root_set *roots = take_unused_set();
  cn_mutex_release(&root_set_lock);
  for (;;) {
    uint32_t before = atomic_load(&news_count);
    if (fetch_next_roots(roots))
      return roots;
    if (atomic_load(&noting_threads) == 0)
      break;
    atomic_fetch_add(&waiting_threads, 1);
    cn_os_wait_on_word(&news_count, before, UINT64_MAX);
    atomic_fetch_sub(&waiting_threads, 1);
  }
  if (fetch_next_roots(roots)) /* the last walk may have left roots since the last attempt */
    return roots;
  end_visit(roots);
  return NULL;
}

static void write_back_derived_roots(struct cairn_root_set *roots)
{
  for (size_t i = 0; i < roots->derived.count; i++)
    *roots->derived.at[i].slot = *roots->derived.at[i].base + roots->derived.at[i].offset;
  for (size_t i = 0; i < roots->offsets.count; i++)
    *roots->offsets.at[i].slot = roots->offsets.at[i].reference + roots->offsets.at[i].offset;
  cn_stats.frames += roots->frames;
  cn_stats.roots += roots->found + roots->derived.count + roots->offsets.count;
  roots->derived.count = roots->offsets.count = roots->visited = roots->rest.count = 0;
  roots->frames = roots->found = 0;
}

static void take_back_lent_sets(void)
{
  for (struct cairn_root_set *roots = all_sets; roots; roots = roots->next)
    if (roots->lent) {
      roots->lent = false;
      roots->slots.count = 0;
      roots->next_unused = unused_sets;
      unused_sets = roots;
    }
}

void cairn_roots_rest(void)
{
  if (current_enumeration != YOUNG_FIRST_ROUND || !are_all_roots_visited())
    cairn_fatal("cairn_roots_rest(): the first round of a young enumeration is not over");
  take_back_lent_sets();
  current_enumeration = YOUNG_SECOND_ROUND;
  next_special_set = all_sets;
  for (struct cairn_root_set *roots = all_sets; roots; roots = roots->next)
    if (roots->rest.count != 0)
      cn_grow_push(&left, (struct root_part){roots->rest.at, roots->rest.count});
}

uint64_t cairn_roots_end(void)
{
  uint64_t before = cn_stats.frames;

  if (current_enumeration == ENUMERATE_NOTHING || current_enumeration == YOUNG_FIRST_ROUND || !are_all_roots_visited())
    cairn_fatal("cairn_roots_end(): not all roots have been fetched and visited");
  CN_ASSERT_VALID(cn_return_barriers_pool_wrong());
  take_back_lent_sets();
  for (struct cairn_root_set *roots = all_sets; roots; roots = roots->next)
    write_back_derived_roots(roots);
  current_enumeration = ENUMERATE_NOTHING;
  return cn_stats.frames - before;
}

/* ---- enumeration by one thread ---- */

static void visit_all_roots(cairn_root_visitor *visit, void *env)
{
  struct cairn_root_set *roots;

  while ((roots = cairn_roots_fetch()) != NULL)
    cairn_roots_visit(roots, visit, env);
}

void cairn_visit_roots(cairn_root_visitor *visit, void *env)
{
  cairn_roots_begin(CAIRN_ROOTS_ALL);
  visit_all_roots(visit, env);
  cairn_roots_end();
}

void cairn_visit_root_arrays(cairn_roots_visitor *visit, void *env)
{
  struct cairn_root_set *roots;

  cairn_roots_begin(CAIRN_ROOTS_ALL);
  while ((roots = cairn_roots_fetch()) != NULL)
    cairn_roots_visit_array(roots, visit, env);
  cairn_roots_end();
}

uint64_t cairn_visit_young_roots(cairn_root_visitor *settle, cairn_root_visitor *visit, void *env)
{
  cairn_roots_begin(CAIRN_ROOTS_YOUNG);
  visit_all_roots(settle, env);
  cairn_roots_rest();
  visit_all_roots(visit, env);
  return cairn_roots_end();
}
