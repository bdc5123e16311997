; A call that is wrapped in a statepoint is inlined: the safepoints of its callee must then relocate
; what is live in the caller, or the caller uses what moved while the callee ran.

; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.ll
; RUN: %cairn opt -p inline-statepoints,verify-safepoints -S %t.ll -o %t.out.ll
; RUN: FileCheck %s < %t.out.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.out.ll
; What may not be inlined leaves the module as it is, to the byte.
; RUN: llvm-extract -func=kept -func=other -func=never -func=native -S %t.ll -o %t.kept.ll
; RUN: %cairn opt -p inline-statepoints -S %t.kept.ll -o %t.kept.out.ll
; RUN: sed 1d %t.kept.ll > %t.1 && sed 1d %t.kept.out.ll | cmp %t.1 -

declare void @foo()
declare void @use(ptr addrspace(1))

; The one safepoint of the callee lists the caller's %kept, too; the deoptimisation state of the call
; stands before the callee's own.
; CHECK-LABEL: define void @caller(
; CHECK-NOT: @callee
; CHECK: [[T:%.*]] = call token {{.*}}@foo{{.*}} [ "deopt"(i32 7, i32 9, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 8192, i64 6), "gc-live"(ptr addrspace(1) %kept, ptr addrspace(1) %passed) ]
; CHECK-DAG: [[K:%.*]] = call coldcc {{.*}}relocate.p1(token [[T]], i32 0, i32 0)
; CHECK-DAG: [[P:%.*]] = call coldcc {{.*}}relocate.p1(token [[T]], i32 1, i32 1)
; CHECK-DAG: store i64 1, ptr addrspace(1) [[P]]
; CHECK: @use, i32 1, i32 0, ptr addrspace(1) [[K]]
; CHECK-NOT: @callee
define void @caller(ptr addrspace(1) %kept, ptr addrspace(1) %passed) gc "statepoint-example" {
  call void @callee(ptr addrspace(1) %passed) [ "deopt"(i32 7) ]
  call void @use(ptr addrspace(1) %kept)
  ret void
}

define internal void @callee(ptr addrspace(1) %p) alwaysinline gc "statepoint-example" {
  call void @foo() [ "deopt"(i32 9) ]
  store i64 1, ptr addrspace(1) %p
  ret void
}

; By LLVM's own judgement: small; its local that holds a reference moves to the caller and is
; described there.
; CHECK-LABEL: define ptr addrspace(1) @judged(
; CHECK: %slot.i = alloca ptr addrspace(1)
; CHECK: @foo{{.*}} [ "deopt"({{.*}}ptr %slot.i{{.*}}) ]
; CHECK-NOT: @small
; CHECK: ret ptr
define ptr addrspace(1) @judged(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = call ptr addrspace(1) @small(ptr addrspace(1) %p)
  ret ptr addrspace(1) %r
}

; CHECK-LABEL: define ptr addrspace(1) @small(
define ptr addrspace(1) @small(ptr addrspace(1) %p) gc "statepoint-example" {
  %slot = alloca ptr addrspace(1)
  store volatile ptr addrspace(1) %p, ptr %slot
  call void @foo()
  %q = load volatile ptr addrspace(1), ptr %slot
  ret ptr addrspace(1) %q
}

; Another strategy, native code, and what asks not to be inlined: calls they stay.
; CHECK-LABEL: define void @kept(
; CHECK: @other
; CHECK: @never
; CHECK: @native
; CHECK-NOT: cairn-not-inlined
define void @kept() gc "statepoint-example" {
  call void @other()
  call void @never()
  call void @native()
  ret void
}
define void @other() alwaysinline gc "coreclr" {
  ret void
}
define void @never() noinline gc "statepoint-example" {
  ret void
}
define void @native() alwaysinline {
  call void @kept()
  ret void
}

; What the rewriter kept in slots is relocated again where that is smaller.
; RUN: %cairn opt --slots=always -p rewrite-statepoints -S %s -o %t.slots.ll 2>/dev/null
; RUN: grep -q 'alloca.*addrspace(1)' %t.slots.ll
; RUN: %cairn opt -p inline-statepoints,verify-safepoints -S %t.slots.ll | FileCheck --check-prefix=SLOTS %s
; SLOTS-LABEL: define void @caller(
; SLOTS-NOT: alloca
; SLOTS: gc.relocate
; SLOTS: ret void

; The halves of a difference stay together: what one of them has is an address, which changes.
; CHECK-LABEL: define i64 @difference(
; CHECK: @foo
; CHECK: [[P:%.*]] = ptrtoint ptr addrspace(1) [[R:%.*]] to i64
; CHECK: sub i64
; CHECK-NOT: cairn.ptrdiff
define i64 @difference(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @callee(ptr addrspace(1) %p)
  %a = ptrtoint ptr addrspace(1) %p to i64
  %b = ptrtoint ptr addrspace(1) %q to i64
  %d = sub i64 %a, %b
  ret i64 %d
}
