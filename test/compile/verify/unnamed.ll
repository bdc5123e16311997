; RUN: not %cairn verify %s 2>&1 | FileCheck %s
; A function without a name goes by the number that IR as text gives it.
; CHECK: error: in function '2': %1 is used after the object may have moved at the call to @3: ret
@0 = global i64 0
@1 = alias i64, ptr @0
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
define ptr addrspace(1) @2(ptr addrspace(1) %0, ptr addrspace(1) %1) gc "statepoint-example" {
  %3 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @3, i32 0, i32 0, i32 0, i32 0)
  ret ptr addrspace(1) %1
}
declare void @3()
