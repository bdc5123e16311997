// RUN: not %cairn-cc -O0 -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %cairn-cc -O2 -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %cairn-cc -O2 -DFINE -I%root/include -c %s -o %t.o
// The word before an object names a layout that the compiler makes of the static of its type, not the static. Wrong: a
// test of an object's type that compiles, and is false for every object. As a value of the program's own the static's
// address is as good as any.
#include <cairn/cairn.h>

struct cell {
  const void *kind;
  long value;
};
static const struct cell layout;

struct cell managed *make(void)
{
  struct cell managed *c = (struct cell managed *)cairn_alloc(&layout, sizeof layout);

  c->kind = &layout;
  return c;
}

int is_cell(struct cell managed *c) { return c->kind == &layout; }

#ifndef FINE
int by_header(struct cell managed *c)
{
  // CHECK: header.c:[[@LINE+1]]:{{.*}}in function 'by_header': an object's header never holds the address of the static {{.*}}[layout-compare]
  return ((const void *cairn_managed *)c)[-1] == (const void *)&layout;
}
#endif
