; llvm.experimental.gc.get.pointer.base and .offset (statepoints-later, "Base & Derived Pointers"): the
; base that rewriting would list, also through phis, and the distance from it. Wrong: an intrinsic left for
; the code generator, which does not know it; the derived pointer itself for an answer.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck --implicit-check-not=get.pointer %s < %t.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
@object = external addrspace(1) global [8 x i64]
declare void @foo()
declare void @use(ptr addrspace(1), i64)
declare ptr addrspace(1) @llvm.experimental.gc.get.pointer.base.p1.p1(ptr addrspace(1))
declare i64 @llvm.experimental.gc.get.pointer.offset.p1(ptr addrspace(1))

; CHECK-LABEL: define void @straight(
; CHECK: [[P:%.*]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK-NEXT: [[D:%.*]] = ptrtoint ptr addrspace(1) %d to i64
; CHECK-NEXT: [[O:%.*]] = sub i64 [[D]], [[P]]
; CHECK: @use, i32 2, i32 0, ptr addrspace(1) %p.relocated, i64 [[O]]
define void @straight(ptr addrspace(1) %p, i64 %i) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %i
  %base = call ptr addrspace(1) @llvm.experimental.gc.get.pointer.base.p1.p1(ptr addrspace(1) %d)
  %offset = call i64 @llvm.experimental.gc.get.pointer.offset.p1(ptr addrspace(1) %d)
  call void @foo()
  call void @use(ptr addrspace(1) %base, i64 %offset)
  ret void
}

; No safepoint, and an answer that is asked about again.
; CHECK-LABEL: define ptr addrspace(1) @merged(
; CHECK: %m.base = phi ptr addrspace(1) [ %p, %entry ], [ %q, %a ]
; CHECK: ret ptr addrspace(1) %m.base
define ptr addrspace(1) @merged(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %i, i1 %c) gc "statepoint-example" {
entry:
  %pi = getelementptr i8, ptr addrspace(1) %p, i64 %i
  br i1 %c, label %a, label %join
a:
  %qi = getelementptr i8, ptr addrspace(1) %q, i64 %i
  br label %join
join:
  %m = phi ptr addrspace(1) [ %pi, %entry ], [ %qi, %a ]
  %base = call ptr addrspace(1) @llvm.experimental.gc.get.pointer.base.p1.p1(ptr addrspace(1) %m)
  %field = getelementptr i8, ptr addrspace(1) %base, i64 8
  %again = call ptr addrspace(1) @llvm.experimental.gc.get.pointer.base.p1.p1(ptr addrspace(1) %field)
  ret ptr addrspace(1) %again
}

; What does not move is its own base.
; CHECK-LABEL: define ptr addrspace(1) @global(
; CHECK: ret ptr addrspace(1) @object
define ptr addrspace(1) @global() gc "statepoint-example" {
  %base = call ptr addrspace(1) @llvm.experimental.gc.get.pointer.base.p1.p1(ptr addrspace(1) @object)
  ret ptr addrspace(1) %base
}
