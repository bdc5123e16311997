; Constant immediates among deopt operands become integers, which LLVM does not list as roots: a constant has no place
; that the collector could update. Their class stays that of a reference. Wrong: an object without frame maps.
; RUN: %cairn opt -p prepare,rewrite-statepoints,verify-safepoints,lower-tags,verify-points --words=0:1 -S %s | FileCheck %s
; RUN: %cairn-cc -O2 -c %s -o %t.o
; RUN: %cairn frames %t.o | FileCheck %s --check-prefix=FRAMES

declare ptr addrspace(1) @cairn.tag.from(i64)
declare void @collects()

; CHECK-LABEL: define ptr addrspace(1) @pending
; CHECK: "deopt"(i64 1, i64 15, ptr addrspace(1) %p, {{.*}} "gc-live"(ptr addrspace(1) %p)
; FRAMES: deopt reference: constant 15
define ptr addrspace(1) @pending(ptr addrspace(1) %p) uwtable gc "statepoint-example" {
  %v = call ptr addrspace(1) @cairn.tag.from(i64 7)
  call void @collects() [ "deopt"(i64 1, ptr addrspace(1) %v, ptr addrspace(1) %p) ]
  ret ptr addrspace(1) %p
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"cairn.words", !"0:1"}
