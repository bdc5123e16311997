; What the call says is kept where it is still true; what a moving collector makes false goes, but
; only from managed functions, their call sites and their accesses. Wrong: a lost zeroext or
; convention is a miscompiled call; a kept readonly or noalias lets the code generator use a stale
; value; LLVM's own pass strips native functions as well.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
declare i8 @args(ptr, i16 signext, ptr addrspace(1))
declare void @structure(ptr sret(i64))
declare void @leaf(ptr addrspace(1)) "gc-leaf-function"
declare preserve_allcc void @cairn_poll_slow()
declare preserve_allcc ptr addrspace(1) @cairn_alloc_slow(ptr)
declare void @foo()
declare {ptr, i64} @table()
declare ptr @llvm.invariant.start.p1(i64, ptr addrspace(1))
declare void @llvm.invariant.end.p1(ptr, i64, ptr addrspace(1))

; CHECK-LABEL: define i64 @kept
; CHECK: call token {{.*}}(i64 7, i32 12, ptr elementtype(i8 (ptr, i16, ptr addrspace(1))) @args, i32 3, i32 0, ptr align 8 %out, i16 signext 3, ptr addrspace(1) nonnull %a, i32 0, i32 0) [[ATTR:#[0-9]+]]
; CHECK-NEXT: [[R:%.*]] = call zeroext i8 @llvm.experimental.gc.result.i8
; CHECK: @structure, i32 1, i32 0, ptr sret(i64) align 8 %out, i32 0
; CHECK: ret
define i64 @kept(ptr %out, ptr addrspace(1) %a) gc "statepoint-example" {
  %r = call zeroext i8 @args(ptr align 8 %out, i16 signext 3, ptr addrspace(1) nonnull noalias dereferenceable(8) %a) "statepoint-id"="7" "statepoint-num-patch-bytes"="12" nounwind memory(read)
  call void @structure(ptr sret(i64) align 8 %out)
  %x = zext i8 %r to i64
  ret i64 %x
}

; Conventions and the ids of our own slow paths.
; CHECK-LABEL: define ptr addrspace(1) @slow
; CHECK: call preserve_allcc token {{.*}}(i64 3390701569, i32 0, ptr elementtype(void ()) @cairn_poll_slow,
; CHECK: call preserve_allcc token {{.*}}(i64 3390701570, i32 0, ptr elementtype(ptr addrspace(1) (ptr)) @cairn_alloc_slow,
define ptr addrspace(1) @slow(ptr %l) gc "statepoint-example" {
  call preserve_allcc void @cairn_poll_slow()
  %r = call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(ptr %l)
  ret ptr addrspace(1) %r
}

; deopt and gc-transition state; a reference in the deopt state is live when the call returns.
; CHECK-LABEL: define void @state
; CHECK: @foo, i32 0, i32 1, i32 0, i32 0) [ "deopt"(i32 1, ptr addrspace(1) %a, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 16387, i64 6), "gc-transition"(ptr addrspace(1) %b), "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b) ]
; CHECK: @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(), "gc-live"(ptr addrspace(1) %b.relocated) ]
define void @state(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  call void @foo() [ "gc-transition"(ptr addrspace(1) %b), "deopt"(i32 1, ptr addrspace(1) %a) ]
  call void @foo() [ "deopt"() ]
  call void @leaf(ptr addrspace(1) %b)
  ret void
}

; The operands of gc-transition come first in the call, and are all that it has.
; CHECK-LABEL: define void @transition
; CHECK: "deopt"(i32 3, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5), "gc-transition"(i32 1, ptr addrspace(1) %b.relocated), "gc-live"
define void @transition(ptr addrspace(1) %b) gc "statepoint-example" {
  call void @foo()
  call void @foo() [ "gc-transition"(i32 1, ptr addrspace(1) %b), "deopt"(i32 3) ]
  call void @leaf(ptr addrspace(1) %b)
  ret void
}

; docs/llvm-22.md, "multi-result callees": a callee out of an aggregate goes through a freeze.
; CHECK-LABEL: define void @callee
; CHECK: [[C:%.*]] = extractvalue { ptr, i64 } %t, 0
; CHECK-NEXT: [[F:%.*]] = freeze ptr [[C]]
; CHECK-NEXT: call token {{.*}}, ptr elementtype(void ()) [[F]], i32 0
define void @callee({ptr, i64} %t) gc "statepoint-example" {
  %c = extractvalue {ptr, i64} %t, 0
  call void %c()
  ret void
}

; CHECK-LABEL: define nonnull ptr addrspace(1) @stripped(ptr addrspace(1) nonnull %a, ptr noalias %b) gc
; CHECK: load i64, ptr addrspace(1) %a, align 8, !range
; CHECK: load i64, ptr addrspace(1) %a, align 8{{$}}
; CHECK: load i64, ptr addrspace(1) %a, align 8, !tbaa
; CHECK-NOT: invariant.load
; CHECK: load i64, ptr %b, align 8, !invariant.load
; CHECK-NOT: invariant.start.p1(
; CHECK: ret
define nonnull dereferenceable(16) ptr addrspace(1) @stripped(ptr addrspace(1) noalias nonnull readonly dereferenceable(8) %a, ptr noalias %b) nosync nofree memory(argmem: read) gc "statepoint-example" {
  %x = load i64, ptr addrspace(1) %a, align 8, !invariant.load !{}, !range !{i64 0, i64 9}
  %v = load i64, ptr addrspace(1) %a, align 8, !tbaa !2
  %w = load i64, ptr addrspace(1) %a, align 8, !tbaa !3
  %y = load i64, ptr %b, align 8, !invariant.load !{}
  %i = call ptr @llvm.invariant.start.p1(i64 8, ptr addrspace(1) %a)
  call void @llvm.invariant.end.p1(ptr %i, i64 8, ptr addrspace(1) %a)
  call void @foo()
  ret ptr addrspace(1) %a
}

; CHECK-LABEL: define void @native(
; CHECK-SAME: ptr addrspace(1) noalias readonly %a) [[NATIVE:#[0-9]+]]
define void @native(ptr addrspace(1) noalias readonly %a) nosync nofree memory(argmem: read) {
  ret void
}
; CHECK: attributes [[NATIVE]] = { nofree nosync memory(argmem: read) }
; CHECK: attributes [[ATTR]] = { nounwind }
!0 = !{!"root"}
!1 = !{!"long", !0, i64 0}
!2 = !{!1, !1, i64 0, i64 1}
!3 = !{!1, !1, i64 0}
