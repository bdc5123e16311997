/* SPDX-License-Identifier: Apache-2.0
 *
 * A fatal error beside other events of the process: SIGALRM and a handler's signal between any two instructions of the
 * report, signals in the handler of SIGABRT, and a second thread that fails or faults at the same time. What would go
 * wrong: the program ends without its backtrace, or by SIGSEGV.
 */
// RUN: %cairn-cc -w -D_GNU_SOURCE -O1 -g -I%root/include -I%root/test/tools %s -o %t -pthread
// RUN: clang -w -O1 %root/test/tools/step.c -o %t.step
// RUN: not --crash %t.step --signal=14 --signal=10 --most=9000 %t alarms 2>&1 | FileCheck %s
// RUN: for how in aborting failing faulting; do \
// RUN:   not --crash %t.step --apart=97 --most=20000 %t $how >%t.out 2>&1 || exit 1; \
// RUN:   FileCheck --allow-unused-prefixes --check-prefixes=CHECK,$how %s <%t.out || exit 1; done
// CHECK: cairn: fatal: on purpose
// failing: cairn: fatal: beside
// CHECK-NOT: cannot be read
// CHECK: in inner at {{.*}}fatal_concurrent.c:[[#]]
// CHECK-NEXT: in main at {{.*}}fatal_concurrent.c:[[#]]
// CHECK-NOT: cannot be read
// aborting: the handler of SIGABRT is over
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/collector.h>
#include "step.h"

static long managed *kept;
static volatile int there;

static void on_signal(int number)
{
  kept = cairn_new(long);
}

cairn_unmanaged static void send(int signal)
{
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

cairn_unmanaged static void aborting(int number)
{
  static const char text[] = "the handler of SIGABRT is over\n";

  send(SIGALRM);
  write(2, text, sizeof text - 1);
}

/* ---- a second thread ---- */

cairn_unmanaged static void *fails(void *faults)
{
  struct sigaction action;

  there = 1;
  do /* until the report has begun */
    syscall(SYS_rt_sigaction, SIGPIPE, NULL, &action, 8L);
  while (action.sa_handler != SIG_IGN);
  if (faults)
    *(volatile int *)8 = 0;
  cairn_fatal("beside");
}

cairn_unmanaged static void prepare(const char *how)
{
  pthread_t thread;

  signal(SIGALRM, on_signal);
  signal(SIGUSR1, on_signal);
  if (strcmp(how, "aborting") == 0)
    signal(SIGABRT, aborting);
  if (strcmp(how, "failing") == 0 || strcmp(how, "faulting") == 0) {
    pthread_create(&thread, NULL, fails, strcmp(how, "faulting") == 0 ? (void *)how : NULL);
    while (!there)
      sched_yield();
  }
  step_request(STEP_SELF);
}

cairn_unmanaged static void end(void)
{
  cairn_fatal("on purpose");
}

__attribute__((noinline)) static long inner(const char *how)
{
  long managed *mine = cairn_new(long);

  prepare(how);
  end();
  return *mine;
}

int main(int count, char **arguments)
{
  return (int)inner(arguments[1]) + 1;
}
