// What is said of an object's alignment must hold wherever it moves. Believed, a loop over it would be
// vectorised with accesses that fault after the next collection.
// RUN: not %cairn-cc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %cairn-cc -O2 -DRIGHT -c %s -o %t.o
#include <cairn/cairn.h>

struct box {
  double at[64];
};
typedef double vector __attribute__((vector_size(32)));
typedef vector loose_vector __attribute__((aligned(8)));

#ifndef RIGHT
typedef struct box managed *aligned_box __attribute__((align_value(64)));

// CHECK: alignment.c:[[@LINE+1]]:{{.*}}in function 'parameter': {{.*}}aligned to 64 bytes{{.*}}[over-aligned]
void parameter(aligned_box box)
{
  for (int i = 0; i < 64; i++)
    box->at[i] += 1;
}

double access(struct box managed *box)
{
  vector managed *v = (vector managed *)box;
  // CHECK: alignment.c:[[@LINE+1]]:{{.*}}in function 'access': {{.*}}aligned to 32 bytes{{.*}}[over-aligned]
  return (*v)[1];
}

double rounded(struct box managed *box, long n)
{
  // CHECK: alignment.c:[[@LINE+1]]:{{.*}}in function 'rounded': an address in an object is rounded{{.*}}[over-aligned]
  double managed *start = __builtin_align_down(&box->at[n], 32);
  return *start;
}
#endif

// As far as objects are aligned, both may be asked for.
double word(struct box managed *box, long n)
{
  char managed *bytes = (char managed *)box;
  return *(double managed *)__builtin_align_down(bytes + n, 8);
}

double right(struct box managed *box)
{
  loose_vector managed *v = (loose_vector managed *)box;
  return (*v)[1];
}
