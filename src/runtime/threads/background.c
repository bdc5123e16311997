/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a collector's job step by step on the background thread, in any phase, and makes the calls of
 * cairn_background_idle() and cairn_background_aside(). Steps are held in phase STOP; calls of cairn_background_aside()
 * continue. The thread takes a lock that inherits priorities, sets `step_active`, then reads `step_holders`; a thread
 * that holds steps changes `step_holders`, then reads `step_active`, and waits for the lock if a step runs. All these
 * accesses are sequentially consistent, so at least one of the two threads sees the other's change. Owns the job, which
 * the collecting thread changes while steps are held, the other calls and the counts of stops and turns, which are
 * atomic, and the thread; the mutex `thread_lock` guards the thread's start and end.
 */
#include "runtime/threads/workers.h"

#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/lock.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"

enum { SPINS_BEFORE_WAIT = 2000 }; /* number of reads before a wait, which take as long as a short step */

static struct cn_mutex thread_lock;
static struct cn_os_thread background_thread;
static bool thread_started;
static _Atomic int thread_number;                        /* of the background thread */
static _Atomic bool thread_wanted;                       /* a collector has given a job */
static _Atomic bool thread_end_requested, program_ended; /* end now; end for ever */

static cairn_step *current_step; /* written while steps are held, or by the thread within a step */
static void *step_env;
static cairn_aside *_Atomic aside_call;
static struct cn_inheriting_mutex aside_lock; /* held while the thread reads `aside_call`, and makes this call */
static struct cn_inheriting_mutex step_lock;  /* held during a step */
static _Atomic uint32_t step_holders;
static _Atomic uint32_t step_active; /* 1 while a step runs */
static _Atomic uint32_t turn_count;  /* changes when the thread may have work */

static cairn_step *_Atomic idle_step; /* may be null */
static _Atomic uint32_t stop_count;   /* number of stops since `idle_step` was set */
static uint32_t idle_stop_count;      /* the value of `stop_count` at the last idle steps */
static _Atomic bool rests_until_stop; /* the thread waits for the next stop */

static bool is_background_thread(void)
{
  return (cn_thread.works & CN_WORKS_ON_BACKGROUND_STEPS) != 0;
}

bool cn_background_is_in_step(void)
{
  return atomic_load(&step_active) != 0;
}

/* ---- the thread ---- */

/* True: the job has more steps. The thread enters the list of images once, for all look-ups of layouts in the step. */
static bool run_step(void)
{
  bool entered = cn_image_begin_reading(), more = current_step(step_env);

  cn_image_end_reading(entered);
  if (!more)
    current_step = NULL;
  return more;
}

/* Runs a step of the job or, if `idles`, an idle step. True: there are more steps. */
static bool run_step_unless_held(bool idles)
{
  bool more = false;
  int self = atomic_load(&thread_number);

  cn_inheriting_mutex_take(&step_lock, self);
  atomic_store(&step_active, 1);
  if (atomic_load(&step_holders) == 0 && (idles || current_step != NULL))
    more = idles ? atomic_load(&idle_step)(NULL) : run_step();
  atomic_store(&step_active, 0);
  cn_inheriting_mutex_release(&step_lock, self);
  return more;
}

static void make_aside_call(void)
{
  int self = atomic_load(&thread_number);

  cn_inheriting_mutex_take(&aside_lock, self);
  cairn_aside *call = atomic_exchange(&aside_call, NULL);
  if (call != NULL)
    call();
  cn_inheriting_mutex_release(&aside_lock, self);
}

/* Wait for work. With an idle step, the thread wakes once in each interval CAIRN_IDLE to check whether stops have come,
 * because stops do not wake it. After an interval without stops it takes the idle steps, and then sleeps until the next
 * stop. */
static void await_next_turn(uint32_t seen)
{
  uint32_t at = atomic_load(&stop_count);

  if (atomic_load(&idle_step) == NULL) {
    cn_os_wait_on_word(&turn_count, seen, UINT64_MAX);
  } else if (at == idle_stop_count) {
    atomic_store(&rests_until_stop, true);
    if (atomic_load(&stop_count) == at)
      cn_os_wait_on_word(&turn_count, seen, UINT64_MAX);
    atomic_store(&rests_until_stop, false);
  } else if (!cn_os_wait_on_word(&turn_count, seen, cn_os_clock_nanoseconds() + cn_options.idle) &&
             atomic_load(&stop_count) == at) {
    while (atomic_load(&turn_count) == seen && run_step_unless_held(true))
      ;
    idle_stop_count = at;
  }
}

static void *run_background_thread(void *unused)
{
  (void)unused;
  cn_thread.works = CN_WORKS_ON_BACKGROUND_STEPS;
  cn_os_thread_make_precise("cairn-service");
  cn_os_thread_leave_real_time();
  atomic_store(&thread_number, cn_os_thread());
  for (;;) {
    uint32_t seen = atomic_load(&turn_count);
    if (atomic_load(&thread_end_requested))
      return NULL;
    make_aside_call();
    if (!run_step_unless_held(false))
      await_next_turn(seen);
  }
}

static void wake_background_thread(void)
{
  atomic_fetch_add(&turn_count, 1);
  cn_os_wake_all(&turn_count);
}

/* ---- the thread's start and end ---- */

void cn_background_prepare_thread(void)
{
  if (!atomic_load(&thread_wanted) || cn_thread_is_in_handler())
    return;
  cn_mutex_take(&thread_lock, UINT64_MAX);
  if (!thread_started && !atomic_load(&program_ended))
    thread_started = cn_os_thread_start(&background_thread, run_background_thread, NULL);
  cn_mutex_release(&thread_lock);
}

/* The caller holds `thread_lock`. */
static void end_background_thread(void)
{
  CN_CHECK(!is_background_thread());
  if (!thread_started)
    return;
  atomic_store(&thread_end_requested, true);
  wake_background_thread();
  cn_os_thread_join(&background_thread);
  thread_started = false;
  atomic_store(&thread_end_requested, false);
}

void cn_background_end_thread(void)
{
  cn_mutex_take(&thread_lock, UINT64_MAX);
  end_background_thread();
  cn_mutex_release(&thread_lock);
}

void cn_background_end_at_exit(void)
{
  atomic_store(&program_ended, true);
  if (!cn_mutex_take(&thread_lock, 0))
    return;
  end_background_thread();
  cn_mutex_release(&thread_lock);
}

void cn_background_reset_after_fork(void)
{
  atomic_store(&thread_lock.word, 0);
  atomic_store(&thread_end_requested, false);
  atomic_store(&step_holders, 0);
  atomic_store(&step_active, 0);
  atomic_store(&step_lock.word, 0);
  atomic_store(&aside_lock.word, 0);
  atomic_store(&aside_call, NULL);
  atomic_store(&rests_until_stop, false);
  thread_started = false;
  current_step = NULL;
}

/* ---- stops ---- */

void cn_background_hold_steps(void)
{
  atomic_fetch_add(&step_holders, 1);
}

static void wait_for_lock(struct cn_inheriting_mutex *lock)
{
  int self = cn_os_thread();

  cn_inheriting_mutex_take(lock, self);
  cn_inheriting_mutex_release(lock, self);
}

int cn_background_await_step(uint64_t since)
{
  int awaited = 0;

  CN_CHECK(!is_background_thread() && atomic_load(&step_holders) != 0);
  for (int i = 0; i < SPINS_BEFORE_WAIT && atomic_load(&step_active) != 0; i++)
    ;
  while (atomic_load(&step_active) != 0) {
    awaited = atomic_load(&thread_number);
    if (since != 0)
      cn_hooks.stop_waits(awaited, since);
    wait_for_lock(&step_lock);
    if (since != 0)
      cn_hooks.stop_waits(awaited, since);
  }
  return awaited;
}

void cn_background_release_steps(void)
{
  bool job = current_step != NULL || atomic_load(&aside_call) != NULL;

  CN_CHECK(atomic_load(&step_holders) != 0);
  if (atomic_load(&idle_step) != NULL)
    atomic_fetch_add(&stop_count, 1);
  if (atomic_fetch_sub(&step_holders, 1) == 1 && (job || atomic_load(&rests_until_stop)))
    wake_background_thread();
}

/* ---- the collector ---- */

void cairn_background_run(cairn_step *wanted_step, void *env)
{
  if (is_background_thread() || atomic_load(&step_holders) == 0)
    cairn_fatal("cairn_background_run() is called outside of a stop");
  current_step = wanted_step;
  step_env = env;
  if (wanted_step != NULL)
    atomic_store(&thread_wanted, true);
}

void cairn_background_idle(cairn_step *call)
{
  CN_CHECK(call != NULL && !is_background_thread() && !thread_started);
  if (cn_options.idle == 0)
    return;
  atomic_store(&stop_count, idle_stop_count + 1);
  atomic_store(&idle_step, call);
  atomic_store(&thread_wanted, true);
}

void cairn_background_aside(cairn_aside *call)
{
  if (is_background_thread() || atomic_load(&step_holders) == 0)
    cairn_fatal("cairn_background_aside() is called outside of a stop");
  CN_CHECK(call == NULL || atomic_load(&aside_call) == NULL);
  atomic_store(&aside_call, call);
  if (call == NULL)
    wait_for_lock(&aside_lock);
  if (call != NULL)
    atomic_store(&thread_wanted, true);
}
