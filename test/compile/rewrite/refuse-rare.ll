; What front ends seldom make and no statepoint can carry is refused by name. Wrong: LLVM's release
; build makes a broken module or a lost root of it.
; RUN: not %cairn opt -p rewrite-statepoints -S %s 2>&1 | FileCheck %s

declare void @foo()
declare ptr addrspace(1) @make()
declare {ptr addrspace(1), i64} @pair()
declare i32 @personality(...)

; CHECK-DAG: function 'far_callee'{{.*}}[callee-address-space]
define void @far_callee(ptr addrspace(3) %f) gc "statepoint-example" {
  call addrspace(3) void %f()
  ret void
}

; CHECK-DAG: function 'state'{{.*}}[deopt-aggregate]
define void @state({ptr addrspace(1), i64} %p) gc "statepoint-example" {
  call void @foo() [ "deopt"({ptr addrspace(1), i64} %p) ]
  ret void
}

; Aggregates without references, wide integers and vectors: refused. Shapes here are harmless to LLVM.
; CHECK-DAG: function 'deopt_pair'{{.*}}[deopt-aggregate]
define void @deopt_pair({i64, i64} %p) gc "statepoint-example" {
  call void @foo() [ "deopt"({i64, i64} %p) ]
  ret void
}
; CHECK-DAG: function 'one_field'{{.*}}[deopt-aggregate]
define void @one_field() gc "statepoint-example" {
  call void @foo() [ "deopt"(i32 1, [1 x i64] zeroinitializer) ]
  ret void
}
; CHECK-DAG: function 'wide_integer'{{.*}}[deopt-aggregate]
define void @wide_integer(i192 %i) gc "statepoint-example" {
  call void @foo() [ "deopt"(i192 %i) ]
  ret void
}
; CHECK-DAG: function 'wide_vector'{{.*}}[deopt-aggregate]
define void @wide_vector(<8 x i32> %v) gc "statepoint-example" {
  call void @foo() [ "deopt"(<8 x i32> %v) ]
  ret void
}
; No function but these is named: the next one has values that LLVM records whole.
define void @scalars(i1 %b, i128 %i, x86_fp80 %l, <4 x i32> %v, double %d) gc "statepoint-example" {
  call void @foo() [ "deopt"(i1 %b, i128 %i, x86_fp80 %l, <4 x i32> %v, double %d, ptr null, i64 undef) ]
  ret void
}

declare i8 @llvm.coro.suspend(token, i1)
; CHECK-DAG: function 'suspends'{{.*}}llvm.coro.suspend{{.*}}[intrinsic-statepoint]
define i8 @suspends() gc "statepoint-example" {
  %r = call i8 @llvm.coro.suspend(token none, i1 false)
  ret i8 %r
}

; CHECK-DAG: function 'large'{{.*}}[large-aggregate]
define void @large(ptr addrspace(1) %p) gc "statepoint-example" {
  %all = load [300 x ptr addrspace(1)], ptr addrspace(1) %p
  call void @foo()
  store [300 x ptr addrspace(1)] %all, ptr addrspace(1) %p
  ret void
}

; CHECK-DAG: function 'unwinds'{{.*}}[unsupported-instruction]
define void @unwinds() gc "statepoint-example" personality ptr @personality {
  %p = invoke {ptr addrspace(1), i64} @pair() to label %on unwind label %off
on:
  ret void
off:
  %pad = landingpad {ptr addrspace(1), i32} cleanup
  ret void
}

; CHECK-DAG: function 'managed_local'{{.*}}[managed-alloca]
define void @managed_local(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca ptr addrspace(1), addrspace(1)
  store ptr addrspace(1) %a, ptr addrspace(1) %p
  call void @foo()
  ret void
}

; CHECK-DAG: function 'huge'{{.*}}[huge-alloca]
define void @huge(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca [2000000 x ptr addrspace(1)]
  store ptr addrspace(1) %p, ptr %a
  call void @foo()
  ret void
}

declare ptr addrspace(1) @llvm.sponentry.p1()
; CHECK-DAG: function 'unknown'{{.*}}[unknown-intrinsic]
define ptr addrspace(1) @unknown() gc "statepoint-example" {
  %p = call ptr addrspace(1) @llvm.sponentry.p1()
  call void @foo()
  ret ptr addrspace(1) %p
}
