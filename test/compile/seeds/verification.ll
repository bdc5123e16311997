; late-insertion-slides-2014, "Safepoint Verification": a use after the safepoint is found; the slides'
; false positive ("safepoint(p); icmp ne p, null") is none, for null does not move
; (statepoints-later, "Safepoint Semantics & Verification": not observably after).
; RUN: %cairn opt -S -p verify %s -o /dev/null
; RUN: not %cairn verify %s 2>&1 | FileCheck %s
; CHECK: in function 'used': {{.*}}[stale-reference]
; CHECK-NOT: in function 'compared'
; CHECK-NOT: in function 'compared_both'
; CHECK-NOT: in function 'before'

declare void @foo()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)

define i64 @used(ptr addrspace(1) %p) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

define i1 @compared(ptr addrspace(1) %p) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %c = icmp ne ptr addrspace(1) %p, null
  ret i1 %c
}

; "Statepoints: optimizations": t = s if and only if R(t) = R(s).
define i1 @compared_both(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %q) ]
  %c = icmp eq ptr addrspace(1) %p, %q
  ret i1 %c
}

define i64 @before(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  ret i64 %v
}
