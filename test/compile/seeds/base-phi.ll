; late-insertion-slides-2014, "What about base pointers?" and "What about PHIs?": the base of a pointer
; that is sometimes an end of one object and sometimes a fresh one is known at run time only: a base
; phi runs beside it. Where the phi's flow has one base only, that base serves ("p_base == p1_base").
; Wrong: %p relocated as its own base; a base phi of equal inputs.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output

declare ptr addrspace(1) @foo()
declare void @safepoint()

; int* p = end+3; while (p > begin) { ...; if (condition) p = foo(); }
; CHECK-LABEL: define void @either(
; CHECK: loop:
; CHECK-DAG: %p = phi ptr addrspace(1) [
; CHECK-DAG: [[BASE:%p.base[.0-9a-z]*]] = phi ptr addrspace(1) [
; CHECK: ret void
define void @either(ptr addrspace(1) %begin, i64 %n, ptr %conditions) gc "statepoint-example" {
entry:
  %end = getelementptr i32, ptr addrspace(1) %begin, i64 %n
  %three = getelementptr i32, ptr addrspace(1) %end, i64 3
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %three, %entry ], [ %next, %latch ]
  call void @safepoint()
  %condition = load volatile i1, ptr %conditions
  br i1 %condition, label %fresh, label %step
fresh:
  %new = call ptr addrspace(1) @foo()
  br label %latch
step:
  %back = getelementptr i32, ptr addrspace(1) %p, i64 -1
  br label %latch
latch:
  %next = phi ptr addrspace(1) [ %new, %fresh ], [ %back, %step ]
  store i32 0, ptr addrspace(1) %next
  %again = load volatile i1, ptr %conditions
  br i1 %again, label %loop, label %done
done:
  ret void
}

; The slides' example: p runs down from the end of arr, and arr is its base throughout.
; CHECK-LABEL: define void @one_base(
; CHECK-NOT: .base
; CHECK: "gc-live"(
; CHECK-NOT: .base
; CHECK: ret void
define void @one_base(ptr addrspace(1) %arr, i64 %len) gc "statepoint-example" {
entry:
  %end = getelementptr i32, ptr addrspace(1) %arr, i64 %len
  br label %b2
b2:
  %p = phi ptr addrspace(1) [ %end, %entry ], [ %p.dec, %b4 ]
  %c = icmp ne ptr addrspace(1) %p, %arr
  br i1 %c, label %b4, label %b6
b4:
  %p.dec = getelementptr i32, ptr addrspace(1) %p, i64 -1
  store i32 0, ptr addrspace(1) %p.dec
  call void @safepoint()
  br label %b2
b6:
  ret void
}
