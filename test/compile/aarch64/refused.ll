; What AArch64 has beyond x86-64 and no map describes: frames with a scalable part, functions that change the
; processor's state for calls; calls of a patchpoint's target, whose address LLVM takes from the compiler itself.
; RUN: not %cairn opt -p rewrite-statepoints --disable-output %s 2>&1 | FileCheck %s
; RUN: not %cairn opt -p describe-points --disable-output %s 2>&1 | FileCheck %s --check-prefix=POINT
target triple = "aarch64-unknown-linux-gnu"
declare void @foo()
declare void @use(ptr)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare void @llvm.experimental.stackmap(i64, i32, ...)

; CHECK: in function 'scalable': {{.*}}a scalable vector in a function with safepoints: {{.*}} [scalable-vector]
define <vscale x 2 x i64> @scalable(<vscale x 2 x i64> %v, ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  %sum = add <vscale x 2 x i64> %v, %v
  ret <vscale x 2 x i64> %sum
}

; CHECK: in function 'local': {{.*}}a scalable vector in a function with safepoints: {{.*}} [scalable-vector]
define void @local(ptr addrspace(1) %p) gc "statepoint-example" {
  %local = alloca <vscale x 16 x i1>
  call void @use(ptr %local)
  ret void
}

; CHECK: in function 'streaming': the attribute "aarch64_pstate_sm_enabled" changes the processor's state for calls, which LLVM 22 leaves out at a safepoint [processor-state]
define void @streaming(ptr addrspace(1) %p) "aarch64_pstate_sm_enabled" gc "statepoint-example" {
  call void @foo()
  ret void
}

; A function without safepoints may have all of these.
; CHECK-NOT: 'leaf'
define <vscale x 2 x i64> @leaf(<vscale x 2 x i64> %v) gc "statepoint-example" {
  %sum = add <vscale x 2 x i64> %v, %v
  ret <vscale x 2 x i64> %sum
}

; CHECK: in function 'patched': {{.*}}the number of patch bytes is no multiple of an instruction's [patch-point]
define void @patched(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo() "statepoint-num-patch-bytes"="6"
  ret void
}

; POINT: in function 'points': {{.*}} it has a target, and on this machine LLVM 22 calls the address that the symbol has in the compiler: {{.*}} [patch-point]
; POINT: in function 'points': {{.*}} 13 bytes are reserved, and instructions have 4 [patch-point]
; POINT: in function 'points': {{.*}} 2 bytes are reserved, and instructions have 4 [patch-point]
; POINT-NOT: in function 'points'
define void @points() gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 16, ptr @foo, i32 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 2, i32 13, ptr null, i32 0)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 3, i32 2)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 4, i32 20, ptr null, i32 0)
  ret void
}
