/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that moves nothing: it marks what is reachable, and the gaps between marked objects
 * become a free list in the order of addresses (McCarthy 1960). Native code against
 * <cairn/collector.h> and <cairn/heap_object.h> alone, for any number of threads. Does not: give
 * memory back to the system, mark on several threads, move (so CAIRN_STRESS is refused with it).
 *
 *   cc -O2 $(pkg-config --cflags cairn) -c mark.c && cairn-cc -O2 program.c mark.o -o program
 *
 * The heap is one reserve of addresses. Below `top` lie blocks and gaps; a gap is no block, so what
 * walks from block to block steps over the gaps of the free list, which it therefore must know.
 * Threads' buffers are cut from the fronts of gaps, and beyond `top`.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>

enum {
  SHARE = 64 << 10, /* bytes that a thread takes at a time beyond `top` */
  SMALLEST = 128,   /* bytes of a gap that are worth a buffer */
  LARGE = 8 << 10,  /* blocks for which gaps are searched without giving up the smaller ones */
  BITS = 64
};

struct gap {
  uintptr_t start, end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of grow() */
static struct {
  uintptr_t start, top, end;
  _Atomic size_t budget; /* bytes to hand out before the next collection */
  size_t initial;        /* at least so many */
  struct gap *gaps;
  size_t gap_count, next_gap; /* those before `next_gap` are given up until the next collection */
  uint64_t *starts, *marks;   /* a bit for each word: an object's payload begins there */
  uintptr_t *stack;           /* objects whose fields have not been looked at */
  size_t depth;
} heap;

/* ---- memory ---- */

static void *reserve(size_t bytes)
{
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);

  return at == MAP_FAILED ? NULL : at;
}

/* All tables for the largest heap there may be: a page takes no memory before it is written. An
 * object that waits on the stack has a field, so 16 bytes. So have, with a gap between them, two.
 */
static enum cairn_status init(size_t initial_bytes, size_t max_bytes)
{
  heap.start = heap.top = (uintptr_t)reserve(max_bytes);
  heap.end = heap.start + (max_bytes & ~(size_t)7);
  heap.budget = heap.initial = initial_bytes;
  heap.gaps = reserve((max_bytes / 16 + 1) * sizeof *heap.gaps);
  heap.starts = reserve(max_bytes / BITS + BITS);
  heap.marks = reserve(max_bytes / BITS + BITS);
  heap.stack = reserve((max_bytes / 16 + 1) * sizeof *heap.stack);
  bool all = heap.start && heap.gaps && heap.starts && heap.marks && heap.stack;
  return all ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* Take the mutator's buffer, and fill the rest, so that a walk gets over it. */
static void take(struct cairn_mutator *mutator)
{
  uintptr_t end, free = cairn_buffer_take(mutator, &end);

  cairn_fill(free, end);
}

static void give(struct cairn_mutator *mutator, uintptr_t from, uintptr_t to)
{
  take(mutator);
  cairn_buffer_give(mutator, from, to);
  heap.budget -= to - from < heap.budget ? to - from : heap.budget;
}

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

static bool give_gap(struct cairn_mutator *mutator, size_t bytes)
{
  for (size_t i = heap.next_gap; i < heap.gap_count; i++) {
    struct gap *gap = &heap.gaps[i];
    uintptr_t from = gap->start;
    if (gap->end - from >= larger(bytes, SMALLEST)) {
      gap->start = bytes < LARGE ? gap->end : from + bytes;
      give(mutator, from, gap->start);
      return true;
    }
    heap.next_gap += bytes < LARGE;
  }
  return false;
}

static bool give_top(struct cairn_mutator *mutator, size_t bytes)
{
  size_t room = heap.end - heap.top, share = larger(bytes, SHARE);
  uintptr_t from = heap.top;

  if (bytes > room)
    return false;
  heap.top += share < room ? share : room;
  give(mutator, from, heap.top);
  return true;
}

static enum cairn_status grow(struct cairn_mutator *mutator, size_t bytes)
{
  pthread_mutex_lock(&lock);
  bool given = give_gap(mutator, bytes) || give_top(mutator, bytes);
  pthread_mutex_unlock(&lock);
  return given ? CAIRN_OK : CAIRN_E_MEMORY;
}

static enum cairn_status refill(struct cairn_mutator *mutator, size_t bytes)
{
  if (bytes > atomic_load(&heap.budget) || grow(mutator, bytes) != CAIRN_OK)
    return CAIRN_E_FULL;
  return CAIRN_OK;
}

/* ---- objects ---- */

static size_t bit_of(uintptr_t payload)
{
  return (payload - heap.start) / CAIRN_ABI_OBJECT_ALIGN;
}

/* Where the block of the object at `payload` ends. */
static uintptr_t end_of(uintptr_t payload)
{
  uintptr_t header = *cairn_object_header(payload);
  const struct cairn_layout *layout = cairn_header_layout(header);
  uint64_t bytes;

  if (cairn_header_is_gone(header))
    bytes = cairn_header_gone_bytes(header);
  else if (!cairn_layout_is_known(layout) || cairn_object_payload(payload, layout, &bytes))
    cairn_fatal("mark: the heap is damaged: no object is at 0x%lx", (unsigned long)payload);
  return payload + bytes;
}

/* Call `visit` for the payload of each object, dead or alive. Nobody has a buffer. */
static void walk(void (*visit)(uintptr_t payload, void *env), void *env)
{
  size_t i = 0;

  for (uintptr_t block = heap.start; block < heap.top;) {
    while (i < heap.gap_count && heap.gaps[i].end <= block)
      i++;
    if (i < heap.gap_count && heap.gaps[i].start == block) {
      block = heap.gaps[i].end;
      continue;
    }
    bool indexed = (*(uintptr_t *)block & 1) != 0; /* a count comes first, which is odd */
    uintptr_t payload = block + (indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE);
    block = end_of(payload);
    visit(payload, env);
  }
}

static void take_all(void)
{
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    take(m);
}

static void note_start(uintptr_t payload, void *unused)
{
  (void)unused;
  heap.starts[bit_of(payload) / BITS] |= UINT64_C(1) << bit_of(payload) % BITS;
}

/* The object that `address` points to, into or just past: the last one that starts there or before.
 * The object after it starts later, for its header lies between. */
static uintptr_t object_of(uintptr_t address)
{
  size_t bit = bit_of(address), i = bit / BITS;
  uint64_t word = heap.starts[i] & ~UINT64_C(0) >> (BITS - 1 - bit % BITS);

  while (word == 0 && i > 0)
    word = heap.starts[--i];
  if (word == 0)
    cairn_fatal("mark: the root 0x%lx points to no object", (unsigned long)address);
  bit = i * BITS + (size_t)(BITS - 1 - __builtin_clzll(word));
  return heap.start + bit * CAIRN_ABI_OBJECT_ALIGN;
}

/* ---- a collection ---- */

static void mark(uintptr_t payload)
{
  uint64_t *word = &heap.marks[bit_of(payload) / BITS], bit = UINT64_C(1) << bit_of(payload) % BITS;
  const struct cairn_layout *layout = cairn_object_layout(payload);

  if ((*word & bit) != 0)
    return;
  if (!cairn_layout_is_known(layout))
    cairn_fatal("mark: 0x%lx is reachable and no object", (unsigned long)payload);
  *word |= bit;
  if (cairn_layout_has_references(layout))
    heap.stack[heap.depth++] = payload;
}

static void visit_field(void *env, struct cairn_slot slot)
{
  (void)env; /* an immediate gives 0; an empty array that comes last begins at `top`, its header before */
  if (cairn_slot_object(slot) - CAIRN_ABI_HEADER_SIZE - heap.start < heap.top - heap.start)
    mark(cairn_slot_object(slot));
}

static void visit_root(void *env, struct cairn_slot slot)
{
  (void)env;
  if (heap.top > heap.start && cairn_slot_object(slot) - heap.start <= heap.top - heap.start)
    mark(object_of(cairn_slot_object(slot))); /* `top` is just past the last object */
  while (heap.depth > 0) { /* depth first, without recursion */
    uintptr_t payload = heap.stack[--heap.depth];
    cairn_object_visit(payload, cairn_object_layout(payload), visit_field, NULL);
  }
}

/* Make a free list of what lies between marked objects, and return how much is marked. */
static size_t sweep(void)
{
  uintptr_t end = heap.start; /* of the last marked object */
  size_t live = 0, words = bit_of(heap.top) / BITS + 1;

  heap.gap_count = heap.next_gap = 0;
  for (size_t i = 0; i < words; i++)
    for (uint64_t word = heap.marks[i]; word != 0; word &= word - 1) {
      size_t bit = i * BITS + (size_t)__builtin_ctzll(word);
      uintptr_t payload = heap.start + bit * CAIRN_ABI_OBJECT_ALIGN;
      uintptr_t block = cairn_object_block(payload, cairn_object_layout(payload));
      if (block > end)
        heap.gaps[heap.gap_count++] = (struct gap){end, block};
      end = end_of(payload);
      live += end - block;
    }
  heap.top = end;
  return live;
}

static void collect(const struct cairn_collection *collection)
{
  size_t table = (bit_of(heap.top) / BITS + 1) * sizeof *heap.marks;

  take_all();
  memset(heap.starts, 0, table);
  memset(heap.marks, 0, table);
  walk(note_start, NULL);
  cairn_visit_roots(visit_root, NULL);
  size_t live = sweep();
  heap.budget = larger(collection->bytes_needed, larger(live, heap.initial));
}

/* ---- layouts that go ---- */

static void forget_one(uintptr_t payload, void *env)
{
  const struct gap *gone = env; /* the layouts' addresses */
  uintptr_t layout = (uintptr_t)cairn_object_layout(payload);

  if (layout >= gone->start && layout < gone->end)
    *cairn_object_header(payload) = cairn_header_gone(end_of(payload) - payload);
}

static void forget(const unsigned char *start, const unsigned char *stop)
{
  struct gap gone = {(uintptr_t)start, (uintptr_t)stop};

  take_all();
  walk(forget_one, &gone);
}

static const struct cairn_collector marks = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                             .size = sizeof(struct cairn_collector),
                                             .name = "mark",
                                             .traits = CAIRN_COLLECTOR_WORDS,
                                             .init = init,
                                             .refill = refill,
                                             .grow = grow,
                                             .collect = collect,
                                             .forget = forget};

__attribute__((constructor(102))) static void use_mark(void)
{
  cairn_set_collector(&marks);
}
