// The unions of cairn_union(): a number that is stored as it is would be taken for a reference, and a copy of the union
// alone would lose a bit.
// RUN: not %cairn-cc -c %s -o %t.o 2>&1 | sort -t: -k2n > %t.out
// RUN: FileCheck %s --implicit-check-not=error: < %t.out
// RUN: clang -g -O0 -Xclang -disable-O0-optnone -I %root/include -DLEGAL -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p rules -S %t.bc | FileCheck %s --check-prefix=IR
// RUN: clang -O0 -Xclang -disable-O0-optnone -I %root/include -DLEGAL -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p rules -S %t.bc | FileCheck %s --check-prefix=IR
// RUN: not %cairn-cc -DPOSITIONS -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=POSITIONS
#include <string.h>
#include <cairn/cairn.h>

struct obj {
  long n;
};
struct value {
  int kind;
  cairn_union(double number; long integer; int small; struct obj managed *o; void *native;) as;
};

#ifdef LEGAL
// The constant of a global and of a local: the box of -2, and of 3.
// IR: @initialised = {{.*}}bit_{{.*}} zeroinitializer{{.*}}inttoptr (i64 -4611686018427387904 to ptr addrspace(1))
struct value initialised = {.kind = 1, .as.number = -2};
// IR: @__const.local.v = private {{.*}} { i8 1 }{{.*}}inttoptr (i64 -9223372036854775805 to ptr addrspace(1))

// IR-LABEL: define {{.*}} @number(
// IR: [[W:%.*]] = load ptr addrspace(1), ptr addrspace(1)
// IR: [[B:%.*]] = call i64 @cairn.box.bits(ptr addrspace(1) [[W]])
// IR: load i8
// IR: [[S:%.*]] = shl i64 {{.*}}, 63
// IR: [[X:%.*]] = xor i64 [[B]], [[S]]
// IR: bitcast i64 [[X]] to double
double number(struct value managed *v)
{
  return v->as.number;
}
// IR-LABEL: define {{.*}} @assign(
// IR: store i8
// IR: [[O:%.*]] = or i64 {{.*}}, -9223372036854775808
// IR: [[W:%.*]] = call ptr addrspace(1) @cairn.box.from(i64 [[O]])
// IR: store ptr addrspace(1) [[W]], ptr addrspace(1)
void assign(struct value managed *v, double d)
{
  v->as.number = d;
}
// IR-LABEL: define {{.*}} @small(
// IR-NOT: load i8
// IR: trunc i64 {{.*}} to i32
int small(struct value managed *v)
{
  return v->as.small;
}
// IR-LABEL: define {{.*}} @native(
// IR-NOT: addrspace(1)
// IR: store i64
// IR-NOT: addrspace(1)
// IR: ret void
cairn_unmanaged void native(struct value *v, double d)
{
  v->as.number = d;
}
void take(struct value v);
void local(void)
{
  struct value v = {.kind = 1, .as.integer = 3};
  take(v);
}
void in_global(double d)
{
  initialised.as.number = d;
}
#elif defined(POSITIONS)
// POSITIONS: error: initializer for aggregate with no elements requires explicit braces
struct value positions(double d)
{
  return (struct value){1, {d}};
}
#else

struct bad {
  int kind;
  // CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} cairn_union() is not a reference, a number{{.*}} [tagged-union]
  cairn_union(struct { int a, b; } pair; struct obj managed *o;) as;
};
struct wide {
  int kind;
  // CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} [tagged-union]
  cairn_union(char bytes[8]; struct obj managed *o;) as;
};
struct fields {
  int kind;
  // CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} [tagged-union]
  cairn_union(unsigned some : 5; struct obj managed *o;) as;
};
struct untagged {
  int kind;
  // CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} or declare a tagged union by cairn_union() [union-overlay]
  union { long n; struct obj managed *o; } as;
};
struct bad bad;
struct wide wide;
struct fields fields;
struct untagged untagged;

void scan(double *d);
struct value global;
// CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} a cairn_union() is initialised with an address{{.*}} [tagged-union]
struct value address = {.as.native = &global};
void addresses(struct value managed *v, struct value managed *w)
{
  struct value local;
  // CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} is used other than by a read or an assignment{{.*}} [tagged-union]
  scan(&local.as.number);
  // CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} [tagged-union]
  v->as = w->as;
  // CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} [tagged-union]
  scan(&global.as.number);
  // CHECK: tagged_unions.c:[[@LINE+1]]:{{.*}} [tagged-union]
  __atomic_fetch_add(&v->as.integer, 1, __ATOMIC_SEQ_CST);
}
#endif
