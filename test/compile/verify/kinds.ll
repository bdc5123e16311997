; A value of a type that only a target knows. Wrong: the verifier takes it for a number, and a reference hides in it over a
; safepoint.
; RUN: not %cairn verify %s 2>&1 | FileCheck %s
declare void @foo()
declare target("spirv.Event") @event() "gc-leaf-function"
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)

; CHECK: error: in function 'over': {{.*}}its type may hide a reference [unsupported-type]
define void @over() gc "statepoint-example" {
  %e = call target("spirv.Event") @event()
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}

; CHECK: error: in function 'part': {{.*}}its type may hide a reference [unsupported-type]
declare { i64, target("spirv.Event") } @both() "gc-leaf-function"
define void @part() gc "statepoint-example" {
  %p = call { i64, target("spirv.Event") } @both()
  ret void
}

; CHECK: error: in function 'parameter': the type of parameter 2 may hide a reference [unsupported-type]
define void @parameter(i64 %n, target("spirv.Event") %e) gc "statepoint-example" {
  ret void
}
