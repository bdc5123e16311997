; A front end made a safepoint of a call that Cairn takes for a leaf. To unwrap it would lose that
; safepoint without a word.

; RUN: not %cairn opt -p inline-statepoints -S %s 2>&1 | FileCheck %s
; CHECK: error: in function 'f': call to @strlen is wrapped in a statepoint, and would not be again: it is a leaf ({{.*}}) [wrapped-leaf]

declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare i64 @strlen(ptr)

define void @f(ptr %s) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(i64 (ptr)) @strlen, i32 1, i32 0, ptr %s, i32 0, i32 0)
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0)
  ret void
}
define void @g() gc "statepoint-example" {
  ret void
}
