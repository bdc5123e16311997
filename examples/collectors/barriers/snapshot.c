/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that marks while the program runs, and checks snapshot barriers. A collection
 * notes what is reachable then, and lets the program run on; a thread marks in steps, from the roots
 * of that moment and from the values that the program has stored over since. At the next collection
 * all must be marked that was reachable at the first: what is not has missed a barrier, and is
 * named. The rest becomes fillers, and its memory is not used again.
 *
 *   cc -O2 $(pkg-config --cflags cairn) -c snapshot.c
 *   cairn-cc -O2 -fcairn-barriers=snapshot program.c snapshot.o -o program
 *
 *   SNAPSHOT_STILL=1   there are no steps: all is marked at the next collection
 *   SNAPSHOT_REPORT=1  at the end of the program, say what was done
 */
#include "space.h"
#include "steps.h"

#define HEAP ((uintptr_t)1 << 32)
enum { FOR_HANDLERS = 1 << 20 };

static struct space heap;
static uintptr_t top; /* objects from here on are new since the snapshot */
static size_t budget;
static long collections, logged, freed;
static bool marking, reports;

/* For each word of the heap: does an object start there, was it reachable at the snapshot, and is
 * it marked? */
static unsigned char *starts, *reachable, *marks;

static size_t word_of(uintptr_t object)
{
  return (object - heap.base) / 8;
}

static void set_end(size_t bytes)
{
  heap.end = enter(heap.base, heap.free - heap.base + budget + FOR_HANDLERS + bytes).end;
}

static enum cairn_status init(size_t initial, size_t most)
{
  reports = getenv("SNAPSHOT_REPORT") != NULL;
  budget = pages(initial < most / 4 ? initial : most / 4);
  heap.base = heap.free = reserve(0, HEAP);
  starts = table(HEAP / 8);
  reachable = table(HEAP / 8);
  marks = table(HEAP / 8);
  set_end(0);
  if (getenv("SNAPSHOT_STILL") == NULL)
    start_steps();
  return CAIRN_OK;
}

static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  return give_buffer(mutator, &heap, bytes, FOR_HANDLERS);
}

static enum cairn_status grow(struct cairn_mutator *mutator, size_t bytes)
{
  return give_buffer(mutator, &heap, bytes, 0);
}

/* ---- marking ---- */

static struct stack {
  uintptr_t *at;
  size_t count, room;
} gray, noting;

static void push(struct stack *stack, uintptr_t object)
{
  if (stack->count == stack->room)
    stack->at = realloc(stack->at, (stack->room = stack->room * 2 + 1024) * sizeof *stack->at);
  stack->at[stack->count++] = object;
}

/* Any word may come. */
static bool is_in_snapshot(uintptr_t word)
{
  return word % 8 == 0 && word - heap.base < top - heap.base && starts[word_of(word)];
}

static void reach(struct stack *stack, unsigned char *set, uintptr_t word)
{
  if (is_in_snapshot(word) && !set[word_of(word)]) {
    set[word_of(word)] = 1;
    push(stack, word);
  }
}

static void mark_field(void *env, struct cairn_slot slot)
{
  (void)env;
  reach(&gray, marks, __atomic_load_n(slot.address, __ATOMIC_RELAXED));
}

static void note_field(void *env, struct cairn_slot slot)
{
  (void)env;
  reach(&noting, reachable, *slot.address);
}

/* False: there is none left. */
static bool mark_one(void)
{
  if (gray.count == 0)
    return false;
  uintptr_t object = gray.at[--gray.count];
  cairn_object_visit(object, cairn_object_layout(object), mark_field, NULL);
  return true;
}

static void step(void)
{
  for (int i = 0; i < 20 && mark_one(); i++)
    ;
}

static void mark_logged(void *env, uintptr_t word)
{
  (void)env;
  pthread_mutex_lock(&one);
  logged++;
  reach(&gray, marks, word);
  pthread_mutex_unlock(&one);
}

static enum cairn_status after_step(void)
{
  return cairn_logs_handshake(mark_logged, NULL, CAIRN_ASK_FOREVER);
}

/* ---- barriers ---- */

static void log_old(struct cairn_mutator *mutator, uintptr_t old)
{
  if (is_in_snapshot(old))
    cairn_log(mutator, old);
}

/* What looks like a reference stays alive. */
static void log_range(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end)
{
  for (uintptr_t at = (start + 7) & ~(uintptr_t)7; at + 8 <= end; at += 8)
    if (marking)
      log_old(mutator, *(volatile uintptr_t *)at);
}

/* ---- collections ---- */

/* What is reachable by way of a reference that was stored over had to be told. */
static bool is_garbage(uintptr_t object)
{
  char type[100];

  if (marks[word_of(object)])
    return false;
  if (!reachable[word_of(object)])
    return true;
  cairn_layout_type(cairn_object_layout(object), type, sizeof type);
  cairn_fatal("snapshot: missing barrier: collection %ld does not find the %s at 0x%lx, which was "
              "reachable at the one before",
              collections, type, (unsigned long)object);
}

static void finish(void)
{
  uintptr_t object, next, from = 0;

  cairn_logs_take(mark_logged, NULL);
  while (mark_one())
    ;
  for (uintptr_t block = heap.base; block < top; block = next) {
    next = next_block(block, &object);
    bool garbage = is_garbage(object);
    if (garbage && from == 0)
      from = block;
    if (from != 0 && (!garbage || next >= top)) {
      uintptr_t to = garbage ? next : block;
      freed += (long)(to - from);
      cairn_fill(from, to);
      from = 0;
    }
  }
  marking = false;
  steps_wanted = false;
  cairn_barrier_word(0);
}

/* It may point into an object. */
static void visit_root(void *env, struct cairn_slot slot)
{
  uintptr_t object = cairn_slot_object(slot) & ~(uintptr_t)7;

  (void)env;
  if (object - heap.base > top - heap.base || object == 0)
    return;
  while (object > heap.base && !starts[word_of(object)])
    object -= 8;
  reach(&gray, marks, object);
  reach(&noting, reachable, object);
}

static void begin(void)
{
  uintptr_t object;
  size_t words = word_of(heap.free);

  top = heap.free;
  memset(starts, 0, words);
  memset(reachable, 0, words);
  memset(marks, 0, words);
  for (uintptr_t block = heap.base; block < top;) {
    block = next_block(block, &object);
    starts[word_of(object)] = cairn_object_layout(object) != NULL;
  }
  gray.count = 0;
  cairn_visit_roots(visit_root, NULL);
  while (noting.count > 0) {
    object = noting.at[--noting.count];
    cairn_object_visit(object, cairn_object_layout(object), note_field, NULL);
  }
  marking = true;
  steps_wanted = true;
  cairn_barrier_word(1);
}

static void collect(const struct cairn_collection *collection)
{
  collections++;
  take_buffers(&heap);
  if (marking)
    finish();
  begin();
  set_end(collection->bytes_needed);
}

static void forget(const unsigned char *start, const unsigned char *stop)
{
  take_buffers(&heap);
  if (marking)
    finish();
  forget_in(&heap, start, stop);
}

static void ranges(cairn_range_visitor *visit, void *env)
{
  visit(env, heap.base, heap.free, true);
  visit(env, heap.free, heap.end, false);
}

static const struct cairn_collector snapshot = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                                .size = sizeof(struct cairn_collector),
                                                .name = "snapshot",
                                                .traits = CAIRN_COLLECTOR_WORDS,
                                                .barriers = CAIRN_ABI_BARRIERS_SNAPSHOT,
                                                .init = init,
                                                .refill = refill,
                                                .grow = grow,
                                                .collect = collect,
                                                .forget = forget,
                                                .ranges = ranges,
                                                .log_old = log_old,
                                                .barrier_range = log_range};

__attribute__((constructor(102))) static void use_snapshot(void)
{
  cairn_set_collector(&snapshot);
}

__attribute__((destructor)) static void report(void)
{
  if (reports)
    fprintf(stderr, "snapshot: %ld collections, %ld old values, %ld bytes of garbage, %ld steps\n",
            collections, logged, freed, steps);
}
