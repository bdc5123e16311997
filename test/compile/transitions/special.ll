; RUN: %cairn opt -p transitions -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %t.ll | FileCheck --check-prefix=REWRITTEN %s
; Calls that become others when they are rewritten must do so before they are routed, or the run-time
; system's functions would be called without an anchor. An invoke of a variadic function stays one.
declare i32 @printf(ptr, ...)
declare i32 @personality(...)
declare i32 @llvm.experimental.deoptimize.i32(...)
declare void @llvm.experimental.guard(i1, ...)
declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1), ptr addrspace(1), i32, i32)

; CHECK-LABEL: define i32 @invoking
; CHECK: invoke i32 @cairn.vcall.printf(ptr %t, double 1.000000e+00)
; CHECK-NEXT: to label %on unwind label %off
; REWRITTEN-LABEL: define i32 @invoking
; REWRITTEN: invoke token {{.*}}@cairn.vcall.printf, i32 2, i32 0, ptr %t, double 1.000000e+00
define i32 @invoking(ptr %t, ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  %r = invoke i32 (ptr, ...) @printf(ptr %t, double 1.0) to label %on unwind label %off
on:
  ret i32 %r
off:
  %l = landingpad {ptr, i32} cleanup
  %v = load i32, ptr addrspace(1) %p
  ret i32 %v
}
; CHECK-LABEL: define i32 @guarded
; CHECK: call void @cairn.call.__llvm_memcpy_element_unordered_atomic_safepoint_4(ptr addrspace(1)
; CHECK: call void @cairn.call.__llvm_deoptimize(i32 5) [ "deopt"(i32 1) ]
; CHECK-NEXT: unreachable
; REWRITTEN-LABEL: define i32 @guarded
; REWRITTEN: statepoint{{.*}}@cairn.call.__llvm_memcpy_element_unordered_atomic_safepoint_4, i32 5
; REWRITTEN: statepoint{{.*}}@cairn.call.__llvm_deoptimize, i32 1, i32 0, i32 5, i32 0, i32 0) [ "deopt"(i32 1, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5)
define i32 @guarded(i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1) align 4 %p, ptr addrspace(1) align 4 %q, i32 64, i32 4)
  call void (i1, ...) @llvm.experimental.guard(i1 %c, i32 5) [ "deopt"(i32 1) ]
  %v = load i32, ptr addrspace(1) %p
  ret i32 %v
}
