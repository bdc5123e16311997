/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses the collector, checks that options and images fit it, sets its heap up once, and passes allocations,
 * collections and removed layouts to it. Owns the collector in use, and three flags and a mutex of the set-up
 * (`set_up_lock`), which a fork() holds, so that a child has a whole heap or none; the heap itself is the collector's.
 *
 * The collector is chosen when the runtime starts, or by the main thread before the first allocation. Set-up,
 * under the mutex, and allocation run on mutators' threads in phase MUTATE, and on the thread that stopped the others
 * in phase STOP. cn_heap_allocate_for_handler() runs in a signal handler that interrupted managed code. Collections,
 * cn_heap_used_bytes() and cn_heap_forget_layouts_of() run in phase STOP; blocks are lengthened, and addresses tested,
 * in phase MUTATE. Any thread checks images; threads share the flags by atomic accesses.
 */
#include "runtime/heap/managed_heap.h"

#include <stdio.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/lock.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/heap/barrier_slow_paths.h"
#include "runtime/heap/buffer.h"
#include "runtime/os/os.h"

/* With -fcairn-collector=NAME the driver defines this variable at the link. */
#pragma GCC visibility push(default)
extern const struct cairn_collector *const cairn_collector_chosen __attribute__((weak));
#pragma GCC visibility pop

static const struct cairn_collector *collector_in_use = &cairn_collector_generational;
static bool heap_ready;
static bool memory_given;
static bool images_must_fit;

const struct cairn_collector *cn_heap_collector(void)
{
  return collector_in_use;
}

const struct cairn_collector *cairn_collector_in_use(void)
{
  return collector_in_use;
}

/* The name of the collector's variable, such as "cairn_collector_mine", or "(unnamed)" if the file has no symbols. */
static const char *find_variable_name(const struct cairn_collector *chosen, char *buffer, size_t size)
{
  if (!cn_os_describe_symbol((uintptr_t)chosen, buffer, size))
    return "(unnamed)";
  char *distance = strrchr(buffer, '+');
  CN_CHECK(distance != NULL);
  if (strcmp(distance, "+0x0") == 0)
    *distance = 0;
  return buffer;
}

/* Reads the name only if the version is equal: in an older version the member may have another offset. */
static void check_collector_version(const struct cairn_collector *chosen)
{
  bool named = chosen->version == CAIRN_ABI_COLLECTOR_VERSION && chosen->name != NULL;
  char file[CN_REPORT_PC], variable[CN_REPORT_PC];

  if (chosen->version == CAIRN_ABI_COLLECTOR_VERSION && chosen->size == sizeof *chosen)
    return;
  cairn_fatal("collector '%s' of %s has version %u of struct cairn_collector, of %u bytes, and this "
              "runtime has version %u, of %zu bytes: compile it with this version of Cairn",
              named ? chosen->name : find_variable_name(chosen, variable, sizeof variable),
              cn_os_find_module_file((uintptr_t)chosen, file, sizeof file) ? file : "code without a file",
              chosen->version, chosen->size, CAIRN_ABI_COLLECTOR_VERSION, sizeof *chosen);
}

/* Refuses a collector without a name, or without a function that may not be null. */
static void check_collector_members(const struct cairn_collector *chosen)
{
  const struct {
    bool there;
    const char *name;
  } members[] = {
      {chosen->name != NULL, "name"},
      {chosen->init != NULL, "init"},
      {chosen->refill != NULL, "refill"},
      {chosen->grow != NULL, "grow"},
  };
  char variable[CN_REPORT_PC];

  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (!members[i].there)
      cairn_fatal("collector '%s' does not have the %s %s",
                  chosen->name != NULL ? chosen->name : find_variable_name(chosen, variable, sizeof variable),
                  i == 0 ? "member" : "function", members[i].name);
  CN_CHECK(chosen->name && chosen->init && chosen->refill && chosen->grow);
}

/* True if the image's code allocates larger blocks in line than the collector allows. */
static bool exceeds_inline_limit(const struct cairn_image *image, const void *key, const char *name, char *fault,
                                 size_t size)
{
  uint64_t code = image->flags >> CAIRN_ABI_IMAGE_INLINE_SHIFT & 0xffff,
           most = code != 0 ? code & ~(uint64_t)7 : CAIRN_ABI_INLINE_ALLOC_MAX;
  char file[CN_REPORT_PC];

  if (collector_in_use->largest_in_line == 0 || most <= collector_in_use->largest_in_line ||
      (code == 0 && !cn_image_has_sections(image)))
    return false;
  snprintf(fault, size,
           "%s allocates blocks of up to %llu bytes in line, and collector '%s' lets those of up "
           "to %llu bytes be allocated so: compile it with -fcairn-inline-max=%llu",
           cn_image_name(name, (uintptr_t)key, file), (unsigned long long)most, collector_in_use->name,
           (unsigned long long)collector_in_use->largest_in_line,
           (unsigned long long)(collector_in_use->largest_in_line & ~(uint64_t)7));
  return true;
}

static bool misfits(const struct cairn_image *image, const void *key, const char *name, char *fault, size_t size)
{
  return cn_barriers_misfit(collector_in_use, image, key, name, fault, size) ||
         exceeds_inline_limit(image, key, name, fault, size);
}

bool cn_heap_image_misfits(const struct cairn_image *image, const char *name, char *fault, size_t size)
{
  return misfits(image, image, name, fault, size);
}

static void check_image_fits(const struct cairn_image *image, const void *key)
{
  char fault[CN_IMAGE_FAULT_BYTES];

  if (misfits(image, key, NULL, fault, sizeof fault))
    cairn_fatal("%s", fault);
}

void cn_heap_check_image(const struct cairn_image *image, const void *key)
{
  if (__atomic_load_n(&images_must_fit, __ATOMIC_SEQ_CST))
    check_image_fits(image, key);
}

/* An image that another thread adds now is in the list here, or its thread sees `images_must_fit`. */
static void begin_image_checks(void)
{
  __atomic_store_n(&images_must_fit, true, __ATOMIC_SEQ_CST);
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();
  for (const struct cn_registered_image *at = cn_image_from(list, 0); at != NULL; at = cn_image_from(list, at->id + 1))
    check_image_fits(&at->image, at->key);
  cn_image_end_reading(entered);
}

/* Leaves the default collector, whose heap the first managed code has set up, before its first allocation. The table of
 * cards stays allocated, since registers may point to it. */
static void leave_default_collector(void)
{
  CN_CHECK(!memory_given);
  if (!heap_ready)
    return;
  __atomic_store_n(&heap_ready, false, __ATOMIC_RELEASE);
  cairn_barrier_cards(NULL, 0);
}

/* Compiled code keeps the table of cards in registers. A collector with barriers must therefore be set before any
 * managed code runs, and its heap is set up at once. */
void cairn_set_collector(const struct cairn_collector *chosen)
{
  if (memory_given)
    cairn_fatal("the collector is set after the first allocation");
  CN_CHECK(chosen);
  check_collector_version(chosen);
  check_collector_members(chosen);
  if ((chosen->traits & ~(uint64_t)CAIRN_COLLECTOR_TRAITS) != 0)
    cairn_fatal("collector '%s' has the traits 0x%llx, which are unknown to this runtime", chosen->name,
                (unsigned long long)chosen->traits);
  cn_barriers_check_collector(chosen);
  leave_default_collector();
  collector_in_use = chosen;
  begin_image_checks();
  if (chosen->barriers == CAIRN_ABI_BARRIERS_NONE)
    return;
  if (cairn_mutator_count() > 1 || cairn_mutator.anchor != cairn_mutator.anchors)
    cairn_fatal("collector '%s', which needs barriers, is set after managed code began: set it in a "
                "constructor",
                chosen->name);
  cn_heap_set_up();
}

void cn_heap_choose_collector(void)
{
  CN_CHECK(!heap_ready);
  if (&cairn_collector_chosen != NULL)
    cairn_set_collector(cairn_collector_chosen);
}

static void check_word_tags(void)
{
  if (cairn_words.mask != 0 && (collector_in_use->traits & CAIRN_COLLECTOR_WORDS) == 0)
    cairn_fatal("collector '%s' does not tell immediates from references, and the program has words "
                "that may be either (-fcairn-words)",
                collector_in_use->name);
}

/* Refuses options that enumerate objects if the collector does not report the ranges of its heap. */
static void check_enumeration_options(void)
{
  const struct {
    bool set;
    const char *name;
  } options[] = {
      {(cn_options.verify & CN_VERIFY_HEAP) != 0, "CAIRN_VERIFY=heap"},
      {cn_options.histogram != 0, "CAIRN_HISTOGRAM"},
      {cn_options.dump != 0, "CAIRN_DUMP"},
  };

  if (collector_in_use->ranges != NULL && collector_in_use->forget != NULL)
    return;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (options[i].set)
      cn_report_exit("%s: collector '%s' has no function that enumerates objects", options[i].name,
                     collector_in_use->name);
}

/* A moving collector without generations copies all reachable objects at once, to memory outside of the heap's
 * maximum. */
static void halve_default_maximum(void)
{
  uint64_t kinds = CAIRN_COLLECTOR_MOVES | CAIRN_COLLECTOR_GENERATIONS;

  if (!cn_options.heap_usual || (collector_in_use->traits & kinds) != CAIRN_COLLECTOR_MOVES)
    return;
  cn_options.heap_max /= 2;
  if (cn_options.heap_initial > cn_options.heap_max)
    cn_options.heap_initial = cn_options.heap_max;
  if (cn_options.heap_soft > cn_options.heap_max)
    cn_options.heap_soft = cn_options.heap_max;
}

void cairn_note_addresses(size_t bytes)
{
  CN_CHECK(!heap_ready && bytes < cn_options.heap_max);
  if (!cn_options.heap_usual)
    cn_report_print_text("cairn: the heap maximum is %zu bytes, and there are addresses for %zu (ulimit -v): "
                         "the heap may end there\n",
                         cn_options.heap_max, bytes);
}

/* If the setup ends the program, its exit handlers may call cn_heap_set_up() again. */
static void set_up_heap(void)
{
  begin_image_checks();
  CN_ASSERT(cn_options.heap_initial <= cn_options.heap_max);
  cn_layouts_begin_checks();
  check_word_tags();
  if (cn_options.stress != 0 && (collector_in_use->traits & CAIRN_COLLECTOR_MOVES) == 0)
    cn_report_exit("CAIRN_STRESS: collector '%s' moves no objects, so lost references would not show",
                   collector_in_use->name);
  check_enumeration_options();
  if ((cn_options.verify & CN_VERIFY_STORES) != 0)
    cn_noted_stores_allocate_ring();
  halve_default_maximum();
  if (collector_in_use->init(cn_options.heap_initial, cn_options.heap_max) != CAIRN_OK)
    cairn_out_of_memory(true, "cannot reserve %zu bytes that may grow to %zu (CAIRN_HEAP_MAX)", cn_options.heap_initial,
                        cn_options.heap_max);
  __atomic_store_n(&heap_ready, true, __ATOMIC_RELEASE);
}

bool cn_heap_is_ready(void)
{
  return __atomic_load_n(&heap_ready, __ATOMIC_ACQUIRE);
}

static struct cn_mutex set_up_lock;
static _Thread_local bool sets_up; /* the calling thread is in set_up_heap() */

/* Several threads may call cn_heap_set_up() at the same time. */
void cn_heap_set_up(void)
{
  if (cn_heap_is_ready())
    return;
  if (sets_up)
    cn_report_exit_program();
  cn_mutex_take(&set_up_lock, UINT64_MAX);
  sets_up = true;
  if (!heap_ready)
    set_up_heap();
  sets_up = false;
  cn_mutex_release(&set_up_lock);
}

void cn_heap_prepare_fork(void)
{
  if (!sets_up)
    cn_mutex_take(&set_up_lock, UINT64_MAX);
}

void cn_heap_finish_fork(void)
{
  if (!sets_up)
    cn_mutex_release(&set_up_lock);
}

void cn_heap_reset_in_child(void)
{
  atomic_store(&set_up_lock.word, 0);
}

void cn_heap_set_up_for_barriers(void)
{
  if (collector_in_use->barriers != CAIRN_ABI_BARRIERS_NONE)
    cn_heap_set_up();
}

static uint64_t largest_in_line(void)
{
  uint64_t most = collector_in_use->largest_in_line;

  return most == 0 || most > CAIRN_ABI_INLINE_ALLOC_MAX ? CAIRN_ABI_INLINE_ALLOC_MAX : most;
}

void *cn_heap_allocate_in_line(size_t bytes)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  uintptr_t block = mutator->alloc;

  CN_ASSERT(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes != 0);
  if (bytes > largest_in_line() || block + bytes > mutator->limit || mutator->busy ||
      mutator->state != CAIRN_ABI_MANAGED)
    return NULL;
  mutator->alloc = block + bytes;
  __atomic_signal_fence(__ATOMIC_SEQ_CST); /* a jump out leaves the memory beyond `alloc` as it is */
  return (void *)block;
}

/* True if an object of `bytes` is too large for in-line allocation and the collector has a large-object space. */
static bool is_large_object(size_t bytes)
{
  return bytes > largest_in_line() && collector_in_use->allocate_large != NULL;
}

bool cn_heap_is_block_reusable(size_t bytes)
{
  return is_large_object(bytes) && (collector_in_use->traits & CAIRN_COLLECTOR_REUSES) != 0;
}

/* Returns the block of a dead array. The old header stays until the new header is written, for a collector that scans
 * the heap concurrently. */
static void *reuse_freed_block(struct cn_block_request wanted)
{
  char *block = wanted.leaf ? cn_freed_reuse_block(wanted.bytes) : NULL;

  if (block != NULL && !wanted.any)
    memset(block + CAIRN_ABI_INDEXED_HEADER_SIZE, 0, wanted.bytes - CAIRN_ABI_INDEXED_HEADER_SIZE);
  return block;
}

/* Null: a collection is needed first. */
static void *allocate_large_block(struct cn_block_request wanted)
{
  void *block = reuse_freed_block(wanted);

  CN_ASSERT(is_large_object(wanted.bytes));
  __atomic_store_n(&memory_given, true, __ATOMIC_RELAXED);
  if (block == NULL && collector_in_use->allocate_large(&cairn_mutator, wanted.bytes, !wanted.any, &block) != CAIRN_OK)
    return NULL;
  CN_CHECK(block != NULL && (uintptr_t)block % CAIRN_ABI_OBJECT_ALIGN == 0);
  cairn_mutator.allocated += wanted.bytes;
  return block;
}

bool cn_heap_lengthen_block(uintptr_t block, size_t had, size_t bytes)
{
  void *at = (void *)block;

  CN_ASSERT(had < bytes && bytes % CAIRN_ABI_OBJECT_ALIGN == 0);
  if (!is_large_object(bytes) || (collector_in_use->traits & CAIRN_COLLECTOR_LENGTHENS) == 0 ||
      collector_in_use->allocate_large(&cairn_mutator, bytes, false, &at) != CAIRN_OK)
    return false;
  CN_CHECK(at == (void *)block);
  cairn_mutator.allocated += bytes - had;
  return true;
}

static bool refill_buffer(size_t bytes)
{
  __atomic_store_n(&memory_given, true, __ATOMIC_RELAXED);
  cairn_mutator.wanted = bytes;
  return collector_in_use->refill(&cairn_mutator, bytes) == CAIRN_OK;
}

static bool grow_heap(size_t bytes)
{
  cairn_mutator.wanted = bytes;
  return collector_in_use->grow(&cairn_mutator, bytes) == CAIRN_OK;
}

void *cn_heap_allocate_block(struct cn_block_request wanted)
{
  size_t bytes = wanted.bytes;

  CN_CHECK(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes >= CAIRN_ABI_HEADER_SIZE);
  cn_heap_set_up();
  if (is_large_object(bytes))
    return allocate_large_block(wanted);
  void *block = cn_buffer_allocate_block(&cairn_mutator, bytes);
  if (block == NULL && refill_buffer(bytes))
    block = cn_buffer_allocate_block(&cairn_mutator, bytes);
  if (block != NULL && !wanted.any)
    cn_buffer_clear_block(&cairn_mutator, block, bytes);
  return block;
}

void *cn_heap_allocate_after_merge(struct cn_block_request wanted)
{
  cn_buffer_merge_handler_part(&cairn_mutator);
  return cn_heap_allocate_block(wanted);
}

void *cn_heap_allocate_for_handler(struct cn_block_request wanted)
{
  size_t bytes = wanted.bytes;

  CN_CHECK(bytes % CAIRN_ABI_OBJECT_ALIGN == 0 && bytes >= CAIRN_ABI_HEADER_SIZE);
  cn_heap_set_up();
  void *block = cn_buffer_allocate_for_handler(&cairn_mutator, bytes);
  if (block == NULL) {
    cn_buffer_set_handlers_only(&cairn_mutator, true);
    bool more = refill_buffer(bytes) || grow_heap(bytes);
    cn_buffer_set_handlers_only(&cairn_mutator, false);
    if (more)
      block = cn_buffer_allocate_for_handler(&cairn_mutator, bytes);
  }
  if (block != NULL && !wanted.any)
    memset(block, 0, bytes);
  return block;
}

void *cn_heap_allocate_growing(struct cn_block_request wanted)
{
  void *block = cn_heap_allocate_block(wanted);

  if (block == NULL && grow_heap(wanted.bytes))
    block = cn_heap_allocate_block(wanted);
  return block;
}

void cn_heap_run_collection(const struct cairn_collection *collection)
{
  CN_CHECK(cairn_mutator.stopped != NULL); /* the stack can be walked only at a safepoint */
  CN_CHECK(heap_ready && collector_in_use->collect != NULL);
  cn_barriers_check_code(collector_in_use);
  __atomic_store_n(&memory_given, true, __ATOMIC_RELAXED);
  check_word_tags(); /* checked again here, since the first image may be added after the heap's setup */
  CN_ASSERT_VALID(cn_buffer_wrong(&cairn_mutator));
  cn_uncleared_begin_collection();
  collector_in_use->collect(collection);
  CN_ASSERT_VALID(cn_buffer_wrong(&cairn_mutator));
}

static void add_range_bytes(void *env, uintptr_t start, uintptr_t end, bool blocks)
{
  uint64_t *bytes = env;

  CN_ASSERT(start <= end);
  if (blocks)
    *bytes += end - start;
}

uint64_t cn_heap_used_bytes(void)
{
  uint64_t bytes = 0, unused = 0;

  if (!heap_ready || (collector_in_use->ranges == NULL && collector_in_use->used == NULL))
    return UINT64_MAX;
  if (collector_in_use->used != NULL)
    bytes = collector_in_use->used();
  else
    collector_in_use->ranges(add_range_bytes, &bytes);
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    unused += m->buffer_end - m->alloc + (m->handlers.end - m->handlers.alloc);
  CN_CHECK(unused <= bytes);
  return bytes - unused;
}

bool cn_heap_is_object(uintptr_t address)
{
  if (address == 0 || address % CAIRN_ABI_OBJECT_ALIGN != 0)
    return false;
  return collector_in_use->is_object != NULL ? collector_in_use->is_object(address)
                                             : cairn_layout_is_known(cairn_object_layout(address));
}

bool cn_heap_is_static_object(uintptr_t address)
{
  uintptr_t header;

  return address > CAIRN_ABI_HEADER_SIZE && address % CAIRN_ABI_OBJECT_ALIGN == 0 &&
         cn_os_read_memory(address - CAIRN_ABI_HEADER_SIZE, &header, sizeof header) && cairn_header_is_static(header);
}

#pragma GCC visibility push(default)
size_t cairn_object_size(uintptr_t reference); /* <cairn/cairn.h> */
#pragma GCC visibility pop

size_t cairn_object_size(uintptr_t reference)
{
  uintptr_t object = reference - cairn_words.reference;
  bool known = cn_heap_is_object(object) || cn_heap_is_static_object(object);
  const struct cairn_layout *layout = known ? cairn_object_layout(object) : NULL;
  uint64_t bytes;

  if (layout == NULL)
    cn_report_fatal((uintptr_t)__builtin_return_address(0),
                    "0x%lx is asked for its size, which is not an object's start", (unsigned long)reference);
  enum cairn_status status =
      cairn_layout_payload(layout, layout->elem_size != 0 ? cairn_object_count(object) : 0, &bytes);
  CN_CHECK(status == CAIRN_OK);
  return bytes;
}

bool cn_heap_may_have_layouts_of(const struct cairn_image *image)
{
  CN_ASSERT(image->layouts_start <= image->layouts_stop);
  return cn_heap_is_ready() && collector_in_use->forget != NULL && image->layouts_start != image->layouts_stop;
}

void cn_heap_forget_layouts_of(const struct cairn_image *image)
{
  CN_ASSERT(cn_heap_may_have_layouts_of(image));
  collector_in_use->forget(image->layouts_start, image->layouts_stop);
}
