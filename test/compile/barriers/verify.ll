; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: %cairn verify --barriers=cards good.ll
; RUN: not %cairn verify --barriers=cards bad.ll 2>&1 | FileCheck bad.ll
; RUN: not %cairn verify --barriers=loads loads.ll 2>&1 | FileCheck loads.ll
;
; The proof, for any producer's modules. Wrong: an access goes without its barrier, or with that of another place, or a
; safepoint comes between; or what is right is refused.

;--- good.ll
declare void @cairn.barrier.store(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1)) "gc-leaf-function"
declare void @cairn.barrier.range(ptr addrspace(1), i64) "gc-leaf-function"
define void @ahead(ptr addrspace(1) %p, ptr addrspace(1) %v, i1 %c) gc "statepoint-example" {
  call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
  br i1 %c, label %a, label %b
a:
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
b:
  ret void
}
define void @wider(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  %b = getelementptr i8, ptr addrspace(1) %p, i64 8
  %c = getelementptr i8, ptr addrspace(1) %p, i64 16
  call void @cairn.barrier.range(ptr addrspace(1) %b, i64 16)
  store ptr addrspace(1) %v, ptr addrspace(1) %b
  store ptr addrspace(1) %v, ptr addrspace(1) %c
  ret void
}

;--- bad.ll
declare ptr addrspace(1) @cairn.tag.from(i64)
declare void @cairn.barrier.store(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1)) "gc-leaf-function"
declare void @cairn.barrier.range(ptr addrspace(1), i64) "gc-leaf-function"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare void @f()
; CHECK: error: in function 'none': the access at %p has no barrier of kind cards on every path since the last safepoint [missing-barrier]
define void @none(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}
; CHECK: error: in function 'elsewhere': the access at %p has
define void @elsewhere(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %v, ptr addrspace(1) %v)
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}
; CHECK: error: in function 'one_path': the access at %p has
define void @one_path(ptr addrspace(1) %p, ptr addrspace(1) %v, i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
  br label %b
b:
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}
; CHECK: error: in function 'narrow': the access at %p has
define void @narrow(ptr addrspace(1) %p, <4 x ptr addrspace(1)> %v) gc "statepoint-example" {
  call void @cairn.barrier.range(ptr addrspace(1) %p, i64 24)
  store <4 x ptr addrspace(1)> %v, ptr addrspace(1) %p
  ret void
}
; CHECK: error: in function 'beside': the access at %b has
define void @beside(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  %b = getelementptr i8, ptr addrspace(1) %p, i64 24
  call void @cairn.barrier.range(ptr addrspace(1) %p, i64 24)
  store ptr addrspace(1) %v, ptr addrspace(1) %b
  ret void
}
; CHECK: error: in function 'before_safepoint': the access at %p.1 has
define void @before_safepoint(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @f, i32 0, i32 0, i32 0, i32 0) ["gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %v)]
  %p.1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %v.1 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 1, i32 1)
  store ptr addrspace(1) %v.1, ptr addrspace(1) %p.1
  ret void
}
; A word that may be a reference is one.
; CHECK: error: in function 'word': the access at %p has
define void @word(ptr addrspace(1) %p, ptr addrspace(1) %v, i1 %c) gc "statepoint-example" {
  %one = call ptr addrspace(1) @cairn.tag.from(i64 1)
  %or = select i1 %c, ptr addrspace(1) %one, ptr addrspace(1) %v
  store ptr addrspace(1) %or, ptr addrspace(1) %p
  ret void
}
; CHECK-NOT: error
define void @immediate(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  %one = call ptr addrspace(1) @cairn.tag.from(i64 1)
  %or = select i1 %c, ptr addrspace(1) %one, ptr addrspace(1) null
  store ptr addrspace(1) %or, ptr addrspace(1) %p
  ret void
}

;--- loads.ll
declare ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1), ptr addrspace(1)) "gc-leaf-function"
; "before any use of the value loaded"
; CHECK: error: in function 'used_before': the access at %p has
define ptr addrspace(1) @used_before(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load ptr addrspace(1), ptr addrspace(1) %p
  %w = getelementptr i8, ptr addrspace(1) %v, i64 8
  %h = call ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1) %p, ptr addrspace(1) %v)
  ret ptr addrspace(1) %w
}
; CHECK: error: in function 'other_slot': the access at %p has
define ptr addrspace(1) @other_slot(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %v = load ptr addrspace(1), ptr addrspace(1) %p
  %h = call ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1) %q, ptr addrspace(1) %v)
  ret ptr addrspace(1) %h
}
; CHECK-NOT: error
define ptr addrspace(1) @right(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load ptr addrspace(1), ptr addrspace(1) %p
  %h = call ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1) %p, ptr addrspace(1) %v)
  ret ptr addrspace(1) %h
}
