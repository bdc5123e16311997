/* SPDX-License-Identifier: Apache-2.0
 *
 * Enters and leaves the slow paths of safepoints, and collects garbage there: at polls, for requests, and after failed
 * allocations. At the start of a slow path, requested stops pass; at its end, postponed signals are delivered. Polls
 * also detect stack overflow, and a slow path makes room for anchors. Code that lacks a frame map ends the program.
 * Options select the checks and reports of a collection.
 *
 * Runs on the thread at the safepoint, in a slow path: the mutator is busy, so that signals and cancellation wait, and
 * the thread holds no lock. Requests run in phase MUTATE; collections run in phase STOP, on the requester. Owns the
 * count of whole collections, which is written in stops and read by requesters.
 */
#include "runtime/safepoints/safepoint.h"

#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/anchors.h"
#include "runtime/core/defer.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/poll_word.h"
#include "runtime/core/messages.h"
#include "runtime/debug/backtrace.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/inspect/inspect.h"
#include "runtime/os/os.h"
#include "runtime/signals/signals.h"
#include "runtime/threads/workers.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/index.h"
#include "runtime/walk/marked_returns.h"

bool cn_collect_is_possible(void)
{
  return (cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0 && cn_heap_collector()->collect != NULL;
}

static bool has_generations(void)
{
  return (cn_heap_collector()->traits & CAIRN_COLLECTOR_GENERATIONS) != 0;
}

static enum cairn_extent collection_extent_for(enum cairn_cause cause)
{
  if (cn_options.stress != 0)
    return CAIRN_EXTENT_MOVE_ALL;
  return cause == CAIRN_CAUSE_ALLOCATION ? CAIRN_EXTENT_YOUNG : CAIRN_EXTENT_FULL;
}

static uint64_t whole_collections; /* number of collections that were not young; written in stops */

static void collect_once(const struct cn_saved_regs *regs, enum cairn_cause cause, struct cn_block_request wanted)
{
  const struct cairn_collection collection = {cause, collection_extent_for(cause), wanted.bytes};
  struct cn_stats before = cn_stats;

  CN_ASSERT_VALID(cn_stop_registry_wrong());
  if ((cn_options.verify & CN_VERIFY_FRAMES) != 0)
    cn_verify_frames(&cairn_mutator, regs);
  cn_heap_set_up();
  bool entered = cn_image_begin_reading(); /* entered once for all look-ups of layouts */
  if ((cn_options.verify & CN_VERIFY_HEAP) != 0)
    cn_verify_heap(false, before.collections + 1, false);
  uint64_t start = cn_stats_begin_collection(&collection);
  cn_index_free_replaced();
  cn_heap_run_collection(&collection);
  if (cn_stats.full != before.full || !has_generations())
    cn_exhaustion_record_full(cause);
  if (collection.extent != CAIRN_EXTENT_YOUNG) {
    __atomic_store_n(&whole_collections, whole_collections + 1, __ATOMIC_RELAXED);
    cn_external_note_collection();
  }
  cn_stats_end_collection(&collection, &before, start);
  if ((cn_options.verify & CN_VERIFY_HEAP) != 0)
    cn_verify_heap(true, cn_stats.collections, true);
  if (cn_options.histogram != 0 && cn_stats.collections % cn_options.histogram == 0)
    cn_type_histogram_print(cn_stats.collections);
  cn_image_end_reading(entered);
}

/* A request for a collection, with the counts of collections at the request. The thread makes the request in the
 * managed state, so each collection that is counted later also began later. */
struct collection_request {
  struct cn_block_request wanted;
  uint64_t collections, wholes;
};

static struct collection_request make_collection_request(struct cn_block_request wanted)
{
  return (struct collection_request){wanted, __atomic_load_n(&cn_stats.collections, __ATOMIC_RELAXED),
                                     __atomic_load_n(&whole_collections, __ATOMIC_RELAXED)};
}

/* True if a collection of another thread has served this request while this thread waited for the stop; a block may now
 * fit. */
static bool is_request_served(const void *env)
{
  const struct collection_request *request = env;

  if (cn_options.stress != 0)
    return false;
  return request->wanted.bytes != 0 ? cn_stats.collections != request->collections
                                    : whole_collections != request->wholes;
}

static bool never_served(const void *unused)
{
  (void)unused;
  return false;
}

/* ---- attempts to allocate in a stopped world, where only this thread allocates ---- */

struct stopped_allocation {
  const struct cn_saved_regs *regs;
  enum cairn_cause cause;
  const struct collection_request *request;
  bool crawls; /* collections in a row made almost no room; the allocation must fail */
};

static void *allocate_after_others(void *env)
{
  const struct stopped_allocation *stopped = env;

  return is_request_served(stopped->request) ? cn_heap_allocate_block(stopped->request->wanted) : NULL;
}

static void *allocate_after_collection(void *env)
{
  struct stopped_allocation *stopped = env;

  collect_once(stopped->regs, stopped->cause, stopped->request->wanted);
  stopped->crawls = cn_exhaustion_is_thrashing();
  return stopped->crawls ? NULL : cn_heap_allocate_block(stopped->request->wanted);
}

static void *allocate_after_full(void *env)
{
  const struct stopped_allocation *stopped = env;

  if (stopped->crawls || collection_extent_for(stopped->cause) != CAIRN_EXTENT_YOUNG || !has_generations())
    return NULL;
  collect_once(stopped->regs, CAIRN_CAUSE_EMERGENCY, stopped->request->wanted);
  return cn_heap_allocate_block(stopped->request->wanted);
}

static void *allocate_in_reserve(void *env)
{
  const struct stopped_allocation *stopped = env;

  return stopped->crawls ? NULL : cn_heap_allocate_after_merge(stopped->request->wanted);
}

static void *note_exhaustion(void *unused)
{
  (void)unused;
  cn_exhaustion_record_live();
  return NULL;
}

static cn_allocation_attempt *const stopped_attempts[] = {
    allocate_after_others,     /* in memory that another thread's collection freed during the wait for the stop */
    allocate_after_collection, /* after a collection, which is young if the cause is an allocation */
    allocate_after_full,       /* after a full collection, if the first collection was young */
    allocate_in_reserve,       /* in the handlers' part of the buffer */
    note_exhaustion,           /* fails, and records the exhaustion */
    NULL,
};

/* Collect in the stopped world, and allocate the block, if wanted. Ends the stop. */
static void *collect_for_request(const struct cn_saved_regs *regs, enum cairn_cause cause,
                                 const struct collection_request *request)
{
  struct stopped_allocation stopped = {.regs = regs, .cause = cause, .request = request};
  void *block = NULL;

  if (request->wanted.bytes != 0)
    block = cn_attempt_in_order(stopped_attempts, &stopped);
  else
    collect_once(regs, cause, request->wanted);
  cn_stop_end(&cairn_mutator);
  cairn_mutator.stopped = NULL;
  return block;
}

static enum cn_stop_begun stop_for_request(const struct cn_saved_regs *regs, cn_stop_served_predicate *served,
                                           const struct collection_request *request)
{
  cairn_mutator.stopped = regs;
  enum cn_stop_begun begun = cn_stop_begin_unless(&cairn_mutator, served, request);
  if (begun != CN_STOP_BEGUN)
    cairn_mutator.stopped = NULL;
  return begun;
}

/* If many threads request a collection at once, one thread collects for all. A thread whose block does not fit after
 * another thread's collection stops the others next. An exit handler that runs because memory is exhausted gets null
 * instead of another collection. */
static void *collect_garbage(const struct cn_saved_regs *regs, enum cairn_cause cause, struct cn_block_request wanted)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  struct collection_request request = make_collection_request(wanted);
  void *block = NULL;

  CN_CHECK(mutator->busy);
  if (mutator->stopped != NULL)
    return NULL;
  cn_workers_prepare_threads((cn_heap_collector()->traits & CAIRN_COLLECTOR_PARALLEL) != 0);
  cn_background_prepare_thread();
  enum cn_stop_begun begun = stop_for_request(regs, is_request_served, &request);
  if (begun == CN_STOP_SERVED && wanted.bytes != 0) {
    block = cn_heap_allocate_block(wanted);
    if (block == NULL)
      begun = stop_for_request(regs, never_served, &request);
  }
  if (begun == CN_STOP_BEGUN)
    block = collect_for_request(regs, cause, &request);
  else if (begun == CN_STOP_POSTPONED)
    cn_poll_word_arm(mutator, CN_POLL_REASON_COLLECT);
  return block;
}

static bool wants_collection(struct cairn_mutator *mutator)
{
  bool stress = cn_options.stress != 0 && mutator->safepoints % cn_options.stress == 0;
  bool requested = cn_poll_word_is_armed(mutator, CN_POLL_REASON_COLLECT);

  if (cn_signals_is_interrupting() || !cn_collect_is_possible())
    return false;
  if (requested)
    cn_poll_word_disarm(mutator, CN_POLL_REASON_COLLECT);
  return stress || requested;
}

/* The usual reason for an unregistered image. */
const char cn_collect_constructor_advice[] = "lld and mold ignore constructors in .ctors, which 'cairn "
                                             "frames --rewrite' moves to .init_array";

/* Refuse a safepoint that lacks a frame map, because its frame would be treated as native. The return address may be in
 * a stub if the managed function has ended in a tail call of the safepoint, or in a signal frame; for signal frames the
 * walk reports a better error. */
void *cn_collect_from_mapped_code(const struct cn_saved_regs *regs, enum cairn_cause cause,
                                  struct cn_block_request wanted)
{
  struct cn_code_region region;
  char place[CN_REPORT_PC];
  uintptr_t interrupted;
  uintptr_t pc = cn_marked_return_true_pc(regs->pc); /* a stop may have marked the return */
  bool unregistered = cn_images_count() == 0;

  if (!cn_index_has_code_at(pc) && !cn_code_regions_find(pc, &region) && !cn_arch_is_entry_return(pc) &&
      !cn_arch_is_signal_frame(pc, cn_arch_sp_after(regs), &interrupted))
    cairn_fatal("the code at pc %s has a safepoint and no frame map: was its object linked without "
                "'cairn frames --rewrite', or its section cairn_frames taken away?%s%s",
                cn_report_format_pc(pc, place), unregistered ? " No image is registered: " : "",
                unregistered ? cn_collect_constructor_advice : "");
  return collect_garbage(regs, cause, wanted);
}

__attribute__((noinline)) void cn_collect_check_registered(uintptr_t pc)
{
  struct cn_code_region region;
  char place[CN_REPORT_PC];

  if (cn_index_look_up_map(pc) != NULL || cn_code_regions_find(pc, &region) || cn_index_has_code_at(pc) ||
      cn_os_is_loaded_from_file(pc))
    return;
  cairn_fatal("the code at pc %s, which no file has, is managed and has no frame map: no image is "
              "registered for it; call the module's 'enter' (<cairn/compile.h>) before anything "
              "else of it",
              cn_report_format_pc(pc, place));
}

/* Let stops pass, during which other threads walk this stack from `regs`. */
static void let_stops_pass(struct cairn_mutator *mutator, const struct cn_saved_regs *regs)
{
  if (!cn_stop_is_requested(mutator))
    return;
  CN_CHECK(mutator->stopped == NULL);
  mutator->stopped = regs;
  cn_stop_answer_requests(mutator);
  mutator->stopped = NULL;
}

bool cn_safepoint_enter(const struct cn_saved_regs *regs, bool *native)
{
  struct cairn_mutator *mutator = cn_mutator_get_attached(regs->pc);

  /* The caller is a handler of a fault in a slow path, or a handler that the runtime does not know: the frames below
   * lack an anchor. */
  if (mutator->busy)
    cn_report_fatal(regs->pc, "a safepoint was reached inside the runtime, by a signal handler, a "
                              "collector or the operation of a handshake");
  if (mutator->stopped == NULL)
    cn_stop_refuse_own(regs->pc);
  cn_unseen_check_process();
  cn_defer_cancellation();
  mutator->busy = 1;
  *native = mutator->state != CAIRN_ABI_MANAGED;
  if (*native)
    cn_stop_become_managed(mutator);
  if (!*native && mutator->stopped == NULL && !cn_signals_is_interrupting() && cn_collect_is_possible())
    cn_collect_check_registered(regs->pc);
  cn_signals_end_left_handlers(cn_arch_sp_after(regs));
  cn_signals_drop_ended_anchors(mutator, 0);
  let_stops_pass(mutator, regs);
  if (cn_bypassed_marks_of_thread()->count != 0 && !cn_signals_is_interrupting() && mutator->stopped == NULL)
    cn_hooks.mark_again(*native ? NULL : regs);
  mutator->safepoints++;
  return wants_collection(mutator);
}

bool cn_safepoint_is_collection_due(void)
{
  return wants_collection(&cairn_mutator);
}

void cn_safepoint_leave(bool native)
{
  CN_ASSERT(cairn_mutator.busy == 1 && cairn_mutator.stopped == NULL);
  if (!cn_signals_is_interrupting())
    cn_poll_word_open_alloc_limit(&cairn_mutator);
  if (native)
    cn_stop_become_native(&cairn_mutator);
  cairn_mutator.busy = 0;
  cn_undefer_cancellation();
  cn_signals_release_postponed();
}

enum cairn_cause cn_collect_due_cause(void)
{
  if (cn_options.stress != 0)
    return CAIRN_CAUSE_STRESS;
  return cn_external_is_collection_due() ? CAIRN_CAUSE_EXTERNAL : CAIRN_CAUSE_HANDLER;
}

void cn_safepoint_poll(const struct cn_saved_regs *regs)
{
  bool native, collects = cn_safepoint_enter(regs, &native);

  cn_poll_word_lower_stack_limit(&cairn_mutator);
  cn_overflow_check_stack(&cairn_mutator, regs, native);
  if (collects)
    cn_collect_from_mapped_code(regs, cn_collect_due_cause(), CN_NO_BLOCK_REQUEST);
  cn_safepoint_leave(native);
}

/* In a handler that interrupted managed code, the collection waits for the next safepoint after the handler. */
void cn_safepoint_collect(const struct cn_saved_regs *regs)
{
  bool native;

  cn_safepoint_enter(regs, &native);
  if (!cn_collect_is_possible())
    ;
  else if (cn_signals_is_interrupting())
    cn_poll_word_arm(&cairn_mutator, CN_POLL_REASON_COLLECT);
  else if (native)
    collect_garbage(regs, CAIRN_CAUSE_ASKED, CN_NO_BLOCK_REQUEST);
  else
    cn_collect_from_mapped_code(regs, CAIRN_CAUSE_ASKED, CN_NO_BLOCK_REQUEST);
  cn_safepoint_leave(native);
}

void cn_safepoint_anchors(const struct cn_saved_regs *regs)
{
  struct cairn_mutator *mutator = cn_mutator_get_attached(regs->pc);
  uint64_t busy = mutator->busy;
  bool native = mutator->state != CAIRN_ABI_MANAGED;

  cn_defer_cancellation();
  mutator->busy = 1;
  if (native)
    cn_stop_become_managed(mutator);
  cn_signals_end_left_handlers(cn_arch_sp_after(regs));
  cn_signals_drop_ended_anchors(mutator, cn_arch_sp_after(regs));
  const char *full = cn_anchors_make_room(mutator);
  if (native)
    cn_stop_become_native(mutator);
  mutator->busy = busy;
  cn_undefer_cancellation();
  if (full)
    cn_report_fatal(regs->pc, "%s (%zu of them)", full, cn_anchors_count(mutator->anchor));
  if (busy == 0)
    cn_signals_release_postponed();
}
