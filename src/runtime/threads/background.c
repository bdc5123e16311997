/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a collector's job step by step, on its own thread. Each step first says that it is under way, then reads
 * whether steps are held. A thread that holds steps first says so, then reads whether a step is under way. At least
 * one of the two sees the other, as all these accesses are sequentially consistent.
 */
#include "runtime/threads/background.h"

#include <sched.h>
#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/mutex.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"

enum { SPINS_BEFORE_WAIT = 2000 }; /* reads before a wait: as long as a short step takes */

static struct cn_mutex pool; /* of the thread's beginning and end */
static struct cn_os_thread thread;
static bool started;
static _Atomic bool wanted;      /* a collector has had a job */
static _Atomic bool ends, ended; /* now; for good */

static cairn_step *step; /* written while steps are held, and by the thread within a step */
static void *step_env;
static cairn_aside *_Atomic aside;
static _Atomic bool is_aside;   /* the thread looks for a call in `aside`, or makes it */
static _Atomic uint32_t held;   /* number of threads that hold steps */
static _Atomic uint32_t inside; /* true if a step is under way */
static _Atomic uint32_t turn;   /* changes when the thread may have something to do */

static cairn_step *_Atomic idle; /* may be null */
static _Atomic uint32_t stops;   /* number of stops so far, if `idle` is set */
static uint32_t rested;          /* the value of `stops` when its steps were taken */
static _Atomic bool rests;       /* the thread waits for the next stop */

/* True on the background thread. */
static bool is_it(void)
{
  return (cn_thread.works & CN_WORKS_STEPS) != 0;
}

bool cn_background_is_inside(void)
{
  return atomic_load(&inside) != 0;
}

/* ---- the thread ---- */

/* Once for all look-ups of layouts in the step. */
static bool take_step(void)
{
  bool entered = cn_image_enter(), more = step(step_env);

  cn_image_leave(entered);
  if (!more)
    step = NULL;
  return more;
}

/* True: more is to be done. */
static bool go_on(bool idles)
{
  bool more = false;

  atomic_store(&inside, 1);
  if (atomic_load(&held) == 0 && (idles || step != NULL))
    more = idles ? atomic_load(&idle)(NULL) : take_step();
  atomic_store(&inside, 0);
  if (atomic_load(&held) != 0)
    cn_os_wake(&inside);
  return more;
}

static void call_aside(void)
{
  atomic_store(&is_aside, true);
  cairn_aside *call = atomic_exchange(&aside, NULL);
  if (call != NULL)
    call();
  atomic_store(&is_aside, false);
}

/* The thread has run out of work. Stops do not wake it while it checks whether they come: so it wakes once in each
 * CAIRN_IDLE, and sleeps for good when it has taken the steps and stops cease. */
static void await_next_turn(uint32_t seen)
{
  uint32_t at = atomic_load(&stops);

  if (atomic_load(&idle) == NULL) {
    cn_os_wait(&turn, seen, UINT64_MAX);
  } else if (at == rested) {
    atomic_store(&rests, true);
    if (atomic_load(&stops) == at)
      cn_os_wait(&turn, seen, UINT64_MAX);
    atomic_store(&rests, false);
  } else if (!cn_os_wait(&turn, seen, cn_os_nanoseconds() + cn_options.idle) && atomic_load(&stops) == at) {
    while (atomic_load(&turn) == seen && go_on(true))
      ;
    rested = at;
  }
}

static void *run_background_thread(void *unused)
{
  (void)unused;
  cn_thread.works = CN_WORKS_STEPS;
  cn_os_thread_precise("cairn-beside");
  for (;;) {
    uint32_t seen = atomic_load(&turn);
    if (atomic_load(&ends))
      return NULL;
    call_aside();
    if (!go_on(false))
      await_next_turn(seen);
  }
}

static void give_turn(void)
{
  atomic_fetch_add(&turn, 1);
  cn_os_wake(&turn);
}

/* ---- its beginning and end ---- */

void cn_background_prepare(void)
{
  if (!atomic_load(&wanted) || cn_thread_delivers())
    return;
  cn_mutex_take(&pool, UINT64_MAX);
  if (!started && !atomic_load(&ended))
    started = cn_os_thread_start(&thread, run_background_thread, NULL);
  cn_mutex_release(&pool);
}

/* The caller has the pool. */
static void end_background_thread(void)
{
  CN_CHECK(!is_it());
  if (!started)
    return;
  atomic_store(&ends, true);
  give_turn();
  cn_os_thread_join(&thread);
  started = false;
  atomic_store(&ends, false);
}

void cn_background_end(void)
{
  cn_mutex_take(&pool, UINT64_MAX);
  end_background_thread();
  cn_mutex_release(&pool);
}

void cn_background_exit(void)
{
  atomic_store(&ended, true);
  if (!cn_mutex_take(&pool, 0))
    return;
  end_background_thread();
  cn_mutex_release(&pool);
}

void cn_background_forked(void)
{
  atomic_store(&pool.word, 0);
  atomic_store(&ends, false);
  atomic_store(&held, 0);
  atomic_store(&inside, 0);
  atomic_store(&is_aside, false);
  atomic_store(&aside, NULL);
  atomic_store(&rests, false);
  started = false;
  step = NULL;
}

/* ---- stops ---- */

void cn_background_hold(void)
{
  atomic_fetch_add(&held, 1);
}

void cn_background_await(void)
{
  CN_CHECK(!is_it() && atomic_load(&held) != 0);
  for (int i = 0; i < SPINS_BEFORE_WAIT && atomic_load(&inside) != 0; i++)
    ;
  while (atomic_load(&inside) != 0)
    cn_os_wait(&inside, 1, UINT64_MAX);
}

void cn_background_release(void)
{
  bool job = step != NULL || atomic_load(&aside) != NULL;

  CN_CHECK(atomic_load(&held) != 0);
  if (atomic_load(&idle) != NULL)
    atomic_fetch_add(&stops, 1);
  if (atomic_fetch_sub(&held, 1) == 1 && (job || atomic_load(&rests)))
    give_turn();
}

/* ---- the collector ---- */

void cairn_background_run(cairn_step *wanted_step, void *env)
{
  if (is_it() || atomic_load(&held) == 0)
    cairn_fatal("cairn_background_run() is called outside of a stop");
  step = wanted_step;
  step_env = env;
  if (wanted_step != NULL)
    atomic_store(&wanted, true);
}

void cairn_background_idle(cairn_step *call)
{
  CN_CHECK(call != NULL && !is_it() && !started);
  if (cn_options.idle == 0)
    return;
  atomic_store(&stops, rested + 1);
  atomic_store(&idle, call);
  atomic_store(&wanted, true);
}

void cairn_background_aside(cairn_aside *call)
{
  if (is_it() || atomic_load(&held) == 0)
    cairn_fatal("cairn_background_aside() is called outside of a stop");
  CN_CHECK(call == NULL || atomic_load(&aside) == NULL);
  atomic_store(&aside, call);
  while (call == NULL && atomic_load(&is_aside))
    sched_yield();
  if (call != NULL)
    atomic_store(&wanted, true);
}
