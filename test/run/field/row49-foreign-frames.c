/* Row 49: between managed activations there may be code that no unwinder gets past: assembly without call-frame
 * information. The platform's unwinder ends there, so that what is older would be lost; the walk goes on at the
 * anchor. */
// RUN: rm -rf %t && mkdir %t && cd %t && clang -c %S/Inputs/trampoline_%{machine}.s -o trampoline.o
// RUN: clang -O1 -I%root/include -c %S/Inputs/row49_native.c -o native.o
// RUN: %cairn-cc -O2 -g %s trampoline.o native.o -o prog -lgcc_s
// RUN: ./prog | FileCheck %s
// RUN: env CAIRN_STRESS=1 ./prog | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames ./prog | FileCheck %s
// CHECK: unwinder 5, walk 49
// CHECK: #0 {{.*}} in native_look
// CHECK-NEXT: #1 {{.*}} in callback at {{.*}}row49-foreign-frames.c:
// CHECK-NEXT: #2 {{.*}} in trampoline+0x
// CHECK-NEXT: ... native code that cannot be unwound
// CHECK-NEXT: #3 {{.*}} in outer at {{.*}}row49-foreign-frames.c:
// CHECK: in main at
// CHECK: sum 298
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *other;
};
typedef struct box managed *ref;

void trampoline(void (*callback)(void));
void native_look(void);
static ref trail;
static void callback(void);

__attribute__((noinline)) static long outer(long n)
{
  ref mine = cairn_new(struct box);

  mine->value = n;
  mine->other = trail;
  trail = mine;
  trampoline(callback);
  return mine->value + (mine->other ? mine->other->value - n + 1 : 0);
}

static long left = 23, sum;
static void callback(void)
{
  ref mine = cairn_new(struct box);

  mine->value = left;
  if (left-- == 0)
    native_look();
  else
    sum += outer(mine->value);
  cairn_collect();
}

int main(void)
{
  sum += outer(0);
  printf("sum %ld\n", sum);
  return 0;
}
