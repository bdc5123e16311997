// RUN: for o in 0 1 2 3; do %cairn-cc -O$o -I%root/include %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s || exit 1; done
// RUN: not %cairn-cc -O2 -DTWICE -I%root/include -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ONCE --implicit-check-not=error: %s
// Types that ask for 8 bytes of alignment, though a member of theirs would ask for 16 by itself: whether LLVM's type
// for such a struct is a packed one depends on where the member lies. What is wrong in a function that is inlined in
// many places is told once. Wrong: a type that is refused for an alignment that it does not ask for.
// CHECK: 9 5 12
// ONCE: aligned_eight.c:[[@LINE+32]]:{{.*}} error: {{.*}}the type of this one asks for 16{{.*}}[over-aligned]
#include <cairn/cairn.h>
#include <stdio.h>

struct packed {
  long a, b;
  long double x;
} __attribute__((packed, aligned(8)));
typedef __int128 wide __attribute__((aligned(8)));
struct even {
  long a, b;
  wide x;
};
struct odd {
  long a;
  wide x;
};
struct nested {
  char c;
  struct even e;
  struct odd o;
};

#ifdef TWICE
struct over {
  __int128 x;
};

__attribute__((always_inline)) static inline struct over managed *make(void)
{
  static const struct over layout;

  return (struct over managed *)cairn_alloc(&layout, sizeof layout);
}

struct over managed *first(void) { return make(); }
struct over managed *second(struct over managed *a) { return a ? make() : make(); }
struct over managed *third(void) { return make(); }
#else
static long made(int i)
{
  struct packed managed *p = cairn_new(struct packed);
  struct even managed *e = cairn_new(struct even);
  struct odd managed *o = cairn_new(struct odd);

  p->x = i;
  e->x = i;
  o->x = i;
  cairn_collect();
  return (long)p->x + (long)e->x + (long)o->x;
}

int main(void)
{
  struct even managed *array = cairn_new_array(struct even, 3);
  struct nested managed *n = cairn_new(struct nested);

  array[1].x = 5;
  n->e.x = 7;
  n->o.x = 5;
  cairn_collect();
  printf("%ld %ld %ld\n", made(3), (long)array[1].x, (long)(n->e.x + n->o.x));
  return 0;
}
#endif
