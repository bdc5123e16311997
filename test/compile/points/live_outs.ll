; Lists of live registers, for which LLVM 22 crashes in some functions (LLVM issue 53828): these functions are refused
; before the code generator runs, and others have lists without the pc and the segment registers. What would go wrong:
; such a function reaches the code generator, a fit one is refused, or a record is refused because the code after the
; point uses a constant, a global or a thread-local. The code generator
; sees none of the refused functions.
; RUN: split-file %s %t && cd %t
; RUN: not %cairn-cc -O2 -fcairn-live-outs -S -emit-llvm refused.ll -o - 2>&1 | FileCheck refused.ll
; RUN: not %cairn-cc -O0 -fcairn-live-outs -S -emit-llvm refused.ll -o - 2>&1 | FileCheck refused.ll
; RUN: %cairn-cc -O2 -S -emit-llvm refused.ll -o /dev/null
; RUN: for o in -O1 -O2 -Os; do %cairn-cc $o -fcairn-live-outs -c fit.ll -o fit.o && %cairn frames --points fit.o | FileCheck fit.ll || exit 1; done

;--- refused.ll
; CHECK-DAG: in function 'sum': the function has floating-point arithmetic and {{.*}}patchpoint{{.*}}cannot list the live registers (-fcairn-live-outs) [patch-point]
; CHECK-DAG: in function 'compare': the function has floating-point arithmetic
; CHECK-DAG: in function 'convert': the function has floating-point arithmetic
; CHECK-DAG: in function 'wide': the function has floating-point arithmetic
; CHECK-DAG: in function 'root': the function has floating-point arithmetic
; CHECK-DAG: in function 'leaf': the function has a call that is no safepoint
; CHECK-DAG: in function 'copy': the function has a call that is no safepoint
; CHECK-DAG: in function 'move': the function has floating-point arithmetic
; CHECK-DAG: in function 'dynamic': the function has a thread-local of a dynamic model
; CHECK-DAG: in function 'control': the function has an intrinsic of the machine
; CHECK-DAG: in function 'divide': the function has a call that is no safepoint
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare void @leaf_function() "gc-leaf-function"
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare double @llvm.sqrt.f64(double)
declare void @llvm.x86.sse.stmxcsr(ptr)
@local = thread_local global i64 0
define double @sum(double %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  %b = fadd double %a, %a
  ret double %b
}
define i1 @compare(float %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  %b = fcmp olt float %a, 1.0
  ret i1 %b
}
define i64 @convert(double %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  %b = fptosi double %a to i64
  ret i64 %b
}
define x86_fp80 @wide(x86_fp80 %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  %b = fadd x86_fp80 %a, %a
  ret x86_fp80 %b
}
define double @root(double %a) gc "statepoint-example" {
  %b = call double @llvm.sqrt.f64(double %a)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  ret double %b
}
define i64 @leaf(i64 %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  call void @leaf_function()
  ret i64 %a
}
define void @copy(ptr %a, ptr %b, i64 %n) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %b, i64 %n, i1 false)
  ret void
}
define x86_fp80 @move(x86_fp80 %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  ret x86_fp80 %a
}
define i64 @dynamic() gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  %a = load volatile i64, ptr @local
  ret i64 %a
}
define void @control(ptr %p) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  ret void
}
define i128 @divide(i128 %a, i128 %b) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  %c = udiv i128 %a, %b
  ret i128 %c
}

;--- fit.ll
; CHECK-LABEL: function moves
; CHECK: live-outs
; CHECK-LABEL: function collects
; CHECK: live-outs
; CHECK-LABEL: function uses
; CHECK: live-outs
; CHECK-NOT: live-outs {{.*(fs|rip)}}
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @callee(i64)
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
@cell = internal constant { i64, ptr addrspace(1) } zeroinitializer
@global = global i64 0
@local = thread_local(initialexec) global i64 0
define double @moves(double %a, ptr %p) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 5, ptr null, i32 0)
  store double %a, ptr %p
  ret double 1.5
}
define ptr addrspace(1) @collects(i64 %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 2, i32 5, ptr null, i32 0)
  call void @callee(i64 %a)
  %cell = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  ret ptr addrspace(1) %cell
}
define i64 @uses(i64 %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 3, i32 5, ptr null, i32 0)
  %b = load volatile i64, ptr @global
  %c = load volatile i64, ptr @local
  %d = add i64 %b, %c
  ret i64 %d
}
; A stackmap has no list.
define double @shadow(double %a) gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 4, i32 8, double %a)
  %b = fadd double %a, %a
  ret double %b
}
