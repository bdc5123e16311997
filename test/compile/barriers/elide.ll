; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=cards --report -S %s 2> %t.cards | FileCheck --check-prefixes=CHECK,CARDS %s
; RUN: FileCheck --check-prefix=WHY %s < %t.cards
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=snapshot -S %s | FileCheck --check-prefixes=CHECK,OLD %s
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=loads -S %s | FileCheck --check-prefix=LOADS %s
;
; Which accesses need no barrier. Wrong: one that does is taken for one that does not, above all where a safepoint comes
; between, on some path alone, or where the old value counts.

%node = type { ptr addrspace(1), ptr addrspace(1), i64 }
declare void @f()
declare ptr addrspace(1) @new() "cairn-fresh"="small"
declare ptr addrspace(1) @new_of_any_size() "cairn-fresh"
declare ptr addrspace(1) @cairn_alloc_slow(ptr)
declare ptr addrspace(1) @cairn_resize_slow(ptr, ptr addrspace(1), i64, i1)

; WHY: remark: in function 'null': no barrier: null is stored [barrier-elided]
; WHY: remark: in function 'constant': no barrier: a constant is stored [barrier-elided]
; WHY: remark: in function 'immovable': no barrier: the stored value never moves [barrier-elided]
; WHY: remark: in function 'immediate': no barrier: the stored value is an immediate [barrier-elided]
; WHY: remark: in function 'immediate': no barrier: all values that may be stored point to objects that stay in place [barrier-elided]
; WHY: remark: in function 'object': no barrier: the object is new [barrier-elided]
; WHY: remark: in function 'twice': no barrier: the place had its barrier [barrier-elided]

; CHECK-LABEL: define void @null(
; CARDS-NOT: barrier
; OLD: call void @cairn.barrier.store(
; CHECK: ret void
define void @null(ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) null, ptr addrspace(1) %p
  ret void
}

@immortal = external addrspace(1) global i64
; CHECK-LABEL: define void @constant(
; CARDS-NOT: barrier
; OLD: call void @cairn.barrier.store(
; CHECK: ret void
define void @constant(ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) @immortal, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define void @immovable(
; CARDS-NOT: barrier
; OLD: call void @cairn.barrier.store(
; CHECK: ret void
define void @immovable(ptr addrspace(1) %p, ptr addrspace(1) "cairn-immovable" %v) gc "statepoint-example" {
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}

; An immediate is none, nor is a choice of one and null; one of an immediate and a reference may be.
declare ptr addrspace(1) @cairn.tag.from(i64)
; CHECK-LABEL: define void @immediate(
; CARDS-NOT: barrier
; OLD: call void @cairn.barrier.store(
; OLD: call void @cairn.barrier.store(
; CHECK: join:
; CHECK: call void @cairn.barrier.store(
; CHECK: ret void
define void @immediate(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r, i64 %n, i1 %c) gc "statepoint-example" {
  %one = call ptr addrspace(1) @cairn.tag.from(i64 1)
  store ptr addrspace(1) %one, ptr addrspace(1) %p
  br label %loop
loop:
  %w = phi ptr addrspace(1) [ %one, %0 ], [ %or, %loop ]
  %two = call ptr addrspace(1) @cairn.tag.from(i64 %n)
  %or = select i1 %c, ptr addrspace(1) %two, ptr addrspace(1) null
  br i1 %c, label %loop, label %join0
join0:
  store ptr addrspace(1) %w, ptr addrspace(1) %q
  br label %join
join:
  %x = select i1 %c, ptr addrspace(1) %w, ptr addrspace(1) %p
  store ptr addrspace(1) %x, ptr addrspace(1) %r
  ret void
}

; Until the next safepoint, and no longer.
; CHECK-LABEL: define ptr addrspace(1) @object(
; CHECK-NOT: barrier
; CHECK: call void @f()
; CHECK: call void @cairn.barrier.store(ptr addrspace(1) {{%p|null}}, ptr addrspace(1) %p, ptr addrspace(1) %v)
; CHECK: ret
; LOADS-LABEL: define ptr addrspace(1) @object(
; LOADS-NOT: barrier
; LOADS: call void @f()
; LOADS-NEXT: load
; LOADS-NEXT: call ptr addrspace(1) @cairn.barrier.load(
define ptr addrspace(1) @object(ptr addrspace(1) %v) gc "statepoint-example" {
  %p = call ptr addrspace(1) @new()
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %slot = getelementptr inbounds %node, ptr addrspace(1) %p, i64 0, i32 1
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %a = load ptr addrspace(1), ptr addrspace(1) %p
  store ptr addrspace(1) %a, ptr addrspace(1) %slot
  call void @f()
  %b = load ptr addrspace(1), ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret ptr addrspace(1) %b
}

; Allocation in line: both ways bring a new object.
; CHECK-LABEL: define ptr addrspace(1) @merged(
; CHECK-NOT: barrier
; CHECK: ret
define ptr addrspace(1) @merged(ptr addrspace(1) %v, i1 %full, i64 %free) gc "statepoint-example" {
  br i1 %full, label %slow, label %fast
fast:
  %quick = call ptr addrspace(1) asm "", "=r,0"(i64 %free) "cairn-fresh"="small"
  br label %done
slow:
  %called = call ptr addrspace(1) @cairn_alloc_slow(ptr null) "cairn-fresh"="small"
  br label %done
done:
  %p = phi ptr addrspace(1) [ %quick, %fast ], [ %called, %slow ]
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret ptr addrspace(1) %p
}

; Of one that may be large a collector with cards looks at dirty ones alone.
; CHECK-LABEL: define void @large(
; CARDS: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
; CARDS: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %q, ptr addrspace(1) %v)
; CARDS: call void @cairn.barrier.range(ptr addrspace(1) %either, i64 64)
; OLD-NOT: barrier
; CHECK: ret void
define void @large(ptr addrspace(1) %v, ptr addrspace(1) %from, i64 %n, i1 %c) gc "statepoint-example" {
  %p = call ptr addrspace(1) @new_of_any_size()
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %q = call ptr addrspace(1) @cairn_alloc_indexed_slow(ptr null, i64 %n)
  store ptr addrspace(1) %v, ptr addrspace(1) %q
  %r = call ptr addrspace(1) @new_of_any_size()
  %s = call ptr addrspace(1) asm "", "=r,0"(i64 %n) "cairn-fresh"="small"
  %either = select i1 %c, ptr addrspace(1) %r, ptr addrspace(1) %s
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %either, ptr addrspace(1) %from, i64 64, i1 false)
  ret void
}
declare ptr addrspace(1) @cairn_alloc_indexed_slow(ptr, i64)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)

; One way has a safepoint after the allocation; one brings an old object; an array of another length may be the old one.
; CHECK-LABEL: define void @mixed(
; CHECK: call void @cairn.barrier.store(
; CHECK: call void @cairn.barrier.store(
; CHECK: call void @cairn.barrier.store(
; CHECK: ret void
define void @mixed(ptr addrspace(1) %v, ptr addrspace(1) %old, i1 %c) gc "statepoint-example" {
  %p = call ptr addrspace(1) @new()
  br i1 %c, label %yes, label %no
yes:
  call void @f()
  br label %no
no:
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %q = call ptr addrspace(1) @new()
  %r = select i1 %c, ptr addrspace(1) %q, ptr addrspace(1) %old
  store ptr addrspace(1) %v, ptr addrspace(1) %r
  %s = call ptr addrspace(1) @cairn_resize_slow(ptr null, ptr addrspace(1) %old, i64 1, i1 false)
  store ptr addrspace(1) %v, ptr addrspace(1) %s
  ret void
}

; A loop: new in the round in which it was made, old in the next.
; CHECK-LABEL: define void @rounds(
; CHECK: call void @cairn.barrier.store(ptr addrspace(1) {{%kept|null}}, ptr addrspace(1) %kept, ptr addrspace(1) %v)
; CHECK-NOT: barrier
; CHECK: ret void
define void @rounds(ptr addrspace(1) %v, ptr addrspace(1) %first, i1 %c) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %kept = phi ptr addrspace(1) [ %first, %entry ], [ %p, %loop ]
  store ptr addrspace(1) %v, ptr addrspace(1) %kept
  %p = call ptr addrspace(1) @new()
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  br i1 %c, label %loop, label %done
done:
  ret void
}

; The second store between two safepoints, to one place.
; CHECK-LABEL: define void @twice(
; CARDS: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 16)
; CARDS-NOT: barrier
; OLD: call void @cairn.barrier.store(
; CHECK: store
; OLD: call void @cairn.barrier.store(
; CHECK: call void @f()
; CHECK: call void @cairn.barrier.store(
; CHECK-NOT: barrier
; CHECK: ret void
define void @twice(ptr addrspace(1) "cairn-object" %p, ptr addrspace(1) %v) gc "statepoint-example" {
  %slot = getelementptr inbounds %node, ptr addrspace(1) %p, i64 0, i32 1
  %again = getelementptr inbounds i8, ptr addrspace(1) %p, i64 8
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  store ptr addrspace(1) %p, ptr addrspace(1) %again
  call void @f()
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  store ptr addrspace(1) %p, ptr addrspace(1) %slot
  ret void
}

; The first store is on one path alone.
; CHECK-LABEL: define void @perhaps(
; CHECK: call void @cairn.barrier.store(
; CHECK: call void @cairn.barrier.store(
; CHECK: ret void
define void @perhaps(ptr addrspace(1) %p, ptr addrspace(1) %v, i1 %c) gc "statepoint-example" {
  br i1 %c, label %yes, label %no
yes:
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  br label %no
no:
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}

; LOADS-LABEL: define i1 @tested(
; LOADS-NOT: barrier
; LOADS: ret i1
define i1 @tested(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load ptr addrspace(1), ptr addrspace(1) %p
  %null = icmp eq ptr addrspace(1) %v, null
  ret i1 %null
}

; CHECK-LABEL: define void @local(
; CHECK-NOT: barrier
; CHECK: ret void
define void @local(ptr addrspace(1) %v) gc "statepoint-example" {
  %box = alloca %node
  %cast = addrspacecast ptr %box to ptr addrspace(1)
  store ptr addrspace(1) %v, ptr addrspace(1) %cast
  ret void
}

; Two or three stores into one object: two marks, if need be. Of four, one lies too far away.
; CARDS-LABEL: define void @run(
; CARDS-NEXT: %a = getelementptr
; CARDS-NEXT: %b = getelementptr
; CARDS-NEXT: %c = getelementptr
; CARDS-NEXT: %d = getelementptr
; CARDS-NEXT: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %d, ptr addrspace(1) %v)
; CARDS-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %d
; CARDS-NEXT: %[[LOW:[0-9]+]] = getelementptr i8, ptr addrspace(1) %p, i64 8
; CARDS-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %[[LOW]], i64 512)
; CARDS-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %b
; CARDS-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %a
; CARDS-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %c
; CARDS-NEXT: call void @f()
; CARDS-NEXT: %[[LOW:[0-9]+]] = getelementptr i8, ptr addrspace(1) %p, i64 8
; CARDS-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %[[LOW]], i64 256)
; CARDS-NEXT: store
; CARDS-NEXT: store
; CARDS-NEXT: call void @f()
; CARDS-NEXT: call void @cairn.barrier.store(
; CARDS-NEXT: store
define void @run(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  %a = getelementptr i8, ptr addrspace(1) %p, i64 8
  %b = getelementptr i8, ptr addrspace(1) %p, i64 256
  %c = getelementptr i8, ptr addrspace(1) %p, i64 512
  %d = getelementptr i8, ptr addrspace(1) %p, i64 1024
  store ptr addrspace(1) %v, ptr addrspace(1) %d
  store ptr addrspace(1) %v, ptr addrspace(1) %b
  store ptr addrspace(1) %v, ptr addrspace(1) %a
  store ptr addrspace(1) %v, ptr addrspace(1) %c
  call void @f()
  store ptr addrspace(1) %v, ptr addrspace(1) %a
  store ptr addrspace(1) %v, ptr addrspace(1) %b
  call void @f()
  store ptr addrspace(1) %v, ptr addrspace(1) %a
  ret void
}

; The marks of a run do for what is copied into its places, and for stores in blocks that it dominates.
; CARDS-LABEL: define void @within(
; CARDS: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 40)
; CARDS-NOT: barrier
; CARDS: call void @llvm.memmove
; CARDS-NOT: barrier
; CARDS: call void @f()
; CARDS-NEXT: call void @cairn.barrier.store(
define void @within(ptr addrspace(1) %p, ptr addrspace(1) %v, ptr addrspace(1) %from, i1 %c) gc "statepoint-example" {
  %a = getelementptr i8, ptr addrspace(1) %p, i64 8
  %b = getelementptr i8, ptr addrspace(1) %p, i64 16
  %d = getelementptr i8, ptr addrspace(1) %p, i64 32
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr addrspace(1) %b
  store ptr addrspace(1) %v, ptr addrspace(1) %d
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %a, ptr addrspace(1) %from, i64 24, i1 false)
  br i1 %c, label %yes, label %no
yes:
  store ptr addrspace(1) %from, ptr addrspace(1) %a
  br label %no
no:
  call void @f()
  store ptr addrspace(1) %v, ptr addrspace(1) %a
  ret void
}
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
