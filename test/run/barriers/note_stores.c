/* SPDX-License-Identifier: Apache-2.0
 *
 * A barrier is left out at run time, by barriers of the program's own. CAIRN_VERIFY=stores names
 * the store that needed it: type, field, function, file and line. What would go wrong: it names
 * another store to the same place, or none.
 */
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %root/examples/collectors/barriers/young.c
// RUN: clang -Wall -Wextra -Werror -O2 -DCUSTOM -I%root/include -c %root/examples/collectors/barriers/cards.c -o custom.o
// RUN: llvm-as %root/examples/collectors/barriers/custom.ll -o custom.bc
// RUN: clang -O2 -DNATIVE -c %s -o native.o
// DEFINE: %{cc} = %cairn-cc -g -fcairn-barriers=custom -Xclang -mlink-bitcode-file -Xclang custom.bc %s native.o \
// DEFINE:   young.o custom.o
// RUN: %{cc} -O2 -fcairn-note-stores -o two && %{cc} -O0 -fcairn-note-stores -o zero && \
// RUN:   %{cc} -O2 -fcairn-safepoints=early -fcairn-note-stores -o early && %{cc} -O2 -o without
// RUN: for p in two zero early without; do env CAIRN_VERIFY=stores ./$p | FileCheck %s --check-prefix=GOOD && \
// RUN:   env CAIRN_STRESS=1 ./$p | FileCheck %s --check-prefix=GOOD || exit 1; done
// GOOD: 25
// The marks come in the order of the stores, after two into `pair`, which is young:
// RUN: for p in two zero early; do for n in 3 4 5; do \
// RUN:   not --crash env CUSTOM_SKIP=$n CAIRN_VERIFY=stores ./$p 2>&1 || exit 1; done; done \
// RUN:   | grep fatal: | FileCheck %s
// CHECK: cairn: fatal: CAIRN_VERIFY=heap: before collection 6: the object at {{.*}} has in struct
// CHECK-SAME: {{^}} table.row[0].left the reference 0x{{.*}}, to a younger object, and no barrier has told of it;
// CHECK-SAME: {{^}} stored at pc 0x{{[0-9a-f]+}} (store_left+0x{{[0-9a-f]+}}), {{.*}}note_stores.c:[[#LEFT:]]
// CHECK: has in struct table.row[30].right the reference {{.*}}; stored
// CHECK-SAME: {{^}} at pc 0x{{[0-9a-f]+}} (store_right+0x{{[0-9a-f]+}}), {{.*}}note_stores.c:[[#LEFT+5]]
// CHECK: has in struct table.row[{{[68]0}}].{{left|right}} the reference {{.*}}; stored
// CHECK-SAME: {{^}} at pc 0x{{[0-9a-f]+}} (copy+0x{{[0-9a-f]+}}), {{.*}}note_stores.c:[[#LEFT+10]]
// CHECK: row[0].left {{.*}} (store_left+
// CHECK: row[30].right {{.*}} (store_right+
// CHECK: (copy+
// CHECK: row[0].left {{.*}} (store_left+
// CHECK: row[30].right {{.*}} (store_right+
// CHECK: (copy+
// What no store tells of: code that was compiled without, all of it or a part.
// RUN: not --crash env CUSTOM_SKIP=3 CAIRN_VERIFY=stores ./without 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: and no barrier has told of it; no code notes its stores: compile it with -fcairn-note-stores
// RUN: not --crash env CUSTOM_SKIP=3 CAIRN_VERIFY=heap ./two 2>&1 | FileCheck %s --check-prefix=HEAP
// HEAP: and no barrier has told of it{{$}}
// RUN: not --crash env CAIRN_VERIFY=heap,stores ./two native 2>&1 | FileCheck %s --check-prefix=NATIVE
// NATIVE: struct table.row[99].right {{.*}} no barrier has told of it; no store to it since the last
// NATIVE-SAME: {{^}} collection is noted: its code was compiled without -fcairn-note-stores
// Collectors for which no barrier is missing:
// RUN: %cairn-cc -O2 -fcairn-collector=semispace -fcairn-note-stores %s native.o -o plain && \
// RUN:   ./plain | FileCheck %s --check-prefix=GOOD && \
// RUN:   env CAIRN_VERIFY=stores ./plain | FileCheck %s --check-prefix=GOOD
#ifdef NATIVE

void store(void **slot, void *value);
void store(void **slot, void *value)
{
  *slot = value;
}

#else
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  long value;
  struct node managed *left, *right;
};
typedef struct node managed *ref;
struct table {
  struct node row[100];
};
typedef struct table managed *table;

cairn_leaf void store(ref managed *slot, ref value);

__attribute__((noinline)) static ref node(long value)
{
  ref n = cairn_new(struct node);

  n->value = value;
  return n;
}

__attribute__((noinline)) static void store_left(table t, long i, ref value)
{
  t->row[i].left = value;
}

__attribute__((noinline)) static void store_right(table t, long i, ref value)
{
  t->row[i].right = value;
}

__attribute__((noinline)) static void copy(table t, long i, ref from)
{
  t->row[i] = *from;
}

int main(int argc, char **argv)
{
  table t = cairn_new(struct table);

  (void)argv;
  for (int i = 0; i < 5; i++)
    cairn_collect();
  ref pair = node(3);
  pair->left = node(4);
  pair->right = node(5);
  store_left(t, 0, node(6));
  store_right(t, 30, node(7));
  copy(t, 60, pair);
  if (argc > 1)
    store(&t->row[99].right, pair);
  cairn_collect();
  printf("%ld\n", t->row[0].left->value + t->row[30].right->value + t->row[60].value +
                      t->row[60].left->value + t->row[60].right->value);
  return 0;
}
#endif
