; Pass escape and frame records: an object that only records name is removed, and described in a record of its own, with
; the fields as they are at each call; also shared, cyclic, and allocated later on one path. What would go wrong: a
; take-over gets another object, an object twice, or fields of another time.
; RUN: %cairn opt -p escape,verify-deopt --report -S %s -o %t.ll 2>%t.remarks && FileCheck %s < %t.ll && FileCheck --check-prefix=REMARK %s < %t.remarks
; RUN: for o in 1 2 3; do %cairn-cc -O$o -c %s -o %t.o || exit 1; done
; RUN: %cairn-cc -O2 -fcairn-safepoints=early -c %s -o %t.o
; At -O0 all allocations stay.
; RUN: %cairn-cc -O0 -S -emit-llvm %s -o - | not grep -e 'i24 -8388607'
; Rows that are no layout, language and number, or that contradict one another.
; DEFINE: %{edit} =
; DEFINE: %{refuse} = sed %{edit} %s > %t.bad.ll && not cmp -s %s %t.bad.ll && not %cairn opt -p escape --disable-output %t.bad.ll 2>&1 | FileCheck --check-prefix=ROW %s
; REDEFINE: %{edit} = 's/ptr @node, i32 3, i32 77/ptr @node, i32 256, i32 77/'
; RUN: %{refuse}
; REDEFINE: %{edit} = 's/ptr @node, i32 3, i32 77/ptr @node, i32 3/'
; RUN: %{refuse}
; REDEFINE: %{edit} = 's/ptr @node, i32 3, i32 77/ptr @g, i32 3, i32 77/'
; RUN: %{refuse}
; REDEFINE: %{edit} = 's/ptr @longs, i32 3, i64 78/ptr @node, i32 3, i64 78/'
; RUN: %{refuse}
; ROW: row {{[01]}} of !cairn.deopt.layouts is not a layout, a language below 256 and a number of 32 bits, or it contradicts an earlier row [deopt-layouts]
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
target triple = "x86_64-unknown-linux-gnu"
%node = type { i64, ptr addrspace(1), double }
@node = internal global %node zeroinitializer
@plain = internal global %node zeroinitializer
@longs = internal global i64 zeroinitializer
@odd = internal global i24 zeroinitializer
!cairn.deopt.layouts = !{!0, !2, !3}
!0 = !{ptr @node, i32 3, i32 77}
!2 = !{ptr @longs, i32 3, i64 78}
!3 = !{ptr @odd, i32 3, i64 79}
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare i32 @personality(...)
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @g()
declare i64 @h()
; CHECK-LABEL: define {{.*}}@one(
; CHECK-NEXT: %m = call i64 @h() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 2, i64 2, i64 0, i24 -8388608, i64 %n, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 %n, i64 8, ptr addrspace(1) null, i64 16, double %d) ]
; CHECK-NEXT: call void @g() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 3, i64 2, i64 0, i64 %n, i24 -8388608, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 %m, i64 8, ptr addrspace(1) null, i64 16, double %d) ]
; CHECK-NEXT: ret i64 %m
define i64 @one(i64 %n, double %d) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  store i64 %n, ptr addrspace(1) %x
  %f = getelementptr i8, ptr addrspace(1) %x, i64 16
  store double %d, ptr addrspace(1) %f
  %m = call i64 @h() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 2, i64 2, i64 0, ptr addrspace(1) %x, i64 %n) ]
  store i64 %m, ptr addrspace(1) %x
  call void @g() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 3, i64 2, i64 0, i64 %n, ptr addrspace(1) %x) ]
  %v = load i64, ptr addrspace(1) %x
  ret i64 %v
}
; CHECK-LABEL: define {{.*}}@nested(
; CHECK: br i1 %c
; CHECK: [[Y:%.*]] = call ptr addrspace(1) @cairn_alloc
; CHECK: [[F:%.*]] = phi ptr addrspace(1) {{.*}}[[Y]]
; CHECK-NEXT: call void @g() [ "deopt"({{.*}}i24 -8388608, i24 -8388608, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 0, i64 8, ptr addrspace(1) [[F]], i64 16, double 0.000000e+00) ]
define void @nested(i64 %n, i1 %c) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  %y = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  store i64 %n, ptr addrspace(1) %y
  %f = getelementptr i8, ptr addrspace(1) %x, i64 8
  br i1 %c, label %a, label %b
a:
  store ptr addrspace(1) %y, ptr addrspace(1) %f
  br label %b
b:
  call void @g() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 3, i64 2, i64 0, ptr addrspace(1) %x, ptr addrspace(1) %x) ]
  ret void
}
; CHECK-LABEL: define {{.*}}@shared(
; CHECK-NEXT: call void @g() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 3, i64 2, i64 0, i24 -8388608, i24 -8388607, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 0, i64 8, i24 -8388607, i64 16, double 0.000000e+00, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 %n, i64 8, ptr addrspace(1) null, i64 16, double 0.000000e+00) ]
define void @shared(i64 %n) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  %y = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  store i64 %n, ptr addrspace(1) %y
  %f = getelementptr i8, ptr addrspace(1) %x, i64 8
  store ptr addrspace(1) %y, ptr addrspace(1) %f
  call void @g() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 3, i64 2, i64 0, ptr addrspace(1) %x, ptr addrspace(1) %y) ]
  ret void
}
; CHECK-LABEL: define {{.*}}@cycle(
; CHECK-NEXT: call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, i24 -8388608, i64 4850168209296326675, i64 3, i64 2, i64 12884901965, i64 0, i64 0, i64 0, i64 8, i24 1, i64 16, double 0.000000e+00, i64 12884901965, i64 0, i64 0, i64 %n, i64 8, i24 0, i64 16, double 0.000000e+00) ]
define void @cycle(i64 %n) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  %y = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  store i64 %n, ptr addrspace(1) %y
  %f = getelementptr i8, ptr addrspace(1) %x, i64 8
  %k = getelementptr i8, ptr addrspace(1) %y, i64 8
  store ptr addrspace(1) %y, ptr addrspace(1) %f
  store ptr addrspace(1) %x, ptr addrspace(1) %k
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  ret void
}
; CHECK-LABEL: define {{.*}}@self(
; CHECK-NEXT: call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, i24 -8388608, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 0, i64 8, i24 0, i64 16, double 0.000000e+00) ]
define void @self(i64 %n) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  %f = getelementptr i8, ptr addrspace(1) %x, i64 8
  store ptr addrspace(1) %x, ptr addrspace(1) %f
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  ret void
}
; CHECK-LABEL: define {{.*}}@unnumbered(
; CHECK-NEXT: %x = call ptr addrspace(1) @cairn_alloc
; REMARK: in function 'unnumbered': an object of type 'node' is allocated: a frame record names it, and its layout has no number, or another size, by a call to @g [object-allocated]
define void @unnumbered(i64 %n) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @plain, i64 24)
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  ret void
}
; CHECK-LABEL: define {{.*}}@noframe(
; CHECK-NEXT: %x = call ptr addrspace(1) @cairn_alloc
; REMARK: in function 'noframe': {{.*}} it is in deoptimisation state without frame records
define void @noframe(i64 %n) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  call void @g() [ "deopt"(ptr addrspace(1) %x) ]
  ret void
}
; CHECK-LABEL: define {{.*}}@later(
; CHECK-NEXT: call void @g() [ "deopt"({{.*}}i24 -8388608, {{.*}}i64 %n
; CHECK: rare:
; CHECK-NEXT: call void @g() [ "deopt"({{.*}}i24 -8388608, {{.*}}i64 %n
; CHECK: call ptr addrspace(1) @cairn_alloc
define ptr addrspace(1) @later(i64 %n, i1 %c) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  store i64 %n, ptr addrspace(1) %x
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  br i1 %c, label %rare, label %often, !prof !1
rare:
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 4, i64 1, i64 0, ptr addrspace(1) %x) ]
  ret ptr addrspace(1) %x
often:
  ret ptr addrspace(1) null
}
!1 = !{!"branch_weights", i32 1, i32 1000}

; A link that a call may miss, a field that the program reads, and one with two stores: the objects stay.
; CHECK-LABEL: define {{.*}}@missed(
; CHECK-NEXT: %x = call ptr addrspace(1) @cairn_alloc
define void @missed(i64 %n, i1 %c) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  %f = getelementptr i8, ptr addrspace(1) %x, i64 8
  br i1 %c, label %a, label %b
a:
  store ptr addrspace(1) %x, ptr addrspace(1) %f
  br label %b
b:
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  ret void
}
; CHECK-LABEL: define {{.*}}@read(
; CHECK-NEXT: %x = call ptr addrspace(1) @cairn_alloc
define i64 @read(i64 %n) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  %f = getelementptr i8, ptr addrspace(1) %x, i64 8
  store ptr addrspace(1) %x, ptr addrspace(1) %f
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  %y = load ptr addrspace(1), ptr addrspace(1) %f
  %v = load i64, ptr addrspace(1) %y
  ret i64 %v
}
; CHECK-LABEL: define {{.*}}@twice(
; CHECK-NEXT: %x = call ptr addrspace(1) @cairn_alloc
define void @twice(i64 %n, ptr addrspace(1) %p) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  %f = getelementptr i8, ptr addrspace(1) %x, i64 8
  store ptr addrspace(1) %x, ptr addrspace(1) %f
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  store ptr addrspace(1) %p, ptr addrspace(1) %f
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 4, i64 1, i64 0, ptr addrspace(1) %x) ]
  ret void
}
; The call of an allocator has a record, too, which names an older object; and a callee unwinds.
; CHECK-LABEL: define {{.*}}@allocator(
; CHECK: %y = call ptr addrspace(1) @cairn_alloc(ptr{{.*}} @plain, i64 24) [ "deopt"({{.*}}i24 -8388608, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 %n, i64 8, ptr addrspace(1) null, i64 16, double 0.000000e+00) ]
; CHECK: invoke void @g() [ "deopt"({{.*}}i24 -8388608, i24 -8388607, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 %n, i64 8, ptr addrspace(1) null, i64 16, double 0.000000e+00, i64 4850168209296326667, i64 3, i64 1, i64 12884901965, i64 0, i64 0, i64 5, i64 8, ptr addrspace(1) null, i64 16, double 0.000000e+00) ]
define ptr addrspace(1) @allocator(i64 %n) gc "statepoint-example" personality ptr @personality {
  %x = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  store i64 %n, ptr addrspace(1) %x
  %y = call ptr addrspace(1) @cairn_alloc(ptr @plain, i64 24) [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  %z = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 24)
  store i64 5, ptr addrspace(1) %z
  invoke void @g() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 3, i64 2, i64 0, ptr addrspace(1) %x, ptr addrspace(1) %z) ]
          to label %fine unwind label %pad
fine:
  ret ptr addrspace(1) %y
pad:
  %l = landingpad { ptr, i32 } cleanup
  ret ptr addrspace(1) null
}
; Arrays have their length; a record of the bundle stays, and numbers count through it.
; CHECK-LABEL: define {{.*}}@joined(
; CHECK-NEXT: call void @g() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 3, i64 2, i64 0, i24 -8388607, i24 -8388608, i64 4850168209296326663, i64 3, i64 1, i64 4294967301, i64 0, i64 8, i24 -8388607, i64 4850168209296326665, i64 3, i64 1, i64 8589934670, i64 2, i64 0, i64 %n, i64 8, i64 0) ]
define void @joined(i64 %n) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc_array(ptr @longs, i64 2)
  store i64 %n, ptr addrspace(1) %x
  call void @g() [ "deopt"(i64 4847652539576877064, i64 3, i64 1, i64 3, i64 2, i64 0, ptr addrspace(1) %x, i24 8388608, i64 4850168209296326663, i64 3, i64 1, i64 4294967301, i64 0, i64 8, ptr addrspace(1) %x) ]
  ret void
}
; What would be more than a record holds, or has an integer that would be taken for an object.
; CHECK-LABEL: define {{.*}}@unfit(
; CHECK-COUNT-3: call ptr addrspace(1) @cairn_alloc
; REMARK: in function 'unfit': {{.*}} a frame record names it, and it has too many fields
; REMARK: in function 'unfit': {{.*}} a frame record names it, and it has too many fields
; REMARK: in function 'unfit': {{.*}} a frame record names it, and its layout has no number, or another size
define void @unfit(i64 %n) gc "statepoint-example" {
  %x = call ptr addrspace(1) @cairn_alloc_array(ptr @longs, i64 50)
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 3, i64 1, i64 0, ptr addrspace(1) %x) ]
  %y = call ptr addrspace(1) @cairn_alloc(ptr @odd, i64 4)
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 4, i64 1, i64 0, ptr addrspace(1) %y) ]
  %z = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 32)
  call void @g() [ "deopt"(i64 4847652539576877063, i64 3, i64 1, i64 5, i64 1, i64 0, ptr addrspace(1) %z) ]
  ret void
}
