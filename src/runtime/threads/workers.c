/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs jobs on several threads. Each thread waits for its own word to change, and then does its part of the job. The
 * collecting thread does part 0, and waits for the last of the others.
 *
 * Threads are started before the stop: to start one calls malloc(), whose lock a stopped thread may hold, in a
 * signal handler that interrupted it there.
 */
#include "runtime/threads/workers.h"

#include <stdatomic.h>
#include <stdio.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/mutex.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"
#include "runtime/threads/unseen.h"

struct worker {
  struct cn_os_thread thread;
  _Atomic uint32_t turn; /* changes when the thread has work */
};

static struct cn_mutex pool; /* of the following words; held while a job runs */
static struct worker workers[CN_WORKERS_MOST - 1];
static _Atomic unsigned started;
static bool tried;               /* to start as many as are wanted */
static _Atomic bool parallel;    /* the collector is parallel */
static _Atomic bool ends, ended; /* now; for good */

static cairn_job *job;
static void *job_env;
static unsigned job_count;
static _Atomic uint32_t unfinished; /* its unfinished parts, except the collecting thread's */

/* True if the calling thread does its part of a job now. */
static bool is_at_work(void)
{
  return (cn_thread.works & CN_WORKS_PART) != 0;
}

/* ---- a worker ---- */

/* Once for all look-ups of layouts, which the stop keeps as they are. */
static void do_part(unsigned number)
{
  bool entered = cn_image_enter();

  CN_CHECK(number < job_count && !is_at_work());
  cn_thread.works |= CN_WORKS_PART;
  job(job_env, number, job_count);
  cn_thread.works &= (uint8_t)~CN_WORKS_PART;
  cn_image_leave(entered);
}

static void *run_worker(void *argument)
{
  struct worker *self = argument;
  unsigned number = (unsigned)(self - workers) + 1;
  char name[16];
  uint32_t seen = 0;

  snprintf(name, sizeof name, "cairn-worker-%u", number);
  cn_os_thread_precise(name);
  for (;;) {
    while (atomic_load(&self->turn) == seen)
      cn_os_wait(&self->turn, seen, UINT64_MAX);
    seen++;
    if (atomic_load(&ends))
      return NULL;
    do_part(number);
    if (atomic_fetch_sub(&unfinished, 1) == 1)
      cn_os_wake(&unfinished);
  }
}

static void give_turn(struct worker *worker)
{
  atomic_fetch_add(&worker->turn, 1);
  cn_os_wake(&worker->turn);
}

/* ---- how many there are ---- */

/* The system may run out of threads: then the number of workers is smaller, for good. */
static void start_workers(void)
{
  CN_ASSERT(cn_options.workers >= 1 && cn_options.workers <= CN_WORKERS_MOST);
  for (; started + 1 < cn_options.workers; started++) {
    atomic_store(&workers[started].turn, 0);
    if (!cn_os_thread_start(&workers[started].thread, run_worker, &workers[started]))
      break;
  }
  tried = true;
}

void cn_workers_prepare(bool is_parallel)
{
  atomic_store(&parallel, is_parallel);
  if (!is_parallel || cn_thread_delivers())
    return;
  cn_mutex_take(&pool, UINT64_MAX);
  if (!tried && !atomic_load(&ended))
    start_workers();
  cn_mutex_release(&pool);
}

unsigned cn_workers_count(void)
{
  return atomic_load(&started) + 1;
}

/* The caller has the pool. */
static void end_all(void)
{
  atomic_store(&ends, true);
  for (unsigned i = 0; i < started; i++)
    give_turn(&workers[i]);
  for (unsigned i = 0; i < started; i++)
    cn_os_thread_join(&workers[i].thread);
  started = 0;
  tried = false;
  atomic_store(&ends, false);
}

void cn_workers_end(void)
{
  CN_CHECK(!is_at_work());
  cn_mutex_take(&pool, UINT64_MAX);
  end_all();
  cn_mutex_release(&pool);
}

void cn_workers_exit(void)
{
  atomic_store(&ended, true);
  if (!cn_mutex_take(&pool, 0))
    return;
  end_all();
  cn_mutex_release(&pool);
}

void cn_workers_forked(void)
{
  atomic_store(&pool.word, 0);
  atomic_store(&ends, false);
  started = 0;
  tried = false;
}

/* ---- a job ---- */

unsigned cairn_workers_most(void)
{
  return (unsigned)cn_options.workers;
}

static unsigned run_job(unsigned most)
{
  unsigned count = started + 1 < most ? started + 1 : most;

  job_count = count;
  atomic_store(&unfinished, count - 1);
  for (unsigned i = 0; i + 1 < count; i++)
    give_turn(&workers[i]);
  do_part(0);
  for (uint32_t left; (left = atomic_load(&unfinished)) != 0;)
    cn_os_wait(&unfinished, left, UINT64_MAX);
  return count;
}

unsigned cairn_workers_run(unsigned most, cairn_job *wanted, void *env)
{
  CN_CHECK(wanted != NULL && most > 0);
  cn_unseen_look();
  if (!atomic_load(&parallel))
    cairn_fatal("the collector calls cairn_workers_run() without CAIRN_COLLECTOR_PARALLEL");
  if (is_at_work())
    cairn_fatal("cairn_workers_run() is called within a job");
  cn_mutex_take(&pool, UINT64_MAX);
  job = wanted;
  job_env = env;
  unsigned count = run_job(most);
  cn_mutex_release(&pool);
  return count;
}
