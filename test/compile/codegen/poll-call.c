// At -Os and -Oz a poll is a call and no more: 5 bytes, for which nothing is saved or moved, whatever is live over it;
// and a call through a pointer is one, too, whose stub looks where it leads (docs/placement.md, "What a poll is").
// Wrong: a comparison of the word beside the call; spills round it; the mark of managed functions in the code.
// RUN: %cairn-cc -Os -S %s -o - | FileCheck %s --implicit-check-not=%fs: --implicit-check-not=Spill
// RUN: %cairn-cc -Oz -mavx2 -fno-pie -S %s -o - | FileCheck %s --implicit-check-not=%fs: --implicit-check-not=Spill
// RUN: %cairn-cc -Oz -fPIC -S %s -o - | FileCheck %s --implicit-check-not=@GOTTPOFF --implicit-check-not=Spill
// RUN: %cairn-cc -Oz -S -emit-llvm %s -o %t.ll && %cairn verify --check-polls %t.ll
// RUN: %cairn verify --time-to-safepoint %t.ll | FileCheck %s --check-prefix=TIME
// RUN: %cairn-cc -Os -fcairn-report -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
  double number;
};

static double sum(struct node managed *p, double factor)
{
  double sum = 0;
  for (; p; p = p->next)
    sum += p->number * factor + (double)p->value;
  return sum;
}
__attribute__((noinline)) static double twice(struct node managed *p)
{
  return sum(p, 2) + 1;
}

long apply(long (*function)(long), long number)
{
  return function(number) + 1;
}
// CHECK-LABEL: {{^}}apply: 
// CHECK-NOT: movabs
// CHECK: callq cairn.slow.cairn_vcall_any

long read(long (*function)(struct node managed *), struct node managed *node)
{
  return function(node) + 1 + (long)twice(node);
}
// CHECK-LABEL: {{^}}read: 
// CHECK-NOT: movabs
// CHECK: callq cairn.slow.cairn_call_managed

// Its code is here, after that of the first that calls it.
// CHECK-LABEL: twice:
// CHECK-NOT: push{{q? +}}%r{{[b1]}}
// CHECK: Loop Header
// CHECK: callq cairn.slow.cairn_poll{{$}}
// CHECK-NOT: callq
// CHECK: retq
// TIME: @twice{{.*}}between
// REPORT: twice ({{.*}}): 1 poll,

void copy(char *to, const char *from, unsigned long bytes)
{
  __builtin_memcpy(to, from, bytes);
}
// CHECK-LABEL: {{^}}copy: 
// CHECK-NOT: cairn_poll
// CHECK: cairn.long.llvm.memcpy
// CHECK-NOT: memcpy{{.*}}PLT

unsigned long length(const char *string)
{
  return __builtin_strlen(string) + 1;
}
// CHECK-LABEL: {{^}}length: 
// CHECK-NOT: memchr
// CHECK: callq cairn.call.strlen
