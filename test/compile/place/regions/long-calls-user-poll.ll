; With a poll of the module's own, long calls are cut where they are: its runtime may not know an
; object by a pointer into it, which a function that does it would get for an argument.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints -S %s | %cairn opt -p rewrite-statepoints -S - -o %t.ll
; RUN: %cairn verify %t.ll
; RUN: FileCheck %s --check-prefix=REWRITTEN --input-file=%t.ll
declare void @do_safepoint()
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)

define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}

define ptr addrspace(1) @inner(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define ptr addrspace(1) @inner(
; CHECK: br i1 {{.*}}, label %[[LONG:.*]], label %[[PLAIN:.*]], !prof
; CHECK: [[PLAIN]]:
; CHECK: call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %q, i8 0, i64 %n, i1 false)
; CHECK: [[LONG]]:
; CHECK: br label %[[PIECE:.*]]
; CHECK: call void @do_safepoint()
; CHECK: [[PIECE]]:
; CHECK: call void @do_safepoint()
; CHECK: call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %{{.*}}, i8 0, i64 %{{.*}}, i1 false)
; CHECK-NOT: @cairn.long
; The place in the object moves with the object.
; REWRITTEN-LABEL: define ptr addrspace(1) @inner(
; REWRITTEN-NOT: ptrtoint
; REWRITTEN: gc.statepoint{{.*}}"gc-live"(ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) %p, i64 16
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %q, i8 0, i64 %n, i1 false)
  ret ptr addrspace(1) %q
}

; What is said of the whole is not true of a piece: that it finds something, how long it is.
; CHECK-LABEL: define ptr @found(
; CHECK: call nonnull ptr @memchr(ptr nonnull dereferenceable(20000) %p, i32 7, i64 range(i64 20000, 0) %n)
; CHECK: call ptr @memchr(ptr %{{[^ ]*}}, i32 7, i64 %
define ptr @found(ptr %p, i64 %n) gc "statepoint-example" {
  %at = call nonnull ptr @memchr(ptr nonnull dereferenceable(20000) %p, i32 7, i64 range(i64 20000, 0) %n)
  ret ptr %at
}
declare ptr @memchr(ptr, i32, i64) "gc-leaf-function"
