; RUN: %cairn opt -p place-safepoints --polls=entry,backedge -S %s | FileCheck %s
; Without "call" every function polls where it is entered.
;
; The entry poll stands as late as the straight line from the entry allows: never after a side
; effect (a collection could be put off past an observable effect for ever), never before an
; alloca of the entry (it would become a dynamic one).

declare void @callee()

; CHECK-LABEL: define void @call_first
; CHECK: %poll = load volatile i32
; CHECK: br i1 %poll.asked, label %poll.slow, label %poll.done, !prof [[W:![0-9]+]]
; CHECK: poll.done:
; CHECK-NEXT: call void @callee()
; CHECK: poll.slow:
; CHECK-NEXT: call preserve_allcc void @cairn_poll_slow()
; CHECK-NEXT: br label %poll.done
define void @call_first() gc "statepoint-example" {
  call void @callee()
  ret void
}

; Pure work and plain loads go before the poll, along unconditional branches too; the comparison
; stays with its branch.
; CHECK-LABEL: define i64 @late
; CHECK: %v = load i64
; CHECK: next:
; CHECK-NEXT: %w = add i64 %v, 1
; CHECK: load volatile i32
; CHECK: poll.done:
; CHECK-NEXT: %c = icmp eq i64 %w, 7
; CHECK-NEXT: br i1 %c
define i64 @late(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  %v = load i64, ptr addrspace(1) %p
  br label %next
next:
  %w = add i64 %v, 1
  %c = icmp eq i64 %w, 7
  br i1 %c, label %a, label %b
a:
  ret i64 1
b:
  ret i64 %v
}

; CHECK-LABEL: define void @alloca_kept
; CHECK: store i64 0, ptr %x
; CHECK: %y = alloca i64
; CHECK: load volatile i32
; CHECK: store i64 1, ptr %y
define void @alloca_kept() gc "statepoint-example" {
  %x = alloca i64
  store i64 0, ptr %x
  %y = alloca i64
  store i64 1, ptr %y
  ret void
}

; A volatile load may be half of a copy that must not be torn apart by a collection.
; CHECK-LABEL: define void @pair_kept
; CHECK: poll.done:
; CHECK-NEXT: %v = load volatile i64, ptr addrspace(1) %p
; CHECK-NEXT: store volatile i64 %v
define void @pair_kept(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %v = load volatile i64, ptr addrspace(1) %p
  store volatile i64 %v, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define void @unmanaged
; CHECK-NOT: poll
; CHECK: ret void
define void @unmanaged() {
  ret void
}

; CHECK-LABEL: define void @nopoll
; CHECK-NOT: poll
; CHECK: ret void
define void @nopoll() "cairn-nopoll" gc "statepoint-example" {
  ret void
}

; Callers keep no record of calls to leaves, so a poll in one could not be walked through.
; CHECK-LABEL: define void @leaf
; CHECK-NOT: poll
; CHECK: ret void
define void @leaf() "gc-leaf-function" gc "statepoint-example" {
  ret void
}

; Has been through the passes before: a second poll would be a call without a statepoint.
; CHECK-LABEL: define void @done_before
; CHECK-NOT: poll
; CHECK: ret void
define void @done_before() gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @callee, i32 0, i32 0, i32 0, i32 0)
  ret void
}
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)

; CHECK: declare preserve_allcc void @cairn_poll_slow()
; CHECK: [[W]] = !{!"branch_weights", i32 1, i32 1048576}
