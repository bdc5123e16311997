; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; Each cycle of calls has a poll on it, and so has each that something unknown may close: a callback, a
; function of another unit. A cycle without one would run for as long as the stack lasts.

; Of mutual recursion, one function polls, whichever is called first.
; CHECK-LABEL: define i64 @even
; CHECK-NOT: load volatile
; CHECK: ret i64
define i64 @even(i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  %m = sub i64 %n, 1
  %r = call i64 @odd(i64 %m)
  %s = xor i64 %r, 1
  ret i64 %s
out:
  ret i64 1
}
; CHECK-LABEL: define i64 @odd
; CHECK: load volatile
; CHECK: {{^}}more:
; CHECK: call i64 @even
; CHECK: {{^}}out:
define i64 @odd(i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  %m = sub i64 %n, 1
  %r = call i64 @even(i64 %m)
  %s = xor i64 %r, 1
  ret i64 %s
out:
  ret i64 0
}

; What a pointer leads to may call it again.
; CHECK-LABEL: define void @calls_back
; CHECK: load volatile
; CHECK: call void %f
define void @calls_back(ptr %f, i1 %c) gc "statepoint-example" {
  br i1 %c, label %more, label %out
more:
  call void %f(ptr %f, i1 %c)
  br label %out
out:
  ret void
}

; Cannot be reached from outside: it does not call itself. But what it calls may do as much as a call
; that nothing is known of.
; CHECK-LABEL: define internal void @inside
; CHECK: load volatile
; CHECK: call void @elsewhere
define internal void @inside() gc "statepoint-example" {
  call void @elsewhere()
  ret void
}
declare void @elsewhere()

; Its address is given away, so it may be called by what is unknown.
; CHECK-LABEL: define internal void @given
; CHECK: load volatile
; CHECK: call void @takes_quickly
define internal void @given() gc "statepoint-example" {
  call void @takes_quickly(ptr @given)
  ret void
}
declare void @takes_quickly(ptr) "cairn-work"="5"
; A call that surely polls closes no cycle that is without a poll, and little is done besides.
; CHECK-LABEL: define void @surely
; CHECK-NOT: load volatile
; CHECK: ret void
define void @surely() gc "statepoint-example" {
  call void @takes_back(ptr @given)
  ret void
}
declare void @takes_back(ptr) "cairn-polls" "cairn-work"="5"
define void @starts() gc "statepoint-example" {
  call void @inside()
  ret void
}

; "norecurse" is believed: nothing comes back to it.
; CHECK-LABEL: define void @never_again
; CHECK-NOT: load volatile
; CHECK: ret void
define void @never_again() norecurse gc "statepoint-example" {
  call void @quick()
  ret void
}
declare void @quick() "cairn-work"="10"

; A runtime's allocation is a safepoint, and does not call back.
; CHECK-LABEL: define ptr addrspace(1) @makes
; CHECK-NOT: load volatile
; CHECK: ret ptr
define ptr addrspace(1) @makes(ptr %layout, i1 %full) gc "statepoint-example" {
  br i1 %full, label %slow, label %fast
slow:
  %p = call ptr addrspace(1) @cairn_alloc_slow(ptr %layout)
  ret ptr addrspace(1) %p
fast:
  ret ptr addrspace(1) null
}
declare ptr addrspace(1) @cairn_alloc_slow(ptr)
