; Long calls of leaves (docs/placement.md, "Long calls"): a memset of megabytes must not hold up a
; collection, a short one must stay what it is, and nobody may pay who is known to be short.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints --poll-budget=1 -S %s | FileCheck %s --check-prefix=SMALL
; RUN: %cairn opt -p place-safepoints --polls=none -S %s | FileCheck %s --check-prefix=NONE
; RUN: %cairn opt -p place-safepoints -S %s | %cairn opt -p rewrite-statepoints -S - -o %t.ll
; RUN: %cairn verify %t.ll
target triple = "x86_64-unknown-linux-gnu"

; NONE-NOT: cairn.long
@buffer = global [2000 x i8] zeroinitializer

declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memmove.p1.p1.i32(ptr addrspace(1), ptr addrspace(1), i32, i1)
declare void @llvm.memmove.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare i32 @memcmp(ptr, ptr, i64)
declare ptr @memchr(ptr, i32, i64)
declare void @llvm.memset.inline.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)

; One comparison on the hot path; the call is the same, and says how long it takes at most.
define void @any(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @any(
; CHECK: [[LONG:%.*]] = icmp ugt i64 %n, 16384
; CHECK: br i1 [[LONG]], label %[[COLD:.*]], label %[[PLAIN:.*]], !prof
; CHECK: [[PLAIN]]:
; CHECK-NEXT: call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %p, i8 0, i64 %n, i1 false) [[WORK:#[0-9]+]]
; CHECK: [[COLD]]:
; CHECK-NEXT: call void @cairn.long.llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %n)
  call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %p, i8 0, i64 %n, i1 false)
  ret void
}

; What is known to be short: by its length, by what the length is made of, by where it goes.
define void @short(ptr addrspace(1) %p, i8 %a, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @short(
; CHECK-NOT: cairn.long
; CHECK: ret void
  %byte = zext i8 %a to i64
  %low = and i64 %n, 1023
  %local = alloca [100 x i8]
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 3000, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %byte, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %low, i1 false)
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr getelementptr (i8, ptr @buffer, i64 8), i8 0, i64 %n, i1 false)
  ret void
}

; A constant: no choice is left. Up to the size of a piece it stays.
define void @constant(ptr addrspace(1) %p) gc "statepoint-example" {
; CHECK-LABEL: define void @constant(
; CHECK: call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 1, i64 65536, i1 false)
; CHECK-NOT: icmp ugt
; CHECK: call void @cairn.long.llvm.memset.p1.i64(ptr addrspace(1) %p, i8 2, i64 1000000)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 1, i64 65536, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 2, i64 1000000, i1 false)
  ret void
}

; What must call nothing is cut, too; a piece of it is a loop.
define void @inline(ptr addrspace(1) %p, ptr %q, ptr %r) gc "statepoint-example" {
; CHECK-LABEL: define void @inline(
; CHECK: call void @llvm.memset.inline.p1.i64(ptr addrspace(1) %p, i8 1, i64 65536, i1 false)
; CHECK: call void @cairn.long.llvm.memset.inline.p1.i64(ptr addrspace(1) %p, i8 2, i64 1000000)
; CHECK: call void @cairn.long.llvm.memcpy.inline.p0.p0.i64(ptr %q, ptr %r, i64 1000000)
  call void @llvm.memset.inline.p1.i64(ptr addrspace(1) %p, i8 1, i64 65536, i1 false)
  call void @llvm.memset.inline.p1.i64(ptr addrspace(1) %p, i8 2, i64 1000000, i1 false)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %q, ptr %r, i64 1000000, i1 false)
  ret void
}

; A volatile one stays.
define void @left(ptr %p, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @left(
; CHECK-NOT: cairn.long
; CHECK: ret void
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 true)
  ret void
}

; Results meet after both calls.
define i32 @results(ptr %p, ptr %q, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define i32 @results(
; CHECK: [[A:%.*]] = phi i32 [ [[PLAIN:%.*]], %{{.*}} ], [ [[COLD:%.*]], %{{.*}} ]
; CHECK: [[B:%.*]] = phi ptr [
; CHECK: load i32, ptr [[B]]
; CHECK: add i32 [[A]]
  %a = call i32 @memcmp(ptr %p, ptr %q, i64 %n)
  %b = call ptr @memchr(ptr %p, i32 3, i64 %n)
  %c = load i32, ptr %b
  %d = add i32 %a, %c
  ret i32 %d
}

define void @copies(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr %r, i32 %n, i64 %m) gc "statepoint-example" {
; CHECK-LABEL: define void @copies(
; CHECK: call void @cairn.long.llvm.memmove.p1.p0.i64(ptr addrspace(1) %p, ptr %r, i64 %m)
; CHECK: call void @cairn.long.llvm.memmove.p1.p1.i32(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n)
; CHECK: call void @cairn.long.llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %m)
  call void @llvm.memmove.p1.p0.i64(ptr addrspace(1) %p, ptr %r, i64 %m, i1 false)
  call void @llvm.memmove.p1.p1.i32(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i1 false)
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %m, i1 false)
  ret void
}

; Functions that are not managed, or in which no poll may be, are left alone.
define void @plain(ptr %p, i64 %n) {
; CHECK-LABEL: define void @plain(
; CHECK-NOT: cairn.long
; CHECK: ret void
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  ret void
}
define void @quiet(ptr %p, i64 %n) "cairn-nopoll" gc "statepoint-example" {
; CHECK-LABEL: define void @quiet(
; CHECK-NOT: cairn.long
; CHECK: ret void
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  ret void
}

; A poll before each piece and one after the last. Pieces meet at multiples of eight: a reference
; that a piece has half copied would not be one.
; CHECK-LABEL: define internal void @cairn.long.llvm.memset.p1.i64(ptr addrspace(1) %0, i8 %1, i64 %2)
; CHECK-SAME: gc "statepoint-example"
; CHECK: [[AT:%.*]] = ptrtoint ptr addrspace(1) %0 to i64
; CHECK: [[ODD:%.*]] = and i64 [[AT]], 7
; CHECK: [[FIRST:%.*]] = sub i64 65536, [[ODD]]
; CHECK: long.rest:
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
; CHECK: [[PIECE:long.piece]]:
; CHECK-NEXT: [[FROM:%.*]] = phi i64 [ 0, %{{.*}} ], [ [[END:%.*]], %{{.*}} ]
; CHECK-NEXT: [[STOP:%.*]] = phi i64 [ [[FIRST]], %{{.*}} ], [ [[NEXT:%.*]], %{{.*}} ]
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
; CHECK: [[END]] = call i64 @llvm.umin.i64(i64 [[STOP]], i64 %2)
; CHECK: [[BYTES:%.*]] = sub i64 [[END]], [[FROM]]
; CHECK: [[TO:%.*]] = getelementptr i8, ptr addrspace(1) %0, i64 [[FROM]]
; CHECK: call void @llvm.memset.p1.i64(ptr addrspace(1) [[TO]], i8 %1, i64 [[BYTES]], i1 false)
; CHECK: [[NEXT]] = add i64 [[STOP]], 65536
; CHECK: [[MORE:%.*]] = icmp ult i64 [[END]], %2
; CHECK: br i1 [[MORE]], label %[[PIECE]], label %long.rest

; A difference ends the loop.
; CHECK-LABEL: define internal i32 @cairn.long.memcmp(
; CHECK: [[GIVEN:%.*]] = call i32 @memcmp(
; CHECK: [[MORE:%.*]] = icmp ult i64
; CHECK: [[SAME:%.*]] = icmp eq i32 [[GIVEN]], 0
; CHECK: and i1 [[MORE]], [[SAME]]

; Memory that may overlap: from the end on if it moves up. Whether it does is asked once.
; CHECK-LABEL: define internal void @cairn.long.llvm.memmove.p1.p0.i64(
; CHECK-NOT: icmp ugt
; CHECK: ret void
; CHECK-LABEL: define internal void @cairn.long.llvm.memmove.p1.p1.i32(
; CHECK: zext i32 %2 to i64
; CHECK: [[UP:%.*]] = icmp ugt ptr addrspace(1) %0, %1
; CHECK: br i1 [[UP]]
; CHECK: llvm.umin.i64
; CHECK: llvm.usub.sat.i64

; CHECK: attributes [[WORK]] = {{.*}}"cairn-work"="8212"

; SMALL-LABEL: define void @any(
; SMALL: icmp ugt i64 %n, 2048
; SMALL-LABEL: define internal void @cairn.long.llvm.memset.p1.i64(
; SMALL: sub i64 2048,
