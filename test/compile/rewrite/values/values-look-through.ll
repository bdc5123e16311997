; What yields a pointer into the object of its operand has that operand's base. Wrong: the result is
; relocated as if it were the start of an object of its own.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes=verify -disable-output %t.ll
; RUN: opt -passes='verify<safepoint-ir>' -disable-output %t.ll
; RUN: sed 's/"cairn-base"//' %t.ll > %t.unmarked.ll
; RUN: not %cairn opt -p verify-safepoints %t.unmarked.ll 2>&1 | FileCheck %s --check-prefix=UNMARKED
; UNMARKED: function 'marked': {{.*}}[wrong-base]
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare ptr addrspace(1) @interior(ptr addrspace(1) "cairn-base", i64) "gc-leaf-function"
declare ptr addrspace(1) @same(ptr addrspace(1) returned) "gc-leaf-function"
declare ptr addrspace(1) @other(ptr addrspace(1) returned)
declare i32 @personality(...)
@tls = thread_local addrspace(1) global i64 0

; CHECK-LABEL: define void @intrinsics
; CHECK: gc.relocate.p1({{.*}}) ; (%p, %f)
; CHECK: ret void
define void @intrinsics(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %n
  %a = call ptr addrspace(1) @llvm.launder.invariant.group.p1(ptr addrspace(1) %d)
  %s = call ptr addrspace(1) @llvm.strip.invariant.group.p1(ptr addrspace(1) %a)
  %t = call ptr addrspace(1) @llvm.ptr.annotation.p1.p0(ptr addrspace(1) %s, ptr null, ptr null, i32 1, ptr null)
  %m = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %t, i64 -8)
  %f = freeze ptr addrspace(1) %m
  %c = call ptr addrspace(1) @llvm.ssa.copy.p1(ptr addrspace(1) returned %f)
  call void @foo()
  call void @use(ptr addrspace(1) %c)
  ret void
}
; A null result has the base null.
; CHECK-LABEL: define void @marked
; CHECK: %[[#NULL:]] = icmp eq ptr addrspace(1) %r, null
; CHECK: %[[#BASE:]] = select i1 %[[#NULL]], ptr addrspace(1) null, ptr addrspace(1) %p
; CHECK: %[[#RESULT:]] = select i1 %[[#NULL]], ptr addrspace(1) null, ptr addrspace(1) %r
; CHECK: gc.relocate.p1({{.*}}) ; (%[[#BASE]], %[[#RESULT]])
define void @marked(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = call ptr addrspace(1) @interior(ptr addrspace(1) %p, i64 3)
  call void @foo()
  call void @use(ptr addrspace(1) %r)
  ret void
}
; CHECK-LABEL: define void @returned
; CHECK: %p.relocated = 
; CHECK-NEXT: getelementptr i8, ptr addrspace(1) %p.relocated, i64 %n
define void @returned(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %n
  %r = call ptr addrspace(1) @same(ptr addrspace(1) %d)
  call void @foo()
  call void @use(ptr addrspace(1) %r)
  ret void
}
; What a callee with safepoints returns is where the object lies now, and a base.
; CHECK-LABEL: define void @moved
; CHECK: %r = call ptr addrspace(1) @llvm.experimental.gc.result
; CHECK: gc.relocate.p1({{.*}}) ; (%r, %r)
define void @moved(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = call ptr addrspace(1) @other(ptr addrspace(1) returned %p)
  call void @foo()
  call void @use(ptr addrspace(1) %r)
  ret void
}
; A thread-local of the managed address space does not move, like any global.
; CHECK-LABEL: define void @thread_local
; CHECK-NOT: gc.relocate
; CHECK: ret void
define void @thread_local(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @llvm.threadlocal.address.p1(ptr addrspace(1) @tls)
  store i64 %n, ptr addrspace(1) %a
  call void @foo()
  ret void
}
