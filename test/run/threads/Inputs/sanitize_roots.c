/* SPDX-License-Identifier: Apache-2.0
 *
 * For sanitize_roots.test: four threads fetch and visit the roots of made-up stacks and a table, in
 * one round and in two. Each slot is visited once in each enumeration.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/collector.h>
#include "runtime/core/counts.h"
#include "runtime/os/os.h"
#include "runtime/roots/roots.h"
#include "runtime/roots/fast_walk.h"
#include "runtime/walk/return_barriers.h"

enum { STACKS = 7, DEEP = 9000, TABLE = 5000, THREADS = 4, TIMES = 60 };
static const size_t counts[STACKS] = {3, 9000, 0, 2000, 1024, 1025, 17};
static uintptr_t slots[STACKS][DEEP], table[TABLE];
static char names[STACKS]; /* their addresses stand for mutators */

/* ---- stacks ---- */

static _Atomic int next_stack;

void cn_root_tasks_begin(void)
{
  next_stack = 0;
}

bool cn_root_tasks_take_next(struct cn_root_task *source)
{
  int stack = next_stack;

  while (stack < STACKS && !atomic_compare_exchange_weak(&next_stack, &stack, stack + 1))
    ;
  if (stack < STACKS)
    source->mutator = (struct cairn_mutator *)(void *)&names[stack];
  return stack < STACKS;
}

bool cn_root_tasks_begin_walk(const struct cn_root_task *source, struct cn_walk *walk)
{
  walk->claims = (uintptr_t)source->mutator;
  walk->past_end = false;
  return true;
}

void cn_root_tasks_end_walk(const struct cn_root_task *source)
{
  (void)source;
}

bool cn_root_tasks_are_done(void)
{
  return next_stack == STACKS;
}

bool cn_walk_next(struct cn_walk *walk)
{
  walk->past_end = true;
  return false;
}

bool cn_walk_resolve_frame(struct cn_walk *walk)
{
  (void)walk;
  return true;
}

uint64_t cn_fast_walk_regular_frames(struct cn_walk *walk, struct cn_root_slots *into, cairn_stack_root *others,
                                     void *env)
{
  (void)walk, (void)into, (void)others, (void)env;
  return 0;
}

/* Each fifth root is an offset. */
static size_t tell(uintptr_t name, cairn_stack_root *found, void *env)
{
  size_t stack = name - (uintptr_t)names;

  for (size_t i = 0; i < counts[stack]; i++) {
    if (i % 1000 == 0)
      sched_yield();
    found(env, &slots[stack][i], i % 5 == 4 ? CAIRN_ROOT_OFFSET : CAIRN_ROOT_DEFAULT, NULL);
  }
  return counts[stack] - counts[stack] / 5;
}

void cn_frame_roots_visit_all(const struct cn_walk *walk, cairn_stack_root *found, void *env)
{
  tell(walk->claims, found, env);
}

/* A third settles. */
void cn_deferred_frames_begin_stop(void)
{
}

bool cn_young_scan_stack(const struct cn_root_task *source, struct cn_walk *walk, cairn_stack_root *found, void *env,
                   struct cn_young_scan_result *young)
{
  size_t count = tell((uintptr_t)source->mutator, found, env);

  (void)walk;
  *young = (struct cn_young_scan_result){1, count / 3, count / 3 * 2};
  return true;
}

void cn_young_note_full_scan(const struct cn_root_task *source, struct cn_walk *walk)
{
  (void)source, (void)walk;
}

/* ---- tables ---- */

static int next_of_table;

void cn_global_roots_begin(void)
{
  next_of_table = 0;
}

bool cn_global_roots_fetch_next(struct cn_root_slots *into, size_t most)
{
  for (; next_of_table < TABLE && into->count < most; next_of_table++) {
    cn_root_slots_reserve(into, 1);
    into->at[into->count++] = &table[next_of_table];
  }
  return into->count != 0;
}

void cn_handles_begin(void)
{
}

bool cn_handles_fetch_next(struct cn_root_slots *into, size_t most)
{
  (void)into, (void)most;
  return false;
}

/* ---- what is not tested ---- */

struct cn_stats cn_stats;

bool cn_user_roots_have_handler(void)
{
  return false;
}

void cn_user_roots_visit(uintptr_t *slot, unsigned tag, void *parameter, cairn_root_visitor *visit, void *env)
{
  (void)slot, (void)tag, (void)parameter, (void)visit, (void)env;
}

void *cn_grow_array(void *at, size_t *room, size_t item)
{
  *room = *room ? 2 * *room : 16;
  return realloc(at, *room * item);
}

void cn_root_slots_reserve(struct cn_root_slots *into, size_t more)
{
  while (into->room - into->count < more)
    into->at = cn_grow_array(into->at, &into->room, sizeof *into->at);
}

void *cn_os_resize_mapping(void *old, size_t old_bytes, size_t bytes)
{
  (void)old, (void)old_bytes;
  return calloc(1, bytes);
}

void cn_defer_signals(void)
{
}

void cn_undefer_signals(void)
{
}

void cn_os_write_message(const char *text, size_t bytes)
{
  (void)text;
  (void)bytes;
}

size_t cn_os_page_bytes(void)
{
  return 4096;
}

uint64_t cn_os_clock_nanoseconds(void)
{
  return 0;
}

const char *cn_return_barriers_pool_wrong(void)
{
  return NULL;
}

void cn_frame_roots_report_bad(const struct cn_walk *walk, const char *what)
{
  (void)walk, (void)what;
  abort();
}

void cairn_fatal(const char *format, ...)
{
  puts(format);
  abort();
}

void cn_report_out_of_memory(const char *format, ...)
{
  puts(format);
  abort();
}

/* ---- the threads ---- */

static void visit(void *env, struct cairn_slot slot)
{
  static _Thread_local unsigned visits;

  (void)env;
  if (visits++ % 200 == 0)
    sched_yield();
  ++*slot.address;
}

/* Two at a time. */
static void *work(void *unused)
{
  struct cairn_root_set *one, *other;

  while ((one = cairn_roots_fetch()) != NULL) {
    other = cairn_roots_fetch();
    cairn_roots_visit(one, visit, NULL);
    if (other != NULL)
      cairn_roots_visit(other, visit, NULL);
  }
  return unused;
}

static void work_all(void)
{
  pthread_t threads[THREADS];

  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0)
      abort();
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}

static void check(uintptr_t visits)
{
  for (int i = 0; i < STACKS; i++)
    for (size_t k = 0; k < counts[i]; k++)
      if (slots[i][k] != visits + 1)
        abort();
  for (int i = 0; i < TABLE; i++)
    if (table[i] != visits)
      abort();
}

int main(void)
{
  for (int i = 0; i < STACKS; i++)
    for (size_t k = 0; k < counts[i]; k++)
      slots[i][k] = 1; /* an offset of null is none */
  for (uintptr_t i = 1; i <= TIMES; i++) {
    cairn_roots_begin(i % 2 ? CAIRN_ROOTS_YOUNG : CAIRN_ROOTS_ALL);
    work_all();
    if (i % 2) {
      cairn_roots_rest();
      work_all();
    }
    cairn_roots_end();
    check(i);
  }
  puts("each once");
  return 0;
}
