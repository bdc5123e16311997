; Field row 15: shapes that crashed LLVM's pass over the years: element-wise copies with constant
; operands, undefined references, dead blocks. Ours rewrites them all, and lists nothing undefined.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
declare void @foo()
declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i32)
; CHECK-LABEL: define void @constant_operand(
; CHECK: gc.statepoint{{.*}}__llvm_memcpy_element_unordered_atomic_safepoint_4
define void @constant_operand(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 4 %p, ptr addrspace(1) align 4 null, i64 16, i32 4)
  ret void
}
; CHECK-LABEL: define ptr addrspace(1) @undefined(
; CHECK-NOT: "gc-live"({{.*}}undef
; CHECK-NOT: "gc-live"({{.*}}poison
; CHECK: ret
define ptr addrspace(1) @undefined(i1 %c, ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br i1 %c, label %a, label %join
a:
  br label %join
join:
  %m = phi ptr addrspace(1) [ undef, %entry ], [ %p, %a ]
  call void @foo()
  ret ptr addrspace(1) %m
}
; CHECK-LABEL: define ptr addrspace(1) @dead_block(
; CHECK-NOT: dead:
; CHECK: ret
define ptr addrspace(1) @dead_block(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  ret ptr addrspace(1) %p
dead:
  %q = getelementptr i8, ptr addrspace(1) %q, i64 8
  call void @foo()
  br label %dead
}
