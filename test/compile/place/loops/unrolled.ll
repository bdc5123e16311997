; RUN: %cairn opt --polls=entry,backedge -p place-safepoints -S %s -o %t.ll
; RUN: FileCheck --input-file=%t.ll %s
; RUN: opt -passes=verify -disable-output %t.ll
; A loop that nobody can count polls at its latch. Where that costs much beside a trip, it is
; unrolled and polls on every so many trips. A value that left the loop by one of the copies only
; would be a broken module, and a back edge from another copy than the last a way without a poll.

; A scan for a byte: eight copies, one poll, before the last. No copy waits for the counter of the
; one before.
; CHECK-LABEL: define i64 @scan
; CHECK: {{^}}loop:
; CHECK-NEXT: %i = phi i64 [ 0, %poll.done ], [ %i.next{{[0-9]+}}, %poll.done{{[0-9]+}} ]
; CHECK-NOT: load volatile
; CHECK: br i1 %c, label %done, label %loop{{[0-9]+}}{{$}}
; CHECK: %i.next{{[0-9]+}} = add i64 %i, 2
; CHECK-COUNT-6: br i1 %c{{[0-9]+}}, label %done, label %loop{{[0-9]+}}{{$}}
; CHECK: load volatile i32
; CHECK: br i1 %c{{[0-9]*}}, label %done, label %loop, !llvm.loop
; CHECK: {{^}}done:
; CHECK-NEXT: %i.lcssa = phi i64 [ %i, %loop ]
; CHECK-SAME: ]{{$}}
; CHECK-NEXT: ret i64 %i.lcssa
define i64 @scan(ptr addrspace(1) %a) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %v = load i8, ptr addrspace(1) %p
  %i.next = add i64 %i, 1
  %c = icmp eq i8 %v, 0
  br i1 %c, label %done, label %loop, !llvm.loop !0
done:
  ret i64 %i
}

; Two latches: what the second trip starts with is a phi of both.
; CHECK-LABEL: define i64 @two_latches
; CHECK: {{^}}loop1:
; CHECK-NEXT: %again = phi i64 [ %one, %a ], [ %two, %b ]
; CHECK: ret i64
define i64 @two_latches(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %one, %a ], [ %two, %b ]
  %q = getelementptr i8, ptr addrspace(1) %p, i64 %i
  %v = load i8, ptr addrspace(1) %q
  switch i8 %v, label %done [ i8 1, label %a
                              i8 2, label %b ]
a:
  %one = add i64 %i, 1
  br label %loop
b:
  %two = add i64 %i, 2
  br label %loop
done:
  ret i64 %i
}

; Behind two exits: no phi there is fed by the loop, and the value is used where both have met.
; CHECK-LABEL: define i64 @meets
; CHECK: {{^}}meet:
; CHECK-NEXT: %{{[^ ]*}} = phi i64 [ %i.lcssa{{[0-9]*}}, %second ], [ %i.lcssa{{[0-9]*}}, %first ]
; CHECK: ret i64
define i64 @meets(ptr addrspace(1) %p, ptr %out) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %q = getelementptr i8, ptr addrspace(1) %p, i64 %i
  %v = load i8, ptr addrspace(1) %q
  %c = icmp eq i8 %v, 0
  br i1 %c, label %first, label %latch
latch:
  %i.next = add i64 %i, 1
  %d = icmp eq i8 %v, 32
  br i1 %d, label %second, label %loop
first:
  store i64 1, ptr %out
  br label %meet
second:
  store i64 2, ptr %out
  br label %meet
meet:
  %r = mul i64 %i, 3
  ret i64 %r
}

; A walk along a list waits for memory anyway: a poll on each trip costs nothing.
; CHECK-LABEL: define void @walk
; CHECK-COUNT-2: load volatile i32
; CHECK: br i1 %c, label %done, label %loop
; CHECK-NOT: br i1 %c{{[0-9]}}
; CHECK: ret void
define void @walk(ptr addrspace(1) %list) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %list, %entry ], [ %next, %loop ]
  %next = load ptr addrspace(1), ptr addrspace(1) %p
  %c = icmp eq ptr addrspace(1) %next, null
  br i1 %c, label %done, label %loop
done:
  ret void
}

; Probes of a hash table: nothing counts, so copies would wait for each other, and each would have
; ways out of its own to mispredict.
; CHECK-LABEL: define i64 @probe
; CHECK: {{^}}loop:
; CHECK: load volatile i32
; CHECK: br i1 %c, label %done, label %loop
; CHECK-NOT: br i1 %c{{[0-9]}}
; CHECK: ret i64
define i64 @probe(ptr addrspace(1) %table, i64 %from, i64 %mask, i64 %key) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %from, %entry ], [ %i.next, %loop ]
  %on = add i64 %i, 1
  %i.next = and i64 %on, %mask
  %p = getelementptr i64, ptr addrspace(1) %table, i64 %i.next
  %v = load i64, ptr addrspace(1) %p
  %c = icmp eq i64 %v, %key
  br i1 %c, label %done, label %loop
done:
  ret i64 %i.next
}

; Nothing would make values of its locals again.
; CHECK-LABEL: define i64 @alone
; CHECK-NOT: br i1 %c{{[0-9]}}
; CHECK: ret i64 %i
define i64 @alone(ptr addrspace(1) %a) optnone noinline gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %v = load i8, ptr addrspace(1) %p
  %i.next = add i64 %i, 1
  %c = icmp eq i8 %v, 0
  br i1 %c, label %done, label %loop
done:
  ret i64 %i
}
!0 = distinct !{!0}

; What a scope says of one trip need not hold between two: a store of the first and a load of the
; second that are said to be apart could change places.
; CHECK-LABEL: define i64 @scoped
; CHECK-COUNT-2: call void @llvm.experimental.noalias.scope.decl
; CHECK-NOT: !alias.scope
; CHECK-NOT: !noalias
; CHECK: {{^}}}
define i64 @scoped(ptr %a, ptr %b) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  %p = getelementptr i8, ptr %a, i64 %i
  %v = load i8, ptr %p, !alias.scope !2
  %q = getelementptr i8, ptr %b, i64 %i
  store i8 %v, ptr %q, !noalias !2
  %i.next = add i64 %i, 1
  %c = icmp eq i8 %v, 0
  br i1 %c, label %done, label %loop
done:
  ret i64 %i
}
declare void @llvm.experimental.noalias.scope.decl(metadata)
!2 = !{!3}
!3 = distinct !{!3, !4}
!4 = distinct !{!4}

; A block that nothing reaches leads into the loop: it leads into no copy.
; CHECK-LABEL: define i64 @never_entered
; CHECK: %i = phi i64 [ 0, %poll.done ], [ 1, %never ], [
; CHECK: %w = phi i8 [ 1, %never ], [ %v, %loop ]
; CHECK-NOT: %never ]
; CHECK: ret i64
define i64 @never_entered(ptr addrspace(1) %p, i8 %what) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ 1, %never ], [ %i.next, %latch ]
  %q = getelementptr i8, ptr addrspace(1) %p, i64 %i
  %v = load i8, ptr addrspace(1) %q
  %c = icmp eq i8 %v, %what
  br i1 %c, label %done, label %latch
latch:
  %w = phi i8 [ 1, %never ], [ %v, %loop ]
  %i.next = add i64 %i, 1
  %d = icmp eq i8 %w, 7
  br i1 %d, label %done, label %loop
never:
  br i1 poison, label %loop, label %latch
done:
  ret i64 %i
}
