; Objects of different blocks that share a check. What could go wrong: one is made that the program may never reach, or
; in each turn of a loop; a call, and with it a collection, comes between; the second is not cleared where the first is
; made, so that a jump out of a signal handler leaves words without a header.
; RUN: %cairn opt -p layouts,allocate -S %s | FileCheck %s
; RUN: %cairn opt -p layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
@cell = internal constant { i64, ptr addrspace(1) } zeroinitializer
@large = internal constant [16 x i64] zeroinitializer
@global = global i64 0
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare void @other()

; The fill of the first depends on a condition. Both are made, whole, by one check before it.
; CHECK-LABEL: @diamond(
; CHECK: %end = add i64 %free, 48
; CHECK: alloc.fast:
; CHECK: [[A:%.*]] = add i64 %free, 8
; CHECK-NEXT: [[X:%.*]] = call ptr addrspace(1) asm "", "=r,0"(i64 [[A]])
; CHECK: [[B:%.*]] = add i64 %free, 32
; CHECK-NEXT: [[Y:%.*]] = call ptr addrspace(1) asm "", "=r,0"(i64 [[B]])
; CHECK: memset{{.*}}(ptr addrspace(1) align 8 [[X]], i8 0, i64 16
; CHECK: memset{{.*}}(ptr addrspace(1) align 8 [[Y]], i8 0, i64 16
; CHECK-NEXT: br label %allocated
; CHECK: alloc.slow:
; CHECK-NEXT: call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(
; CHECK-NEXT: call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(
; CHECK-NEXT: br label %allocated
; CHECK: allocated:
; CHECK: br i1 %c, label %left, label %right
; CHECK: join:
; CHECK-NOT: load volatile
; CHECK: ret ptr
define ptr addrspace(1) @diamond(i1 %c, i64 %v) gc "statepoint-example" {
entry:
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br i1 %c, label %left, label %right
left:
  store i64 %v, ptr addrspace(1) %a
  br label %join
right:
  %w = load i64, ptr @global
  store i64 %w, ptr addrspace(1) %a
  br label %join
join:
  %p = phi i64 [ 1, %left ], [ 2, %right ]
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  store i64 %p, ptr addrspace(1) %b
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  ret ptr addrspace(1) %b
}

; One way has more blocks, with a comparison of references, and a third object follows.
; CHECK-LABEL: @ways(
; CHECK: %end = add i64 %free, 72
; CHECK-COUNT-3: call preserve_allcc
; CHECK-NOT: load volatile
; CHECK-LABEL: @sentinel.0(
define ptr addrspace(1) @ways(ptr addrspace(1) %r, i32 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %null = icmp eq ptr addrspace(1) %r, null
  br i1 %null, label %join, label %some
some:
  %v = load i64, ptr addrspace(1) %r
  switch i32 %n, label %join [ i32 1, label %one
                               i32 2, label %two ]
one:
  store i64 %v, ptr addrspace(1) %a
  br label %two
two:
  br label %join
join:
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %c = icmp eq i32 %n, 7
  br i1 %c, label %fill, label %last
fill:
  store i64 7, ptr addrspace(1) %b
  br label %last
last:
  %d = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  %u = getelementptr i8, ptr addrspace(1) %d, i64 8
  store ptr addrspace(1) %b, ptr addrspace(1) %u
  ret ptr addrspace(1) %d
}

; Each of these has a check of its own for each of its two objects.
; CHECK-COUNT-2: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 24
; CHECK-LABEL: @sentinel.1(
define void @sentinel.0() gc "statepoint-example" {
  ret void
}

; A call lies between: a safepoint.
define ptr addrspace(1) @safepoint(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br i1 %c, label %call, label %join
call:
  call void @other()
  br label %join
join:
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  ret ptr addrspace(1) %b
}

; The second is made only sometimes.
; CHECK-COUNT-2: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 24
; CHECK-LABEL: @sentinel.2(
define void @sentinel.1() gc "statepoint-example" {
  ret void
}
define ptr addrspace(1) @sometimes(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br i1 %c, label %make, label %join
make:
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  br label %join
join:
  %r = phi ptr addrspace(1) [ %a, %0 ], [ %b, %make ]
  ret ptr addrspace(1) %r
}

; One way leads elsewhere.
; CHECK-COUNT-2: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 24
; CHECK-LABEL: @sentinel.3(
define void @sentinel.2() gc "statepoint-example" {
  ret void
}
define ptr addrspace(1) @elsewhere(i1 %c, i1 %d) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br i1 %c, label %some, label %join
some:
  br i1 %d, label %join, label %away
away:
  ret ptr addrspace(1) %a
join:
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  ret ptr addrspace(1) %b
}

; The second is made by others, too: by those that come from elsewhere, and in each turn of a loop. Or the first is made
; in each turn, and the second once.
; CHECK-COUNT-6: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 24
; CHECK-LABEL: @sentinel.4(
define void @sentinel.3() gc "statepoint-example" {
  ret void
}
define ptr addrspace(1) @others(i1 %c) gc "statepoint-example" {
  br i1 %c, label %first, label %join
first:
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br label %join
join:
  %r = phi ptr addrspace(1) [ %a, %first ], [ null, %0 ]
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %r, ptr addrspace(1) %t
  ret ptr addrspace(1) %b
}
define ptr addrspace(1) @turns(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %j, %loop ]
  %r = phi ptr addrspace(1) [ %a, %0 ], [ %b, %loop ]
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %r, ptr addrspace(1) %t
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret ptr addrspace(1) %b
}

define ptr addrspace(1) @once(i64 %n) gc "statepoint-example" {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %j, %loop ]
  %r = phi ptr addrspace(1) [ null, %0 ], [ %a, %loop ]
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) %r, ptr addrspace(1) %t
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %done
done:
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %u = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %u
  ret ptr addrspace(1) %b
}

; Another thread may see a volatile store; a large object costs more to clear than a check.
; CHECK-COUNT-2: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 24
; CHECK: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 24
; CHECK: %end{{[0-9]*}} = add i64 %free{{[0-9]*}}, 144
define void @sentinel.4() gc "statepoint-example" {
  ret void
}
define ptr addrspace(1) @volatile(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br i1 %c, label %say, label %join
say:
  store volatile i64 1, ptr @global
  br label %join
join:
  %b = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  %t = getelementptr i8, ptr addrspace(1) %b, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  ret ptr addrspace(1) %b
}
define ptr addrspace(1) @costly(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @cell, i64 16)
  br i1 %c, label %fill, label %join
fill:
  store i64 1, ptr addrspace(1) %a
  br label %join
join:
  %b = call ptr addrspace(1) @cairn_alloc_array(ptr @large, i64 1)
  store ptr addrspace(1) %b, ptr addrspace(1) %a
  ret ptr addrspace(1) %a
}
