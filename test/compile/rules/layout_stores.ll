; References stored where the layout of the object has none, and into the middle of objects, in IR of a front end. What would go wrong: the collector does not find them.
; RUN: not %cairn opt -p rules,prepare --disable-output %s 2>&1 | FileCheck %s --implicit-check-not=error:
; RUN: not %cairn-cc -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
; The optimiser has been there before, too.
; RUN: opt -O2 -S %s -o %t.ll && not %cairn opt -p rules,prepare --disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=AFTER
; AFTER: 'offset'{{.*}} [layout-store]
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

%pair = type { ptr, ptr }
%right = type { ptr addrspace(1), ptr }
%row = type { i64, [2 x %right], ptr addrspace(1) }
%table = type { i64, [0 x %right] }
%mixed = type { i64, ptr addrspace(1), i64 }
@pair = internal constant %pair zeroinitializer
@right = internal constant %right zeroinitializer
@row = internal constant %row zeroinitializer
@table = internal constant %table zeroinitializer
@mixed = internal constant %mixed zeroinitializer
@own = thread_local global ptr addrspace(1) null
declare ptr @llvm.threadlocal.address.p0(ptr)
@global = internal global ptr addrspace(1) null
@place = internal constant i64 zeroinitializer

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)

; CHECK: error: in function 'first': a reference is stored at offset 0 in an object of type %pair{{.*}} [layout-store]
define ptr addrspace(1) @first(ptr addrspace(1) %v) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store ptr addrspace(1) %v, ptr addrspace(1) %o
  ret ptr addrspace(1) %o
}
; CHECK: error: in function 'offset': a reference is stored at offset 8 in an object of type %right{{.*}} [layout-store]
define ptr addrspace(1) @offset(ptr addrspace(1) %v) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @right, i64 16)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %v, ptr addrspace(1) %at
  ret ptr addrspace(1) %o
}
; Through a local, a cast, a merge and a part.
; CHECK: error: in function 'merged': a reference is stored at offset 0 in an object of type %{{pair|mixed}}{{.*}} [layout-store]
define void @merged(ptr addrspace(1) %v, i1 %c) gc "statepoint-example" {
entry:
  %local = alloca ptr addrspace(1)
  br i1 %c, label %one, label %two
one:
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  br label %both
two:
  %p = call ptr addrspace(1) @cairn_alloc(ptr @mixed, i64 24)
  %p16 = getelementptr %mixed, ptr addrspace(1) %p, i64 0, i32 2
  br label %both
both:
  %at = phi ptr addrspace(1) [ %o, %one ], [ %p16, %two ]
  store ptr addrspace(1) %at, ptr %local
  %again = load ptr addrspace(1), ptr %local
  %cast = bitcast ptr addrspace(1) %again to ptr addrspace(1)
  store ptr addrspace(1) %v, ptr addrspace(1) %cast
  ret void
}
; CHECK: error: in function 'beyond': a reference is stored at offset 16 in an object of type %right{{.*}} [layout-store]
define void @beyond(ptr addrspace(1) %v) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @right, i64 24)
  %at = getelementptr i64, ptr addrspace(1) %o, i64 2
  store atomic ptr addrspace(1) %v, ptr addrspace(1) %at seq_cst, align 8
  ret void
}
; CHECK: error: in function 'element': a reference is stored by an index in an object of type %right{{.*}} [layout-store]
define void @element(ptr addrspace(1) %v, i64 %i) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array(ptr @right, i64 %i)
  %element = getelementptr [16 x i8], ptr addrspace(1) %o, i64 %i
  %at = getelementptr i8, ptr addrspace(1) %element, i64 8
  %old = atomicrmw xchg ptr addrspace(1) %at, ptr addrspace(1) %v seq_cst
  ret void
}
; CHECK: error: in function 'flexible': a reference is stored by an index in an object of type %table{{.*}} [layout-store]
define void @flexible(ptr addrspace(1) %v, i64 %i) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_flex(ptr @table, i64 %i)
  %at = getelementptr i8, ptr addrspace(1) %o, i64 16
  %element = getelementptr %right, ptr addrspace(1) %at, i64 %i
  %pair = cmpxchg ptr addrspace(1) %element, ptr addrspace(1) null, ptr addrspace(1) %v seq_cst seq_cst
  ret void
}
; CHECK: error: in function 'named': a reference is stored in a member of type ptr of %right {{.*}} [layout-store]
define void @named(ptr addrspace(1) %o, ptr addrspace(1) %v) gc "statepoint-example" {
  %at = getelementptr %right, ptr addrspace(1) %o, i64 0, i32 1
  store ptr addrspace(1) %v, ptr addrspace(1) %at
  ret void
}
; CHECK: error: in function 'number': a reference is stored in a member of type i64 of %mixed {{.*}} [layout-store]
define void @number(ptr addrspace(1) %o, ptr addrspace(1) %v) gc "statepoint-example" {
  %at = getelementptr %mixed, ptr addrspace(1) %o, i64 0, i32 2
  store ptr addrspace(1) %v, ptr addrspace(1) %at
  ret void
}
; CHECK: error: in function 'derived': {{.*}} [derived-store]
define void @derived(ptr addrspace(1) %o) gc "statepoint-example" {
  %p = call ptr addrspace(1) @cairn_alloc(ptr @mixed, i64 24)
  %inside = getelementptr i8, ptr addrspace(1) %p, i64 16
  store ptr addrspace(1) %inside, ptr addrspace(1) %o
  ret void
}
; CHECK: error: in function 'derived_global': {{.*}} [derived-store]
define void @derived_global(ptr addrspace(1) %o) gc "statepoint-example" {
  %p = load ptr addrspace(1), ptr addrspace(1) %o
  %inside = getelementptr %mixed, ptr addrspace(1) %p, i64 0, i32 1
  store ptr addrspace(1) %inside, ptr @global
  ret void
}
; CHECK: error: in function 'derived_thread_local': {{.*}} [derived-store]
define void @derived_thread_local(ptr addrspace(1) %o) gc "statepoint-example" {
  %p = load ptr addrspace(1), ptr addrspace(1) %o
  %inside = getelementptr %mixed, ptr addrspace(1) %p, i64 0, i32 1
  %own = call ptr @llvm.threadlocal.address.p0(ptr @own)
  store ptr addrspace(1) %inside, ptr %own
  ret void
}

; Legal: nothing is provable, or all is right.
define void @legal(ptr addrspace(1) %o, ptr addrspace(1) %v, i64 %i, i1 %c) gc "statepoint-example" {
entry:
  %local = alloca ptr addrspace(1)
  %r = call ptr addrspace(1) @cairn_alloc(ptr @right, i64 16)
  store ptr addrspace(1) %v, ptr addrspace(1) %r
  %w = call ptr addrspace(1) @cairn_alloc(ptr @row, i64 48)
  %w24 = getelementptr i8, ptr addrspace(1) %w, i64 24
  store ptr addrspace(1) %v, ptr addrspace(1) %w24
  %element = getelementptr %row, ptr addrspace(1) %w, i64 0, i32 1, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %element
  %word = getelementptr i64, ptr addrspace(1) %w, i64 %i
  store ptr addrspace(1) %v, ptr addrspace(1) %word
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @right, i64 %i)
  %a16 = getelementptr i8, ptr addrspace(1) %a, i64 16
  store ptr addrspace(1) %v, ptr addrspace(1) %a16
  %t = call ptr addrspace(1) @cairn_alloc_flex(ptr @table, i64 %i)
  %t8 = getelementptr i8, ptr addrspace(1) %t, i64 8
  store ptr addrspace(1) %v, ptr addrspace(1) %t8
  %t40 = getelementptr i8, ptr addrspace(1) %t, i64 40
  store ptr addrspace(1) %v, ptr addrspace(1) %t40
  %m = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %either = select i1 %c, ptr addrspace(1) %m, ptr addrspace(1) %r
  store ptr addrspace(1) %v, ptr addrspace(1) %either
  store ptr addrspace(1) null, ptr addrspace(1) %m
  store i64 %i, ptr addrspace(1) %m
  %inside = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %inside, ptr %local
  %back = getelementptr i8, ptr addrspace(1) %inside, i64 -8
  store ptr addrspace(1) %back, ptr addrspace(1) %o
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %w, %entry ], [ %next, %loop ]
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  %next = getelementptr i8, ptr addrspace(1) %p, i64 8
  br i1 %c, label %loop, label %end
end:
  ret void
}
