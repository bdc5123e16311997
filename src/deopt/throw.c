/* SPDX-License-Identifier: Apache-2.0
 *
 * Throws exceptions of a language: finds the youngest activation whose call has a landing pad and lies in a span of the
 * language's key, by frame maps, and goes on at the pad with the activation's callee-saved registers. If native code,
 * code with its own manager, or landing pads of others lie between, an unwinder runs their cleanups
 * (throw_unwinding.c).
 *
 * The usual throw is like in-line allocation of compiled code: it contains no safepoint, and signal handlers may
 * interrupt it. Throws of signal handlers and the others run in a slow path. Runs on the thread that throws, in phase
 * MUTATE, and holds no lock. Owns the thread's handle of its exception, its paths (landing_path.c), and the text of its
 * last failure. Each map keeps whether it lies in a span of the first key that asked for it; writers of this answer
 * agree by an atomic state.
 */
#include "deopt/throw.h"

#include <stdarg.h>
#include <stdio.h>
#include <cairn/abi.h>
#include <cairn/exceptions.h>
#include "base/check.h"
#include "deopt/vectors.h"
#include "framemap/details.h"
#include "runtime/core/messages.h"
#include "runtime/debug/backtrace.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"
#include "runtime/roots/roots.h"
#include "runtime/safepoints/safepoint.h"
#include "runtime/signals/signals.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/marked_returns.h"
#include "runtime/walk/walk.h"

static _Thread_local struct cairn_handle *handle;   /* its reference is at cn_thread.thrown; null before a throw */
static _Thread_local struct cn_landing_path *paths; /* null before a throw, or if memory was exhausted */

/* Libraries that a host loads share little static TLS. */
#ifdef CN_SHARED_RUNTIME
static _Thread_local char failure[CN_REPORT_PC];
#else
static _Thread_local char failure[2 * CN_REPORT_PC];
#endif

#pragma GCC visibility push(default)
uintptr_t cairn_thrown(void);
#pragma GCC visibility pop

/* ---- the exception ---- */

static __attribute__((noinline)) void prepare_first_throw(void)
{
  handle = cairn_handle_new(0);
  paths = cn_landing_path_new();
  cn_thread.thrown = cn_handles_slot_of(handle).address;
}

void cn_throw_keep_exception(uintptr_t exception)
{
  if (cn_thread.thrown == NULL)
    prepare_first_throw();
  *cn_thread.thrown = exception;
}

uintptr_t cairn_thrown(void)
{
  uintptr_t *thrown = cn_thread.thrown, exception = thrown != NULL ? *thrown : 0;

  if (exception != 0)
    *thrown = 0;
  return exception;
}

void cn_throw_free(void)
{
  if (handle != NULL)
    cairn_handle_free(handle);
  cn_landing_path_free(paths);
  handle = NULL;
  paths = NULL;
  cn_thread.thrown = NULL;
}

const char *cairn_throw_failure(void)
{
  return failure;
}

__attribute__((format(printf, 2, 3))) static enum cairn_status fail(enum cairn_status status, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(failure, sizeof failure, format, arguments);
  va_end(arguments);
  return status;
}

/* ---- spans ---- */

enum { ANSWER_UNKNOWN, ANSWER_WRITING, ANSWER_NO, ANSWER_YES };

/* ANSWER_NO or ANSWER_YES, or ANSWER_UNKNOWN if another key was the first. */
static uint32_t kept_answer(const struct cn_map_landing *landing, uint64_t key)
{
  uint32_t answer = atomic_load_explicit(&landing->answer, memory_order_acquire);

  return answer >= ANSWER_NO && landing->key == key ? answer : ANSWER_UNKNOWN;
}

static void keep_answer(struct cn_map_landing *landing, uint64_t key, uint32_t answer)
{
  uint32_t unknown = ANSWER_UNKNOWN;

  if (!atomic_compare_exchange_strong_explicit(&landing->answer, &unknown, ANSWER_WRITING, memory_order_relaxed,
                                               memory_order_relaxed))
    return;
  landing->key = key;
  atomic_store_explicit(&landing->answer, answer, memory_order_release);
}

/* True if the call of the map lies in a span of the key. */
static bool find_span(const struct cn_frame_map *map, uint64_t key)
{
  struct cn_details details;
  struct cn_span span;
  int status = CN_FRAMEMAP_NONE;

  if (cn_safepoint_find_details(cn_map_pc(map), &details))
    while ((status = cn_details_next_span(&details, &span)) == CN_FRAMEMAP_OK && span.key != key)
      ;
  if (status == CN_FRAMEMAP_BAD)
    cairn_fatal("bad details at pc 0x%lx: a span cannot be read", (unsigned long)cn_map_pc(map));
  return status == CN_FRAMEMAP_OK;
}

/* Like find_span(), for a map that has a landing. In a slow path. */
static bool is_in_span(const struct cn_frame_map *map, uint64_t key)
{
  struct cn_map_landing *landing = cn_map_landing(map);
  uint32_t answer = kept_answer(landing, key);

  if (answer == ANSWER_UNKNOWN) {
    answer = find_span(map, key) ? ANSWER_YES : ANSWER_NO;
    keep_answer(landing, key, answer);
  }
  return answer == ANSWER_YES;
}

/* ---- the transfer ---- */

static inline void enter_pad(uintptr_t pc, const struct cn_map_landing *landing, uintptr_t sp,
                             struct cn_transfer *transfer)
{
  CN_ASSERT(landing != NULL && landing->pad != CN_MAP_BARRED);
  transfer->slot = (uintptr_t *)(sp + landing->popped);
  transfer->pc = pc + (uintptr_t)(intptr_t)landing->pad;
  transfer->argument = transfer->result = 0;
  transfer->second = landing->selector;
}

void cn_throw_enter_pad(const struct cn_frame_map *map, uintptr_t sp, struct cn_transfer *transfer)
{
  enter_pad(cn_map_pc(map), cn_map_landing(map), sp, transfer);
}

_Noreturn void cn_throw_transfer(struct cn_transfer *transfer)
{
  *--transfer->slot = transfer->pc; /* cn_arch_transfer() enters it by a return */
  transfer->pc = (uintptr_t)cn_arch_return;
  cn_arch_transfer(transfer);
}

static void fill_transfer(const struct cn_frame *frame, struct cn_transfer *transfer)
{
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    transfer->saved[i] = frame->place[i] != NULL ? *frame->place[i] : 0;
  cn_throw_enter_pad(frame->map, frame->sp, transfer);
}

static inline bool is_marked(const uintptr_t *slot)
{
  unsigned index;

  return slot != NULL && cn_marked_return_find(cn_arch_strip_return(*slot), &index);
}

/* ---- in line ---- */

static inline __attribute__((always_inline)) bool throw_in_line(uint64_t key, const struct cn_saved_regs *regs,
                                                                struct cn_transfer *transfer)
{
  struct cn_landing_activation at;

  if (cairn_mutator.state != CAIRN_ABI_MANAGED || cairn_mutator.poll != 0 || paths == NULL ||
      cn_thread_is_in_handler() || !cn_arch_may_replace_returns() ||
      !cn_landing_path_follow(paths, regs, transfer->saved, &at))
    return false;
  if (at.landing->pad == CN_MAP_BARRED || kept_answer(at.landing, key) != ANSWER_YES ||
      cn_arch_strip_return(*at.slot) != at.pc || cn_pin_scopes_any_in((uintptr_t)regs, at.sp))
    return false;
  enter_pad(at.pc, at.landing, at.sp, transfer);
  return true;
}

/* ---- in a slow path ---- */

/* The reason why the walk cannot go on at its activation, which is not a handler's. */
static enum cairn_status refuse(const struct cn_walk *walk)
{
  char place[CN_REPORT_PC];

  cn_report_format_return(walk->frame.pc, place);
  if (walk->frame.map == NULL)
    return fail(CAIRN_E_NATIVE, "the code at pc %s, which has its own manager, lies between", place);
  if (walk->natives != 0)
    return fail(CAIRN_E_NATIVE, "native code that was called at pc %s lies between", place);
  if (cn_map_landing(walk->frame.map)->pad == CN_MAP_BARRED)
    return fail(CAIRN_E_FOREIGN, "the call at pc %s admits no exception, or only listed ones", place);
  return fail(CAIRN_E_FOREIGN, "the call at pc %s has a landing pad outside of all spans of the key", place);
}

/* Go to the handler's activation. A refusal counts only if a handler exists behind it. Without a refusal, `vector`,
 * which has the vector registers of the youngest activation, gets those of this one. */
static enum cairn_status find_handler(struct cn_walk *walk, uint64_t key, const struct cn_saved_regs *regs,
                                      uint64_t *vector)
{
  enum cairn_status status = CAIRN_OK;
  bool there = cn_walk_begin(walk, &cairn_mutator, regs);

  for (; there; there = cn_vectors_go_to_caller(walk, vector)) {
    const struct cn_frame_map *map = walk->frame.map;
    if (map != NULL && map->has_landing && cn_map_landing(map)->pad != CN_MAP_BARRED && is_in_span(map, key))
      break;
    if (status == CAIRN_OK && (map == NULL || map->has_landing || walk->natives != 0))
      status = refuse(walk);
  }
  if (!there)
    return fail(CAIRN_E_UNKNOWN, "no activation has a landing pad in a span of key %lu", (unsigned long)key);
  if (status == CAIRN_OK && walk->natives != 0)
    status = refuse(walk);
  if (cn_pin_scopes_any_in((uintptr_t)&there, walk->frame.sp))
    status = fail(CAIRN_E_PINNED, "an activation that would end has an open scope of a pin");
  return status;
}

/* True if an unwinder can run the cleanups that lie between. */
static bool is_obstacle(enum cairn_status status)
{
  return (status == CAIRN_E_NATIVE || status == CAIRN_E_FOREIGN) && cn_os_can_run_cleanups();
}

static __attribute__((noinline)) enum cairn_status throw_in_slow_path(uint64_t key, const struct cn_saved_regs *regs,
                                                                      struct cn_transfer *transfer)
{
  struct cn_walk walk;
  struct cn_unwinding *unwinding = NULL;
  bool native, collects = cn_safepoint_enter(regs, &native);

  if (collects && !native)
    cn_collect_from_mapped_code(regs, cn_collect_due_cause(), CN_NO_BLOCK_REQUEST);
  enum cairn_status status = CAIRN_OK;
  if (native)
    status = fail(CAIRN_E_REFUSED, "native code has called cairn_throw()");
  else if (!cn_arch_may_replace_returns())
    status = fail(CAIRN_E_REFUSED, "the thread has a shadow stack");
  else
    status = find_handler(&walk, key, regs, transfer->vector);
  if (status == CAIRN_OK) {
    if (is_marked(walk.frame.pc_slot))
      cn_bypassed_marks_note(walk.frame.sp, cn_arch_strip_return(*walk.frame.pc_slot));
    fill_transfer(&walk.frame, transfer);
  } else if (is_obstacle(status)) {
    unwinding = cn_throw_prepare_unwinding(&walk, *cn_thread.thrown);
  }
  cn_safepoint_leave(native);
  if (unwinding != NULL)
    cn_throw_unwind(unwinding);
  if (status != CAIRN_OK)
    *cn_thread.thrown = 0;
  return status;
}

/* ---- from a slow path ---- */

/* Find a call between the throw and the activation at `sp` that lies in a span of the key and has no landing pad. Deep
 * stacks repeat few maps. */
static bool find_lost_pad(uint64_t key, const struct cn_saved_regs *regs, uintptr_t sp, uintptr_t *pc)
{
  enum { CHECKED_MAPS = 16 };
  const struct cn_frame_map *checked[CHECKED_MAPS] = {0};
  struct cn_walk walk;

  for (bool there = cn_walk_begin(&walk, &cairn_mutator, regs); there && walk.frame.sp != sp;
       there = cn_walk_next(&walk)) {
    const struct cn_frame_map *map = walk.frame.map;
    size_t i = (uintptr_t)map / sizeof *map % CHECKED_MAPS;
    if (map == NULL || map->has_landing || checked[i] == map)
      continue;
    checked[i] = map;
    *pc = walk.frame.pc;
    if (find_span(map, key))
      return true;
  }
  return false;
}

static enum cairn_status find_sure_handler(struct cn_walk *walk, uint64_t key, const struct cn_saved_regs *regs,
                                           uint64_t *vector)
{
  char place[CN_REPORT_PC];
  uintptr_t pc;

  if (!cn_arch_may_replace_returns())
    return fail(CAIRN_E_REFUSED, "the thread has a shadow stack");
  enum cairn_status status = find_handler(walk, key, regs, vector);
  if ((status == CAIRN_OK || is_obstacle(status)) && find_lost_pad(key, regs, walk->frame.sp, &pc)) {
    cn_report_format_return(pc, place);
    return fail(CAIRN_E_REFUSED, "the call at pc %s lies in a span of the key and has no landing pad", place);
  }
  return status;
}

enum cairn_status cn_throw_from_slow_path(uint64_t key, uintptr_t exception, const struct cn_saved_regs *regs)
{
  struct cn_walk walk;
  struct cn_transfer transfer = {.saved = {0}};
  struct cn_unwinding *unwinding = NULL;
  bool has_vectors = cn_vectors_find(regs->pc, cn_arch_sp_after(regs), transfer.vector);
  enum cairn_status status = find_sure_handler(&walk, key, regs, transfer.vector);

  CN_CHECK(cairn_mutator.busy && !cn_signals_is_interrupting());
  if (status == CAIRN_OK && !has_vectors)
    return fail(CAIRN_E_NATIVE, "no unwinder finds the vector registers of the call that fails");
  if (is_obstacle(status))
    unwinding = cn_throw_prepare_unwinding(&walk, exception);
  else if (status != CAIRN_OK)
    return status;
  cn_throw_keep_exception(exception);
  if (unwinding == NULL) {
    if (is_marked(walk.frame.pc_slot))
      cn_bypassed_marks_note(walk.frame.sp, cn_arch_strip_return(*walk.frame.pc_slot));
    fill_transfer(&walk.frame, &transfer);
  }
  cn_safepoint_leave(false);
  if (unwinding != NULL)
    cn_throw_unwind(unwinding);
  cn_throw_transfer(&transfer);
}

/* ---- from native code ---- */

static enum cairn_status check_native_caller(void)
{
  const struct cairn_mutator *mutator = &cairn_mutator;

  if (!mutator->attached)
    return fail(CAIRN_E_UNKNOWN, "the thread has run no managed code");
  if (mutator->busy || mutator->stopped != NULL || cn_signals_is_interrupting())
    return fail(CAIRN_E_BUSY, "the caller is a signal handler, a collector, or the operation of a handshake");
  if (mutator->state != CAIRN_ABI_NATIVE)
    return fail(CAIRN_E_BUSY, "managed code has called the function as a leaf");
  if (!cn_arch_may_replace_returns())
    return fail(CAIRN_E_REFUSED, "the thread has a shadow stack");
  return CAIRN_OK;
}

enum cairn_status cairn_throw_handle(uint64_t key, struct cairn_handle *exception)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  enum cairn_status status = check_native_caller();
  struct cn_unwinding *unwinding = NULL;
  uint64_t unused[CN_ARCH_SAVED_VECTORS + 1];
  struct cn_walk walk;

  if (status != CAIRN_OK)
    return status;
  cn_slow_path_enter(mutator, true);
  status = find_handler(&walk, key, NULL, unused);
  if (is_obstacle(status))
    unwinding = cn_throw_prepare_unwinding(&walk, exception != NULL ? cairn_handle_get(exception) : 0);
  cn_slow_path_leave(mutator, true);
  if (unwinding == NULL)
    return status;
  if (exception != NULL)
    cairn_handle_free(exception);
  cn_throw_unwind(unwinding);
}

enum cairn_status cn_throw_from_managed(uint64_t key, uintptr_t exception, const struct cn_saved_regs *regs,
                                        struct cn_transfer *transfer)
{
  cn_throw_keep_exception(exception);
  return throw_in_line(key, regs, transfer) ? CAIRN_OK : throw_in_slow_path(key, regs, transfer);
}
