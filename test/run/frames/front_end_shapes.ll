; RUN: %cairn-cc -O0 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O1 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O3 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; What a front end may emit and clang does not: selects of derived references, vectors and
; aggregates of them over safepoints, computed branches, exchanges.
; CHECK: select 17 23
; CHECK: phi 23 17
; CHECK: vector 5 7
; CHECK: aggregate 5 7
; CHECK: indirect 5
; CHECK: exchange 7 5

%box = type { i64, ptr addrspace(1) }
%pair = type { ptr addrspace(1), i64, ptr addrspace(1) }
@layout = internal constant %box zeroinitializer
@cell = internal global ptr addrspace(1) null
@f1 = private constant [14 x i8] c"%s %ld %ld\0A\00\00\00"
@f2 = private constant [8 x i8] c"%s %ld\0A\00"
@select = private constant [7 x i8] c"select\00"
@phi = private constant [4 x i8] c"phi\00"
@vector = private constant [7 x i8] c"vector\00"
@aggregate = private constant [10 x i8] c"aggregate\00"
@indirect = private constant [9 x i8] c"indirect\00"
@exchange = private constant [9 x i8] c"exchange\00"

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @printf(ptr, ...)

define ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %box = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 %value, ptr addrspace(1) %box
  ret ptr addrspace(1) %box
}

define i64 @selected(i1 %c) noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 1)
  %b = call ptr addrspace(1) @make(i64 2)
  %x = call ptr addrspace(1) @make(i64 17)
  %y = call ptr addrspace(1) @make(i64 23)
  %af = getelementptr %box, ptr addrspace(1) %a, i64 0, i32 1
  %bf = getelementptr %box, ptr addrspace(1) %b, i64 0, i32 1
  %field = select i1 %c, ptr addrspace(1) %af, ptr addrspace(1) %bf
  store ptr addrspace(1) %x, ptr addrspace(1) %af
  call void @cairn_collect()
  store ptr addrspace(1) %y, ptr addrspace(1) %bf
  call void @cairn_collect()
  %r = load ptr addrspace(1), ptr addrspace(1) %field
  %v = load i64, ptr addrspace(1) %r
  ret i64 %v
}

define i64 @merged(i32 %n) noinline gc "statepoint-example" {
entry:
  %a = call ptr addrspace(1) @make(i64 17)
  %b = call ptr addrspace(1) @make(i64 23)
  %af = getelementptr i8, ptr addrspace(1) %a, i64 8
  %bf = getelementptr i8, ptr addrspace(1) %b, i64 8
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %af, %entry ], [ %q, %loop ]
  %q = phi ptr addrspace(1) [ %bf, %entry ], [ %p, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  call void @cairn_collect()
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %out
out:
  %start = getelementptr i8, ptr addrspace(1) %p, i64 -8
  %v = load i64, ptr addrspace(1) %start
  ret i64 %v
}

define void @vectors() noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 5)
  %b = call ptr addrspace(1) @make(i64 7)
  %v0 = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %a, i32 0
  %v = insertelement <2 x ptr addrspace(1)> %v0, ptr addrspace(1) %b, i32 1
  call void @cairn_collect()
  %x = extractelement <2 x ptr addrspace(1)> %v, i32 0
  %y = extractelement <2 x ptr addrspace(1)> %v, i32 1
  %m = load i64, ptr addrspace(1) %x
  %n = load i64, ptr addrspace(1) %y
  %r = call i32 (ptr, ...) @printf(ptr @f1, ptr @vector, i64 %m, i64 %n)
  ret void
}

define %pair @pair() noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 5)
  %b = call ptr addrspace(1) @make(i64 7)
  %p0 = insertvalue %pair { ptr addrspace(1) null, i64 3, ptr addrspace(1) null }, ptr addrspace(1) %a, 0
  %p = insertvalue %pair %p0, ptr addrspace(1) %b, 2
  call void @cairn_collect()
  ret %pair %p
}

define void @aggregates() noinline gc "statepoint-example" {
  %p = call %pair @pair()
  call void @cairn_collect()
  %x = extractvalue %pair %p, 0
  %y = extractvalue %pair %p, 2
  %m = load i64, ptr addrspace(1) %x
  call void @cairn_collect()
  %n = load i64, ptr addrspace(1) %y
  %r = call i32 (ptr, ...) @printf(ptr @f1, ptr @aggregate, i64 %m, i64 %n)
  ret void
}

define void @computed(i64 %k) noinline gc "statepoint-example" {
entry:
  %a = call ptr addrspace(1) @make(i64 5)
  %c = icmp eq i64 %k, 0
  %to = select i1 %c, ptr blockaddress(@computed, %one), ptr blockaddress(@computed, %two)
  indirectbr ptr %to, [ label %one, label %two ]
one:
  call void @cairn_collect()
  br label %two
two:
  %n = load i64, ptr addrspace(1) %a
  %r = call i32 (ptr, ...) @printf(ptr @f2, ptr @indirect, i64 %n)
  ret void
}

define void @exchanged() noinline gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i64 5)
  store ptr addrspace(1) %a, ptr @cell
  %b = call ptr addrspace(1) @make(i64 7)
  %old = atomicrmw xchg ptr @cell, ptr addrspace(1) %b seq_cst
  %both = cmpxchg ptr @cell, ptr addrspace(1) %b, ptr addrspace(1) %old seq_cst seq_cst
  %was = extractvalue { ptr addrspace(1), i1 } %both, 0
  call void @cairn_collect()
  %now = load ptr addrspace(1), ptr @cell
  %m = load i64, ptr addrspace(1) %was
  %n = load i64, ptr addrspace(1) %now
  %r = call i32 (ptr, ...) @printf(ptr @f1, ptr @exchange, i64 %m, i64 %n)
  ret void
}

define i32 @main() gc "statepoint-example" {
  %s1 = call i64 @selected(i1 true)
  %s0 = call i64 @selected(i1 false)
  %r1 = call i32 (ptr, ...) @printf(ptr @f1, ptr @select, i64 %s1, i64 %s0)
  %p1 = call i64 @merged(i32 2)
  %p0 = call i64 @merged(i32 5)
  %r2 = call i32 (ptr, ...) @printf(ptr @f1, ptr @phi, i64 %p1, i64 %p0)
  call void @vectors()
  call void @aggregates()
  call void @computed(i64 0)
  call void @exchanged()
  ret i32 0
}
