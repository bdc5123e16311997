; RUN: %cairn opt -p place-safepoints --polls=entry,backedge -S %s | FileCheck %s
; Every cycle polls: without a poll on one, a thread could run for ever without coming to a
; collection.

declare i1 @more()

; Two latches, one header: both poll.
; CHECK-LABEL: define void @two_latches
; CHECK: {{^}}a:
; CHECK-NEXT: {{%.*}} = call ptr @llvm.threadlocal.address
; CHECK: {{^}}b:
; CHECK-NEXT: {{%.*}} = call ptr @llvm.threadlocal.address
; CHECK: %y = call i1 @more()
; CHECK-NEXT: br i1 %y
; CHECK: {{^}}out:
define void @two_latches() gc "statepoint-example" {
entry:
  br label %head
head:
  %x = call i1 @more()
  br i1 %x, label %a, label %b
a:
  br label %head
b:
  %y = call i1 @more()
  br i1 %y, label %head, label %out
out:
  ret void
}

; A loop with two entries has no header that dominates it; the retreating edge polls all the same.
; CHECK-LABEL: define void @irreducible
; CHECK: {{^}}b:
; CHECK-NEXT: {{%.*}} = call ptr @llvm.threadlocal.address
; CHECK: %y = call i1 @more()
; CHECK-NEXT: br i1 %y, label %a, label %out
define void @irreducible(i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %y = call i1 @more()
  br i1 %y, label %a, label %out
out:
  ret void
}

; A latch that is no plain branch, too.
; CHECK-LABEL: define void @switch_latch
; CHECK: {{^}}head:
; CHECK-NEXT: {{%.*}} = call ptr @llvm.threadlocal.address
; CHECK: poll.done{{[0-9]+}}:
; CHECK-NEXT: %v = load volatile i64, ptr addrspace(1) %p
; CHECK-NEXT: %d = udiv i64 %v, 3
; CHECK-NEXT: switch i64 %d
define void @switch_latch(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %head
head:
  %v = load volatile i64, ptr addrspace(1) %p
  %d = udiv i64 %v, 3
  switch i64 %d, label %head [ i64 0, label %out
                               i64 1, label %head ]
out:
  ret void
}

; The latch polls at its start, after the phis: what it computes, its exit test and its branch stay
; in one piece.
; CHECK-LABEL: define void @whole
; CHECK: {{^}}head:
; CHECK-NEXT: %q = phi
; CHECK-NEXT: {{%.*}} = call ptr @llvm.threadlocal.address
; CHECK: poll.done{{[0-9]+}}:
; CHECK-NEXT: %next = load
; CHECK-NEXT: %c = icmp eq ptr addrspace(1) %next, %end
; CHECK-NEXT: store
; CHECK-NEXT: br i1 %c, label %out, label %head
define void @whole(ptr addrspace(1) %p, ptr addrspace(1) %end) gc "statepoint-example" {
entry:
  br label %head
head:
  %q = phi ptr addrspace(1) [ %p, %entry ], [ %next, %head ]
  %next = load ptr addrspace(1), ptr addrspace(1) %q
  %c = icmp eq ptr addrspace(1) %next, %end
  store i64 1, ptr addrspace(1) %q
  br i1 %c, label %out, label %head
out:
  ret void
}

; Before a landing pad nothing can stand.
; CHECK-LABEL: define void @landing
; CHECK: {{^}}pad:
; CHECK-NEXT: %l = landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
define void @landing() gc "statepoint-example" personality ptr @personality {
entry:
  br label %head
head:
  %x = invoke i1 @more() to label %out unwind label %pad
pad:
  %l = landingpad token cleanup
  br label %head
out:
  ret void
}
declare i32 @personality(...)

; An entry poll before a comparison with another use does not move it.
; CHECK-LABEL: define i1 @two_uses
; CHECK: %c = icmp eq
; CHECK: load volatile i32
; CHECK: poll.done:
; CHECK-NEXT: br i1 %c
define i1 @two_uses(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  %next = load i64, ptr addrspace(1) %p
  %c = icmp eq i64 %next, 0
  br i1 %c, label %out, label %other
other:
  ret i1 %c
out:
  ret i1 %c
}
