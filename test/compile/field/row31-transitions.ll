; Field row 31: the bundle "gc-transition" lowers to nothing on x86-64 and ends the code generators of
; AArch64, RISC-V, PowerPC and s390x. Ours needs none: a call that may leave managed code goes through a
; stub that leaves an anchor. A bundle that a front end brings is its own affair, and stays.
; RUN: opt -passes=rewrite-statepoints-for-gc %s | not --crash llc -mtriple=aarch64-linux-gnu -o /dev/null
; RUN: %cairn opt -p transitions,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"
declare void @native()
; CHECK-LABEL: define ptr addrspace(1) @ours(
; CHECK: gc.statepoint{{.*}} @cairn.call.native, {{.*}}i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
define ptr addrspace(1) @ours(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @native()
  ret ptr addrspace(1) %p
}
; CHECK-LABEL: define ptr addrspace(1) @theirs(
; CHECK: gc.statepoint{{.*}} @cairn.call.native, {{.*}}[ "gc-transition"(i32 7, ptr null), "gc-live"(ptr addrspace(1) %p) ]
define ptr addrspace(1) @theirs(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @native() [ "gc-transition"(i32 7, ptr null) ]
  ret ptr addrspace(1) %p
}
