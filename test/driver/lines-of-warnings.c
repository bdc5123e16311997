// Without -g the optimiser runs without lines: who is told something is told the line nevertheless.
// LLVM warns of a loop that it was asked to vectorise.

// RUN: %cairn-cc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %cairn-cc -O2 -c %s -o %t.o -fcairn-remarks 2>&1 | FileCheck %s

#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  int value;
};

int value(int i);

void fill(struct node managed *node, int *to, int count)
{
// CHECK: warning: {{.*}}lines-of-warnings.c:[[#@LINE+2]]:3: loop not vectorized
#pragma clang loop vectorize(enable)
  for (int i = 0; i < count; i++)
    to[i] = value(i) + node->value;
}
