/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports threads that delay stops. The requester of a stop, which holds the lock of stops in phase MUTATE, observes
 * the thread that it waits for, and posts a late thread in this file's state. The reporter, a thread of the runtime
 * that runs in any phase, samples the late thread and prints the report on stderr. Owns the observation, the posted
 * thread, the atomic word that passes it to the reporter, and the reporter's thread, which a constructor starts and the
 * end of the program joins.
 */
#include "runtime/latency/latency.h"

#include <stdatomic.h>
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

enum { REPORT_POSTED_BIT = 1, PROGRAM_OVER_BIT = 2 };

/* The observations of a requester about the thread that it waits for; times are in nanoseconds. */
struct late_thread {
  int thread;
  uint64_t since;       /* time of the request, which identifies the stop */
  uint64_t waited;      /* time since the request */
  uint64_t looked, ran; /* the clock and the thread's processor time at the first check */
  uint64_t passed, had; /* the time since the first check, and the thread's processor time since then */
};

static struct late_thread awaited_thread, posted_thread;
static _Atomic uint32_t reporter_state;
static struct cn_os_thread reporter_thread;

/* ---- requesters, with the lock of stops ---- */

/* False: the reporter is printing an earlier report. */
static bool post_late_stop(struct late_thread *late, uint64_t now)
{
  uint32_t expected = 0;

  if (atomic_load(&reporter_state) != 0)
    return false;
  late->waited = now - late->since;
  late->passed = now - late->looked;
  late->had = cn_os_thread_processor_time(late->thread) - late->ran;
  posted_thread = *late;
  if (!atomic_compare_exchange_strong(&reporter_state, &expected, REPORT_POSTED_BIT))
    return false;
  cn_os_wake_all(&reporter_state);
  return true;
}

void cn_stop_limit_note_wait(int thread, uint64_t since)
{
  static uint64_t reported; /* the last reported stop */
  uint64_t now = cn_os_clock_nanoseconds();

  if (cn_options.stop_limit == 0 || reported == since)
    return;
  if (awaited_thread.thread != thread || awaited_thread.since != since)
    awaited_thread = (struct late_thread){
        .thread = thread, .since = since, .looked = now, .ran = cn_os_thread_processor_time(thread)};
  if ((now - since) / 1000 >= cn_options.stop_limit && post_late_stop(&awaited_thread, now))
    reported = since;
}

/* ---- the reporter ---- */

static void print_late_stop(const struct late_thread *late)
{
  struct cn_sample sample;
  const char *wrong =
      cn_sample_thread(late->thread, (struct cn_sample_kind){.from_safepoint = true, .limit = UINT64_MAX}, &sample);
  char name[32], place[CN_REPORT_PC];

  cn_os_thread_read_name(late->thread, name, sizeof name);
  cn_report_print_text("cairn: a stop has waited %llu us for thread %d \"%s\", which had a processor for "
                       "%llu of the last %llu us; pc %s%s\n",
                       (unsigned long long)late->waited / 1000, late->thread, name,
                       (unsigned long long)late->had / 1000, (unsigned long long)late->passed / 1000,
                       wrong ? "unknown: " : cn_report_format_pc(sample.pc, place), wrong ? wrong : "");
  if (!wrong)
    cn_backtrace_print_recorded(&sample.backtrace);
}

static void *report_late_stops(void *unused)
{
  uint32_t now;

  (void)unused;
  cn_os_thread_make_precise("cairn-stops");
  do {
    while ((now = atomic_load(&reporter_state)) == 0)
      cn_os_wait_on_word(&reporter_state, 0, UINT64_MAX);
    if ((now & REPORT_POSTED_BIT) != 0)
      print_late_stop(&posted_thread);
    atomic_fetch_and(&reporter_state, ~(uint32_t)REPORT_POSTED_BIT);
  } while ((now & PROGRAM_OVER_BIT) == 0);
  return NULL;
}

/* A constructor, because libc cannot start threads in .preinit_array. Loads the unwinder before the thread starts: a
 * thread that loads a library holds locks of the loader, which a child of clone() would inherit. */
__attribute__((constructor)) static void start_reporter(void)
{
  if (cn_options.stop_limit == 0)
    return;
  cn_os_has_unwinder(true);
  if (!cn_os_thread_start(&reporter_thread, report_late_stops, NULL))
    cn_report_print_text("cairn: CAIRN_STOP_LIMIT: no thread can be started\n");
}

void cn_stop_limit_end_reporter(void)
{
  atomic_fetch_or(&reporter_state, PROGRAM_OVER_BIT);
  cn_os_wake_all(&reporter_state);
  cn_os_thread_join(&reporter_thread);
}
