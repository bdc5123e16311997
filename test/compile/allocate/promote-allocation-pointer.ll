; The allocation pointer in a register from one allocation to the next. What could go wrong: an old value is used after a
; call that changed the field; the stores are gone, and a signal handler or the runtime sees an old pointer; a load comes
; into a path that had none; a value that does not dominate its use.
; RUN: %cairn opt -p layouts,allocate,place-safepoints,rewrite-statepoints,promote-allocation-pointer,verify-safepoints \
; RUN:   -S %s | FileCheck %s
; RUN: %cairn opt --polls=none -p layouts,allocate,place-safepoints,rewrite-statepoints,promote-allocation-pointer -S %s \
; RUN:   | FileCheck %s --check-prefix=STORES
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
@cell = internal constant { i64, ptr addrspace(1) } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @other()

; Each pass stores.
; STORES-LABEL: @loop(
; STORES: alloc.fast:
; STORES: store i64 %end, ptr

; The first pass's is loaded before the loop; after the slow path it is loaded again. An
; allocation is a poll: there is no other.
; CHECK-LABEL: @loop(
; CHECK: %free[[IN:[0-9]*]] = load i64, ptr
; CHECK: again:
; CHECK: [[FREE:%free[0-9]*]] = phi i64
; CHECK-DAG: [ %free[[IN]], %0 ]
; CHECK: %end = add i64 [[FREE]], 24
; CHECK: icmp ugt i64 %end, %limit
; CHECK: alloc.fast:
; CHECK: store i64 %end, ptr
; CHECK: alloc.slow:
; CHECK: call preserve_allcc token {{.*}}@cairn_alloc_slow
; CHECK: [[AGAIN:%free[0-9]*]] = load i64, ptr
; CHECK: allocated:
; CHECK: phi i64 [ %end, %alloc.fast ], [ [[AGAIN]], %alloc.slow ]
; CHECK-NOT: @cairn_poll_slow
; CHECK: ret ptr
define ptr addrspace(1) @loop(i64 %n) gc "statepoint-example" {
  br label %again
again:
  %i = phi i64 [ 0, %0 ], [ %next, %again ]
  %list = phi ptr addrspace(1) [ null, %0 ], [ %a, %again ]
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  store i64 %i, ptr addrspace(1) %a
  %t = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) %list, ptr addrspace(1) %t
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %again, label %done
done:
  ret ptr addrspace(1) %a
}

; A call on the way: the load stays where it is.
; CHECK-LABEL: @calls(
; CHECK-NOT: phi i64
; CHECK: again:
; CHECK: phi i64 [ 0, %0 ]
; CHECK-NOT: phi i64
; CHECK: %free = load i64, ptr
; CHECK: @other
; CHECK: ret void
define void @calls(i64 %n) gc "statepoint-example" {
  br label %again
again:
  %i = phi i64 [ 0, %0 ], [ %next, %again ]
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  call void @other()
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %again, label %done
done:
  ret void
}

; One allocation: nothing to carry.
; CHECK-LABEL: @once(
; CHECK-NEXT: mutator
; CHECK: %free = load i64, ptr
; CHECK-NOT: phi i64
; CHECK: ret
define ptr addrspace(1) @once(i64 %head) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  ret ptr addrspace(1) %a
}

; Two in a row that share no check, as the first is read between them; and one on each of two ways.
; CHECK-LABEL: @second(
; CHECK: {{^allocated[0-9]+:}}
; CHECK: [[P:%free[0-9]*]] = phi i64 [ %end{{[0-9]*}}, %alloc.fast{{[0-9]*}} ], [ %free{{[0-9]*}}, %alloc.slow{{[0-9]*}} ]
; CHECK: add i64 [[P]], 24
define ptr addrspace(1) @second(ptr addrspace(1) %old) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %v = load i64, ptr addrspace(1) %a
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  store i64 %v, ptr addrspace(1) %b
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  ret ptr addrspace(1) %b
}

; CHECK-LABEL: @ways(
; CHECK: join:
; CHECK: phi i64
; CHECK: icmp ugt i64
define ptr addrspace(1) @ways(i1 %which) gc "statepoint-example" {
  br i1 %which, label %left, label %right
left:
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br label %join
right:
  br label %join
join:
  %c = phi ptr addrspace(1) [ %a, %left ], [ null, %right ]
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %c, ptr addrspace(1) %t
  ret ptr addrspace(1) %b
}
