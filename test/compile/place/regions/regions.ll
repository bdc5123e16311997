; Regions without safepoints, and functions with "cairn-nopoll": no poll goes in, whatever is asked for;
; loops with a region in them poll outside it; the verifier finds nothing to say, and the markers are
; gone in the end. Wrong: a collection between a store and the mark that belongs to it.
; RUN: %cairn opt --polls=entry,backedge -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --polls=entry,backedge,return,tail-call -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o /dev/null
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints,drop-markers -S %s \
; RUN:   | FileCheck --check-prefix=GONE %s
; GONE-NOT: cairn.nopoll

declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
declare i1 @more() "gc-leaf-function"
declare void @foo()

; The latch lies in a region up to its middle: the poll comes after that.
; CHECK-LABEL: define void @latch_half_inside
; CHECK: poll.done:
; CHECK: head:
; CHECK-NEXT: call void @cairn.nopoll.begin()
; CHECK-NEXT: store
; CHECK-NEXT: br label %latch
; CHECK: latch:
; CHECK-NEXT: store
; CHECK-NEXT: call void @cairn.nopoll.end()
; CHECK-NEXT: {{.*}}@llvm.threadlocal.address
define void @latch_half_inside(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %head
head:
  call void @cairn.nopoll.begin()
  store i32 1, ptr addrspace(1) %p
  br label %latch
latch:
  store i32 2, ptr addrspace(1) %p
  call void @cairn.nopoll.end()
  %x = call i1 @more()
  br i1 %x, label %head, label %out
out:
  ret void
}

; The whole latch lies in one: what dominates it polls.
; CHECK-LABEL: define void @latch_inside
; CHECK: head:
; CHECK-NEXT: call void @cairn.nopoll.end()
; CHECK-NEXT: {{.*}}@llvm.threadlocal.address
; CHECK: %x = call i1 @more()
; CHECK: latch:
; CHECK-NEXT: store
; CHECK-NEXT: br label %head
define void @latch_inside(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  call void @cairn.nopoll.begin()
  br label %head
head:
  call void @cairn.nopoll.end()
  %x = call i1 @more()
  call void @cairn.nopoll.begin()
  br i1 %x, label %latch, label %out
latch:
  store i32 2, ptr addrspace(1) %p
  br label %head
out:
  call void @cairn.nopoll.end()
  ret void
}

; Only one way round leaves the region: that one polls, after the region.
; CHECK-LABEL: define void @leaves_within
; CHECK: head:
; CHECK-NEXT: %x = call i1 @more()
; CHECK: b:
; CHECK-NEXT: call void @cairn.nopoll.end()
; CHECK-NEXT: {{.*}}@llvm.threadlocal.address
; CHECK: call void @cairn.nopoll.begin()
; CHECK-NEXT: br label %latch
; CHECK: latch:
; CHECK-NEXT: br label %head
define void @leaves_within(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  call void @cairn.nopoll.begin()
  br label %head
head:
  %x = call i1 @more()
  br i1 %x, label %a, label %out
a:
  %y = call i1 @more()
  br i1 %y, label %b, label %latch
b:
  call void @cairn.nopoll.end()
  store volatile i32 7, ptr addrspace(1) %p
  call void @cairn.nopoll.begin()
  br label %latch
latch:
  br label %head
out:
  call void @cairn.nopoll.end()
  ret void
}

; A loop within a region goes without, and makes up for it after the region; regions nest.
; CHECK-LABEL: define void @loop_inside
; CHECK: load volatile i32
; CHECK: poll.done:
; CHECK-NEXT: call void @cairn.nopoll.begin()
; CHECK: head:
; CHECK-NEXT: call void @cairn.nopoll.begin()
; CHECK-NEXT: store
; CHECK-NEXT: call void @cairn.nopoll.end()
; CHECK-NEXT: %x = call i1 @more()
; CHECK: out:
; CHECK-NEXT: call void @cairn.nopoll.end()
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
; CHECK-NEXT: call void @foo()
define void @loop_inside(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  call void @cairn.nopoll.begin()
  br label %head
head:
  call void @cairn.nopoll.begin()
  store i32 1, ptr addrspace(1) %p
  call void @cairn.nopoll.end()
  %x = call i1 @more()
  br i1 %x, label %head, label %out
out:
  call void @cairn.nopoll.end()
  call void @foo()
  ret void
}

; A counted loop within one is not cut into chunks that poll.
; CHECK-LABEL: define void @counted_inside
; CHECK: call void @cairn.nopoll.begin()
; CHECK-NOT: {{chunk|load}}
; CHECK: call void @cairn.nopoll.end()
; CHECK: ret void
define void @counted_inside(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
entry:
  call void @cairn.nopoll.begin()
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %head ]
  %q = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %i, ptr addrspace(1) %q
  %next = add nuw i64 %i, 1
  %x = icmp ult i64 %next, %n
  br i1 %x, label %head, label %out
out:
  call void @cairn.nopoll.end()
  ret void
}

; A path that ends the program may be shared by both.
; CHECK-LABEL: define void @dead_end
define void @dead_end(i1 %c, i1 %d) gc "statepoint-example" {
  br i1 %c, label %stop, label %on
on:
  call void @cairn.nopoll.begin()
  br i1 %d, label %stop, label %out
out:
  call void @cairn.nopoll.end()
  ret void
stop:
  unreachable
}

; CHECK-LABEL: define void @whole
; CHECK-NOT: poll
; CHECK: ret void
define void @whole(ptr addrspace(1) %p) "cairn-nopoll" gc "statepoint-example" {
  br label %head
head:
  store volatile i32 1, ptr addrspace(1) %p
  %x = call i1 @more()
  br i1 %x, label %head, label %out
out:
  ret void
}
