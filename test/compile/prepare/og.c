// RUN: %cairn-cc -Og -S -emit-llvm -I%root/include %s -o - | FileCheck %s
// At -Og clang holds each variable to the end of its scope by a variadic intrinsic: no reference
// may be refused or kept alive for that.
// CHECK-NOT: fake.use
#include <cairn/cairn.h>

struct box {
  struct box managed *next;
};

long length(struct box managed *box)
{
  long n = 0;
  for (struct box managed *b = box; b; b = b->next)
    n++;
  return n;
}
