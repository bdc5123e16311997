/* SPDX-License-Identifier: Apache-2.0
 *
 * For sanitize_generational.test: native threads make objects as compiled code does, and the
 * generational collector collects by several workers while they stand still. Each thread has lists
 * whose nodes are numbered, and elements of one array that all write to.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/collector.h>
#include "collectors/generational/evacuation.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/tracers.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/inspect/inspect.h"
#include "runtime/threads/workers.h"
#include "sanitize_generational.h"

enum { THREADS = 3, LISTS = 16, LONGEST = 600, STEPS = 1500, SHARED = 3000, WORKERS = 3 };

/* node {ref, ref, long}; array of refs; bytes */
static struct layouts {
  struct cairn_layout node;
  uint32_t node_offsets[2];
  struct cairn_layout refs;
  uint32_t refs_offsets[1];
  struct cairn_layout bytes;
} layouts = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_refs = 2, .base_size = 24},
    {0, 8},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8, .elem_refs = 1},
    {0},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 1, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
};
static const struct cairn_image image = {.layouts_start = (const unsigned char *)&layouts,
                                         .layouts_stop = (const unsigned char *)(&layouts + 1)};
static const struct cairn_collector *const collector = &cairn_collector_generational;

struct thread {
  uintptr_t lists[LISTS]; /* roots */
  size_t lengths[LISTS];
  uint64_t seed;
  uintptr_t number;
};
static struct thread threads[THREADS];
static uintptr_t shared[2]; /* a root: the array; and one into it */

/* ---- roots ---- */

static _Atomic size_t fetched;
static size_t fetched_last;

/* Those of the first thread are as a stack's, and come in the first round. */
void cairn_roots_begin(enum cairn_roots which)
{
  fetched = 0;
  fetched_last = which == CAIRN_ROOTS_YOUNG ? 1 : THREADS + 1;
}

void cairn_roots_rest(void)
{
  fetched = fetched_last;
  fetched_last = THREADS + 1;
}

void cairn_deferred_roots(bool wanted)
{
  (void)wanted;
}

bool cairn_deferred_roots_visit(cairn_root_visitor *visit, void *env)
{
  (void)visit;
  (void)env;
  return false;
}

struct cairn_root_set *cairn_roots_fetch(void)
{
  size_t next = atomic_fetch_add(&fetched, 1);

  if (next >= fetched_last)
    return NULL;
  return (struct cairn_root_set *)(next == THREADS ? (void *)shared : (void *)&threads[next]);
}

void cairn_roots_visit_array(struct cairn_root_set *set, cairn_roots_visitor *visit, void *env)
{
  uintptr_t *slots[LISTS], *roots = (uintptr_t *)set;
  size_t count = roots == shared ? 2 : LISTS;

  for (size_t i = 0; i < count; i++)
    slots[i] = &roots[i];
  visit(env, slots, count);
}

uint64_t cairn_roots_end(void)
{
  return 0;
}

void cn_verify_heap(bool after, uint64_t collection, bool with_roots)
{
  (void)after;
  (void)collection;
  (void)with_roots;
}

/* ---- stops ---- */

static pthread_rwlock_t world = PTHREAD_RWLOCK_INITIALIZER; /* mutators that run read */
static _Atomic unsigned waiting;                            /* threads that want to collect */

static void poll(void)
{
  if (waiting == 0)
    return;
  pthread_rwlock_unlock(&world);
  while (waiting != 0)
    sched_yield();
  pthread_rwlock_rdlock(&world);
}

static long marked;  /* collections while the marker was at work, */
static long emptied; /* and those that emptied blocks */

static void collect(enum cairn_extent extent, size_t bytes)
{
  waiting++;
  pthread_rwlock_unlock(&world);
  cn_background_prepare_thread();
  pthread_rwlock_wrlock(&world);
  cn_background_hold_steps();
  cn_background_await_step(0);
  marked += cn_marker.on;
  collector->collect(&(struct cairn_collection){CAIRN_CAUSE_ASKED, extent, bytes});
  emptied += cn_trace_cycle.evacuates;
  cn_background_release_steps();
  waiting--;
  pthread_rwlock_unlock(&world);
  pthread_rwlock_rdlock(&world);
}

/* ---- objects ---- */

static uintptr_t *room(size_t bytes)
{
  void *block = NULL;

  if (bytes > CAIRN_ABI_INLINE_ALLOC_MAX) {
    collector->allocate_large(&cairn_mutator, bytes, true, &block);
  } else if (cairn_mutator.buffer_end - cairn_mutator.alloc >= bytes ||
             (collector->refill(&cairn_mutator, bytes) == CAIRN_OK &&
              cairn_mutator.buffer_end - cairn_mutator.alloc >= bytes)) {
    block = (void *)cairn_mutator.alloc;
    cairn_mutator.alloc += bytes;
  }
  return block;
}

static uintptr_t *block(size_t bytes)
{
  uintptr_t *at = room(bytes);

  for (int i = 0; at == NULL && i < 100; i++) {
    collect(i == 0 ? CAIRN_EXTENT_YOUNG : CAIRN_EXTENT_FULL, bytes);
    at = room(bytes);
  }
  if (at == NULL)
    abort();
  return memset(at, 0, bytes);
}

static uintptr_t node(void)
{
  uintptr_t *at = block(8 + layouts.node.base_size);

  at[0] = (uintptr_t)&layouts.node;
  return (uintptr_t)(at + 1);
}

static uintptr_t array(const struct cairn_layout *layout, size_t count)
{
  uintptr_t *at = block(16 + ((count * layout->elem_size + 7) & ~(size_t)7));

  at[0] = count << 1 | 1;
  at[1] = (uintptr_t)layout;
  return (uintptr_t)(at + 2);
}

static uintptr_t *words(uintptr_t object)
{
  return (uintptr_t *)object;
}

/* Two threads may dirty one card. */
static void store(uintptr_t *slot, uintptr_t value)
{
  __atomic_store_n(
      &cairn_mutator.cards[(uintptr_t)slot >> CAIRN_ABI_CARD_SHIFT & cairn_mutator.card_mask], 1,
      __ATOMIC_RELAXED);
  __atomic_store_n(slot, value, __ATOMIC_RELAXED); /* the marker may read it */
}

/* ---- what a thread does ---- */

static uint64_t draw(struct thread *self, uint64_t below)
{
  self->seed = self->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (self->seed >> 33) % below;
}

static void fail(const char *what)
{
  fprintf(stderr, "%s\n", what);
  abort();
}

static void check(const struct thread *self, size_t list)
{
  size_t length = self->lengths[list];

  for (uintptr_t at = self->lists[list]; at != 0; at = words(at)[0]) {
    if (words(at)[-1] != (uintptr_t)&layouts.node || words(at)[2] != --length)
      fail("a node is not what it was");
    if (words(at)[1] != 0 && words(words(at)[1])[0] != (self->number << 32 | list))
      fail("what a node leads to is not what it was");
  }
  if (length != 0)
    fail("a list is shorter");
}

static void lengthen(struct thread *self, size_t list)
{
  for (size_t i = draw(self, 100); i != 0; i--) {
    uintptr_t made = node();
    words(made)[2] = self->lengths[list]++;
    words(made)[0] = self->lists[list];
    self->lists[list] = made;
  }
  uintptr_t bytes = array(&layouts.bytes, draw(self, 8) == 0 ? 9000 : 8 * (1 + draw(self, 200)));
  words(bytes)[0] = self->number << 32 | list;
  for (uintptr_t at = self->lists[list]; at != 0; at = words(at)[0])
    if (draw(self, 20) == 0)
      store(&words(at)[1], bytes);
}

/* Elements that lie beside those of other threads. */
static void share(struct thread *self)
{
  size_t element = draw(self, SHARED / THREADS) * THREADS + self->number;

  uintptr_t made = node();
  words(made)[2] = element;
  uintptr_t *slot = &words(shared[0])[element];
  if (*slot != 0 && words(*slot)[2] != element)
    fail("an element is another's");
  store(slot, made);
}

/* What is beside the program has a processor when it gets one: threads go on until it had. */
static bool wants_more(void)
{
  return cn_evacuation_picks_at_random && (marked < 10 || emptied < 5);
}

static void *run(void *argument)
{
  struct thread *self = argument;

  pthread_rwlock_wrlock(&world);
  mutator_begins();
  pthread_rwlock_unlock(&world);
  pthread_rwlock_rdlock(&world);
  for (int step = 0; step < STEPS || (wants_more() && step < 20 * STEPS); step++) {
    size_t list = draw(self, LISTS);
    check(self, list);
    if (self->lengths[list] > LONGEST)
      self->lists[list] = self->lengths[list] = 0;
    lengthen(self, list);
    share(self);
    poll();
    if (draw(self, 300) == 0)
      collect(draw(self, cn_evacuation_picks_at_random ? 16 : 2) == 0 ? CAIRN_EXTENT_FULL : CAIRN_EXTENT_YOUNG, 0);
  }
  pthread_rwlock_unlock(&world);
  pthread_rwlock_wrlock(&world);
  mutator_ends();
  pthread_rwlock_unlock(&world);
  return NULL;
}

static void start(void)
{
  cn_options.workers = WORKERS;
  cn_tracers_max_bytes_alone = 0;
  cn_workers_prepare_threads(true);
  cairn_image_register(&image);
  if (collector->init(1 << 20, 16 << 20) != CAIRN_OK)
    abort();
  pthread_rwlock_rdlock(&world);
  mutator_begins();
  shared[0] = array(&layouts.refs, SHARED);
  shared[1] = shared[0] + 8 * SHARED;
  mutator_ends();
  pthread_rwlock_unlock(&world);
}

/* With an argument: marks beside the threads, and empties blocks; "full": several tracers share young collections. */
int main(int argc, char **argv)
{
  pthread_t handles[THREADS];

  cn_options.pause_full = argc > 1 ? 1000 : 0;
  cn_options.pause = argc > 1 && strcmp(argv[1], "full") == 0 ? 0 : cn_options.pause_full;
  cn_evacuation_picks_at_random = argc > 1;
  start();
  for (uintptr_t i = 0; i < THREADS; i++) {
    threads[i].number = i;
    threads[i].seed = i + 1;
    pthread_create(&handles[i], NULL, run, &threads[i]);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(handles[i], NULL);
  cn_workers_end_all();
  cn_background_end_thread();
  return wants_more() ? 1 : 0;
}
