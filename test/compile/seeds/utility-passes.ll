; statepoints-later, "RewriteStatepointsForGC": the call with five deoptimisation operands; and
; "PlaceSafepoints": the directives at call sites, which set id and patch bytes and do not stay.
; Wrong: operands lost or reordered; the attributes still there, for the next pass to apply again.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s

declare void @foo()

; CHECK-LABEL: define ptr addrspace(1) @test1(
; CHECK: [[T:%.*]] = call token {{.*}}(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i32 0, i32 -1, i32 0, i32 0, i32 0, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 8192, i64 8192, i64 8192, i64 8192, i64 9), "gc-live"(ptr addrspace(1) %obj) ]
; CHECK: %obj.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T]], i32 0, i32 0)
; CHECK: ret ptr addrspace(1) %obj.relocated
define ptr addrspace(1) @test1(ptr addrspace(1) %obj) gc "statepoint-example" {
  call void @foo() [ "deopt"(i32 0, i32 -1, i32 0, i32 0, i32 0) ]
  ret ptr addrspace(1) %obj
}

; CHECK-LABEL: define void @directives(
; CHECK: (i64 17, i32 8, ptr elementtype(void ()) @foo
; CHECK-NOT: "statepoint-id"
; CHECK-NOT: "statepoint-num-patch-bytes"
define void @directives() gc "statepoint-example" {
  call void @foo() "statepoint-id"="17" "statepoint-num-patch-bytes"="8"
  ret void
}
