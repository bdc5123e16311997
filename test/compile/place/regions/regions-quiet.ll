; What is known to have no safepoint may be called in a region: small leaves, and nopoll functions however
; long they run. Wrong: an error for a call that cannot collect; a leaf that polls.
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
declare i1 @more() "gc-leaf-function"
declare void @foo()
; CHECK-LABEL: define void @calls_quiet
; CHECK: call void @cairn.nopoll.begin()
; CHECK: call void @whole(
; CHECK-NEXT: call i64 @small(
; CHECK-NEXT: call void @cairn.nopoll.end()
define void @calls_quiet(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  call void @cairn.nopoll.begin()
  call void @whole(ptr addrspace(1) %p)
  %v = call i64 @small(ptr addrspace(1) %p)
  call void @cairn.nopoll.end()
  ret void
}
define i64 @small(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
define void @whole(ptr addrspace(1) %p) "cairn-nopoll" gc "statepoint-example" {
  br label %head
head:
  store volatile i32 1, ptr addrspace(1) %p
  %x = call i1 @more()
  br i1 %x, label %head, label %out
out:
  ret void
}

; A long fill in a region is not made in pieces with polls between.
; CHECK-LABEL: define void @fills
; CHECK: call void @cairn.nopoll.begin()
; CHECK: call void @llvm.memset.p1.i64(
; CHECK-NEXT: call void @cairn.nopoll.end()
define void @fills(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  call void @foo()
  call void @cairn.nopoll.begin()
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %n, i1 false)
  call void @cairn.nopoll.end()
  ret void
}
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)

; Recursion among functions without safepoints is none of a safepoint's either.
; CHECK-LABEL: define void @asks
; CHECK: call i64 @even(
; CHECK-NEXT: call void @cairn.nopoll.end()
define void @asks(i64 %n) gc "statepoint-example" {
  call void @foo()
  call void @cairn.nopoll.begin()
  %v = call i64 @even(i64 %n)
  call void @cairn.nopoll.end()
  ret void
}
; CHECK-LABEL: define i64 @even
; CHECK-NOT: statepoint.p0
; CHECK-LABEL: define i64 @odd
; CHECK-NOT: statepoint.p0
; CHECK: ret i64 0
define i64 @even(i64 %n) "cairn-nopoll" gc "statepoint-example" {
  %zero = icmp eq i64 %n, 0
  br i1 %zero, label %done, label %on
on:
  %less = sub i64 %n, 1
  %v = call i64 @odd(i64 %less)
  ret i64 %v
done:
  ret i64 1
}
define i64 @odd(i64 %n) "cairn-nopoll" gc "statepoint-example" {
  %zero = icmp eq i64 %n, 0
  br i1 %zero, label %done, label %on
on:
  %less = sub i64 %n, 1
  %v = call i64 @even(i64 %less)
  ret i64 %v
done:
  ret i64 0
}
