; What the optimiser made of loops before the module came here: masked stores, scatters, fills with a pattern.
; References stored so are found by young collections, and those stored in memory of the C library are named. Wrong: the
; stores have no barrier, and the boxes are gone; or the collector never looks there, and nothing says so.
; RUN: opt -passes='default<O3>' -mcpu=x86-64-v4 -S %s | sed '/^target/d; s/"target-cpu"="[^"]*"/"vectorised"/' > %t.ll
; RUN: FileCheck --check-prefix=VECTORS --input-file=%t.ll %s
; RUN: for o in "-O0" "-O2" "-O3 -fcairn-safepoints=early"; do \
; RUN:   %cairn-cc $o %t.ll -o %t && %t && env CAIRN_VERIFY=heap %t && env CAIRN_STRESS=2999 %t && \
; RUN:   not --crash %t out 2>&1 | FileCheck --check-prefix=OUT %s && \
; RUN:   not --crash %t out 2 2>&1 | FileCheck --check-prefix=OUT %s || exit 1; done
; RUN: for k in cards snapshot; do clang -O2 -I%root/include -c %root/examples/collectors/barriers/$k.c -o %t.$k.o || exit 1; done
; RUN: clang -O2 -I%root/include -c %root/examples/collectors/barriers/young.c -o %t.young.o
; RUN: %cairn-cc -O2 -fcairn-barriers=cards %t.ll %t.young.o %t.cards.o -o %t && %t && env CAIRN_VERIFY=heap %t
; RUN: %cairn-cc -O2 -fcairn-barriers=snapshot %t.ll %t.snapshot.o -o %t && %t
; VECTORS-DAG: call void @llvm.masked.store.v{{[0-9]+}}p1.p1(
; VECTORS-DAG: call void @llvm.masked.store.v{{[0-9]+}}p1.p0(
; VECTORS-DAG: call void @llvm.masked.scatter.v{{[0-9]+}}p1.v{{[0-9]+}}p1(
; VECTORS-DAG: call void @llvm.experimental.memset.pattern.p1.p1.i64(
; OUT: cairn: fatal: a reference is stored at {{.*}} neither a local nor a global
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@box.layout = internal constant i64 zeroinitializer
@table.layout = internal constant ptr addrspace(1) null
@flags = internal global [1024 x i8] zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare void @cairn_collect()
declare ptr @malloc(i64)
declare i32 @printf(ptr, ...)
declare void @llvm.experimental.memset.pattern.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.masked.scatter.v4p1.v4p1(<4 x ptr addrspace(1)>, <4 x ptr addrspace(1)>, <4 x i1>)
declare void @llvm.experimental.memset.pattern.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)

define internal ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @cairn_alloc(ptr @box.layout, i64 8)
  store i64 %n, ptr addrspace(1) %p
  ret ptr addrspace(1) %p
}

; So much garbage that the nursery is collected.
define internal void @churn() noinline gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = call ptr addrspace(1) @box(i64 %i)
  %next = add i64 %i, 1
  %go = icmp ult i64 %next, 300000
  br i1 %go, label %loop, label %done
done:
  ret void
}

define internal i64 @sum(ptr addrspace(1) %table) noinline gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %on ]
  %sum = phi i64 [ 0, %entry ], [ %more, %on ]
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %table, i64 %i
  %p = load ptr addrspace(1), ptr addrspace(1) %slot
  %none = icmp eq ptr addrspace(1) %p, null
  br i1 %none, label %on, label %add
add:
  %n = load i64, ptr addrspace(1) %p
  br label %on
on:
  %one = phi i64 [ 0, %loop ], [ %n, %add ]
  %more = add i64 %sum, %one
  %next = add i64 %i, 1
  %go = icmp ult i64 %next, 1024
  br i1 %go, label %loop, label %done
done:
  ret i64 %more
}

define internal void @fill(ptr addrspace(1) %to, ptr addrspace(1) %v) noinline gc "statepoint-example" {
  call void @llvm.experimental.memset.pattern.p1.p1.i64(ptr addrspace(1) align 8 %to, ptr addrspace(1) %v, i64 1024, i1 false)
  ret void
}

; The loop that becomes masked stores.
define internal void @some(ptr addrspace(1) noalias %to, ptr addrspace(1) %v) noinline gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %on ]
  %flag = getelementptr i8, ptr @flags, i64 %i
  %f = load i8, ptr %flag
  %set = icmp ne i8 %f, 0
  br i1 %set, label %store, label %on
store:
  %slot = getelementptr ptr addrspace(1), ptr addrspace(1) %to, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  br label %on
on:
  %next = add i64 %i, 1
  %go = icmp ult i64 %next, 1024
  br i1 %go, label %loop, label %done
done:
  ret void
}

define internal void @some_outside(ptr noalias %to, ptr addrspace(1) %v) noinline gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %on ]
  %flag = getelementptr i8, ptr @flags, i64 %i
  %f = load i8, ptr %flag
  %set = icmp ne i8 %f, 0
  br i1 %set, label %store, label %on
store:
  %slot = getelementptr ptr addrspace(1), ptr %to, i64 %i
  store ptr addrspace(1) %v, ptr %slot
  br label %on
on:
  %next = add i64 %i, 1
  %go = icmp ult i64 %next, 1024
  br i1 %go, label %loop, label %done
done:
  ret void
}

define internal void @scatter(ptr addrspace(1) %to, ptr addrspace(1) %v, <4 x i1> %mask) noinline gc "statepoint-example" {
  %vs = insertelement <4 x ptr addrspace(1)> poison, ptr addrspace(1) %v, i64 0
  %all = shufflevector <4 x ptr addrspace(1)> %vs, <4 x ptr addrspace(1)> poison, <4 x i32> zeroinitializer
  %slots = getelementptr ptr addrspace(1), ptr addrspace(1) %to, <4 x i64> <i64 3, i64 900, i64 17, i64 400>
  call void @llvm.masked.scatter.v4p1.v4p1(<4 x ptr addrspace(1)> %all, <4 x ptr addrspace(1)> align 8 %slots, <4 x i1> %mask)
  ret void
}

; Lets the collector see the table as old, stores in it by `how`, and adds up what is left after collections.
define internal i1 @try(i64 %how) noinline gc "statepoint-example" {
  %table = call ptr addrspace(1) @cairn_alloc_array(ptr @table.layout, i64 1024)
  call void @cairn_collect()
  call void @cairn_collect()
  %v = call ptr addrspace(1) @box(i64 7)
  switch i64 %how, label %by.fill [
    i64 1, label %by.some
    i64 2, label %by.scatter
  ]
by.fill:
  call void @fill(ptr addrspace(1) %table, ptr addrspace(1) %v)
  br label %check
by.some:
  call void @some(ptr addrspace(1) %table, ptr addrspace(1) %v)
  br label %check
by.scatter:
  %f = load <4 x i8>, ptr @flags, align 1
  %mask = icmp ne <4 x i8> %f, zeroinitializer
  call void @scatter(ptr addrspace(1) %table, ptr addrspace(1) %v, <4 x i1> %mask)
  br label %check
check:
  %expected = phi i64 [ 7168, %by.fill ], [ 2394, %by.some ], [ 14, %by.scatter ]
  call void @churn()
  %sum = call i64 @sum(ptr addrspace(1) %table)
  %right = icmp eq i64 %sum, %expected
  ret i1 %right
}

define i32 @main(i32 %count, ptr %arguments) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %third = urem i64 %i, 3
  %set = icmp eq i64 %third, 0
  %flag = getelementptr i8, ptr @flags, i64 %i
  %f = zext i1 %set to i8
  store volatile i8 %f, ptr %flag
  %next = add i64 %i, 1
  %go = icmp ult i64 %next, 1024
  br i1 %go, label %loop, label %tries
tries:
  switch i32 %count, label %pattern.outside [
    i32 1, label %inside
    i32 2, label %outside
  ]
inside:
  %fill = call i1 @try(i64 0)
  %some = call i1 @try(i64 1)
  %scatter = call i1 @try(i64 2)
  %both = and i1 %fill, %some
  %all = and i1 %both, %scatter
  %status = select i1 %all, i32 0, i32 1
  ret i32 %status
outside:
  %memory = call ptr @malloc(i64 8192)
  %v = call ptr addrspace(1) @box(i64 7)
  call void @some_outside(ptr %memory, ptr addrspace(1) %v)
  ret i32 0
pattern.outside:
  %more = call ptr @malloc(i64 8192)
  %w = call ptr addrspace(1) @box(i64 7)
  call void @llvm.experimental.memset.pattern.p0.p1.i64(ptr align 8 %more, ptr addrspace(1) %w, i64 1024, i1 false)
  ret i32 0
}
