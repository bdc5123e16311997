; statepoints-later, "Base & Derived Pointers": the pointless derived pointer. As the section says,
; %p and the relocated object are one address, and the derived pointer can leave the live set: here
; it is computed again from its base. Where it cannot be (switched off), base and derived pointer are
; both listed, and the derived one names its base. Wrong: a derived pointer relocated as an object of
; its own.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --without=recompute -p rewrite-statepoints,verify-safepoints -S %s | FileCheck --check-prefix=PAIR %s

declare void @foo()

; CHECK-LABEL: define ptr addrspace(1) @test1(
; CHECK: [ "gc-live"(ptr addrspace(1) %obj) ]
; CHECK-NOT: i32 0, i32 1)
; CHECK: ret
; PAIR-LABEL: define ptr addrspace(1) @test1(
; PAIR: [ "gc-live"(ptr addrspace(1) %obj, ptr addrspace(1) %gep) ]
; PAIR: %gep.relocated = call {{.*}}@llvm.experimental.gc.relocate.p1(token %{{.*}}, i32 0, i32 1)
; PAIR: getelementptr i8, ptr addrspace(1) %gep.relocated, i64 -20000
define ptr addrspace(1) @test1(ptr addrspace(1) %obj) gc "statepoint-example" {
  %gep = getelementptr i8, ptr addrspace(1) %obj, i64 20000
  call void @foo()
  %p = getelementptr i8, ptr addrspace(1) %gep, i64 -20000
  ret ptr addrspace(1) %p
}

; late-insertion-slides-2014, "Terminology: Derived Pointers": past the end of its object, maybe inside
; another: only the base says which object it belongs to.
; CHECK-LABEL: define void @exterior(
; CHECK: [ "gc-live"(ptr addrspace(1) %p) ]
; CHECK: %p.relocated = call
; PAIR-LABEL: define void @exterior(
; PAIR: [ "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %q) ]
define void @exterior() gc "statepoint-example" {
  %p = call ptr addrspace(1) @new()
  %q = getelementptr i32, ptr addrspace(1) %p, i64 1
  call void @foo()
  %p1 = getelementptr i32, ptr addrspace(1) %q, i64 -1
  store i32 5, ptr addrspace(1) %p1
  ret void
}
declare ptr addrspace(1) @new()
