; RUN: %cairn opt -p place-safepoints -S %s -o %t.ll
; RUN: FileCheck --input-file=%t.ll %s
; RUN: %cairn opt --check-polls -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o /dev/null
; RUN: %cairn opt --polls=entry,backedge -p place-safepoints -S %s | FileCheck --check-prefix=ALONE %s
; A loop round another that polls on each of its trips has polled by then. Two polls on each trip are one too many;
; none would be a loop that never comes to a safepoint.

; The inner loop polls before it is left: the outer one need not.
; CHECK-LABEL: define void @each
; CHECK: {{^}}inner:
; CHECK: load volatile
; CHECK: {{^}}latch:
; CHECK-NOT: load volatile
; CHECK: ret void
; Told to poll for itself, it does.
; ALONE-LABEL: define void @each
; ALONE: {{^}}inner:
; ALONE: load volatile
; ALONE: {{^}}latch:
; ALONE: load volatile
; ALONE: ret void
define void @each(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %a = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  br label %inner
inner:
  %b = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  %c = icmp ult i64 %b, %a
  br i1 %c, label %inner, label %latch
latch:
  %d = icmp eq i64 %b, 0
  br i1 %d, label %out, label %outer
out:
  ret void
}

; A trip may pass the inner loop by, or leave it before it polls: the outer one polls, too.
; CHECK-LABEL: define void @some
; CHECK: {{^}}inner:
; CHECK: load volatile
; CHECK: {{^}}latch:
; CHECK: load volatile
; CHECK: ret void
define void @some(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %a = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  %e = icmp eq i64 %a, 7
  br i1 %e, label %latch, label %inner
inner:
  %b = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  %c = icmp ult i64 %b, %a
  br i1 %c, label %inner, label %latch
latch:
  %d = icmp eq i64 %a, 0
  br i1 %d, label %out, label %outer
out:
  ret void
}

; CHECK-LABEL: define void @leaves
; CHECK: {{^}}again:
; CHECK: load volatile
; CHECK: {{^}}latch:
; CHECK: load volatile
; CHECK: ret void
define void @leaves(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %a = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  br label %inner
inner:
  %b = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  %c = icmp ult i64 %b, %a
  br i1 %c, label %again, label %latch
again:
  %e = load atomic i64, ptr addrspace(1) %p monotonic, align 8
  %f = icmp ult i64 %e, %a
  br i1 %f, label %inner, label %latch
latch:
  %d = icmp eq i64 %a, 0
  br i1 %d, label %out, label %outer
out:
  ret void
}
