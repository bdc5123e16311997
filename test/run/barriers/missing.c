/* SPDX-License-Identifier: Apache-2.0
 *
 * A store without barrier: native code, called as a leaf, stores into an old object. It is found,
 * by type and field: by CAIRN_VERIFY=heap, and by the collector's own look through the old space.
 * What would go wrong: a missing barrier shows as a fault elsewhere, much later.
 */
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: for f in young cards; do clang -Wall -Wextra -Werror -O2 -I%root/include -c \
// RUN:   %root/examples/collectors/barriers/$f.c || exit 1; done
// RUN: clang -O2 -DNATIVE -c %s -o native.o
// RUN: %cairn-cc -O2 -g -fcairn-barriers=cards %s native.o young.o cards.o -o cards
// RUN: ./cards with | FileCheck %s --check-prefix=WITH
// RUN: env CAIRN_VERIFY=heap ./cards with | FileCheck %s --check-prefix=WITH
// WITH: 42
// RUN: not --crash ./cards without 2>&1 | FileCheck %s --check-prefix=SELF
// SELF: cairn: fatal: young: missing barrier at struct node.right: collection {{[0-9]+}} finds there a young object
// RUN: not --crash env CAIRN_VERIFY=heap ./cards without 2>&1 | FileCheck %s --check-prefix=HEAP
// HEAP: cairn: fatal: CAIRN_VERIFY=heap: before collection {{[0-9]+}}:
// HEAP-SAME: {{.*}} has in struct node.right the reference 0x{{[0-9a-f]+}}
// HEAP-SAME: , to a younger object, and no barrier has told of it
// Collectors that go on while the program runs find it at the next collection:
// RUN: for k in snapshot loads; do clang -Wall -Wextra -Werror -O2 -I%root/include -c \
// RUN:   %root/examples/collectors/barriers/$k.c && %cairn-cc -O2 -g -fcairn-barriers=$k %s native.o $k.o -o $k && \
// RUN:   ./$k with | FileCheck %s --check-prefix=WITH || exit 1; done
// RUN: not --crash env SNAPSHOT_STILL=1 ./snapshot without 2>&1 | FileCheck %s --check-prefix=SNAPSHOT
// SNAPSHOT: cairn: fatal: snapshot: missing barrier: collection {{[0-9]+}} does not find
// SNAPSHOT-SAME: the struct node {{.*}} reachable at the one before
// RUN: not --crash env LOADS_STILL=1 ./loads old 2>&1 | FileCheck %s --check-prefix=LOADS
// LOADS: cairn: fatal: loads: missing barrier: the root at 0x{{[0-9a-f]+}} is 0x{{[0-9a-f]+}}, an old address
// What was loaded without a barrier, and stored:
// RUN: env CAIRN_VERIFY=heap ./loads with | FileCheck %s --check-prefix=WITH
// RUN: not --crash env CAIRN_VERIFY=heap LOADS_STILL=1 ./loads kept 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: cairn: fatal: CAIRN_VERIFY=heap: before collection 4:
// KEPT-SAME: {{.*}} has in struct node.left the reference 0x{{[0-9a-f]+}}
// KEPT-SAME: , {{.*}}no barrier has told of it
#ifdef NATIVE

void *load(void **slot);
void *load(void **slot)
{
  return *slot;
}

void store(void **slot, void *value);
void store(void **slot, void *value)
{
  *slot = value;
}

#else
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  long value;
  struct node managed *left, *right;
};
typedef struct node managed *ref;

cairn_leaf void store(ref managed *slot, ref value);
cairn_leaf ref load(ref managed *slot);

static ref old;

__attribute__((noinline)) static ref node(long value)
{
  ref n = cairn_new(struct node);

  n->value = value;
  return n;
}

/* A list, of which the program takes a part from where it was. */
__attribute__((noinline)) static void hide(void)
{
  ref list = NULL;

  for (long i = 0; i < 1000; i++) {
    ref n = node(i);
    n->left = list;
    list = n;
  }
  old->left = list;
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "with";
  ref seen = NULL;

  old = node(1);
  hide();
  for (int i = 0; i < 3; i++)
    cairn_collect();
  ref fresh = node(42);
  if (strcmp(how, "with") == 0) {
    old->right = fresh;
  } else if (strcmp(how, "old") == 0) {
    seen = load(&old->left);
  } else if (strcmp(how, "kept") == 0) {
    fresh->left = load(&old->left);
  } else {
    store(&old->right, fresh);
    store(&fresh->left, old->left->left);
    store(&old->left->left, NULL);
  }
  cairn_collect();
  printf("%ld\n", seen ? seen->value : old->right->value);
  return 0;
}
#endif
