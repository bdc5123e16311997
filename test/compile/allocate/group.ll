; Objects that share a check, and words that are not cleared since a store fills them. What could go wrong: a word that
; nothing fills is not cleared; the program, another thread or a collection sees an object before it is filled; a block
; has no header or lies in another; what is computed between the calls comes after its use.
; RUN: %cairn opt -p layouts,allocate -S %s | FileCheck %s
; RUN: %cairn opt -p layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
@cell = internal constant { i64, ptr addrspace(1) } zeroinitializer
@wide = internal constant { i64, i64, i32, i16, i16, ptr addrspace(1), i64 } zeroinitializer
@long = internal constant i64 0
@page = internal constant [400 x i64] zeroinitializer
@global = global ptr addrspace(1) null
@number = global i64 0
@seven = constant i64 7
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array_uninit(ptr, i64)
declare void @other()

; Both words are stored, so nothing is cleared. The slow path's memory is cleared, and filled too.
; CHECK-LABEL: @cons(
; CHECK: alloc.fast:
; CHECK: store ptr @cairn.layout.0
; CHECK-NOT: memset
; CHECK: store i64 %head, ptr addrspace(1) %object
; CHECK-NEXT: [[T:%.*]] = getelementptr i8, ptr addrspace(1) %object, i64 8
; CHECK-NEXT: store ptr addrspace(1) %tail, ptr addrspace(1) [[T]]
; CHECK-NEXT: br label %allocated
; CHECK: alloc.slow:
; CHECK-NEXT: [[S:%.*]] = call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(
; CHECK-NEXT: store i64 %head, ptr addrspace(1) [[S]]
; CHECK-NEXT: [[T:%.*]] = getelementptr i8, ptr addrspace(1) [[S]], i64 8
; CHECK-NEXT: store ptr addrspace(1) %tail, ptr addrspace(1) [[T]]
; CHECK-NEXT: br label %allocated
; CHECK: allocated:
; CHECK-NEXT: [[R:%.*]] = phi ptr addrspace(1) [ %object, %alloc.fast ], [ [[S]], %alloc.slow ]
; CHECK-NEXT: ret ptr addrspace(1) [[R]]
define ptr addrspace(1) @cons(i64 %head, ptr addrspace(1) %tail) gc "statepoint-example" {
  %c = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  store i64 %head, ptr addrspace(1) %c
  %t = getelementptr i8, ptr addrspace(1) %c, i64 8
  store ptr addrspace(1) %tail, ptr addrspace(1) %t
  ret ptr addrspace(1) %c
}

; Two blocks by one check, one after the other. The sum lies between them in the program, and comes before both.
; CHECK-LABEL: @two(
; CHECK: [[V:%.*]] = add i64 %head, 7
; CHECK: %end = add i64 %free, 48
; CHECK: alloc.fast:
; CHECK: [[A:%.*]] = add i64 %free, 8
; CHECK-NEXT: [[X:%.*]] = call ptr addrspace(1) asm "", "=r,0"(i64 [[A]])
; CHECK: [[B:%.*]] = add i64 %free, 32
; CHECK-NEXT: [[Y:%.*]] = call ptr addrspace(1) asm "", "=r,0"(i64 [[B]])
; CHECK: [[C:%.*]] = getelementptr i8, ptr addrspace(1) [[X]], i64 8
; CHECK-NEXT: call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 [[C]], i8 0, i64 8, i1 false)
; CHECK-NOT: memset
; CHECK: store i64 [[V]], ptr addrspace(1) [[X]]
; CHECK: store ptr addrspace(1) [[X]], ptr addrspace(1)
; CHECK: alloc.slow:
; CHECK-NEXT: [[P:%.*]] = call preserve_allcc
; CHECK-NEXT: [[Q:%.*]] = call preserve_allcc
; CHECK-NEXT: store i64 [[V]], ptr addrspace(1) [[P]]
define ptr addrspace(1) @two(i64 %head) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %v = add i64 %head, 7
  store i64 %v, ptr addrspace(1) %a
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  store i64 %head, ptr addrspace(1) %b
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  ret ptr addrspace(1) %b
}

; A callback may change a global within the allocation, and look at it: it is read and written afterwards. A constant is
; read before.
; CHECK-LABEL: @may_change(
; CHECK: load i64, ptr @seven
; CHECK: alloc.fast:
; CHECK: allocated:
; CHECK-NEXT: phi
; CHECK-NEXT: [[V:%.*]] = load i64, ptr @number
; CHECK: store i64 0, ptr @number
define ptr addrspace(1) @may_change() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %c = load i64, ptr @seven
  store i64 %c, ptr addrspace(1) %a
  %v = load i64, ptr @number
  %f = getelementptr i8, ptr addrspace(1) %a, i64 8
  store i64 %v, ptr addrspace(1) %f
  store i64 0, ptr @number
  ret ptr addrspace(1) %a
}

; A word of which some bytes are stored is cleared, and so is one that is stored to later.
; CHECK-LABEL: @bytes(
; CHECK: alloc.fast:
; CHECK: call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %object, i8 0, i64 8, i1 false)
; CHECK: [[M:%.*]] = getelementptr i8, ptr addrspace(1) %object, i64 16
; CHECK-NEXT: call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 [[M]], i8 0, i64 8, i1 false)
; CHECK: [[N:%.*]] = getelementptr i8, ptr addrspace(1) %object, i64 32
; CHECK-NEXT: call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 [[N]], i8 0, i64 8, i1 false)
; CHECK: alloc.slow:
; CHECK: allocated:
; CHECK: call void @other()
; CHECK-NEXT: store i64 1, ptr addrspace(1)
define ptr addrspace(1) @bytes(<2 x i32> %two) gc "statepoint-example" {
  %w = call ptr addrspace(1) @cairn_alloc(ptr @wide, i64 40)
  %b = getelementptr i8, ptr addrspace(1) %w, i64 8
  store <2 x i32> %two, ptr addrspace(1) %b
  %c = getelementptr i8, ptr addrspace(1) %w, i64 16
  store i32 7, ptr addrspace(1) %c
  %d = getelementptr i8, ptr addrspace(1) %w, i64 22
  store i16 7, ptr addrspace(1) %d
  %e = getelementptr i8, ptr addrspace(1) %w, i64 24
  store ptr addrspace(1) null, ptr addrspace(1) %e
  call void @other()
  store i64 1, ptr addrspace(1) %w
  ret ptr addrspace(1) %w
}

; What ends it: each of these sees or shows the object before its second word is stored.
; CHECK-LABEL: @shown(
; CHECK: alloc.fast:
; CHECK: memset{{.*}} i64 8
; CHECK: allocated:
; CHECK: store ptr addrspace(1) {{.*}}, ptr @global
; CHECK: store ptr addrspace(1) null, ptr addrspace(1)
define void @shown() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  store i64 1, ptr addrspace(1) %a
  store ptr addrspace(1) %a, ptr @global
  %t = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) null, ptr addrspace(1) %t
  ret void
}

; CHECK-LABEL: @read(
; CHECK: alloc.fast:
; CHECK: memset{{.*}} i64 16
; CHECK: allocated:
; CHECK: load i64, ptr addrspace(1)
define ptr addrspace(1) @read() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %v = load i64, ptr addrspace(1) %a
  %w = add i64 %v, 1
  store i64 %w, ptr addrspace(1) %a
  ret ptr addrspace(1) %a
}

; A call between the two, an atomic store, the address as a number, a place that is not constant, a store beyond the end.
; CHECK-LABEL: @called(
; CHECK-COUNT-2: memset{{.*}} i64 16
; CHECK-NOT: memset
; CHECK-LABEL: @atomic(
; CHECK: memset{{.*}} i64 16
; CHECK-LABEL: @somewhere(
; CHECK: memset{{.*}} i64 32
; CHECK-LABEL: @beyond(
; CHECK: memset{{.*}} i64 16
; CHECK-LABEL: @inner(
; CHECK: memset{{.*}} i64 16
define ptr addrspace(1) @called() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  call void @other()
  store i64 1, ptr addrspace(1) %a
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %s = getelementptr i8, ptr addrspace(1) %b, i64 8
  call void @other()
  store ptr addrspace(1) %a, ptr addrspace(1) %s
  ret ptr addrspace(1) %b
}
define ptr addrspace(1) @atomic() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  store atomic i64 1, ptr addrspace(1) %a release, align 8
  ret ptr addrspace(1) %a
}
define ptr addrspace(1) @somewhere(i64 %i) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @long, i64 4)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 1, ptr addrspace(1) %p
  store i64 1, ptr addrspace(1) %a
  ret ptr addrspace(1) %a
}
define ptr addrspace(1) @beyond() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 -8
  store i64 1, ptr addrspace(1) %p
  ret ptr addrspace(1) %a
}
define ptr addrspace(1) @inner() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %p = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) %p, ptr addrspace(1) %p
  ret ptr addrspace(1) %a
}

; Together they are too large; and an array of constant length that is not cleared is one of a group.
; CHECK-LABEL: @large(
; CHECK: add i64 %free{{.*}}, 3208
; CHECK: add i64 %free{{.*}}, 3208
define void @large() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @page, i64 3200)
  %b = call ptr addrspace(1) @cairn_alloc(ptr @page, i64 3200)
  ret void
}
; CHECK-LABEL: @arrays(
; CHECK: add i64 %free, 72
; CHECK: store i64 7, ptr addrspace(1)
; CHECK: store i64 5, ptr addrspace(1)
; CHECK: memset{{.*}} i64 16
; CHECK-NOT: memset
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_uninit_slow(
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow(
define ptr addrspace(1) @arrays() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @long, i64 3)
  store i64 1, ptr addrspace(1) %a
  %b = call ptr addrspace(1) @cairn_alloc_array(ptr @long, i64 2)
  ret ptr addrspace(1) %b
}

; The object of the pass before, by the phi, is another one: it is read and stored to as any.
; CHECK-LABEL: @loop(
; CHECK: [[OLD:%.*]] = phi ptr addrspace(1) [ null, %0 ], [ [[NEW:%.*]], %allocated ]
; CHECK: alloc.fast:
; CHECK-NOT: memset
; CHECK: store ptr addrspace(1) [[OLD]], ptr addrspace(1)
; CHECK: allocated:
; CHECK: [[NEW]] = phi ptr addrspace(1)
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
