; Types of which only a target knows what is in them, and intrinsics that are given a reference and of which nothing says
; what they do with it. Wrong: a reference hides there, and is stale after a safepoint.
; RUN: not %cairn opt -p rewrite-statepoints --disable-output %s 2>&1 | FileCheck %s
declare void @foo()
declare void @llvm.va_end.p1(ptr addrspace(1))
declare <2 x i64> @llvm.vp.ptrtoint.v2i64.v2p1(<2 x ptr addrspace(1)>, <2 x i1>, i32)
declare target("spirv.Event") @event()

; CHECK-DAG: error: in function 'parameter': parameter 1 has a type that Cairn does not know, which may hold references [unsupported-type]
define void @parameter(target("spirv.Event") %e) gc "statepoint-example" {
  ret void
}

; CHECK-DAG: error: in function 'result': {{.*}} it has a type that Cairn does not know, which may hold references [unsupported-type]
define void @result() gc "statepoint-example" {
  %e = call target("spirv.Event") @event()
  ret void
}

; CHECK-DAG: error: in function 'list': call to @llvm.va_end.p1: the effect of this intrinsic on its reference is unknown; {{.*}} [unknown-intrinsic]
define void @list(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @llvm.va_end.p1(ptr addrspace(1) %p)
  ret void
}

; CHECK-DAG: error: in function 'addresses': call to @llvm.vp.ptrtoint.v2i64.v2p1: the effect of this intrinsic {{.*}} [unknown-intrinsic]
define <2 x i64> @addresses(<2 x ptr addrspace(1)> %p, <2 x i1> %m, i32 %n) gc "statepoint-example" {
  %i = call <2 x i64> @llvm.vp.ptrtoint.v2i64.v2p1(<2 x ptr addrspace(1)> %p, <2 x i1> %m, i32 %n)
  call void @foo()
  ret <2 x i64> %i
}
