// New objects of AArch64, whose processors show the stores of a thread to others in any order. Wrong: an address that
// is stored before the object's header and fields (no fence in line), a fence for each object of a group, or a fence
// of loads as well; and a fence on x86-64.
// RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -fno-pie -S %s -o - | FileCheck %s
// RUN: %cairn-cc --target=aarch64-linux-gnu -Os -fno-pie -S %s -o - | FileCheck %s
// RUN: %cairn-cc --target=x86_64-linux-gnu -O2 -S %s -o - | FileCheck %s --check-prefix=X86
// X86-NOT: {{mfence|sfence|lock}}
#include <cairn/cairn.h>

struct pair {
  struct pair managed *first, *second;
  long value;
};
struct pair managed *shared;

void publish(struct pair managed *first, long value)
{
  struct pair managed *made = cairn_new(struct pair);
  made->first = first;
  made->value = value;
  shared = made;
}
// CHECK-LABEL: {{^}}publish:
// CHECK-DAG: st{{u?}}{{r|p}} {{.*}}#-8
// CHECK: dmb ishst
// CHECK-NOT: dmb
// CHECK: str x{{[0-9]+}}, [{{.*}}:lo12:shared]
// CHECK: .Lfunc_end

void publish_two(long value)
{
  struct pair managed *inner = cairn_new(struct pair), *outer = cairn_new(struct pair);
  inner->value = value;
  outer->first = inner;
  shared = outer;
}
// CHECK-LABEL: {{^}}publish_two:
// CHECK: dmb ishst
// CHECK-NOT: dmb
// CHECK: :lo12:shared
// CHECK: .Lfunc_end

long managed *array;
void publish_array(long count)
{
  array = cairn_new_array(long, count);
}
// CHECK-LABEL: {{^}}publish_array:
// CHECK: dmb ishst
// CHECK: :lo12:array
// CHECK: .Lfunc_end
