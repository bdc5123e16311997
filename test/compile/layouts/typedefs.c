// What a type says by attributes counts through typedefs, arrays and typeof, and on the typedef
// itself, where C puts it that stands before `struct`.
// RUN: %cairn-cc -Wno-ignored-attributes -c %s -o %t.o
// RUN: %cairn layouts %t.o | FileCheck %s
// RUN: not %cairn-cc -Wno-ignored-attributes -DVARIABLE -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck --check-prefix=VARIABLE %s
#include <cairn/cairn.h>

struct node {
  long n;
};
typedef struct node managed *reference;
typedef reference weak_reference cairn_weak;
typedef weak_reference two_weak[2];

struct cairn_finalisable of_struct {
  long a;
};
typedef struct of_struct first;
typedef first second;
typedef struct of_second {
  long b;
} cairn_finalisable after;
typedef cairn_never_moves struct {
  long c;
} before;
typedef struct of_third {
  long d;
} third;
typedef third cairn_finalisable fourth;
typedef const fourth fifth;
typedef cairn_ephemeron struct {
  reference key cairn_weak, value;
} pair;
struct weak {
  reference strong, one cairn_weak;
  weak_reference two;
  two_weak three;
  __typeof__(weak_reference) four;
};

// CHECK: struct of_struct: 8 bytes, finalisable
// CHECK: struct of_second: 8 bytes, finalisable
// CHECK: before: 8 bytes, never moves
// CHECK: struct of_third: 8 bytes, finalisable
// CHECK: struct of_third: 8 bytes; no references
// CHECK: pair: 16 bytes, weak fields, ephemeron; references at 0 weak, 8
// CHECK: struct weak: 48 bytes, weak fields; references at 0, 8 weak, 16 weak, 24 weak, 32 weak, 40 weak
void managed *kept[8];
void make(void)
{
  kept[0] = cairn_new(second);
  kept[1] = cairn_new(after);
  kept[2] = cairn_new(before);
  kept[3] = cairn_new(fifth);
  kept[4] = cairn_new(third);
  kept[5] = cairn_new(pair);
  kept[6] = cairn_new(struct weak);
}

#ifdef VARIABLE
// VARIABLE: typedefs.c:[[@LINE+1]]: error: global 'variable' has a weak reference{{.*}} [weak-variable]
weak_reference variable;
#endif
