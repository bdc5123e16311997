; Words that are references or integers. What could go wrong: an object is taken for an integer; references that have a
; tag miss the local by it.
; RUN: %cairn opt -p prepare,escape --words=1:0 -S %s | FileCheck %s
; RUN: %cairn opt -p prepare,escape --words=0:1 -S %s | FileCheck %s --check-prefix=PLAIN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@box = internal constant { double, ptr addrspace(1) } zeroinitializer
@numbers = internal constant [4 x i64] zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare i1 @cairn.tag.is(ptr addrspace(1))
declare ptr addrspace(1) @cairn.tag.from(i64)
declare i64 @cairn.tag.value(ptr addrspace(1))
declare void @other()

; CHECK-LABEL: @is(
; CHECK-NOT: alloc
; CHECK: %[[V:.*]] = select i1 %c, double %x, double 0.000000e+00
; CHECK: call void @other()
; CHECK: ret double %[[V]]
define double @is(double %x, i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @box, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 -1
  br i1 %c, label %yes, label %end
yes:
  store double %x, ptr addrspace(1) %f
  br label %end
end:
  call void @other()
  %is = call i1 @cairn.tag.is(ptr addrspace(1) %o)
  br i1 %is, label %integer, label %object
integer:
  %n = call i64 @cairn.tag.value(ptr addrspace(1) %o)
  ret double 1.0
object:
  %v = load double, ptr addrspace(1) %f
  ret double %v
}

; An integer in a field.
; PLAIN-LABEL: @field(
; PLAIN-NOT: alloc
; PLAIN: %[[W:.*]] = call {{.*}}@cairn.tag.from(i64 7)
; PLAIN: select i1 %c, ptr addrspace(1) %[[W]], ptr addrspace(1) null
; PLAIN: ret
define ptr addrspace(1) @field(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @box, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  br i1 %c, label %yes, label %end
yes:
  %w = call ptr addrspace(1) @cairn.tag.from(i64 7)
  store ptr addrspace(1) %w, ptr addrspace(1) %f
  br label %end
end:
  call void @other()
  %v = load ptr addrspace(1), ptr addrspace(1) %f
  ret ptr addrspace(1) %v
}
