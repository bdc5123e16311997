/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates and resizes objects when the inline code finds the mutator's buffer full: makes attempts from the buffer up
 * to collections and the program's callback, writes the block's header, and registers finalisable objects. Also refuses
 * unknown layouts and calls of uncompiled code. If all attempts fail, throws the language's exception for it, or writes
 * the dump of CAIRN_DUMP and ends the program.
 *
 * Runs on the allocating thread, in phase MUTATE and in a slow path: the mutator is busy, so that signals and
 * cancellation wait. Collections and the dump run in a stop. The thread holds no lock. At the end of the slow path the
 * block has a header. The only state is the thread's last layout, a cache.
 */
#include <unistd.h>
#include <cairn/abi.h>
#include <cairn/exceptions.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/poll_word.h"
#include "runtime/core/messages.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/inspect/inspect.h"
#include "runtime/os/os.h"
#include "runtime/safepoints/safepoint.h"
#include "runtime/signals/signals.h"
#include "runtime/threads/stop.h"
#include "runtime/weak/finalisers.h"

/* ---- attempts, while other threads run ---- */

struct allocation_request {
  const struct cn_saved_regs *regs;
  struct cn_block_request wanted;
  bool collects; /* a collection is due */
  bool *native;  /* native code called the slow path */
  bool takes_over;
};

static void *allocate_after_due_collection(void *env)
{
  const struct allocation_request *allocation = env;

  return allocation->collects
             ? cn_collect_from_mapped_code(allocation->regs, cn_collect_due_cause(), allocation->wanted)
             : NULL;
}

static void *allocate_in_handler(struct cn_block_request wanted)
{
  void *block = cn_heap_allocate_for_handler(wanted);

  /* Skip exit handlers, which may need a lock that the interrupted code holds. */
  if (block == NULL) {
    cn_report_print_text("cairn: out of memory: cannot allocate %zu bytes (heap maximum %zu) in a signal "
                         "handler that interrupted managed code, or in what cairn_on_exhaustion() calls\n",
                         wanted.bytes, cn_options.heap_max);
    _exit(1);
  }
  if (cn_buffer_is_handler_part_low(&cairn_mutator) && cn_collect_is_possible())
    cn_poll_word_arm(&cairn_mutator, CN_POLL_REASON_COLLECT);
  return block;
}

static void *allocate_in_handlers_part(void *env)
{
  const struct allocation_request *allocation = env;

  return cn_signals_is_interrupting() ? allocate_in_handler(allocation->wanted) : NULL;
}

static void *allocate_in_buffer(void *env)
{
  const struct allocation_request *allocation = env;

  return cn_collect_is_possible() ? cn_heap_allocate_block(allocation->wanted) : NULL;
}

static void *allocate_in_stop(void *env)
{
  const struct allocation_request *allocation = env;

  return cn_collect_is_possible()
             ? cn_collect_from_mapped_code(allocation->regs, CAIRN_CAUSE_ALLOCATION, allocation->wanted)
             : NULL;
}

static void *allocate_beyond_usual_size(void *env)
{
  const struct allocation_request *allocation = env;

  return !cn_collect_is_possible() || cn_poll_word_is_armed(&cairn_mutator, CN_POLL_REASON_COLLECT)
             ? cn_heap_allocate_growing(allocation->wanted)
             : NULL;
}

/* Calls the program's callback, then collects. An exit handler that runs because memory is exhausted gets null
 * instead. */
static void *allocate_after_exhaustion_call(void *env)
{
  const struct allocation_request *allocation = env;
  struct cn_exhaustion_call call;
  void *block = NULL;
  bool again = cn_collect_is_possible() && cairn_mutator.stopped == NULL;

  for (unsigned tries = 0; again && block == NULL && cn_exhaustion_prepare_call(&call, allocation->wanted.bytes, tries);
       tries++) {
    cn_safepoint_leave(*allocation->native);
    again = cn_exhaustion_call(&call);
    cn_safepoint_enter(allocation->regs, allocation->native);
    if (again)
      block = cn_collect_from_mapped_code(allocation->regs, CAIRN_CAUSE_EMERGENCY, allocation->wanted);
  }
  return block;
}

/* Throws the exception of the language for exhausted memory, unless it has none. In a take-over the activation that
 * would throw has ended. */
static void *throw_exhaustion(void *env)
{
  const struct allocation_request *allocation = env;

  CN_CHECK(cairn_mutator.busy);
  if (!*allocation->native && !allocation->takes_over)
    cn_hooks.throw_on_failure(CAIRN_FAILURE_MEMORY, allocation->regs);
  return NULL;
}

static void dump_exhausted_heap(const struct cn_saved_regs *regs)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  if (cn_options.dump == 0 || mutator->stopped != NULL)
    return;
  mutator->stopped = regs;
  if (cn_stop_begin(mutator)) {
    cn_dump_exhausted_heap();
    cn_stop_end(mutator);
  }
  mutator->stopped = NULL;
}

static void *end_exhausted_program(void *env)
{
  const struct allocation_request *allocation = env;

  dump_exhausted_heap(allocation->regs);
  cn_safepoint_leave(*allocation->native);
  cn_exhaustion_end_program(allocation->wanted.bytes);
}

static cn_allocation_attempt *const allocation_attempts[] = {
    allocate_after_due_collection,  /* after a collection that stress mode or a signal handler requested */
    allocate_in_handlers_part,      /* in the handlers' part, in a handler that interrupted managed code */
    allocate_in_buffer,             /* in the mutator's buffer, or in a new buffer */
    allocate_in_stop,               /* in a stopped world, by the attempts of collect.c */
    allocate_beyond_usual_size,     /* in a larger heap, if collections are impossible or wait for a fork() */
    allocate_after_exhaustion_call, /* after the program's callback and a collection, until the callback declines */
    throw_exhaustion,
    end_exhausted_program,
    NULL,
};

/* The caller ends the slow path, after it has written the block's header, because a signal handler may run at the
 * end. */
static uintptr_t *allocate_in_slow_path(const struct cn_saved_regs *regs, struct cn_block_request wanted, bool *native)
{
  struct allocation_request allocation = {.regs = regs, .wanted = wanted, .native = native};

  allocation.collects = cn_safepoint_enter(regs, native);
  return cn_attempt_in_order(allocation_attempts, &allocation);
}

/* ---- objects ---- */

/* Signal handlers wait from defer_handlers() to release_handlers(), as in the slow path. The busy flag costs less than
 * cn_defer_signals(), whose system calls would dominate the slow path's time. */
static uint64_t defer_handlers(const struct cn_saved_regs *regs)
{
  struct cairn_mutator *mutator = cn_mutator_get_attached(regs->pc);
  uint64_t busy = mutator->busy;

  cn_defer_cancellation();
  mutator->busy = 1;
  return busy;
}

static void release_handlers(uint64_t busy)
{
  cairn_mutator.busy = busy;
  cn_undefer_cancellation();
}

/* Caches the last layout: a look-up counts the thread as a reader, by locked instructions that wait for all its stores,
 * and a program with large arrays would repeat the look-up for each array. */
static bool is_known_layout(const struct cairn_layout *layout)
{
  static _Thread_local struct {
    const struct cairn_layout *layout;
    uint64_t generation; /* generation of the list of images at the look-up */
  } last;
  uint64_t generation = cn_image_list_generation();

  if (last.layout == layout && last.generation == generation)
    return true;
  bool known = cairn_layout_is_known(layout);
  last.layout = known ? layout : NULL;
  last.generation = generation;
  return known;
}

static void check_known_layout(const struct cn_saved_regs *regs, const struct cairn_layout *layout)
{
  char place[CN_REPORT_PC], file[CN_REPORT_PC];
  uint64_t busy = defer_handlers(regs);
  bool known = is_known_layout(layout);

  release_handlers(busy);
  if (known)
    return;
  if (layout == NULL && cn_shared_layouts_find_undefined(file, sizeof file))
    cairn_fatal("allocation at pc %s: its layout is undefined: no module and no cairn_layout_make() defines %s",
                cn_report_format_return(regs->pc, place), file);
  if (cn_os_find_module_file((uintptr_t)layout, file, sizeof file))
    cairn_fatal("allocation at pc %s: %p is not a layout of a registered image: did the constructor "
                "of %s run? %s",
                cn_report_format_return(regs->pc, place), (const void *)layout, file, cn_collect_constructor_advice);
  cn_collect_check_registered(regs->pc);
  cairn_fatal("allocation at pc %s: %p is not a layout", cn_report_format_return(regs->pc, place),
              (const void *)layout);
}

static void check_layout(const struct cn_saved_regs *regs, const struct cairn_layout *layout, bool indexed)
{
  char type[CN_LAYOUT_TEXT_BYTES];

  check_known_layout(regs, layout);
  if ((layout->elem_size != 0) == indexed)
    return;
  cairn_layout_type(layout, type, sizeof type);
  cn_report_fatal(regs->pc, "%s is allocated with the layout of %s, which %s elements",
                  indexed ? "an array" : "a single object", type, indexed ? "has no" : "has");
}

/* The object's header has been written; returns the reference to the object. */
static void *register_object(const struct cairn_layout *layout, uintptr_t *payload)
{
  uintptr_t reference = (uintptr_t)payload + cairn_words.reference;

  cn_heap_order_new_object();
  if ((layout->flags & CAIRN_ABI_LAYOUT_FINALISABLE) != 0)
    cn_finalisers_add_object(reference);
  return (void *)reference;
}

static void *finish_allocation(const struct cairn_layout *layout, uintptr_t *payload, bool native)
{
  void *reference = register_object(layout, payload);

  cn_safepoint_leave(native);
  return reference;
}

void *cn_safepoint_alloc(const struct cn_saved_regs *regs, const struct cairn_layout *layout)
{
  check_layout(regs, layout, false);
  size_t bytes = (layout->base_size + CAIRN_ABI_HEADER_SIZE + 7) & ~(size_t)7;
  bool native;

  CN_ASSERT(bytes > layout->base_size);
  uintptr_t *block = allocate_in_slow_path(regs, (struct cn_block_request){.bytes = bytes}, &native);
  CN_ASSERT((uintptr_t)block % CAIRN_ABI_OBJECT_ALIGN == 0);
  block[0] = (uintptr_t)layout;
  return finish_allocation(layout, block + 1, native);
}

/* An invalid count ends the program. */
static size_t checked_array_bytes(const struct cn_saved_regs *regs, const struct cairn_layout *layout, int64_t count)
{
  uint64_t payload;
  char place[CN_REPORT_PC];

  check_layout(regs, layout, true);
  if (count < 0)
    cn_report_exit("negative array length %lld at pc %s", (long long)count, cn_report_format_return(regs->pc, place));
  if ((uint64_t)count > UINT64_MAX / 2 || cairn_layout_payload(layout, (uint64_t)count, &payload) != CAIRN_OK)
    cn_report_exit("array of %lld elements of %llu bytes at pc %s: the size overflows", (long long)count,
                   (unsigned long long)layout->elem_size, cn_report_format_return(regs->pc, place));
  return payload + CAIRN_ABI_INDEXED_HEADER_SIZE;
}

static void *allocate_indexed(const struct cn_saved_regs *regs, const struct cairn_layout *layout, int64_t count,
                              struct cn_block_request wanted)
{
  bool native;
  uintptr_t *block = allocate_in_slow_path(regs, wanted, &native);

  CN_ASSERT((uintptr_t)block % CAIRN_ABI_OBJECT_ALIGN == 0);
  block[0] = (uintptr_t)count << 1 | 1;
  block[1] = (uintptr_t)layout;
  return finish_allocation(layout, block + 2, native);
}

void *cn_safepoint_alloc_indexed(const struct cn_saved_regs *regs, const struct cairn_layout *layout, int64_t count)
{
  size_t bytes = checked_array_bytes(regs, layout, count);

  bool leaf = !cairn_layout_has_references(layout);
  return allocate_indexed(regs, layout, count, (struct cn_block_request){.bytes = bytes, .leaf = leaf});
}

void *cn_safepoint_alloc_entered(const struct cn_saved_regs *regs, const struct cairn_layout *layout, uint64_t count)
{
  uint64_t payload, header = layout->elem_size != 0 ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
  bool native = false;
  struct allocation_request allocation = {
      .regs = regs, .native = &native, .collects = cn_safepoint_is_collection_due(), .takes_over = true};
  enum cairn_status status = cairn_layout_payload(layout, count, &payload);

  CN_CHECK(status == CAIRN_OK && cairn_mutator.busy == 1);
  allocation.wanted = (struct cn_block_request){.bytes = (payload + header + 7) & ~(size_t)7};
  uintptr_t *block = cn_attempt_in_order(allocation_attempts, &allocation);
  if (layout->elem_size != 0)
    *block++ = (uintptr_t)count << 1 | 1;
  *block = (uintptr_t)layout;
  return register_object(layout, block + 1);
}

void *cn_safepoint_alloc_uninit(const struct cn_saved_regs *regs, const struct cairn_layout *layout, int64_t count)
{
  size_t bytes = checked_array_bytes(regs, layout, count);

  if (cairn_layout_has_references(layout))
    cn_report_fatal(regs->pc, "an array with references is allocated without being cleared");
  void *array = allocate_indexed(regs, layout, count, (struct cn_block_request){bytes, true, true});
  cairn_mutator.uncleared = 1;
  return array;
}

/* Called before the slow path lets stops pass, during which the array may move. False if the caller must allocate, also
 * for a null array. */
static bool resize_in_place(const struct cn_saved_regs *regs, const struct cairn_layout *layout, uintptr_t array,
                            int64_t count, bool uninit)
{
  enum cn_resize_flags how =
      (uninit ? CN_RESIZE_LEAVE_UNCLEARED : 0U) | (cn_signals_is_interrupting() ? CN_RESIZE_FORBID_GROWTH : 0U);
  if (array == 0)
    return false;
  uint64_t busy = defer_handlers(regs);
  array -= cairn_words.reference;
  bool is_array = cn_resize_has_array_at(array, layout);
  bool done = is_array && cn_resize_array_in_place(&cairn_mutator, array, (uint64_t)count, how);

  cairn_mutator.uncleared |= done && uninit;
  release_handlers(busy);
  if (!is_array)
    cn_report_fatal(regs->pc, "0x%lx is resized, which is not the start of an array of that type",
                    (unsigned long)array);
  return done;
}

void *cn_safepoint_resize(const struct cn_saved_regs *regs, const struct cairn_layout *layout, uintptr_t array,
                          int64_t count, bool uninit)
{
  size_t bytes = checked_array_bytes(regs, layout, count);
  bool refs = cairn_layout_has_references(layout), native;

  if (uninit && refs)
    cn_report_fatal(regs->pc, "an array with references is resized without being cleared");
  if (!resize_in_place(regs, layout, array, count, uninit)) {
    void *fresh = allocate_indexed(regs, layout, count, (struct cn_block_request){.bytes = bytes, .any = !refs});
    cairn_mutator.uncleared |= uninit;
    return fresh;
  }
  if (cn_safepoint_enter(regs, &native))
    cn_collect_from_mapped_code(regs, cn_collect_due_cause(), CN_NO_BLOCK_REQUEST);
  cn_safepoint_leave(native);
  return NULL;
}

/* Front ends' IR calls these functions, and the compiler expands the calls. The calls of uncompiled code end the
 * program, because the collector would miss the references of a native caller. */
#define DEFINE_UNCOMPILED_STUB(name, ...) \
  __attribute__((visibility("default"))) void *name(__VA_ARGS__); \
  void *name(__VA_ARGS__) \
  { \
    cairn_fatal(#name " was called from code that cairn-cc did not compile"); \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
DEFINE_UNCOMPILED_STUB(cairn_alloc, const void *layout, size_t size)
DEFINE_UNCOMPILED_STUB(cairn_alloc_array, const void *layout, int64_t count)
DEFINE_UNCOMPILED_STUB(cairn_alloc_flex, const void *layout, int64_t count)
DEFINE_UNCOMPILED_STUB(cairn_alloc_array_uninit, const void *layout, int64_t count)
DEFINE_UNCOMPILED_STUB(cairn_alloc_flex_uninit, const void *layout, int64_t count)
DEFINE_UNCOMPILED_STUB(cairn_resize_array, const void *layout, uintptr_t array, int64_t count)
DEFINE_UNCOMPILED_STUB(cairn_resize_array_uninit, const void *layout, uintptr_t array, int64_t count)
