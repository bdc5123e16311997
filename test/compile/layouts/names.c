// The names of types and fields, by debug information, which cairn-cc always has. What would go wrong: a message about
// an object names another type's field, or nothing; an object differs with -g.
// RUN: %cairn-cc -O2 -S %s -o %t.s && FileCheck %s < %t.s
// RUN: %cairn-cc -O2 -g -S %s -o %t.g.s && FileCheck %s < %t.g.s
// RUN: %cairn-cc -O2 -flto -c %s -o %t.o && %cairn-cc -O2 -flto -shared -fPIC %s -o %t.so && \
// RUN:   llvm-strings %t.so | FileCheck %s --check-prefix=LTO
// LTO: struct twin
// Nothing but strings, so that linkers keep one of each:
// CHECK: .section cairn_names,"aMS",@progbits,1
#include <cairn/cairn.h>
#include <stdint.h>

struct node {
  struct node managed *left, *right;
  long key;
};
struct inner {
  char c;
  struct node managed *n;
};
typedef struct inner inner;
struct outer {
  inner in[2];
  struct {
    int a;
    struct node managed *deep;
  };
  const struct node managed *volatile last;
  unsigned bits : 3, more : 7;
  int grid[3][4];
  struct {
    inner pair;
  } named;
};
typedef struct {
  struct node managed *only;
} without_tag;
struct pairs {
  struct node managed *owner;
  struct inner pair[];
};
void managed *out[12];

void all(long n)
{
  // CHECK: .asciz "struct node\n0 left\n8 right\n16 key"
  out[0] = cairn_new(struct node);
  // CHECK: .asciz "struct outer\n0*2/16 in[].c\n8*2/16 in[].n\n32 a\n40 deep\n48 last\n56 bits\n56 more\n60*3/16*4/4 grid[][]\n112 named.pair.c\n120 named.pair.n"
  out[1] = cairn_new(struct outer);
  // CHECK: .asciz "without_tag\n0 only"
  out[2] = cairn_new(without_tag);
  // CHECK: .asciz "struct pairs\n0 owner\n8*0/16 pair[].c\n16*0/16 pair[].n"
  out[3] = cairn_new_flex(struct pairs, n);
  // CHECK: .asciz "uint8_t"
  out[4] = cairn_new_array(uint8_t, n);
  // CHECK: .asciz "struct node managed *"
  out[5] = cairn_new_array(struct node managed *, n);
  // CHECK: .asciz "double[2][4]\n0*2/32*4/8 [][]"
  out[6] = cairn_new(double[2][4]);
  // CHECK: .asciz "struct inner\n0 c\n8 n"
  out[7] = cairn_new(inner);
  // CHECK: .asciz "struct at {{.*}}names.c:[[#@LINE + 1]]\n0 x"
  out[9] = cairn_new_array(struct { int x; }, n);
  // Equal to struct node's but for the names.
  struct twin {
    struct node managed *a, *b;
    long c;
  };
  // CHECK: .asciz "struct twin\n0 a\n8 b\n16 c"
  out[10] = cairn_new(struct twin);
  // The same names as an object's.
  // CHECK-NOT: .asciz "struct node\n
  out[11] = cairn_new_array(struct node, n);
}
