/* SPDX-License-Identifier: Apache-2.0
 *
 * Take-overs and marks in CAIRN_LOG, in CAIRN_TRACE, for listeners, and in backtraces of marked activations.
 */
// RUN: %cairn-cc -w -O2 -I%root/include %s %S/Inputs/compiled.ll -o %t
// RUN: env CAIRN_LOG=deopt %t 2>&1 | FileCheck %s --check-prefixes=CHECK,LOG
// RUN: rm -f %t.json && env CAIRN_TRACE=%t.json %t 2>&1 | FileCheck %s
// RUN: python3 -m json.tool %t.json > %t.pretty && FileCheck %s --check-prefix=TRACE < %t.pretty
// LOG: cairn: deopt: thread {{[0-9]+}} marked 1 activations: too hot
// RUN: %if !emulated %{gdb -nx -batch -ex 'break cairn_backtrace' -ex run -ex bt %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GDB%}
// GDB: #{{[0-9]+}} {{.*}} in gives_integer ()
// GDB-NEXT: #{{[0-9]+}} {{.*}} in cn_arch_marked_returns ()
// GDB-NEXT: #{{[0-9]+}} {{.*}} in calls_integer ()
// GDB-NEXT: #{{[0-9]+}} {{.*}} in main ()
// CHECK: a backtrace:
// CHECK: #1 {{.*}} in gives_integer+
// CHECK-NEXT: #2 {{.*}} in f4:7 (by its record)
// CHECK-NEXT: #2 {{.*}} in calls_integer+{{.*}} (deoptimises on return: too hot)
// CHECK-NEXT: #3 {{.*}} in main+
// LOG: cairn: deopt: thread {{[0-9]+}} leaves f4:7, 1 frames, at a return: too hot
// LOG-NEXT: cairn: deopt: thread {{[0-9]+}} leaves f2:3, 3 frames: reason 17
// CHECK: invalidated: 1 activations, reason 5 (too hot)
// CHECK-NEXT: deoptimised: f4:7, 1 frames, marked 1, reason 5 (too hot)
// CHECK-NEXT: deoptimised: f2:3, 3 frames, marked 0, reason 17 (none)
// TRACE: "name": "invalidated"
// TRACE: "text": "too hot"
// TRACE: "name": "deoptimised"
// TRACE: "name": "f4:7"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <cairn/events.h>

struct object {
  long value;
};

long leaves_nested(long n, double x, struct object managed *o);
long calls_integer(long n);

/* ---- the language ---- */

static long continue_any(struct cairn_deopt_state managed *state)
{
  return state->frames;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return continue_any;
}

cairn_unmanaged static int describe(uint64_t function, uint64_t index, char *buffer, size_t size)
{
  return snprintf(buffer, size, "f%lu:%lu", (unsigned long)function, (unsigned long)index);
}

cairn_unmanaged static const char *reason(uint64_t number)
{
  return number == 5 ? "too hot" : NULL;
}

static const struct cairn_deopt_language language = {
    .name = "test", .continuation = find_continuation, .describe = describe, .reason = reason};

/* ---- a listener ---- */

static char heard[1000];

cairn_unmanaged static void listen(void *env, const struct cairn_event *event)
{
  char *at = heard + strlen(heard);
  const char *text = event->reason_text != NULL ? event->reason_text : "none";

  if (event->kind == CAIRN_EVENT_INVALIDATED)
    sprintf(at, "invalidated: %d activations, reason %d (%s)\n", (int)event->activations, (int)event->reason, text);
  else if (event->kind == CAIRN_EVENT_DEOPTIMISED)
    sprintf(at, "deoptimised: %s, %d frames, marked %d, reason %d (%s)\n", event->name, (int)event->activations,
            (int)event->marked, (int)event->reason, text);
}

__attribute__((visibility("default"))) cairn_unmanaged long gives_natively(long n)
{
  return n;
}

/* ---- callees ---- */

cairn_unmanaged static void invalidate(void)
{
  uintptr_t function = (uintptr_t)calls_integer;

  if (cairn_deopt_invalidate(&function, 1, 5, NULL, NULL) != CAIRN_OK)
    abort();
  fprintf(stderr, "a backtrace:\n");
  cairn_backtrace(2);
}

long gives_integer(void)
{
  invalidate();
  cairn_collect();
  return 0;
}
double gives_double(void)
{
  return 0;
}
struct object managed *gives_reference(void)
{
  return NULL;
}
long reaches_bottom(void)
{
  return 0;
}

int main(void)
{
  if (cairn_deopt_add_language(9, &language) != CAIRN_OK || cairn_listen(listen, NULL) != CAIRN_OK)
    abort();
  long frames = calls_integer(77) + leaves_nested(7, 1.5, cairn_new(struct object));
  cairn_collect();
  fprintf(stderr, "%s", heard);
  return frames != 4;
}
