/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the collector in use, and allocates through it. Mutators' threads, in phase MUTATE, unless a comment says
 * otherwise.
 */
#include "runtime/heap/managed_heap.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/mutex.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/heap/barrier_slow_paths.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/free_object.h"
#include "runtime/heap/image_layouts.h"
#include "runtime/heap/noted_stores.h"
#include "runtime/heap/uncleared.h"
#include "runtime/os/os.h"

/* The linker defines this for -fcairn-collector=NAME. */
#pragma GCC visibility push(default)
extern const struct cairn_collector *const cairn_collector_chosen __attribute__((weak));
#pragma GCC visibility pop

static const struct cairn_collector *collector = &cairn_collector_generational;
static bool ready;
static bool used;    /* the collector has given memory */
static bool settled; /* images must fit the collector */

const struct cairn_collector *cn_heap_collector(void)
{
  return collector;
}

/* In a structure of an older version the name may have another place. */
static void check_form(const struct cairn_collector *chosen)
{
  bool named = chosen->version == CAIRN_ABI_COLLECTOR_VERSION;
  char file[CN_REPORT_PC];

  if (named && chosen->size == sizeof *chosen)
    return;
  cairn_fatal("collector %s of %s has version %u of struct cairn_collector, of %u bytes, and this "
              "runtime has version %u, of %zu bytes: compile it with this version of Cairn",
              named && chosen->name ? chosen->name : "(unnamed)",
              cn_os_module((uintptr_t)chosen, file, sizeof file) ? file : "code without a file", chosen->version,
              chosen->size, CAIRN_ABI_COLLECTOR_VERSION, sizeof *chosen);
}

/* Ends the program if the image's code allocates larger blocks in line than the collector allows. */
static void check_in_line(const struct cairn_image *image, const void *key)
{
  uint64_t code = image->flags >> CAIRN_ABI_IMAGE_INLINE_SHIFT & 0xffff,
           most = code != 0 ? code & ~(uint64_t)7 : CAIRN_ABI_INLINE_ALLOC_MAX;
  char file[CN_REPORT_PC];

  if (collector->largest_in_line == 0 || most <= collector->largest_in_line ||
      (code == 0 && !cn_image_has_sections(image)))
    return;
  cairn_fatal("%s allocates blocks of up to %llu bytes in line, and collector %s lets those of up "
              "to %llu bytes be allocated so: compile it with -fcairn-inline-max=%llu",
              cn_os_module((uintptr_t)key, file, sizeof file) ? file : "code without a file", (unsigned long long)most,
              collector->name, (unsigned long long)collector->largest_in_line,
              (unsigned long long)(collector->largest_in_line & ~(uint64_t)7));
}

static void check_image(const struct cairn_image *image, const void *key)
{
  cn_barriers_check_image(collector, image, key);
  check_in_line(image, key);
}

void cn_heap_check_image(const struct cairn_image *image, const void *key)
{
  if (__atomic_load_n(&settled, __ATOMIC_SEQ_CST))
    check_image(image, key);
}

/* An image that comes meanwhile is in the list here, or its thread sees `settled`. */
static void settle_collector(void)
{
  __atomic_store_n(&settled, true, __ATOMIC_SEQ_CST);
  bool entered = cn_image_enter();
  const struct cn_image_list *list = cn_image_list();
  for (size_t i = 0; i < list->count; i++)
    check_image(&list->at[i].image, list->at[i].key);
  cn_image_leave(entered);
}

/* Leaves the default collector, which managed code set up when it began, and which has allocated no block yet. The
 * table of cards stays, since registers may point to it. */
static void leave_default(void)
{
  CN_CHECK(!used);
  if (!ready)
    return;
  __atomic_store_n(&ready, false, __ATOMIC_RELEASE);
  cairn_barrier_cards(NULL, 0);
}

/* Compiled code keeps the table of cards in registers. So a collector with barriers is set before any managed code
 * runs, and its heap is set up at once. */
void cairn_set_collector(const struct cairn_collector *chosen)
{
  if (used)
    cairn_fatal("the collector is set after the first allocation");
  CN_CHECK(chosen);
  check_form(chosen);
  CN_CHECK(chosen->name && chosen->init && chosen->refill && chosen->grow);
  if ((chosen->traits & ~(uint64_t)CAIRN_COLLECTOR_TRAITS) != 0)
    cairn_fatal("collector %s has the traits 0x%llx, which are unknown to this runtime", chosen->name,
                (unsigned long long)chosen->traits);
  cn_barriers_check_collector(chosen);
  leave_default();
  collector = chosen;
  settle_collector();
  if (chosen->barriers == CAIRN_ABI_BARRIERS_NONE)
    return;
  if (cairn_mutator_count() > 1 || cairn_mutator.anchor != cairn_mutator.anchors)
    cairn_fatal("collector %s, which needs barriers, is set after managed code began: set it in a "
                "constructor",
                chosen->name);
  cn_heap_set_up();
}

void cn_heap_choose(void)
{
  CN_CHECK(!ready);
  if (&cairn_collector_chosen != NULL)
    cairn_set_collector(cairn_collector_chosen);
}

static void check_words(void)
{
  if (cairn_words.mask != 0 && (collector->traits & CAIRN_COLLECTOR_WORDS) == 0)
    cairn_fatal("collector %s does not tell immediates from references, and the program has words "
                "that may be either (-fcairn-words)",
                collector->name);
}

/* Refuses options that read objects, if the collector keeps the places of its objects to itself. */
static void check_visible(void)
{
  const struct {
    bool set;
    const char *name;
  } options[] = {
      {(cn_options.verify & CN_VERIFY_HEAP) != 0, "CAIRN_VERIFY=heap"},
      {cn_options.histogram != 0, "CAIRN_HISTOGRAM"},
      {cn_options.dump != 0, "CAIRN_DUMP"},
  };

  if (collector->ranges != NULL && collector->forget != NULL)
    return;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (options[i].set)
      cn_report_exit("%s: collector %s has no function that enumerates objects", options[i].name, collector->name);
}

/* A moving collector without generations copies all reachable objects at a time, to memory next to the heap. */
static void halve_usual_maximum(void)
{
  uint64_t kinds = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_GENERATIONS;

  if (!cn_options.heap_usual || (collector->traits & kinds) != CAIRN_COLLECTOR_MOVES)
    return;
  cn_options.heap_max /= 2;
  if (cn_options.heap_initial > cn_options.heap_max)
    cn_options.heap_initial = cn_options.heap_max;
  if (cn_options.heap_soft > cn_options.heap_max)
    cn_options.heap_soft = cn_options.heap_max;
}

void cairn_note_addresses(size_t bytes)
{
  CN_CHECK(!ready && bytes < cn_options.heap_max);
  if (!cn_options.heap_usual)
    cn_report_text("cairn: the heap maximum is %zu bytes, and there are addresses for %zu (ulimit -v): "
                   "the heap may end there\n",
                   cn_options.heap_max, bytes);
}

/* This may end the program, whose exit handlers then call cn_heap_set_up() again. */
static void set_up(void)
{
  settle_collector();
  CN_ASSERT(cn_options.heap_initial <= cn_options.heap_max);
  cn_layouts_begin();
  check_words();
  if (cn_options.stress != 0 && (collector->traits & CAIRN_COLLECTOR_MOVES) == 0)
    cn_report_exit("CAIRN_STRESS: collector %s moves no objects, so lost references would not show", collector->name);
  check_visible();
  if ((cn_options.verify & CN_VERIFY_STORES) != 0)
    cn_noted_stores_begin();
  halve_usual_maximum();
  if (collector->init(cn_options.heap_initial, cn_options.heap_max) != CAIRN_OK)
    cairn_out_of_memory(true, "cannot reserve %zu bytes that may grow to %zu (CAIRN_HEAP_MAX)", cn_options.heap_initial,
                        cn_options.heap_max);
  __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
}

bool cn_heap_is_ready(void)
{
  return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

/* Several threads may call this at the same time. */
void cn_heap_set_up(void)
{
  static struct cn_mutex first;
  static _Thread_local bool under_way;

  if (cn_heap_is_ready())
    return;
  if (under_way)
    cn_report_end();
  cn_mutex_take(&first, UINT64_MAX);
  under_way = true;
  if (!ready)
    set_up();
  under_way = false;
  cn_mutex_release(&first);
}

void cn_heap_begin(void)
{
  if (collector->barriers != CAIRN_ABI_BARRIERS_NONE)
    cn_heap_set_up();
}

/* Objects that are too large for allocation in line are large objects, if the collector has a large-object space. */
static bool is_large(size_t bytes)
{
  uint64_t most = collector->largest_in_line;

  if (most == 0 || most > CAIRN_ABI_INLINE_ALLOC_MAX)
    most = CAIRN_ABI_INLINE_ALLOC_MAX;
  return bytes > most && collector->allocate_large != NULL;
}

bool cn_heap_keeps_place(size_t bytes)
{
  return is_large(bytes) && (collector->traits & CAIRN_COLLECTOR_REUSES) != 0;
}

/* A block of a dead array. The header stays until the next one is written, for a collector that scans the heap
 * concurrently. */
static void *allocate_again(struct cn_wanted wanted)
{
  char *block = wanted.leaf ? cn_give_back_again(wanted.bytes) : NULL;

  if (block != NULL && !wanted.any)
    memset(block + CAIRN_ABI_INDEXED_HEADER_SIZE, 0, wanted.bytes - CAIRN_ABI_INDEXED_HEADER_SIZE);
  return block;
}

/* Null: a collection is needed first. */
static void *allocate_large(struct cn_wanted wanted)
{
  void *block = allocate_again(wanted);

  CN_ASSERT(is_large(wanted.bytes));
  __atomic_store_n(&used, true, __ATOMIC_RELAXED);
  if (block == NULL && collector->allocate_large(&cairn_mutator, wanted.bytes, !wanted.any, &block) != CAIRN_OK)
    return NULL;
  CN_CHECK(block != NULL && (uintptr_t)block % CAIRN_ABI_OBJECT_ALIGN == 0);
  cairn_mutator.allocated += wanted.bytes;
  return block;
}

bool cn_heap_lengthen(uintptr_t block, size_t had, size_t bytes)
{
  void *at = (void *)block;

  CN_ASSERT(had < bytes && bytes % CAIRN_ABI_OBJECT_ALIGN == 0);
  if (!is_large(bytes) || (collector->traits & CAIRN_COLLECTOR_LENGTHENS) == 0 ||
      collector->allocate_large(&cairn_mutator, bytes, false, &at) != CAIRN_OK)
    return false;
  CN_CHECK(at == (void *)block);
  cairn_mutator.allocated += bytes - had;
  return true;
}

static bool refill_buffer(size_t bytes)
{
  __atomic_store_n(&used, true, __ATOMIC_RELAXED);
  cairn_mutator.wanted = bytes;
  return collector->refill(&cairn_mutator, bytes) == CAIRN_OK;
}

static bool grow_heap(size_t bytes)
{
  cairn_mutator.wanted = bytes;
  return collector->grow(&cairn_mutator, bytes) == CAIRN_OK;
}

void *cn_heap_allocate(struct cn_wanted wanted)
{
  size_t bytes = wanted.bytes;

  CN_CHECK(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes >= CAIRN_ABI_HEADER_SIZE);
  cn_heap_set_up();
  if (is_large(bytes))
    return allocate_large(wanted);
  void *block = cn_buffer_allocate(&cairn_mutator, bytes);
  if (block == NULL && refill_buffer(bytes))
    block = cn_buffer_allocate(&cairn_mutator, bytes);
  if (block != NULL && !wanted.any)
    cn_buffer_clear(&cairn_mutator, block, bytes);
  return block;
}

void *cn_heap_allocate_rest(struct cn_wanted wanted)
{
  cn_buffer_merge(&cairn_mutator);
  return cn_heap_allocate(wanted);
}

void *cn_heap_allocate_interrupting(struct cn_wanted wanted)
{
  size_t bytes = wanted.bytes;

  CN_CHECK(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes >= CAIRN_ABI_HEADER_SIZE);
  cn_heap_set_up();
  void *block = cn_buffer_allocate_interrupting(&cairn_mutator, bytes);
  if (block == NULL) {
    cn_buffer_extend_handlers(&cairn_mutator, true);
    bool more = refill_buffer(bytes) || grow_heap(bytes);
    cn_buffer_extend_handlers(&cairn_mutator, false);
    if (more)
      block = cn_buffer_allocate_interrupting(&cairn_mutator, bytes);
  }
  if (block != NULL && !wanted.any)
    memset(block, 0, bytes);
  return block;
}

void *cn_heap_allocate_growing(struct cn_wanted wanted)
{
  void *block = cn_heap_allocate(wanted);

  if (block == NULL && grow_heap(wanted.bytes))
    block = cn_heap_allocate(wanted);
  return block;
}

void cn_heap_collect(const struct cairn_collection *collection)
{
  CN_CHECK(cairn_mutator.stopped != NULL); /* else its stack is in no state to be walked */
  CN_CHECK(ready && collector->collect != NULL);
  cn_barriers_check_code(collector);
  __atomic_store_n(&used, true, __ATOMIC_RELAXED);
  check_words(); /* once more, since the first image may come after the heap */
  CN_ASSERT_VALID(cn_buffer_wrong(&cairn_mutator));
  cn_uncleared_begin();
  collector->collect(collection);
  CN_ASSERT_VALID(cn_buffer_wrong(&cairn_mutator));
}

static void add_range(void *env, uintptr_t start, uintptr_t end, bool blocks)
{
  uint64_t *bytes = env;

  CN_ASSERT(start <= end);
  if (blocks)
    *bytes += end - start;
}

uint64_t cn_heap_used(void)
{
  uint64_t bytes = 0, unused = 0;

  if (!ready || (collector->ranges == NULL && collector->used == NULL))
    return UINT64_MAX;
  if (collector->used != NULL)
    bytes = collector->used();
  else
    collector->ranges(add_range, &bytes);
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    unused += m->buffer_end - m->alloc + (m->handlers.end - m->handlers.alloc);
  CN_CHECK(unused <= bytes);
  return bytes - unused;
}

bool cn_heap_is_object(uintptr_t address)
{
  if (address == 0 || address % CAIRN_ABI_OBJECT_ALIGN != 0)
    return false;
  return collector->is_object != NULL ? collector->is_object(address)
                                      : cairn_layout_is_known(cairn_object_layout(address));
}

bool cn_heap_remembers(const struct cairn_image *image)
{
  CN_ASSERT(image->layouts_start <= image->layouts_stop);
  return cn_heap_is_ready() && collector->forget != NULL && image->layouts_start != image->layouts_stop;
}

void cn_heap_forget(const struct cairn_image *image)
{
  CN_ASSERT(cn_heap_remembers(image));
  collector->forget(image->layouts_start, image->layouts_stop);
}
