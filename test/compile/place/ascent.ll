; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints --polls=entry,backedge -S %s | FileCheck --check-prefix=ALL %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o /dev/null
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints -S %s -o %t.ll
; RUN: %cairn verify --time-to-safepoint --poll-budget=20 %t.ll | FileCheck --check-prefix=TIME %s
; Behind a call that closes a cycle of calls a function polls before it returns. Else a recursion a
; million deep would return for milliseconds without a safepoint.

; CHECK-LABEL: define i64 @length
; CHECK: call i64 @length
; CHECK-NEXT: llvm.threadlocal.address
; CHECK-NEXT: load volatile
; CHECK: ret i64
; ALL-LABEL: define i64 @length
; ALL: call i64 @length
; ALL-NOT: load volatile
; ALL: ret i64
; TIME: {{^}}@length: enter {{[^,]*}}, between {{[^,]*}}, leave {{[^,]*$}}
define i64 @length(ptr addrspace(1) %list) gc "statepoint-example" {
  %none = icmp eq ptr addrspace(1) %list, null
  br i1 %none, label %out, label %more
more:
  %next = load ptr addrspace(1), ptr addrspace(1) %list
  %n = call i64 @length(ptr addrspace(1) %next)
  %m = add i64 %n, 1
  ret i64 %m
out:
  ret i64 0
}

; Behind the last call on the way: the first one leads to it, or to a return.
; CHECK-LABEL: define void @several
; CHECK: call void @several(i64 1)
; CHECK-NOT: load volatile
; CHECK: call void @several(i64 2)
; CHECK: load volatile
; CHECK: {{^}}last:
; CHECK-NOT: load volatile
; CHECK: call void @several(i64 3)
; CHECK: load volatile
; CHECK: ret void
define void @several(i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  call void @several(i64 1)
  call void @several(i64 2)
  %d = icmp eq i64 %n, 7
  br i1 %d, label %last, label %out
last:
  call void @several(i64 3)
  br label %out
out:
  ret void
}

; What surely polls on the way to the return will do.
; CHECK-LABEL: define void @polls_later
; CHECK: call void @polls_later
; CHECK-NEXT: call void @polls
; CHECK-NEXT: ret void
declare void @polls() "cairn-polls" "cairn-work"="10"
define void @polls_later(i1 %c) gc "statepoint-example" {
  br i1 %c, label %out, label %more
more:
  call void @polls_later(i1 true)
  call void @polls()
  ret void
out:
  ret void
}

; A call that becomes a jump stays one. What comes before it comes back: the poll stands there.
; CHECK-LABEL: define void @jumps
; CHECK: call void @jumps(i64 %n, i64 1)
; CHECK-NEXT: llvm.threadlocal.address
; CHECK-NEXT: load volatile
; CHECK: tail call void @jumps(i64 %n, i64 2)
; CHECK-NEXT: ret void
; CHECK: musttail call void @jumps(i64 %n, i64 3)
; CHECK-NEXT: ret void
define void @jumps(i64 %n, i64 %m) gc "statepoint-example" {
  switch i64 %n, label %out [ i64 1, label %a
                              i64 2, label %b ]
a:
  call void @jumps(i64 %n, i64 1)
  tail call void @jumps(i64 %n, i64 2)
  ret void
b:
  musttail call void @jumps(i64 %n, i64 3)
  ret void
out:
  ret void
}

; Of functions that call each other one has it, and only where it closes the cycle.
; CHECK-LABEL: define i64 @ping
; CHECK-NOT: load volatile
; CHECK: ret i64 0
; CHECK-LABEL: define i64 @pong
; CHECK: load volatile
; CHECK: call i64 @ping
; CHECK-NEXT: llvm.threadlocal.address
; CHECK-NEXT: load volatile
; CHECK: ret i64 0
; TIME: {{^}}@ping: {{.*}}leave{{[^,]*}}, through {{[^,]*$}}
; TIME: {{^}}@pong: {{.*}}leave{{[^,]*$}}
define i64 @ping(i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  %m = sub i64 %n, 1
  %r = call i64 @pong(i64 %m)
  %s = xor i64 %r, 1
  ret i64 %s
out:
  ret i64 0
}
define i64 @pong(i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %out, label %more
more:
  %m = sub i64 %n, 1
  %r = call i64 @ping(i64 %m)
  %s = mul i64 %r, 3
  ret i64 %s
out:
  ret i64 0
}

; Through a pointer, too; not after a named function of another unit.
; CHECK-LABEL: define void @by_pointer
; CHECK: call void %f(
; CHECK-NEXT: llvm.threadlocal.address
; CHECK-NEXT: load volatile
; CHECK: ret void
define void @by_pointer(ptr %f, i1 %c) gc "statepoint-example" {
  call void %f(ptr %f, i1 %c)
  ret void
}
; CHECK-LABEL: define void @by_name
; CHECK: call void @elsewhere
; CHECK-NEXT: ret void
declare void @elsewhere()
define void @by_name() gc "statepoint-example" {
  call void @elsewhere()
  ret void
}

; The result of an invoke is a reference that lives over the poll. An exception is no return.
; CHECK-LABEL: define ptr addrspace(1) @caught
; CHECK: {{^}}normal:
; CHECK-NEXT: llvm.threadlocal.address
; CHECK-NEXT: load volatile
; CHECK: {{^}}pad:
; CHECK-NOT: load volatile
; CHECK: ret ptr addrspace(1) null
declare i32 @__gxx_personality_v0(...)
define ptr addrspace(1) @caught(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  br i1 %c, label %more, label %out
more:
  %r = invoke ptr addrspace(1) @caught(ptr addrspace(1) %p, i1 false) to label %normal unwind label %pad
normal:
  ret ptr addrspace(1) %r
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  ret ptr addrspace(1) null
out:
  ret ptr addrspace(1) %p
}

; Left out: a call of itself on each pass of a loop. Not left out: on some passes, if the way out of
; the loop does not poll.
; CHECK-LABEL: define void @each
; CHECK: call void @each
; CHECK-NOT: load volatile
; CHECK: ret void
; TIME: {{^}}@each: {{.*}}, recursive{{$}}
define void @each(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %at = phi ptr addrspace(1) [ %p, %entry ], [ %next, %loop ]
  %left = load ptr addrspace(1), ptr addrspace(1) %at
  call void @each(ptr addrspace(1) %left)
  %slot = getelementptr i8, ptr addrspace(1) %at, i64 8
  %next = load ptr addrspace(1), ptr addrspace(1) %slot
  %end = icmp eq ptr addrspace(1) %next, null
  br i1 %end, label %out, label %loop
out:
  ret void
}
; CHECK-LABEL: define void @some
; CHECK: call void @some
; CHECK-NEXT: llvm.threadlocal.address
; CHECK-NEXT: load volatile
; CHECK: ret void
define void @some(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %at = phi ptr addrspace(1) [ %p, %entry ], [ %next, %latch ]
  %left = load ptr addrspace(1), ptr addrspace(1) %at
  %none = icmp eq ptr addrspace(1) %left, null
  br i1 %none, label %latch, label %deeper
deeper:
  call void @some(ptr addrspace(1) %left)
  %stop = load i1, ptr addrspace(1) %p
  br i1 %stop, label %out, label %latch
latch:
  %slot = getelementptr i8, ptr addrspace(1) %at, i64 8
  %next = load ptr addrspace(1), ptr addrspace(1) %slot
  %end = icmp eq ptr addrspace(1) %next, null
  br i1 %end, label %out, label %loop
out:
  ret void
}

; Of a call on each pass of a loop, where the loop ends: once, and not on each pass. The early return, which leads
; there, too, gets a return of its own.
; CHECK-LABEL: define void @looping_each
; CHECK: load volatile
; CHECK: call void %f(
; CHECK-NOT: load volatile
; CHECK: br i1 %more
; CHECK: {{^}}out:
; CHECK: load volatile
; CHECK: ret void
; CHECK: {{^}}early:
; CHECK-NEXT: ret void
; TIME: {{^}}@looping_each: {{.*}}leave{{[^,]*}}, through {{[^,]*$}}
define void @looping_each(ptr %f, i64 %n) gc "statepoint-example" {
  %none = icmp eq i64 %n, 0
  br i1 %none, label %out, label %loop
loop:
  %i = phi i64 [ %n, %0 ], [ %next, %loop ]
  call void %f(ptr %f, i64 %i)
  %next = sub i64 %i, 1
  %more = icmp ne i64 %next, 0
  br i1 %more, label %loop, label %out
out:
  ret void
}

; Where the loop leads to two places, right after the call.
; CHECK-LABEL: define i64 @looping_two_ways
; CHECK: call i64 %f(
; CHECK-NEXT: llvm.threadlocal.address
; CHECK-NEXT: load volatile
define i64 @looping_two_ways(ptr %f, i64 %n) gc "statepoint-example" {
  br label %loop
loop:
  %i = phi i64 [ %n, %0 ], [ %next, %latch ]
  %r = call i64 %f(ptr %f, i64 %i)
  %found = icmp eq i64 %r, 0
  br i1 %found, label %here, label %latch
latch:
  %next = sub i64 %i, 1
  %more = icmp ne i64 %next, 0
  br i1 %more, label %loop, label %out
here:
  ret i64 %i
out:
  ret i64 0
}

; Where an integer that holds an address would live over it, right after the call.
; CHECK-LABEL: define i64 @looping_address
; CHECK: call void %f(
; CHECK-NEXT: llvm.threadlocal.address
; CHECK-NEXT: load volatile
define i64 @looping_address(ptr %f, ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  br label %loop
loop:
  %i = phi i64 [ %n, %0 ], [ %next, %loop ]
  call void %f(ptr %f, i64 %i)
  %end = getelementptr i8, ptr addrspace(1) %p, i64 %i
  %a = ptrtoint ptr addrspace(1) %end to i64
  %next = sub i64 %i, 1
  %more = icmp ne i64 %next, 0
  br i1 %more, label %loop, label %out
out:
  %b = ptrtoint ptr addrspace(1) %p to i64
  %d = sub i64 %a, %b
  ret i64 %d
}
