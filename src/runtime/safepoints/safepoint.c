/* SPDX-License-Identifier: Apache-2.0
 *
 * Safepoints: polls, allocation slow paths, collections.
 */
#include "runtime/safepoints/safepoint.h"

#include <string.h>
#include <unistd.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/anchors.h"
#include "runtime/core/hold.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/poll_word.h"
#include "runtime/core/report.h"
#include "runtime/debug/verify_frames.h"
#include "runtime/safepoints/exhaustion.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/external.h"
#include "runtime/heap/heap.h"
#include "runtime/heap/type_histogram.h"
#include "runtime/inspect/verify_heap.h"
#include "runtime/heap/resize.h"
#include "runtime/inspect/dump.h"
#include "runtime/os/os.h"
#include "runtime/signals/overflow.h"
#include "runtime/signals/signals.h"
#include "runtime/safepoints/stats.h"
#include "runtime/threads/background.h"
#include "runtime/threads/stop.h"
#include "runtime/threads/unseen.h"
#include "runtime/threads/workers.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/index.h"
#include "runtime/weak/finalisers.h"

static bool may_collect(void)
{
  return (cn_image_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0 && cn_heap_collector()->collect != NULL;
}

static bool has_generations(void)
{
  return (cn_heap_collector()->traits & CAIRN_COLLECTOR_GENERATIONS) != 0;
}

static enum cairn_extent extent_for(enum cairn_cause cause)
{
  if (cn_options.stress != 0)
    return CAIRN_EXTENT_MOVE_ALL;
  return cause == CAIRN_CAUSE_ALLOCATION ? CAIRN_EXTENT_YOUNG : CAIRN_EXTENT_FULL;
}

static uint64_t wholes; /* collections so far of more than the young; written in stops */

static void collect_once(const struct cn_regs *regs, enum cairn_cause cause, struct cn_wanted wanted)
{
  const struct cairn_collection collection = {cause, extent_for(cause), wanted.bytes};
  struct cn_stats before = cn_stats;

  CN_ASSERT_VALID(cn_stop_registry_wrong());
  if ((cn_options.verify & CN_VERIFY_FRAMES) != 0)
    cn_verify_frames(&cairn_mutator, regs);
  cn_heap_set_up();
  bool entered = cn_image_enter(); /* once for all readers of layouts */
  if ((cn_options.verify & CN_VERIFY_HEAP) != 0)
    cn_verify_heap(false, before.collections + 1, false);
  uint64_t start = cn_stats_begin(&collection);
  cn_index_trim();
  cn_heap_collect(&collection);
  if (cn_stats.full != before.full || !has_generations())
    cn_exhaustion_full(cause);
  if (collection.extent != CAIRN_EXTENT_YOUNG) {
    __atomic_store_n(&wholes, wholes + 1, __ATOMIC_RELAXED);
    cn_external_collected();
  }
  cn_stats_collection(&collection, &before, start);
  if ((cn_options.verify & CN_VERIFY_HEAP) != 0)
    cn_verify_heap(true, cn_stats.collections, true);
  if (cn_options.histogram != 0 && cn_stats.collections % cn_options.histogram == 0)
    cn_type_histogram(cn_stats.collections);
  cn_image_leave(entered);
}

/* After a collection for that cause. */
static void *allocate_collected(const struct cn_regs *regs, enum cairn_cause cause, struct cn_wanted wanted)
{
  void *block = cn_heap_allocate(wanted);

  if (block == NULL && extent_for(cause) == CAIRN_EXTENT_YOUNG && has_generations()) {
    collect_once(regs, CAIRN_CAUSE_EMERGENCY, wanted);
    block = cn_heap_allocate(wanted);
  }
  return block != NULL ? block : cn_heap_allocate_rest(wanted);
}

/* Collect in a stopped world, and allocate the block that is wanted before other threads run again
 * and take what the collection found. Null: there is no room, or no block is wanted. */
static void *collect_stopped(const struct cn_regs *regs, enum cairn_cause cause, struct cn_wanted wanted)
{
  void *block = NULL;

  collect_once(regs, cause, wanted);
  if (wanted.bytes == 0)
    return NULL;
  if (!cn_exhaustion_crawls())
    block = allocate_collected(regs, cause, wanted);
  if (block == NULL)
    cn_exhaustion_note();
  return block;
}

/* A request for a collection, and what had been collected when the thread made it. A thread makes
 * it while it is managed. So a collection that it counts as later began later. */
struct request {
  struct cn_wanted wanted;
  uint64_t collections, wholes;
};

static struct request request_of(struct cn_wanted wanted)
{
  return (struct request){wanted, __atomic_load_n(&cn_stats.collections, __ATOMIC_RELAXED),
                          __atomic_load_n(&wholes, __ATOMIC_RELAXED)};
}

/* Has another thread collected what this one wants, while it waited for the world? Then a block may
 * fit, without a collection. */
static bool is_served(const void *env)
{
  const struct request *request = env;

  if (cn_options.stress != 0)
    return false;
  return request->wanted.bytes != 0 ? cn_stats.collections != request->collections : wholes != request->wholes;
}

static bool is_not_served(const void *unused)
{
  (void)unused;
  return false;
}

/* The world is stopped. */
static void *serve(const struct cn_regs *regs, enum cairn_cause cause, const struct request *request)
{
  void *block = NULL;

  if (request->wanted.bytes != 0 && is_served(request))
    block = cn_heap_allocate(request->wanted);
  if (block == NULL)
    block = collect_stopped(regs, cause, request->wanted);
  cn_stop_end(&cairn_mutator);
  cairn_mutator.stopped = NULL;
  return block;
}

static enum cn_stop_begun begin_stop(const struct cn_regs *regs, cn_stop_served *served, const struct request *request)
{
  cairn_mutator.stopped = regs;
  enum cn_stop_begun begun = cn_stop_begin_unless(&cairn_mutator, served, request);
  if (begun != CN_STOP_BEGUN)
    cairn_mutator.stopped = NULL;
  return begun;
}

/* Of many threads that request a collection at once, one stops the others. A thread that is served
 * and whose block does not fit has its own stop next. An exit handler that runs because a
 * collection found no memory does not collect again. */
static void *collect(const struct cn_regs *regs, enum cairn_cause cause, struct cn_wanted wanted)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  struct request request = request_of(wanted);
  void *block = NULL;

  CN_CHECK(mutator->busy);
  if (mutator->stopped != NULL)
    return NULL;
  cn_workers_prepare((cn_heap_collector()->traits & CAIRN_COLLECTOR_PARALLEL) != 0);
  cn_background_prepare();
  enum cn_stop_begun begun = begin_stop(regs, is_served, &request);
  if (begun == CN_STOP_SERVED && wanted.bytes != 0) {
    block = cn_heap_allocate(wanted);
    if (block == NULL)
      begun = begin_stop(regs, is_not_served, &request);
  }
  if (begun == CN_STOP_BEGUN)
    block = serve(regs, cause, &request);
  else if (begun == CN_STOP_NOT_NOW)
    cn_poll_word_arm(mutator, CN_REASON_COLLECT);
  return block;
}

static bool wants_collection(struct cairn_mutator *mutator)
{
  bool stress = cn_options.stress != 0 && mutator->safepoints % cn_options.stress == 0;
  bool requested = cn_poll_word_is_armed(mutator, CN_REASON_COLLECT);

  if (cn_signals_interrupting() || !may_collect())
    return false;
  if (requested)
    cn_poll_word_disarm(mutator, CN_REASON_COLLECT);
  return stress || requested;
}

/* The usual reason for code whose image is not registered. */
static const char no_constructor[] = "lld and mold ignore constructors in .ctors, which 'cairn "
                                     "frames --rewrite' moves to .init_array";

/* Refuse a safepoint whose code has no frame map: its frames would pass for native ones. A managed
 * function whose frame is gone, because it ends in the call of the safepoint, needs none. Of a
 * signal handler the walk tells more. */
static void *collect_mapped(const struct cn_regs *regs, enum cairn_cause cause, struct cn_wanted wanted)
{
  struct cn_region region;
  char place[CN_REPORT_PC];
  uintptr_t interrupted;
  bool unregistered = cn_image_count() == 0;

  if (!cn_index_find_inside(regs->pc) && !cn_code_regions_find(regs->pc, &region) && !cn_arch_is_entry(regs->pc) &&
      !cn_arch_signal_frame(regs->pc, cn_arch_sp_after(regs), &interrupted))
    cairn_fatal("the code at pc %s has a safepoint and no frame map: was its object linked without "
                "'cairn frames --rewrite', or its section cairn_frames taken away?%s%s",
                cn_report_pc(regs->pc, place), unregistered ? " No image is registered: " : "",
                unregistered ? no_constructor : "");
  return collect(regs, cause, wanted);
}

/* Refuse managed code that no file has, and whose image is not registered: the collector would find
 * nothing of its frames. */
static __attribute__((noinline)) void check_registered(uintptr_t pc)
{
  struct cn_region region;
  char place[CN_REPORT_PC];

  if (cn_index_look_up(pc) != NULL || cn_code_regions_find(pc, &region) || cn_index_find_inside(pc) ||
      cn_os_is_in_file(pc))
    return;
  cairn_fatal("the code at pc %s, which no file has, is managed and has no frame map: no image is "
              "registered for it; call the module's 'enter' (<cairn/compile.h>) before anything "
              "else of it",
              cn_report_pc(pc, place));
}

/* Let stops pass; other threads walk this stack from `regs` meanwhile. */
static void let_stops_pass(struct cairn_mutator *mutator, const struct cn_regs *regs)
{
  if (!cn_stop_is_requested(mutator))
    return;
  CN_CHECK(mutator->stopped == NULL);
  mutator->stopped = regs;
  cn_stop_arrive(mutator);
  mutator->stopped = NULL;
}

/* Begin a slow path. True: a collection is due, stress mode's or a signal handler's. `*native`:
 * native code called cairn_collect(); the thread is managed up to leave(). */
static bool enter(const struct cn_regs *regs, bool *native)
{
  struct cairn_mutator *mutator = cn_mutator_get(regs->pc);

  /* A signal handler got here, of a fault in a slow path or one that the runtime does not know: the
   * frames below have no anchor. */
  if (mutator->busy)
    cn_report_fatal(regs->pc, "a safepoint was reached inside the runtime, by a signal handler, a "
                              "collector or the operation of a handshake");
  if (mutator->stopped == NULL)
    cn_stop_refuse_own(regs->pc);
  cn_unseen_look();
  cn_hold_cancellation();
  mutator->busy = 1;
  *native = mutator->state != CAIRN_ABI_MANAGED;
  if (*native)
    cn_stop_come_back(mutator);
  if (!*native && mutator->stopped == NULL && !cn_signals_interrupting() && may_collect())
    check_registered(regs->pc);
  cn_signals_settle(cn_arch_sp_after(regs));
  cn_signals_drop_anchors(mutator, 0);
  let_stops_pass(mutator, regs);
  mutator->safepoints++;
  return wants_collection(mutator);
}

static void leave(bool native)
{
  CN_ASSERT(cairn_mutator.busy == 1 && cairn_mutator.stopped == NULL);
  if (!cn_signals_interrupting())
    cn_poll_word_open_buffer(&cairn_mutator);
  if (native)
    cn_stop_leave(&cairn_mutator);
  cairn_mutator.busy = 0;
  cn_hold_let_cancellation();
  cn_signals_release();
}

static enum cairn_cause due(void)
{
  if (cn_options.stress != 0)
    return CAIRN_CAUSE_STRESS;
  return cn_external_is_due() ? CAIRN_CAUSE_EXTERNAL : CAIRN_CAUSE_HANDLER;
}

void cn_safepoint_poll(const struct cn_regs *regs)
{
  bool native, collects = enter(regs, &native);

  cn_poll_word_settle(&cairn_mutator);
  cn_overflow_check(&cairn_mutator, regs);
  if (collects)
    collect_mapped(regs, due(), CN_WANTED_NOTHING);
  leave(native);
}

/* In a handler that interrupted managed code, the collection waits for the next safepoint after it.
 */
void cn_safepoint_collect(const struct cn_regs *regs)
{
  bool native;

  enter(regs, &native);
  if (!may_collect())
    ;
  else if (cn_signals_interrupting())
    cn_poll_word_arm(&cairn_mutator, CN_REASON_COLLECT);
  else if (native)
    collect(regs, CAIRN_CAUSE_ASKED, CN_WANTED_NOTHING);
  else
    collect_mapped(regs, CAIRN_CAUSE_ASKED, CN_WANTED_NOTHING);
  leave(native);
}

static void *allocate_interrupting(struct cn_wanted wanted)
{
  void *block = cn_heap_allocate_beside(wanted);

  /* Do not run exit handlers: the interrupted code may hold a lock that they take. */
  if (block == NULL) {
    cn_report_text("cairn: out of memory: cannot allocate %zu bytes (heap maximum %zu) in a signal "
                   "handler that interrupted managed code, or in what cairn_on_exhaustion() calls\n",
                   wanted.bytes, cn_options.heap_max);
    _exit(1);
  }
  if (cn_buffer_low(&cairn_mutator) && may_collect())
    cn_poll_word_arm(&cairn_mutator, CN_REASON_COLLECT);
  return block;
}

static void *allocate_collecting(const struct cn_regs *regs, struct cn_wanted wanted)
{
  void *block = cn_heap_allocate(wanted);

  if (block == NULL)
    block = collect_mapped(regs, CAIRN_CAUSE_ALLOCATION, wanted);
  if (block == NULL && cn_poll_word_is_armed(&cairn_mutator, CN_REASON_COLLECT))
    block = cn_heap_allocate_growing(wanted); /* the collection waits for a fork() */
  return block;
}

static void dump_exhausted(const struct cn_regs *regs)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  if (cn_options.dump == 0 || mutator->stopped != NULL)
    return;
  mutator->stopped = regs;
  if (cn_stop_begin(mutator)) {
    cn_dump_exhausted();
    cn_stop_end(mutator);
  }
  mutator->stopped = NULL;
}

/* Have the program free something, and collect, as long as it wants that. Exit handlers that run
 * because a collection found no memory do not collect. */
static void *allocate_asking(const struct cn_regs *regs, struct cn_wanted wanted, bool *native)
{
  struct cn_exhaustion_call call;
  void *block = NULL;
  bool again = cairn_mutator.stopped == NULL;

  for (unsigned tries = 0; again && block == NULL && cn_exhaustion_prepare(&call, wanted.bytes, tries); tries++) {
    leave(*native);
    again = cn_exhaustion_call(&call);
    enter(regs, native);
    if (again)
      block = collect_mapped(regs, CAIRN_CAUSE_EMERGENCY, wanted);
  }
  return block;
}

/* The slow path of an allocation up to leave(). A signal may come in leave(): the block must have a
 * header by then. */
static uintptr_t *allocate(const struct cn_regs *regs, struct cn_wanted wanted, bool *native)
{
  void *block = NULL;

  if (enter(regs, native))
    block = collect_mapped(regs, due(), wanted);
  if (block != NULL)
    return block;
  if (cn_signals_interrupting())
    return allocate_interrupting(wanted);
  block = may_collect() ? allocate_collecting(regs, wanted) : cn_heap_allocate_growing(wanted);
  if (block == NULL && may_collect())
    block = allocate_asking(regs, wanted, native);
  if (block != NULL)
    return block;
  dump_exhausted(regs);
  leave(*native);
  cn_exhaustion_end(wanted.bytes);
}

/* Between the two handlers wait, as in the slow path itself: holding signals back by the system
 * would take most of its time. */
static uint64_t hold(const struct cn_regs *regs)
{
  struct cairn_mutator *mutator = cn_mutator_get(regs->pc);
  uint64_t busy = mutator->busy;

  cn_hold_cancellation();
  mutator->busy = 1;
  return busy;
}

static void let(uint64_t busy)
{
  cairn_mutator.busy = busy;
  cn_hold_let_cancellation();
}

/* Looking a layout up means that the thread counts itself as a reader, by locked instructions that
 * wait for all its stores; a program that allocates large arrays does so for each, of a few types.
 */
static bool is_known(const struct cairn_layout *layout)
{
  static _Thread_local struct {
    const struct cairn_layout *layout;
    uint64_t generation; /* of the images, in which it was known */
  } last;
  uint64_t generation = cn_image_generation();

  if (last.layout == layout && last.generation == generation)
    return true;
  bool known = cairn_layout_is_known(layout);
  last.layout = known ? layout : NULL;
  last.generation = generation;
  return known;
}

static void check_layout(const struct cn_regs *regs, const struct cairn_layout *layout)
{
  char place[CN_REPORT_PC], file[CN_REPORT_PC];
  uint64_t busy = hold(regs);
  bool known = is_known(layout);

  let(busy);
  if (known)
    return;
  if (cn_os_module((uintptr_t)layout, file, sizeof file))
    cairn_fatal("allocation at pc %s: %p is not a layout of a registered image: did the constructor "
                "of %s run? %s",
                cn_report_pc(regs->pc, place), (const void *)layout, file, no_constructor);
  check_registered(regs->pc);
  cairn_fatal("allocation at pc %s: %p is not a layout", cn_report_pc(regs->pc, place), (const void *)layout);
}

/* The end of the slow path: a reference to the object, whose header has been written. */
static void *allocated(const struct cairn_layout *layout, uintptr_t *payload, bool native)
{
  uintptr_t reference = (uintptr_t)payload + cairn_words.reference;

  if ((layout->flags & CAIRN_ABI_LAYOUT_FINALISABLE) != 0)
    cn_finalisers_add(reference);
  leave(native);
  return (void *)reference;
}

void *cn_safepoint_alloc(const struct cn_regs *regs, const struct cairn_layout *layout)
{
  check_layout(regs, layout);
  size_t bytes = (layout->base_size + CAIRN_ABI_HEADER_SIZE + 7) & ~(size_t)7;
  bool native;

  CN_ASSERT(bytes > layout->base_size);
  uintptr_t *block = allocate(regs, (struct cn_wanted){.bytes = bytes}, &native);
  CN_ASSERT((uintptr_t)block % CAIRN_ABI_OBJECT_ALIGN == 0);
  block[0] = (uintptr_t)layout;
  return allocated(layout, block + 1, native);
}

/* The bytes of a block for `count` elements, or the end of the program. */
static size_t indexed_bytes(const struct cn_regs *regs, const struct cairn_layout *layout, int64_t count)
{
  uint64_t payload;
  char place[CN_REPORT_PC];

  check_layout(regs, layout);
  if (count < 0)
    cn_report_exit("negative array length %lld at pc %s", (long long)count, cn_report_pc(regs->pc, place));
  if ((uint64_t)count > UINT64_MAX / 2 || cairn_layout_payload(layout, (uint64_t)count, &payload) != CAIRN_OK)
    cn_report_exit("array of %lld elements of %llu bytes at pc %s: the size overflows", (long long)count,
                   (unsigned long long)layout->elem_size, cn_report_pc(regs->pc, place));
  return payload + CAIRN_ABI_INDEXED_HEADER_SIZE;
}

static void *allocate_indexed(const struct cn_regs *regs, const struct cairn_layout *layout, int64_t count,
                              struct cn_wanted wanted)
{
  bool native;
  uintptr_t *block = allocate(regs, wanted, &native);

  CN_ASSERT((uintptr_t)block % CAIRN_ABI_OBJECT_ALIGN == 0);
  block[0] = (uintptr_t)count << 1 | 1;
  block[1] = (uintptr_t)layout;
  return allocated(layout, block + 2, native);
}

void *cn_safepoint_alloc_indexed(const struct cn_regs *regs, const struct cairn_layout *layout, int64_t count)
{
  size_t bytes = indexed_bytes(regs, layout, count);

  bool leaf = !cairn_layout_has_references(layout);
  return allocate_indexed(regs, layout, count, (struct cn_wanted){.bytes = bytes, .leaf = leaf});
}

void *cn_safepoint_alloc_uninit(const struct cn_regs *regs, const struct cairn_layout *layout, int64_t count)
{
  size_t bytes = indexed_bytes(regs, layout, count);

  if (cairn_layout_has_references(layout))
    cn_report_fatal(regs->pc, "an array with references is allocated without being cleared");
  void *array = allocate_indexed(regs, layout, count, (struct cn_wanted){bytes, true, true});
  cairn_mutator.uncleared = 1;
  return array;
}

/* Resize the array if that goes in place. Before any stop passes: then it may be elsewhere. */
static bool resize_in_place(const struct cn_regs *regs, const struct cairn_layout *layout, uintptr_t array,
                            int64_t count, bool uninit)
{
  enum cn_resize how = (uninit ? CN_RESIZE_UNINIT : 0U) | (cn_signals_interrupting() ? CN_RESIZE_NOT_LONGER : 0U);
  uint64_t busy = hold(regs);
  array -= cairn_words.reference;
  bool is_array = cn_resize_is_array(array, layout);
  bool done = is_array && cn_resize_in_place(&cairn_mutator, array, (uint64_t)count, how);

  cairn_mutator.uncleared |= done && uninit;
  let(busy);
  if (!is_array)
    cn_report_fatal(regs->pc, "0x%lx is resized, which is not the start of an array of that type",
                    (unsigned long)array);
  return done;
}

void *cn_safepoint_resize(const struct cn_regs *regs, const struct cairn_layout *layout, uintptr_t array, int64_t count,
                          bool uninit)
{
  size_t bytes = indexed_bytes(regs, layout, count);
  bool refs = cairn_layout_has_references(layout), native;

  if (uninit && refs)
    cn_report_fatal(regs->pc, "an array with references is resized without being cleared");
  if (!resize_in_place(regs, layout, array, count, uninit)) {
    void *fresh = allocate_indexed(regs, layout, count, (struct cn_wanted){.bytes = bytes, .any = !refs});
    cairn_mutator.uncleared |= uninit;
    return fresh;
  }
  if (enter(regs, &native))
    collect_mapped(regs, due(), CN_WANTED_NOTHING);
  leave(native);
  return NULL;
}

void cn_safepoint_anchors(const struct cn_regs *regs)
{
  struct cairn_mutator *mutator = cn_mutator_get(regs->pc);
  uint64_t busy = mutator->busy;
  bool native = mutator->state != CAIRN_ABI_MANAGED;

  cn_hold_cancellation();
  mutator->busy = 1;
  if (native)
    cn_stop_come_back(mutator);
  cn_signals_settle(cn_arch_sp_after(regs));
  cn_signals_drop_anchors(mutator, cn_arch_sp_after(regs));
  const char *full = cn_anchors_grow(mutator);
  if (native)
    cn_stop_leave(mutator);
  mutator->busy = busy;
  cn_hold_let_cancellation();
  if (full)
    cn_report_fatal(regs->pc, "%s (%zu of them)", full, cn_anchors_count(mutator->anchor));
  if (busy == 0)
    cn_signals_release();
}

/* Functions that front ends' IR calls; compiled code has their expansions instead. The collector
 * would not find the references of a native caller. */
#define NOT_COMPILED(name, ...) \
  __attribute__((visibility("default"))) void *name(__VA_ARGS__); \
  void *name(__VA_ARGS__) \
  { \
    cairn_fatal(#name " was called from code that cairn-cc did not compile"); \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOT_COMPILED(cairn_alloc, const void *layout, size_t size)
NOT_COMPILED(cairn_alloc_array, const void *layout, int64_t count)
NOT_COMPILED(cairn_alloc_flex, const void *layout, int64_t count)
NOT_COMPILED(cairn_alloc_array_uninit, const void *layout, int64_t count)
NOT_COMPILED(cairn_alloc_flex_uninit, const void *layout, int64_t count)
NOT_COMPILED(cairn_resize_array, const void *layout, uintptr_t array, int64_t count)
NOT_COMPILED(cairn_resize_array_uninit, const void *layout, uintptr_t array, int64_t count)
