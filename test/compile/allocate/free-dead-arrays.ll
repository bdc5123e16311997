; What could go wrong: an array is freed while something can point to it, or while it is used later; or one that dies is
; not, on an edge, in a loop, after a call that forgets it.
; RUN: %cairn opt -p free-dead-arrays --report -S %s 2>&1 | FileCheck %s
; RUN: %cairn opt -p free-dead-arrays,layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints \
; RUN:   --disable-output %s
; Where safepoints list more than what is used later, nothing is freed.
; RUN: for optimisation in constants immovable recompute share-bases liveness dead-operands sink nests unroll; do \
; RUN:   for slots in never always; do \
; RUN:     %cairn opt -p free-dead-arrays,layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints \
; RUN:       --slots=$slots \
; RUN:       --without=$optimisation --disable-output %s || exit 1; done; done
@byte = internal constant i8 0
@node = internal constant { ptr addrspace(1) } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array_uninit(ptr, i64)
declare void @forgets(ptr addrspace(1) captures(none)) gc "statepoint-example"
declare void @keeps(ptr addrspace(1)) gc "statepoint-example"
declare void @native()
declare i32 @personality(...)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)

; CHECK: remark: {{.*}}the array is freed where it dies [freed-array]

; CHECK-LABEL: define void @after_last_use(
; CHECK: call void @forgets(ptr addrspace(1) %p)
; CHECK-NEXT: call void @cairn_give_back(ptr addrspace(1) %a)
; CHECK-NEXT: call void @native()
define void @after_last_use(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @byte, i64 %n)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %a, i8 7, i64 %n, i1 false)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 8
  call void @forgets(ptr addrspace(1) %p)
  call void @native()
  ret void
}

; CHECK-LABEL: define void @never_used(
; CHECK: call ptr addrspace(1) @cairn_alloc_array
; CHECK-NEXT: call void @cairn_give_back(
define void @never_used(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  ret void
}

; Each of these may lead to the array afterwards.
; CHECK-LABEL: define ptr addrspace(1) @kept(
; CHECK-NOT: cairn_give_back
define ptr addrspace(1) @kept(i64 %n, ptr addrspace(1) %o, i1 %c, ptr %local) gc "statepoint-example" {
  %returned = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  %stored = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  store ptr addrspace(1) %stored, ptr addrspace(1) %o
  %passed = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  call void @keeps(ptr addrspace(1) %passed)
  %selected = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  %s = select i1 %c, ptr addrspace(1) %selected, ptr addrspace(1) null
  %number = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  %i = ptrtoint ptr addrspace(1) %number to i64
  %swapped = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  %old = atomicrmw xchg ptr addrspace(1) %o, ptr addrspace(1) %swapped seq_cst
  %part = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  %p = getelementptr i8, ptr addrspace(1) %part, i64 8
  store ptr addrspace(1) %p, ptr %local
  %state = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  call void @native() [ "deopt"(ptr addrspace(1) %state) ]
  store i8 1, ptr addrspace(1) %part
  store i8 1, ptr addrspace(1) %state
  ret ptr addrspace(1) %returned
}

; It dies on the edge that does not store it, which has a block of its own.
; CHECK-LABEL: define ptr addrspace(1) @on_one_way(
; CHECK: dies:
; CHECK-NEXT: call void @cairn_give_back(ptr addrspace(1) %a)
; CHECK: lives:
; CHECK-NOT: cairn_give_back
define ptr addrspace(1) @on_one_way(i64 %n, i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  store i8 1, ptr addrspace(1) %a
  br i1 %c, label %lives, label %dies
dies:
  call void @native()
  ret ptr addrspace(1) null
lives:
  ret ptr addrspace(1) %a
}

; Where the edge has no block it gets one: before the branch a poll would still list the array for the other way.
; CHECK-LABEL: define void @loop(
; CHECK: br i1 %c, label %store, label %[[EDGE:.*]]
; CHECK: store:
; CHECK-NOT: cairn_give_back
; CHECK: [[EDGE]]:
; CHECK-NEXT: call void @cairn_give_back(ptr addrspace(1) %a)
; CHECK-NEXT: br label %next
; CHECK-NOT: cairn_give_back
define void @loop(i64 %n, i1 %c, ptr addrspace(1) %o) gc "statepoint-example" {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %j, %next ]
  %a = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @byte, i64 %n)
  store i8 1, ptr addrspace(1) %a
  br i1 %c, label %store, label %next
store:
  store ptr addrspace(1) %a, ptr addrspace(1) %o
  br label %next
next:
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, %n
  br i1 %more, label %head, label %end
end:
  ret void
}

; Two die on the edges of a switch, of which several lead to one block: one call each, the last made first.
; CHECK-LABEL: define i32 @choice(
; CHECK: switch i32 %c, label %[[EDGE:.*]] [
; CHECK-NEXT: i32 1, label %[[EDGE]]
; CHECK-NEXT: i32 2, label %lives
; CHECK-NEXT: i32 3, label %end
; CHECK: [[EDGE]]:
; CHECK-NEXT: call void @cairn_give_back(ptr addrspace(1) %b)
; CHECK-NEXT: call void @cairn_give_back(ptr addrspace(1) %a)
; CHECK-NEXT: br label %dies
; CHECK: dies:
; CHECK-NEXT: phi i32 [ 7, %[[EDGE]] ], [ 8, %lives ]
define i32 @choice(i64 %n, i32 %c, ptr addrspace(1) %o) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @byte, i64 %n)
  %b = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @byte, i64 %n)
  switch i32 %c, label %dies [ i32 1, label %dies
    i32 2, label %lives
    i32 3, label %end ]
lives:
  store ptr addrspace(1) %a, ptr addrspace(1) %o
  store ptr addrspace(1) %b, ptr addrspace(1) %o
  br label %dies
dies:
  %x = phi i32 [ 7, %0 ], [ 7, %0 ], [ 8, %lives ]
  ret i32 %x
end:
  %l = load i32, ptr addrspace(1) %a
  store i32 %l, ptr addrspace(1) %b
  ret i32 %l
}

; Barriers may have noted an array of references: it stays.
; CHECK-LABEL: define void @references(
; CHECK-NOT: cairn_give_back
define void @references(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @node, i64 %n)
  ret void
}

; The array of one pass is used in the next, by a phi.
; CHECK-LABEL: define void @before_the_next(
; CHECK-NOT: cairn_give_back
define void @before_the_next(i64 %n) gc "statepoint-example" {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %j, %head ]
  %last = phi ptr addrspace(1) [ null, %entry ], [ %a, %head ]
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  call void @forgets(ptr addrspace(1) %last)
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, %n
  br i1 %more, label %head, label %end
end:
  ret void
}

; To make one takes less than the call.
; CHECK-LABEL: define void @small(
; CHECK-NOT: cairn_give_back
define void @small() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 8)
  %b = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 63)
  ret void
}

; In a landing pad it is left to the collector.
; CHECK-LABEL: define void @unwinds(
; CHECK: invoke void @keeps
; CHECK-NOT: cairn_give_back
; CHECK: good:
; CHECK-NEXT: load i8
; CHECK-NEXT: call void @cairn_give_back(ptr addrspace(1) %a)
; CHECK: bad:
; CHECK-NOT: cairn_give_back
; CHECK: declare void @cairn_give_back
define void @unwinds(i64 %n, ptr addrspace(1) %o) gc "statepoint-example" personality ptr @personality {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 %n)
  store i8 1, ptr addrspace(1) %a
  invoke void @keeps(ptr addrspace(1) %o) to label %good unwind label %bad
good:
  %l = load i8, ptr addrspace(1) %a
  call void @native()
  ret void
bad:
  %p = landingpad token cleanup
  ret void
}
