; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; A loop round other loops is cut into chunks, too, if some of its trips pass those by. Then an
; inner loop that is cut into chunks polls before each of them: without that, every trip of a chunk
; of the outer loop could do an inner chunk's work.

; CHECK-LABEL: define void @rows
; CHECK: {{^}}chunk2:
; CHECK-NOT: load volatile
; CHECK: {{^}}outer:
; CHECK-NOT: load volatile
; CHECK: {{^}}chunk:
; CHECK: load volatile i32
; CHECK: %chunk.left = sub i64 %n
; CHECK: {{^}}inner:
; CHECK-NOT: load volatile
; CHECK: {{^}}outer.latch:
; CHECK-NOT: load volatile
; CHECK: {{^}}chunk.poll{{[0-9]+}}:
; CHECK: load volatile i32
; CHECK: {{^}}done:
define void @rows(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %v = load i8, ptr addrspace(1) %p
  %zero = icmp eq i8 %v, 0
  br i1 %zero, label %inner, label %outer.latch
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %q = getelementptr i8, ptr addrspace(1) %a, i64 %j
  store i8 1, ptr addrspace(1) %q
  %j.next = add nuw i64 %j, 1
  %c = icmp eq i64 %j.next, %n
  br i1 %c, label %outer.latch, label %inner
outer.latch:
  %i.next = add nuw i64 %i, 1
  %d = icmp eq i64 %i.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}

; Where each trip does an inner loop, chunks of the outer one save nothing: it polls on each trip.
; CHECK-LABEL: define void @always
; CHECK: {{^}}outer:
; CHECK: {{^}}inner:
; CHECK-NOT: load volatile
; CHECK: {{^}}chunk.check:
; CHECK: {{^}}outer.latch:
; CHECK-NEXT: {{%.*}} = call ptr @llvm.threadlocal.address
; CHECK: {{^}}done:
define void @always(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %q = getelementptr i8, ptr addrspace(1) %a, i64 %j
  store i8 1, ptr addrspace(1) %q
  %j.next = add nuw i64 %j, 1
  %c = icmp eq i64 %j.next, %n
  br i1 %c, label %outer.latch, label %inner
outer.latch:
  %i.next = add nuw i64 %i, 1
  %d = icmp eq i64 %i.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}

; An inner loop that polls on each trip is passed once without a poll. Small loops, which do not
; poll, count as what they do: 64 trips of 4 instructions leave a chunk fewer trips.
; CHECK-LABEL: define void @mixed
; CHECK: %chunk.far = icmp ugt i64 %chunk.left, 64
; CHECK: {{^}}small:
; CHECK-NOT: load volatile
; CHECK: {{^}}scan:
; CHECK: load volatile i32
; CHECK: {{^}}outer.latch:
; CHECK-NOT: load volatile
; CHECK: {{^}}chunk.poll:
define void @mixed(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %small
small:
  %j = phi i64 [ 0, %outer ], [ %j.next, %small ]
  %q = getelementptr i8, ptr addrspace(1) %a, i64 %j
  store i8 1, ptr addrspace(1) %q
  %j.next = add nuw i64 %j, 1
  %c = icmp eq i64 %j.next, 64
  br i1 %c, label %choose, label %small
choose:
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %v = load i8, ptr addrspace(1) %p
  %zero = icmp eq i8 %v, 0
  br i1 %zero, label %scan, label %outer.latch
scan:
  %s = load atomic i8, ptr addrspace(1) %p monotonic, align 1
  %e = icmp eq i8 %s, 0
  br i1 %e, label %outer.latch, label %scan
outer.latch:
  %i.next = add nuw i64 %i, 1
  %d = icmp eq i64 %i.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}

; Filling memory takes as long as it takes.
; CHECK-LABEL: define void @fills
; CHECK-NOT: chunk
; CHECK: {{^}}loop:
; CHECK: load volatile i32
; CHECK: {{^}}done:
define void @fills(ptr %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 %n, i1 false)
  %i.next = add nuw i64 %i, 1
  %d = icmp eq i64 %i.next, %n
  br i1 %d, label %done, label %loop
done:
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; Each trip does one of two inner loops, as what the vectoriser leaves of a row: chunks of the outer
; loop save nothing, and cost a register for all that its rows advance by.
; CHECK-LABEL: define void @either
; CHECK: {{^}}eights:
; CHECK: {{^}}chunk.check:
; CHECK: {{^}}ones:
; CHECK: {{^}}chunk.check{{[0-9]+}}:
; CHECK: {{^}}outer.latch:
; CHECK-NEXT: {{%.*}} = call ptr @llvm.threadlocal.address
; CHECK: {{^}}done:
define void @either(ptr addrspace(1) %a, i64 %n, i1 %wide) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %row = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %m = load i64, ptr addrspace(1) %row
  br i1 %wide, label %eights, label %ones
eights:
  %j = phi i64 [ 0, %outer ], [ %j.next, %eights ]
  %p = getelementptr i64, ptr addrspace(1) %row, i64 %j
  store i64 1, ptr addrspace(1) %p
  %j.next = add nuw i64 %j, 1
  %c = icmp eq i64 %j.next, %m
  br i1 %c, label %outer.latch, label %eights
ones:
  %k = phi i64 [ 0, %outer ], [ %k.next, %ones ]
  %q = getelementptr i8, ptr addrspace(1) %row, i64 %k
  store i8 1, ptr addrspace(1) %q
  %k.next = add nuw i64 %k, 1
  %e = icmp eq i64 %k.next, %m
  br i1 %e, label %outer.latch, label %ones
outer.latch:
  %i.next = add nuw i64 %i, 1
  %d = icmp eq i64 %i.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}
