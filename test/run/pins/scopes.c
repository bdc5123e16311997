/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins in C. What would go wrong: a pinned object moves, or goes although managed code has it; one
 * that is let go never moves again; a scope that is left by break, continue, return or goto leaves
 * its pin behind; an address within an object pins another one, or none.
 */
// RUN: clang -O1 -Wall -Werror -I%root/include -c %S/Inputs/native.c -o %t.native.o
// RUN: %cairn-cc -O2 -fcairn-collector=generational %s %t.native.o -o %t && %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames,heap %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_STATS=1 %t 2>&1 | FileCheck --check-prefix=MOVED %s
// RUN: env CAIRN_LOG=pins %t 2>&1 | FileCheck --check-prefix=LOG %s
// RUN: %cairn-cc -O0 -fcairn-collector=generational %s %t.native.o -o %t.O0 && env CAIRN_STRESS=1 %t.O0 | FileCheck %s
// RUN: clang -O1 -DCAIRN_PLAIN -Wall -Werror -I%root/include %s %S/Inputs/native.c -o %t.plain && \
// RUN:   %t.plain | FileCheck %s
// MOVED: objects moved: {{[0-9][0-9][0-9]}}
// MOVED: pinned at {{.*}}scopes.c:[[#]]: 100 times, {{.*}}char[]
// LOG: cairn: pins: {{.*}}char[] at 0x{{[0-9a-f]+}} is pinned 1 times, the last time at {{.*}}scopes.c:[[#]]
// CHECK: filled 100 of 100
// CHECK-NEXT: left 4 scopes, then moves
// CHECK-NEXT: twice stays, once stays, then moves
// CHECK-NEXT: inside: 77
// CHECK-NEXT: large: 4950
// CHECK-NEXT: other thread: stays
#include <stdio.h>
#include <cairn/cairn.h>
#include <cairn/pin.h>

typedef unsigned char managed *bytes;
void fill(unsigned char *at, long count, long value);
void garbage_in_callback(void (*allocate)(void));
void let_go(void *address);
cairn_leaf int same(const void *a, void managed *b);
cairn_leaf int stress(void);

struct node {
  struct node managed *next;
  long value;
};

static void allocate(void)
{
  for (int i = 0; i < 200; i++)
    cairn_new(struct node)->value = i;
  cairn_collect();
}

static int fill_all(void)
{
  int good = 0;

  for (int i = 0; i < 100; i++) {
    bytes buffer = cairn_new_array(unsigned char, 100);
    int right = 1;
    cairn_pinned (unsigned char *at, buffer) {
      allocate();
      fill(at, 100, i);
    }
    allocate();
    for (int k = 0; k < 100; k++)
      right &= buffer[k] == i;
    good += right;
  }
  return good;
}

static int leave_by_return(bytes buffer)
{
  cairn_pinned (unsigned char *at, buffer) {
    allocate();
    if (same(at, (void managed *)buffer))
      return 1;
  }
  return 0;
}

static int leave(bytes buffer)
{
  int left = leave_by_return(buffer);

  for (int i = 0; i < 3; i++) {
    cairn_pinned (unsigned char *at, buffer) {
      allocate();
      left += same(at, (void managed *)buffer);
      if (i == 0)
        break;
      if (i == 1)
        continue;
      goto out;
    }
  }
out:
  return left;
}

/* Does a collection move it? All but CAIRN_STRESS may leave it where it is. */
static int moves(bytes buffer, void *before)
{
  cairn_collect();
  return !same(before, (void managed *)buffer);
}

static const char *then(bytes buffer)
{
  void *before = cairn_pin(buffer);

  cairn_unpin(buffer);
  return moves(buffer, before) || !stress() ? "then moves" : "then stays";
}

static void count_pins(bytes buffer)
{
  void *first = cairn_pin(buffer), *second = cairn_pin(buffer);
  int stays = first == second && !moves(buffer, first);

  cairn_unpin(buffer);
  printf("twice %s, ", stays ? "stays" : "moves");
  printf("once %s, ", moves(buffer, first) ? "moves" : "stays");
  cairn_unpin(buffer);
  printf("%s\n", then(buffer));
}

static void inside(void)
{
  struct node managed *node = cairn_new(struct node);

  cairn_pinned (long *value, &node->value) {
    allocate();
    *value = 77;
    allocate();
  }
  allocate();
  printf("inside: %ld\n", node->value);
}

static void large(void)
{
  bytes buffer = cairn_new_array(unsigned char, 100000);
  long sum = 0;

  cairn_pinned (unsigned char *at, buffer) {
    allocate();
    for (long i = 0; i < 100; i++)
      fill(at + 1000 * i, 1, i);
    allocate();
  }
  allocate();
  for (long i = 0; i < 100; i++)
    sum += buffer[1000 * i];
  printf("large: %ld\n", sum);
}

int main(void)
{
  bytes buffer = cairn_new_array(unsigned char, 16);

  printf("filled %d of 100\n", fill_all());
  printf("left %d scopes, ", leave(buffer));
  printf("%s\n", then(buffer));
  count_pins(buffer);
  inside();
  large();
  void *at = cairn_pin(buffer);
  allocate();
  printf("other thread: %s\n", same(at, (void managed *)buffer) ? "stays" : "moves");
  let_go(at);
  return 0;
}
