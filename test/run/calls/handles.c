/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles, which native code keeps over collections. What would go wrong: the object has moved or is
 * gone, a freed handle is taken for a live one, a scope frees what it should not.
 */
// RUN: rm -rf %t && split-file %S/Inputs/handles %t && clang -O1 -Wall -Werror -I%root/include -c %t/native.c -o %t/native.o
// RUN: %cairn-cc -O2 %s %t/native.o -o %t/run && %t/run 3 | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t/run 3 | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_STATS=1 %t/run 3 2>&1 | FileCheck --check-prefix=MOVED %s
// RUN: clang -O1 -DCAIRN_PLAIN -Wall -Werror -I%root/include -c %t/native.c -o %t/plain.o
// RUN: clang -O1 -DCAIRN_PLAIN -I%root/include %s %t/plain.o -o %t/plain && %t/plain | FileCheck %s
// MOVED: objects moved: {{[0-9][0-9][0-9]}}
// CHECK: sum 500500
// CHECK-NEXT: again 500500
// CHECK-NEXT: scoped 55
// CHECK-NEXT: null 1
// RUN: not --crash %t/run twice 2>&1 | FileCheck --check-prefix=TWICE %s
// TWICE: cairn: fatal: thread {{[0-9]+}}, pc {{.*}}: 0x{{[0-9a-f]+}} is no handle, or has been freed
// RUN: not --crash %t/run late 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not --crash %t/run scoped 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not --crash %t/run scopes 2>&1 | FileCheck --check-prefix=SCOPES %s
// SCOPES: cairn: fatal: thread {{[0-9]+}}, pc 0x{{.*}}: a scope of handles ends that has ended
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/handle.h>

struct node {
  struct node managed *next;
  long value;
};
typedef struct node managed *ref;

enum { COUNT = 1000 };
void keep(struct cairn_handle *handle);
long for_each(long (*function)(struct cairn_handle *), int last);
void drop_all(void);

static long value_of(struct cairn_handle *handle)
{
  ref node = cairn_handle_get(handle), fresh = cairn_new(struct node);

  fresh->next = node;
  return fresh->next->value;
}

static long scoped_sum(void)
{
  size_t scope = cairn_handle_scope_begin();
  struct cairn_handle *handles[10];
  long sum = 0;

  for (int i = 0; i < 10; i++) {
    ref node = cairn_new(struct node);
    node->value = i + 1;
    handles[i] = cairn_handle_scoped((void managed *)node);
  }
  for (int i = 0; i < 10; i++)
    sum += value_of(handles[i]);
  cairn_handle_scope_end(scope);
  return sum;
}

static void misuse(const char *how)
{
  size_t scope = cairn_handle_scope_begin();
  struct cairn_handle *handle = cairn_handle_new((void managed *)cairn_new(struct node));

  if (strcmp(how, "scoped") == 0)
    cairn_handle_free(cairn_handle_scoped((void managed *)0));
  if (strcmp(how, "scopes") == 0)
    cairn_handle_scope_end(scope + 1);
  cairn_handle_free(handle);
  if (strcmp(how, "twice") == 0)
    cairn_handle_free(handle);
  if (strcmp(how, "late") == 0)
    printf("%ld\n", value_of(handle));
}

int main(int argc, char **argv)
{
  for (long i = 1; i <= COUNT; i++) {
    ref node = cairn_new(struct node);
    node->value = i;
    keep(cairn_handle_new((void managed *)node));
  }
  printf("sum %ld\n", for_each(value_of, COUNT));
  cairn_collect();
  printf("again %ld\n", for_each(value_of, COUNT));
  drop_all();
  printf("scoped %ld\n", scoped_sum());
  struct cairn_handle *none = cairn_handle_new((void managed *)0);
  printf("null %d\n", cairn_handle_get(none) == 0);
  cairn_handle_free(none);
  if (argc > 1)
    misuse(argv[1]);
  return 0;
}
