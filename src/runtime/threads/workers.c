/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a collector's jobs on several threads, in phase STOP, and starts and ends these threads. Each worker waits until
 * its word changes, and then does its part of the job. The collecting thread does part 0, and waits for the last
 * worker. Owns the workers, the current job, and atomic flags of the collector's kind and of the end. The mutex
 * `pool_lock` guards workers and job, and is held during a job; workers read the job without the lock, after their
 * atomic words.
 *
 * Workers are started before the stop, in phase MUTATE: starting a thread calls malloc(), whose lock a stopped thread
 * may hold in a signal handler that interrupted malloc(). They end when the last thread is detached or the program
 * ends.
 */
#include "runtime/threads/workers.h"

#include <stdatomic.h>
#include <stdio.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/lock.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"

struct worker {
  struct cn_os_thread thread;
  _Atomic int number;    /* the thread's number, or 0 until it runs */
  _Atomic uint32_t turn; /* changes when the worker has work */
};

static struct cn_mutex pool_lock; /* guards the following variables; held while a job runs */
static struct worker workers[CN_WORKERS_MAX - 1];
static _Atomic unsigned started_workers;
static bool start_tried;    /* the start of all wanted workers was tried */
static int creator_urgency; /* of the thread that started the workers, which inherit it */
static _Atomic bool collector_is_parallel;
static _Atomic bool workers_end_requested, program_ended; /* end now; end for ever */

static cairn_job *current_job;
static void *job_env;
static unsigned job_count;
static _Atomic uint32_t unfinished_parts; /* unfinished parts of the job, except part 0 */

static bool is_in_job(void)
{
  return (cn_thread.works & CN_WORKS_ON_COLLECTOR_PART) != 0;
}

/* ---- a worker ---- */

/* Enters the list of images once, for all look-ups of layouts in the part. */
static void run_job_part(unsigned number)
{
  bool entered = cn_image_begin_reading();

  CN_CHECK(number < job_count && !is_in_job());
  cn_thread.works |= CN_WORKS_ON_COLLECTOR_PART;
  current_job(job_env, number, job_count);
  cn_thread.works &= (uint8_t)~CN_WORKS_ON_COLLECTOR_PART;
  cn_image_end_reading(entered);
}

static void *run_worker(void *argument)
{
  struct worker *self = argument;
  unsigned number = (unsigned)(self - workers) + 1;
  char name[16];
  uint32_t seen = 0;

  snprintf(name, sizeof name, "cairn-worker-%u", number);
  cn_os_thread_make_precise(name);
  atomic_store(&self->number, cn_os_thread());
  for (;;) {
    while (atomic_load(&self->turn) == seen)
      cn_os_wait_on_word(&self->turn, seen, UINT64_MAX);
    seen++;
    if (atomic_load(&workers_end_requested))
      return NULL;
    run_job_part(number);
    if (atomic_fetch_sub(&unfinished_parts, 1) == 1)
      cn_os_wake_all(&unfinished_parts);
  }
}

static void wake_worker(struct worker *worker)
{
  atomic_fetch_add(&worker->turn, 1);
  cn_os_wake_all(&worker->turn);
}

/* ---- start and end of workers ---- */

/* If the system has too few resources for all threads, fewer workers run. */
static void start_workers(void)
{
  CN_ASSERT(cn_options.workers >= 1 && cn_options.workers <= CN_WORKERS_MAX);
  creator_urgency = cn_os_thread_urgency(0);
  for (; started_workers + 1 < cn_options.workers; started_workers++) {
    atomic_store(&workers[started_workers].turn, 0);
    atomic_store(&workers[started_workers].number, 0);
    if (!cn_os_thread_start(&workers[started_workers].thread, run_worker, &workers[started_workers]))
      break;
  }
  start_tried = true;
}

void cn_workers_prepare_threads(bool is_parallel)
{
  atomic_store(&collector_is_parallel, is_parallel);
  if (!is_parallel || cn_thread_is_in_handler())
    return;
  cn_mutex_take(&pool_lock, UINT64_MAX);
  if (!start_tried && !atomic_load(&program_ended))
    start_workers();
  cn_mutex_release(&pool_lock);
}

unsigned cn_workers_count(void)
{
  return atomic_load(&started_workers) + 1;
}

/* The caller holds `pool_lock`. */
static void end_all_workers(void)
{
  atomic_store(&workers_end_requested, true);
  for (unsigned i = 0; i < started_workers; i++)
    wake_worker(&workers[i]);
  for (unsigned i = 0; i < started_workers; i++)
    cn_os_thread_join(&workers[i].thread);
  started_workers = 0;
  start_tried = false;
  atomic_store(&workers_end_requested, false);
}

void cn_workers_end_all(void)
{
  CN_CHECK(!is_in_job());
  cn_mutex_take(&pool_lock, UINT64_MAX);
  end_all_workers();
  cn_mutex_release(&pool_lock);
}

void cn_workers_end_at_exit(void)
{
  atomic_store(&program_ended, true);
  if (!cn_mutex_take(&pool_lock, 0))
    return;
  end_all_workers();
  cn_mutex_release(&pool_lock);
}

void cn_workers_reset_after_fork(void)
{
  atomic_store(&pool_lock.word, 0);
  atomic_store(&workers_end_requested, false);
  started_workers = 0;
  start_tried = false;
}

/* ---- a job ---- */

unsigned cairn_workers_most(void)
{
  return (unsigned)cn_options.workers;
}

/* The number of workers that a job of `most` parts may use, including the collecting thread: the first ones, up to a
 * worker that the scheduler treats as less urgent than the collecting thread. Other threads could keep such a worker
 * from a processor while the collecting thread waits. */
static unsigned count_urgent_workers(unsigned most)
{
  unsigned count = started_workers + 1 < most ? started_workers + 1 : most;
  int own = cn_os_thread_urgency(0);

  for (unsigned i = 0; i + 1 < count; i++) {
    int number = atomic_load(&workers[i].number);
    if ((number != 0 ? cn_os_thread_urgency(number) : creator_urgency) < own)
      return i + 1;
  }
  return count;
}

static unsigned run_job(unsigned most)
{
  unsigned count = count_urgent_workers(most);

  job_count = count;
  atomic_store(&unfinished_parts, count - 1);
  for (unsigned i = 0; i + 1 < count; i++)
    wake_worker(&workers[i]);
  run_job_part(0);
  for (uint32_t left; (left = atomic_load(&unfinished_parts)) != 0;)
    cn_os_wait_on_word(&unfinished_parts, left, UINT64_MAX);
  return count;
}

unsigned cairn_workers_run(unsigned most, cairn_job *wanted, void *env)
{
  CN_CHECK(wanted != NULL && most > 0);
  cn_unseen_check_process();
  if (!atomic_load(&collector_is_parallel))
    cairn_fatal("the collector calls cairn_workers_run() without CAIRN_COLLECTOR_PARALLEL");
  if (is_in_job())
    cairn_fatal("cairn_workers_run() is called within a job");
  cn_mutex_take(&pool_lock, UINT64_MAX);
  current_job = wanted;
  job_env = env;
  unsigned count = run_job(most);
  cn_mutex_release(&pool_lock);
  return count;
}
