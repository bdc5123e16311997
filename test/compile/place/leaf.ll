; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints --polls=entry,backedge -S %s | FileCheck --check-prefix=OFF %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints --shared -S %s \
; RUN:   | FileCheck --check-prefix=SHARED %s
; A function that does little and calls nothing but leaves never reaches a safepoint: it needs no
; poll, says so to other units, and calls of it stay plain, with nothing to relocate. One that is
; taken for a leaf and is none would lose roots.

; OFF-NOT: #{{[0-9]+}} = { {{.*}}gc-leaf-function
; CHECK-LABEL: define i64 @small
; CHECK-SAME: [[LEAF:#[0-9]+]] gc
; CHECK-NOT: load volatile
; CHECK: ret i64
define i64 @small(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

; Of leaves alone, in a loop of few trips.
; CHECK-LABEL: define i64 @few
; CHECK-SAME: [[FEW:#[0-9]+]] gc
; CHECK: = call i64 @small(
; SHARED-LABEL: define i64 @few
; SHARED: statepoint{{.*}}@small
define i64 @few(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %s.next, %loop ]
  %v = call i64 @small(ptr addrspace(1) %p)
  %s.next = add i64 %s, %v
  %i.next = add i64 %i, 1
  %c = icmp eq i64 %i.next, 8
  br i1 %c, label %out, label %loop
out:
  ret i64 %s.next
}

; Too many trips: it polls.
; CHECK-LABEL: define i64 @many
; CHECK-NOT: [[FEW]]
; CHECK: load volatile
define i64 @many(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %v = call i64 @few(ptr addrspace(1) %p)
  %i.next = add i64 %i, 1
  %c = icmp eq i64 %i.next, 1000
  br i1 %c, label %out, label %loop
out:
  ret i64 %v
}

; Nothing to relocate over the call of a leaf, by an invoke either.
; CHECK-LABEL: define ptr addrspace(1) @over
; CHECK-NOT: gc.statepoint
; CHECK: invoke i64 @small
; CHECK-NOT: gc.statepoint
; CHECK: ret ptr addrspace(1) %p
define ptr addrspace(1) @over(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  %v = call i64 @small(ptr addrspace(1) %p)
  %w = invoke i64 @small(ptr addrspace(1) %p) to label %out unwind label %pad
out:
  ret ptr addrspace(1) %p
pad:
  %l = landingpad token cleanup
  ret ptr addrspace(1) %p
}
declare i32 @personality(...)

; Another unit's definition may take its place.
; CHECK-LABEL: define weak i64 @replaceable
; CHECK-NOT: [[LEAF]]
; CHECK: ret i64
define weak i64 @replaceable(ptr addrspace(1) %p) gc "statepoint-example" {
  ret i64 1
}
; CHECK-LABEL: define i64 @calls_replaceable
; CHECK: statepoint{{.*}}@replaceable
define i64 @calls_replaceable(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = call i64 @replaceable(ptr addrspace(1) %p)
  ret i64 %v
}

; Somebody wants a record of its calls: an id, or a state for deoptimisation.
; CHECK-LABEL: define void @with_id
; CHECK: ret void
define void @with_id() gc "statepoint-example" {
  ret void
}
; CHECK-LABEL: define void @with_deopt
; CHECK: ret void
define void @with_deopt() gc "statepoint-example" {
  ret void
}
define void @with_transition() gc "statepoint-example" {
  ret void
}
; CHECK-LABEL: define void @records
; CHECK: statepoint{{.*}}(i64 77,{{.*}}@with_id
; CHECK: statepoint{{.*}}@with_deopt{{.*}} [ "deopt"(i64 5, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 16384, i64 5)
; CHECK: statepoint{{.*}}@with_transition
define void @records() gc "statepoint-example" {
  call void @with_id() "statepoint-id"="77"
  call void @with_deopt() [ "deopt"(i64 5) ]
  call void @with_transition() [ "gc-transition"() ]
  ret void
}

; It may not return at all, or not soon.
; CHECK-LABEL: define void @endless
; CHECK: load volatile
define void @endless() gc "statepoint-example" {
entry:
  br label %loop
loop:
  br label %loop
}
; CHECK-LABEL: define void @itself
; CHECK: load volatile
; CHECK: statepoint{{.*}}@itself
define void @itself() gc "statepoint-example" {
  call void @itself()
  ret void
}

; The address of a leaf is a pointer like others.
; CHECK-LABEL: define i64 @through_pointer
; CHECK: statepoint
define i64 @through_pointer(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  %f = select i1 %c, ptr @small, ptr @few
  %v = call i64 %f(ptr addrspace(1) %p)
  ret i64 %v
}

; CHECK-DAG: attributes [[LEAF]] = { "cairn-work"="{{[0-9]+}}" "gc-leaf-function" }
