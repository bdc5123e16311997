; An allocation in line is a poll: who wants the thread at a safepoint sets the limit to 0, and the limit is read at each
; test. What could go wrong: a poll stands beside one; or none, where an allocation is not reached on each way, where the
; test's limit was read before the loop, or where polls look at the stack, as allocations do not.
; RUN: %cairn opt -p layouts,allocate,place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints --poll-budget=20 --check-polls -S %s -o %t.ll
; RUN: %cairn verify --time-to-safepoint --poll-budget=20 %t.ll | FileCheck %s --check-prefix=TIME
; RUN: %cairn opt -p layouts,allocate,place-safepoints --poll=stack -S %s | FileCheck %s --check-prefix=STACK
; RUN: %cairn opt -p layouts,allocate,place-safepoints --polls=entry,backedge -S %s | FileCheck %s --check-prefix=ALL
; RUN: sed 's/^; POLL: //' %s | %cairn opt -p layouts,allocate,place-safepoints -S - | FileCheck %s --check-prefix=OWN
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
@node = internal constant { ptr addrspace(1), ptr addrspace(1) } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
; POLL: declare void @user_slow()
; POLL: define void @gc.safepoint_poll() {
; POLL:   call void @user_slow()
; POLL:   ret void
; POLL: }

; A tree: no poll where it is entered, and none on the way back.
; CHECK-LABEL: define ptr addrspace(1) @tree(
; CHECK-NOT: @cairn_poll_slow
; CHECK: ret ptr addrspace(1)
; STACK-LABEL: define ptr addrspace(1) @tree(
; STACK: @cairn_poll_slow
; STACK-LABEL: define ptr addrspace(1) @list(
; ALL-LABEL: define ptr addrspace(1) @tree(
; ALL: @cairn_poll_slow
; ALL-LABEL: define ptr addrspace(1) @list(
; OWN-LABEL: define ptr addrspace(1) @tree(
; OWN: @user_slow
; OWN-LABEL: define ptr addrspace(1) @list(
; TIME: {{^}}@tree: enter 0.01 us
define ptr addrspace(1) @tree(i32 %depth) gc "statepoint-example" {
  %n = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  %more = icmp sgt i32 %depth, 0
  br i1 %more, label %inner, label %out
inner:
  %less = sub i32 %depth, 1
  %l = call ptr addrspace(1) @tree(i32 %less)
  store ptr addrspace(1) %l, ptr addrspace(1) %n
  %r = call ptr addrspace(1) @tree(i32 %less)
  %right = getelementptr i8, ptr addrspace(1) %n, i64 8
  store ptr addrspace(1) %r, ptr addrspace(1) %right
  br label %out
out:
  ret ptr addrspace(1) %n
}

; A list, by a loop that allocates on each pass.
; CHECK-LABEL: define ptr addrspace(1) @list(
; CHECK-NOT: @cairn_poll_slow
; CHECK: ret ptr addrspace(1)
; TIME: {{^}}@list: enter 0.0{{[0-9]}} us
define ptr addrspace(1) @list(i64 %count) gc "statepoint-example" {
  br label %again
again:
  %i = phi i64 [ 0, %0 ], [ %next, %again ]
  %l = phi ptr addrspace(1) [ null, %0 ], [ %n, %again ]
  %n = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  store ptr addrspace(1) %l, ptr addrspace(1) %n
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %again, label %out
out:
  ret ptr addrspace(1) %n
}

; By a recursion that returns one level after the other: it polls on the way back.
; CHECK-LABEL: define ptr addrspace(1) @deep(
; CHECK-NOT: @cairn_poll_slow
; CHECK: call ptr addrspace(1) @deep
; CHECK: poll.asked
; CHECK: ret ptr addrspace(1)
define ptr addrspace(1) @deep(i64 %count) gc "statepoint-example" {
  %n = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  %more = icmp sgt i64 %count, 0
  br i1 %more, label %inner, label %out
inner:
  %less = sub i64 %count, 1
  %l = call ptr addrspace(1) @deep(i64 %less)
  store ptr addrspace(1) %l, ptr addrspace(1) %n
  br label %out
out:
  ret ptr addrspace(1) %n
}

; Some passes do not allocate.
; CHECK-LABEL: define ptr addrspace(1) @sometimes(
; CHECK: poll.asked
; CHECK: ret ptr addrspace(1)
define ptr addrspace(1) @sometimes(ptr %flags) gc "statepoint-example" {
  br label %again
again:
  %at = phi ptr [ %flags, %0 ], [ %next, %latch ]
  %l = phi ptr addrspace(1) [ null, %0 ], [ %m, %latch ]
  %flag = load i8, ptr %at
  switch i8 %flag, label %latch [ i8 1, label %one
                                  i8 2, label %out ]
one:
  %n = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  store ptr addrspace(1) %l, ptr addrspace(1) %n
  br label %latch
latch:
  %m = phi ptr addrspace(1) [ %n, %one ], [ %l, %again ]
  %next = getelementptr i8, ptr %at, i64 1
  br label %again
out:
  ret ptr addrspace(1) %l
}

; The limit was read before the loop, by somebody else's code: no poll.
; CHECK-LABEL: define void @old_limit(
; CHECK: poll.asked
; CHECK: ret void
@cairn_mutator = external thread_local global [384 x i8]
declare ptr addrspace(1) @cairn_alloc_slow(ptr)
define void @old_limit(i64 %count) gc "statepoint-example" {
  %mutator = call ptr @llvm.threadlocal.address.p0(ptr @cairn_mutator)
  %field = getelementptr i8, ptr %mutator, i64 16
  %limit = load volatile i64, ptr %field
  br label %again
again:
  %i = phi i64 [ 0, %0 ], [ %next, %latch ]
  %full = icmp ugt i64 %i, %limit
  br i1 %full, label %slow, label %latch
slow:
  %n = call ptr addrspace(1) @cairn_alloc_slow(ptr null)
  br label %latch
latch:
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, 0
  br i1 %more, label %again, label %out
out:
  ret void
}
