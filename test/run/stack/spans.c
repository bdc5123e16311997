// RUN: %cairn-cc -O0 -I%root/include %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O1 -I%root/include %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -I%root/include %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -g -I%root/include %s -o %t && env CAIRN_STRESS=1 %t | FileCheck --check-prefixes=CHECK,DEBUG %s
// RUN: %cairn-cc -O3 -g -ffunction-sections -Wl,--gc-sections -I%root/include %s -o %t && \
// RUN:   env CAIRN_STRESS=1 %t | FileCheck --check-prefixes=CHECK,DEBUG %s
// RUN: %cairn-cc -O2 -g -fcairn-safepoints=early -I%root/include %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -g -flto -I%root/include %s -o %t && \
// RUN:   env CAIRN_STRESS=1 %t | FileCheck --check-prefixes=CHECK,DEBUG %s
// RUN: %cairn-cc -O2 -fPIC -shared -I%root/include %s -o %t.so && \
// RUN:   %cairn-cc -O2 %t.so -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-safepoints=none -I%root/include %s -o %t && %t > %t.out
// RUN: clang -w -DCAIRN_PLAIN -O1 -I%root/include -c %s -o %t.o
// RUN: %cairn-cc -O2 -I%root/include -c %s -o %t.o && nm %t.o | FileCheck --check-prefix=NAMES %s
// What is found by a key at each place: nested, the same key nested, overlapping, in recursion, in what is inlined,
// in loops that are unrolled, round allocations and polls. Wrong: a value of a span that is not round the place, the
// greater of two, one that the optimiser carried elsewhere; a program that does not link for want of the markers.
// NAMES-NOT: cairn.span.begin
#include <cairn/span.h>
#ifndef CAIRN_PLAIN
#include <cairn/collector.h>
#include <cairn/stack.h>
#include <stdio.h>

struct node {
  struct node managed *next;
  long value;
};

enum { KEYS = 5 };
static const int numbers[] = {100, 101, 102, 103, 104, 105};
static const char name[] = "name";

static void write_value(uintptr_t value)
{
  if (value >= (uintptr_t)numbers && value < (uintptr_t)(numbers + 6))
    printf(" %d", *(const int *)value);
  else if (value == (uintptr_t)name)
    printf(" %s", (const char *)value);
  else
    printf(" #%lu", (unsigned long)value);
}

/* The nearest activation with that key: inlining does not change which. */
cairn_unmanaged __attribute__((noinline)) static void show(const char *where)
{
  printf("%s:", where);
  for (unsigned long key = 1; key <= KEYS; key++) {
    struct cairn_stack_iterator it;
    uintptr_t value;
    cairn_stack_youngest(&it);
    while (!cairn_stack_past_end(&it) && !cairn_stack_span(&it, key, &value))
      cairn_stack_next_virtual(&it);
    if (cairn_stack_past_end(&it))
      printf(" -");
    else
      write_value(value);
  }
  printf("\n");
}

/* Of the two youngest virtual frames. */
cairn_unmanaged __attribute__((noinline)) static void show_two(const char *where)
{
  struct cairn_stack_iterator it;
  uintptr_t value;

  printf("%s:", where);
  cairn_stack_youngest(&it);
  for (int frame = 0; frame < 2; frame++) {
    for (unsigned long key = 1; key <= 3; key++)
      if (cairn_stack_span(&it, key, &value))
        write_value(value);
    printf(" |");
    cairn_stack_next_virtual(&it);
  }
  printf("\n");
}

static void nested(void)
{
  show("none");
  cairn_span_begin(1, &numbers[0]);
  show("one");
  cairn_span_begin(2, &numbers[1]);
  show("two");
  cairn_span_begin(1, &numbers[2]);
  show("one again");
  cairn_span_end(1);
  show("two left");
  cairn_span_begin(3, (void *)77);
  cairn_span_end(2); /* overlapping */
  show("one and three");
  cairn_span_end(1);
  show("three");
  cairn_span_end(3);
  show("none again");
}

/* Inlined, if LLVM likes. */
static inline __attribute__((always_inline)) void leaf(void)
{
  cairn_span_begin(2, name);
  show_two("inlined");
  cairn_span_end(2);
}

static void inlined(void)
{
  cairn_span_begin(1, &numbers[3]);
  leaf();
  show("behind");
  cairn_span_end(1);
}

__attribute__((noinline)) static struct node managed *recursion(int depth)
{
  struct node managed *n = cairn_new(struct node);

  if (depth == 0) {
    show("deep");
    return n;
  }
  if (depth == 2) {
    cairn_span_begin(1, &numbers[4]);
    n->next = recursion(depth - 1);
    return n; /* what is open ends here */
  }
  cairn_span_begin(2, &numbers[5]);
  n->next = recursion(depth - 1);
  return n;
}

static struct node managed *list;

/* The loop is unrolled, its spans with it; half of the iterations have one. */
static void loop(void)
{
  for (int i = 0; i < 4; i++) {
    cairn_span_begin(4, (void *)(long)1);
    list = cairn_new(struct node);
    if (i % 2) {
      cairn_span_begin(4, (void *)(long)2);
      show("odd");
      cairn_span_end(4);
    } else {
      show("even");
    }
    cairn_span_end(4);
  }
  show("loop left");
}

static void early(int c)
{
  cairn_span_begin(5, (void *)5);
  if (c == 1)
    return;
  show("early");
  if (c == 2) {
    cairn_span_begin(3, (void *)3);
    show("early return");
    return;
  }
  cairn_span_end(5);
}

static void tails(void)
{
  cairn_span_begin(5, (void *)6);
  show("last call");
}

int main(void)
{
  // CHECK: none: - - - - -
  // CHECK-NEXT: one: 100 - - - -
  // CHECK-NEXT: two: 100 101 - - -
  // CHECK-NEXT: one again: 102 101 - - -
  // CHECK-NEXT: two left: 100 101 - - -
  // CHECK-NEXT: one and three: 100 - #77 - -
  // CHECK-NEXT: three: - - #77 - -
  // CHECK-NEXT: none again: - - - - -
  nested();
  // DEBUG-NEXT: inlined: 103 name | 103 |
  // CHECK: behind: 103 - - - -
  inlined();
  // CHECK-NEXT: deep: 104 105 - - -
  list = recursion(3);
  // CHECK-NEXT: even: - - - #1 -
  // CHECK-NEXT: odd: - - - #2 -
  // CHECK-NEXT: even: - - - #1 -
  // CHECK-NEXT: odd: - - - #2 -
  // CHECK-NEXT: loop left: - - - - -
  loop();
  // CHECK-NEXT: early: - - - - #5
  // CHECK-NEXT: early return: - - #3 - #5
  // CHECK-NEXT: early: - - - - #5
  // CHECK-NEXT: last call: - - - - #6
  // CHECK-NEXT: end: - - - - -
  for (int c = 1; c < 4; c++)
    early(c);
  tails();
  show("end");
  return 0;
}
#endif
