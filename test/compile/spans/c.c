// RUN: not %cairn-cc -O0 -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %cairn-cc -O2 -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %cairn-cc -O2 -DNESTING -I%root/include -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NESTING %s
// RUN: not %cairn-cc -O0 -DNESTING -I%root/include -c %s -o %t.o 2>&1 | FileCheck --check-prefix=NESTING %s
// RUN: for o in -O0 -O1 -O2 -O3 -Os '-O2 -fcairn-safepoints=early' '-O3 -g' \
// RUN:   '-O2 -fcairn-safepoints=none' '-O2 -fPIC'; do \
// RUN:   %cairn-cc $o -DFINE -I%root/include -c %s -o %t.o && nm %t.o > %t.names && \
// RUN:   not grep cairn.span.begin %t.names || exit 1; done
// What is wrong with the spans of a C program is an error at its line, at each level the same; what is odd but right
// compiles at each. Wrong: an error that depends on the optimiser, or without a line.
#include <cairn/span.h>

struct node {
  struct node managed *next;
};

void work(void);
_Noreturn void die(void);
static const int one = 1, two = 2;

#if defined(FINE)
int switches(int c)
{
  cairn_span_begin(1, &one);
  switch (c) {
  case 0:
    return 1;
  case 1:
    work();
    return 2;
  case 2:
    cairn_span_begin(2, &two);
    work();
    return 3;
  case 3:
    cairn_span_end(1);
    work();
    return 4;
  default:
    break;
  }
  for (int i = 0; i < c; i++)
    if (i == 7)
      return 5;
  cairn_span_end(1);
  return 6;
}

int computed(int c)
{
  static void *to[] = {&&a, &&b};

  cairn_span_begin(1, &one);
  goto *to[c];
a:
  work();
  cairn_span_end(1);
  return 1;
b:
  work();
  cairn_span_end(1);
  return 2;
}

int deep(struct node managed *p, int c)
{
  cairn_span_begin(1, &one);
  while (p) {
    if (c & 1) {
      p = p->next;
      continue;
    }
    cairn_span_begin(2, &two);
    if (c & 2) {
      cairn_span_end(2);
      break;
    }
    work();
    cairn_span_end(2);
    p = p->next;
  }
  work();
  return 3;
}

int dies(int c)
{
  cairn_span_begin(1, &one);
  if (c)
    die();
  work();
  cairn_span_end(1);
  return 0;
}

int alike(int c)
{
  if (c) {
    cairn_span_begin(1, &one);
    work();
    cairn_span_end(1);
  } else {
    cairn_span_begin(1, &two);
    work();
    cairn_span_end(1);
  }
  return c;
}

long recursion(int c)
{
  cairn_span_begin(1, &one);
  return c == 0 ? 0 : recursion(c - 1);
}

void by_locals(void)
{
  const void *value = &one;
  unsigned long key = 3;

  cairn_span_begin(key, value);
  work();
  cairn_span_end(key);
}
#elif defined(NESTING)
// NESTING: c.c:[[@LINE+3]]:3: error: in function 'native': a span in an unmanaged function
cairn_unmanaged void native(void)
{
  cairn_span_begin(1, &one);
}

// NESTING: c.c:[[@LINE+4]]:3: error: in function 'unopened': a span ends that has not begun [span-nesting]
void unopened(void)
{
  work();
  cairn_span_end(4);
}

// NESTING: in function 'sometimes': from here on a span is open on some paths and not on others [span-nesting]
void sometimes(int c)
{
  if (c)
    cairn_span_begin(1, &one);
  work();
  if (c)
    cairn_span_end(1);
}
#else
// CHECK: c.c:[[@LINE+3]]:3: error: in function 'value': the value of a span is not the constant address of a {{.*}} [span-value]
void value(const void *p)
{
  cairn_span_begin(1, p);
  work();
  cairn_span_end(1);
}

// CHECK: c.c:[[@LINE+3]]:3: error: in function 'key': the key of a span is not a constant number [span-value]
void key(unsigned long k)
{
  cairn_span_begin(k, &one);
  work();
  cairn_span_end(k);
}
#endif
