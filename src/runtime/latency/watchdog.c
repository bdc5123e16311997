/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the watchdog, a thread that measures the time to safepoint of one thread at a time, like cairn_safepoint_ask().
 * Also tells which party delayed an arrival, and prints the results. Owns the watchdog's thread, which a constructor
 * starts and the end of the program joins, an atomic request to stop, and the results. The results belong to the
 * watchdog while it runs, in any phase; the end of the program reads and prints them afterwards.
 */
#include "runtime/latency/latency.h"

#include <stdio.h>
#include "base/check.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/debug/backtrace.h"
#include "runtime/os/os.h"
#include "runtime/threads/handshake.h"

/* Shorter times without a processor, or for posting the request, count as zero, because reading the clocks takes as
 * long. */
enum { NEGLIGIBLE_NANOSECONDS = 2000 };
enum { MAX_INTERVAL_MICROSECONDS = 1000000000 };

static struct {
  struct cn_histogram arrivals[CN_BLAME_COUNT];
  struct cairn_arrival slowest; /* the slowest arrival that is charged to managed code */
} arrival_results;

static struct cn_os_thread watchdog_thread;
static _Atomic uint32_t stop_requested;

enum cn_blame cn_watchdog_blame_of(const struct cairn_arrival *arrival)
{
  if (arrival->asking > NEGLIGIBLE_NANOSECONDS)
    return CN_BLAME_REQUESTER;
  if (arrival->safepoint)
    return CN_BLAME_SAFEPOINT;
  if (arrival->native)
    return CN_BLAME_NATIVE_CODE;
  if (arrival->nanoseconds <= arrival->ran + NEGLIGIBLE_NANOSECONDS)
    return CN_BLAME_MANAGED_CODE;
  return arrival->switches ? CN_BLAME_PREEMPTED : CN_BLAME_HOST;
}

/* Formats an arrival as "thread 17 "name", pc 0x401136 (function+0x16), file.c:12". */
static const char *describe_arrival(const struct cairn_arrival *arrival, char buffer[512])
{
  char name[32], place[CN_REPORT_PC], line[256];

  cn_os_thread_read_name(arrival->thread, name, sizeof name);
  bool known = cn_safepoint_format_line(arrival->pc, line, sizeof line);
  snprintf(buffer, 512, "thread %d \"%s\", pc %s%s%s", arrival->thread, name, cn_report_format_pc(arrival->pc, place),
           known ? ", " : "", known ? line : "");
  return buffer;
}

static void record_arrival(const struct cairn_arrival *arrival)
{
  enum cn_blame blame = cn_watchdog_blame_of(arrival);
  bool slowest = blame == CN_BLAME_MANAGED_CODE && arrival->nanoseconds > arrival_results.slowest.nanoseconds;
  char text[512];

  CN_CHECK(blame < CN_BLAME_COUNT);
  cn_histogram_add_value(&arrival_results.arrivals[blame], arrival->nanoseconds);
  if (!slowest)
    return;
  arrival_results.slowest = *arrival;
  if ((cn_options.log & CN_LOG_ARRIVALS) != 0)
    cn_report_print_text("cairn: arrivals: slowest so far: %llu.%llu us; %s\n",
                         (unsigned long long)arrival->nanoseconds / 1000,
                         (unsigned long long)arrival->nanoseconds / 100 % 10, describe_arrival(arrival, text));
}

static uint64_t interval_nanoseconds(void)
{
  uint64_t interval = cn_options.watchdog < MAX_INTERVAL_MICROSECONDS ? cn_options.watchdog : MAX_INTERVAL_MICROSECONDS;

  return 1000 * interval;
}

static void *sample_arrivals(void *unused)
{
  uint64_t random = cn_os_clock_nanoseconds();
  struct cairn_arrival arrival;

  (void)unused;
  cn_os_thread_make_precise("cairn-watchdog");
  while (cn_pause_at_random(&stop_requested, interval_nanoseconds(), &random) &&
         cn_arrival_measure_any(random >> 11, &arrival, CAIRN_ASK_FOREVER) == CAIRN_OK) /* else no thread is left */
    record_arrival(&arrival);
  return NULL;
}

/* A constructor, because libc cannot start threads in .preinit_array. */
__attribute__((constructor)) static void start_watchdog(void)
{
  if (cn_options.watchdog != 0 && !cn_os_thread_start(&watchdog_thread, sample_arrivals, NULL))
    cn_report_print_text("cairn: CAIRN_WATCHDOG: no thread can be started\n");
}

/* After cn_handshake_end_all(), the watchdog's waits for arrivals return at once. */
void cn_watchdog_stop(void)
{
  stop_requested = 1;
  cn_os_wake_all(&stop_requested);
  cn_handshake_end_all();
  cn_os_thread_join(&watchdog_thread);
}

static void print_blamed_arrivals(const char *name, const char *maximum, enum cn_blame blame)
{
  cn_report_print_count(name, arrival_results.arrivals[blame].total);
  cn_report_print_microseconds(maximum, arrival_results.arrivals[blame].maximum);
}

void cn_watchdog_print_results(void)
{
  const struct cn_histogram *own = &arrival_results.arrivals[CN_BLAME_MANAGED_CODE];
  char text[512];

  if (cn_options.watchdog == 0)
    return;
  cn_report_print_count("arrivals", own->total);
  cn_report_print_microseconds("arrival median (us)", cn_histogram_quantile(own, 500));
  cn_report_print_microseconds("arrival 99.9 % (us)", cn_histogram_quantile(own, 999));
  cn_report_print_microseconds("arrival maximum (us)", own->maximum);
  if (arrival_results.slowest.pc != 0)
    cn_report_print_text("slowest arrival: %s\n", describe_arrival(&arrival_results.slowest, text));
  print_blamed_arrivals("arrivals preempted", "arrival preempted, maximum (us)", CN_BLAME_PREEMPTED);
  print_blamed_arrivals("arrivals held up by the host", "arrival held up, maximum (us)", CN_BLAME_HOST);
  print_blamed_arrivals("arrivals from native code", "arrival from native code, maximum (us)", CN_BLAME_NATIVE_CODE);
  cn_report_print_count("at a safepoint already", arrival_results.arrivals[CN_BLAME_SAFEPOINT].total);
  cn_report_print_count("questions delayed", arrival_results.arrivals[CN_BLAME_REQUESTER].total);
}
