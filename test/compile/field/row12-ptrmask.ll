; Field row 12: an intrinsic that returns a pointer is no base. LLVM 22 lists a masked pointer as an
; object of its own, and a collector that goes by the base moves from the wrong address; ours looks through.
; RUN: opt -passes=rewrite-statepoints-for-gc -S %s | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: opt -passes=rewrite-statepoints-for-gc %s | not %cairn verify - 2>&1 | FileCheck --check-prefix=LOST %s
; LLVM: "gc-live"(ptr addrspace(1) %masked)
; LOST: [wrong-base]
declare void @foo()
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)
; CHECK: "gc-live"(ptr addrspace(1) %p
define i8 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %tagged = getelementptr i8, ptr addrspace(1) %p, i64 3
  %masked = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %tagged, i64 -8)
  call void @foo()
  %v = load i8, ptr addrspace(1) %masked
  ret i8 %v
}
