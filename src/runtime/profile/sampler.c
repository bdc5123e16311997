/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the sampler of CAIRN_PROFILE, a thread that reads the processor time of all threads at random times, samples
 * those that have run, and adds their time to their stacks. So a stack's time is right even if a sample comes late.
 * Owns the sampler's thread, which a constructor starts and the end of the program joins, an atomic request to stop,
 * and the table of threads. The table belongs to the sampler, which runs in any phase. A child of fork() has no
 * sampler.
 */
#include "runtime/profile/profile.h"

#include <limits.h>
#include <stdatomic.h>
#include "base/check.h"
#include "runtime/core/messages.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"

enum { MEAN_PAUSE_NANOSECONDS = 2000000, MIN_SAMPLED_NANOSECONDS = MEAN_PAUSE_NANOSECONDS / 4, MAX_THREADS = 1024 };

/* Threads in the order of the system's list, which rarely changes. */
struct thread_table {
  struct profiled_thread {
    int number;
    uint64_t counted; /* nanoseconds of its processor time that are in the profile, or passed before the first list */
  } at[MAX_THREADS];
  size_t count;
};

static struct {
  struct thread_table known, listed;
  int numbers[MAX_THREADS];
  struct cn_sample sample;
} sampler;
static struct cn_os_thread sampler_thread;
static _Atomic uint32_t sampler_stop;

/* The time of the thread that is counted already. The search begins at `*hint`, and leaves there its end. */
static uint64_t find_counted(const struct thread_table *table, int number, size_t *hint)
{
  for (size_t i = 0; i < table->count; i++) {
    size_t at = (*hint + i) % table->count;
    if (table->at[at].number != number)
      continue;
    *hint = at + 1;
    return table->at[at].counted;
  }
  return cn_os_thread_processor_time(number);
}

static void list_threads(void)
{
  size_t count = cn_os_list_threads(sampler.numbers, MAX_THREADS), hint = 0;
  int own = cn_os_thread();

  CN_CHECK(count <= MAX_THREADS);
  sampler.listed.count = 0;
  for (size_t i = 0; i < count; i++) {
    int number = sampler.numbers[i];
    if (number != own)
      sampler.listed.at[sampler.listed.count++] =
          (struct profiled_thread){number, find_counted(&sampler.known, number, &hint)};
  }
  sampler.known = sampler.listed;
}

/* The time of the sample's handler counts for no stack. */
static void sample_thread(struct profiled_thread *thread)
{
  uint64_t now = cn_os_thread_processor_time(thread->number), ran = now - thread->counted;

  if (now < thread->counted) /* another thread has the number now, or the thread has ended */
    thread->counted = now;
  else if (ran >= MIN_SAMPLED_NANOSECONDS) {
    struct cn_sample_kind kind = {.limit = CN_PROFILE_DEPTH};
    const char *wrong = cn_sample_thread(thread->number, kind, &sampler.sample);
    cn_folded_stacks_add(thread->number, wrong == NULL ? &sampler.sample : NULL, ran);
    thread->counted = cn_os_thread_processor_time(thread->number);
  }
}

static void *run_sampler(void *unused)
{
  uint64_t random = cn_os_clock_nanoseconds();
  char message[PATH_MAX + 128];

  (void)unused;
  cn_os_thread_make_precise("cairn-profile");
  list_threads();
  while (cn_pause_at_random(&sampler_stop, MEAN_PAUSE_NANOSECONDS, &random)) {
    list_threads();
    for (size_t i = 0; i < sampler.known.count && atomic_load(&sampler_stop) == 0; i++)
      sample_thread(&sampler.known.at[i]);
  }
  if (!cn_folded_stacks_write(CN_OPTION_TEXT(cn_options.profile), message, sizeof message))
    cn_report_print_text("cairn: CAIRN_PROFILE: %.900s\n", message);
  return NULL;
}

/* A constructor, because libc cannot start threads in .preinit_array. The unwinder is loaded before the thread starts,
 * as in stop_limit.c. */
__attribute__((constructor)) static void start_sampler(void)
{
  if (cn_options.profile == 0)
    return;
  cn_os_has_unwinder(true);
  if (!cn_os_thread_start(&sampler_thread, run_sampler, NULL))
    cn_report_print_text("cairn: CAIRN_PROFILE: no thread can be started\n");
}

void cn_profile_end(void)
{
  atomic_store(&sampler_stop, 1);
  cn_os_wake_all(&sampler_stop);
  cn_os_thread_join(&sampler_thread);
}
