; The analyses of loops, calls, costs and memory as text.
; RUN: %cairn opt -p verify --print=loops --disable-output %s | FileCheck %s --check-prefix=LOOPS
; RUN: %cairn opt -p verify --print=frequency --disable-output %s | FileCheck %s --check-prefix=FREQUENCY
; RUN: %cairn opt -p verify --print=callgraph --disable-output %s | FileCheck %s --check-prefix=CALLGRAPH
; RUN: %cairn opt -p verify --print=managed --disable-output %s | FileCheck %s --check-prefix=MANAGED
; RUN: %cairn opt -p verify --print=cost --disable-output %s | FileCheck %s --check-prefix=COST
; RUN: %cairn opt -p verify --print=paths --disable-output %s | FileCheck %s --check-prefix=PATHS
; RUN: %cairn opt -p place-safepoints --print=polls --disable-output %s | FileCheck %s --check-prefix=POLLS
; RUN: %cairn opt -p verify --print=allocas --disable-output %s | FileCheck %s --check-prefix=ALLOCAS
; RUN: %cairn opt -p verify --print=promises --disable-output %s | FileCheck %s --check-prefix=PROMISES
; RUN: %cairn opt -p verify --print=layouts --disable-output %s | FileCheck %s --check-prefix=LAYOUTS

; LOOPS: loops of @counted:
; LOOPS-NEXT: %inner: depth 2, in %outer, latch %inner, blocks 1, size {{[0-9]+}}, trips 10, work {{[0-9]+$}}
; LOOPS-NEXT: %outer: depth 1, latch %latch, blocks 3, size {{[0-9]+}}, trips unknown, work unknown
; LOOPS-NEXT: loops of @callee:
; FREQUENCY: frequency of @callee:
; FREQUENCY-NEXT: %entry: 1.000000
; FREQUENCY-NEXT: %then: 0.250000
; FREQUENCY-NEXT: %exit: 1.000000
; CALLGRAPH: callgraph:
; CALLGRAPH-NEXT: @counted: calls none that is certain, open
; CALLGRAPH-NEXT: @caller: calls @callee(back), unknown, open, comes back
; CALLGRAPH-NEXT: @callee: calls @caller{{$}}
; CALLGRAPH-NEXT: @memory: calls none that is certain, open
; MANAGED: managed:
; MANAGED-NEXT: @counted: managed, handles no reference
; MANAGED: @memory: managed{{$}}
; MANAGED-NEXT: @plain: unmanaged, handles no reference
; COST: cost of @caller:
; COST-NEXT: #0: call void @callee(i1 true), work {{[0-9]+}}, miss 0
; COST-NEXT: #0: call void @unseen(), work
; COST-NEXT: #0: ret void, work 1, miss 0
; PATHS: paths of @counted:
; PATHS-NEXT: all: passes, through unknown
; PATHS-NEXT: %entry: passes, through 1
; PATHS: without a safepoint: %outer %inner %latch
; PATHS-NEXT: paths of @callee:
; POLLS: polls of @counted:
; POLLS-NEXT: %latch: a poll at its end
; POLLS-NEXT: %poll.slow: surely polls in @cairn_poll_slow
; POLLS: polls of @caller:
; POLLS: maybe polls in @callee
; ALLOCAS: allocas of @memory:
; ALLOCAS-NEXT: %local: words 2, references 1, by type
; ALLOCAS-NEXT: %number: words 1, references{{$}}
; PROMISES: promises of @memory:
; PROMISES-NEXT: %moved: invariant.load, may move the access
; LAYOUTS: layouts: magic,
; LAYOUTS-NEXT: @layout: { {{.*}} } { i32 1, i32 1, i64 16, i64 0, i64 0, i32 0, i32 0, [1 x i32] [i32 8] }
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@layout = internal constant { i32, i32, i64, i64, i64, i32, i32, [1 x i32] } { i32 1, i32 1, i64 16, i64 0, i64 0, i32 0, i32 0, [1 x i32] [i32 8] }, section "cairn_layouts"

declare void @unseen()

define void @counted(ptr %p, i64 %n) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  store volatile i64 %j, ptr %p
  %j.next = add i64 %j, 1
  %again = icmp ult i64 %j.next, 10
  br i1 %again, label %inner, label %latch
latch:
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %outer, label %exit
exit:
  ret void
}

define internal void @callee(i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %then, label %exit, !prof !1
then:
  call void @caller()
  br label %exit
exit:
  ret void
}

define void @caller() gc "statepoint-example" {
  call void @callee(i1 true)
  call void @unseen()
  ret void
}

define ptr addrspace(1) @memory(ptr %from, ptr addrspace(1) %r) gc "statepoint-example" {
  %local = alloca { i64, ptr addrspace(1) }
  %field = getelementptr i8, ptr %local, i64 8
  store ptr addrspace(1) %r, ptr %field
  %number = alloca i64
  %moved = load ptr addrspace(1), ptr %from, !invariant.load !0
  ret ptr addrspace(1) %moved
}

define i64 @plain(i64 %x) {
  ret i64 %x
}
!0 = !{}
!1 = !{!"branch_weights", i32 1, i32 3}
