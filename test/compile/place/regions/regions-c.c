// RUN: not %cairn-cc -O0 -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %cairn-cc -O2 -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %cairn-cc -O2 -fcairn-safepoints=early -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
// What may collect in a C program's region is an error at its line, each once. Wrong: silence, or a
// message without a line.
#include <cairn/cairn.h>
#include <stdio.h>

struct node {
  struct node managed *next;
};

struct node managed *head;
void other(struct node managed *n);

// CHECK: regions-c.c:[[@LINE+4]]:28: error: in function 'push': an allocation may come to a safepoint, in a function
// CHECK-SAME: without any; move it out [nopoll-safepoint]
cairn_nopoll void push(void)
{
  struct node managed *n = cairn_new(struct node);
  n->next = head;
  head = n;
}

// CHECK: regions-c.c:[[@LINE+5]]:3: error: in function 'f': call to @other may come to a safepoint, in a region without
// CHECK-SAME: any; move it out [nopoll-safepoint]
void f(struct node managed *n, int c)
{
  cairn_nopoll_begin();
  other(n);
  // CHECK: regions-c.c:[[@LINE+2]]:5: error: in function 'f': call to @puts may come to a safepoint
  if (c)
    puts("hello");
  cairn_nopoll_end();
}

// CHECK: regions-c.c:{{[0-9]+}}:{{[0-9]+}}: error: in function 'half': {{.*}} [nopoll-region]
void half(int c)
{
  if (c)
    cairn_nopoll_begin();
}
// CHECK-NOT: error
