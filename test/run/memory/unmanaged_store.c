// A reference in memory of the C library, stored there by a function that cannot know: the program
// ends with a message, rather than with a lost reference. Locals and globals behind the same
// pointer are fine.
// RUN: %cairn-cc -O0 %s -o %t && %t 0 | FileCheck %s && %t 1 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: %cairn-cc -O3 %s -o %t && env CAIRN_STRESS=1 %t 0 | FileCheck %s \
// RUN:   && env CAIRN_STRESS=1 %t 1 | FileCheck %s
// RUN: not --crash %t 2 2>&1 | FileCheck %s --check-prefix=LOST
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
struct holder {
  int count;
  struct node managed *node;
};
static struct holder global;

__attribute__((noinline)) static struct holder *somewhere(void)
{
  return calloc(1, sizeof(struct holder));
}

__attribute__((noinline)) static void hold(struct holder *holder, long value)
{
  holder->node = cairn_new(struct node);
  holder->node->value = value;
}

int main(int argc, char **argv)
{
  struct holder local = {0}, *holders[] = {&local, &global, somewhere()};
  struct holder *holder = holders[argc > 1 ? atoi(argv[1]) : 0];

  hold(holder, 42);
  cairn_collect();
  printf("value %ld\n", holder->node->value);
  return 0;
}
// CHECK: value 42
// LOST: fatal: a reference is stored at 0x{{.*}}hold{{.*}}, which is neither a local nor a global that holds references: {{.*}}; stored is member 'node' of struct holder at {{.*}}unmanaged_store.c:30; allocate {{.*}} [unmanaged-store]
