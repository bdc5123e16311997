; RUN: clang -O1 -D_GNU_SOURCE -I%root/include -c %S/Inputs/values_native.c -o %t.1.o
; RUN: %cairn-cc -O0 %s %t.1.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 %s %t.1.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O3 -static %s %t.1.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s %t.1.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 -fno-omit-frame-pointer %s %t.1.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; What a deopt bundle holds is read back while the call lasts, after a collection moved the object. Wrong: an old
; address, of the object or of what is derived from it; a value of another place; operands where there are none.
; CHECK: fixed: 6 values: 7, -42, object 100, field 200, null 0, local 300, moved
; CHECK-NEXT: 101 200
; CHECK-NEXT: dynamic: 6 values: 9, -42, object 101, field 200, null 0, local 300, moved
; CHECK-NEXT: 102 200
; CHECK-NOT: {{.}}

@layout = internal constant i64 0
@fixed_name = private constant [6 x i8] c"fixed\00"
@dynamic_name = private constant [8 x i8] c"dynamic\00"
@text = private constant [9 x i8] c"%ld %ld\0A\00"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @remember(ptr addrspace(1)) "gc-leaf-function"
declare void @look(ptr)
declare i32 @printf(ptr, ...)

define ptr addrspace(1) @make(i64 %n) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 %n, ptr addrspace(1) %p
  %d = getelementptr i8, ptr addrspace(1) %p, i64 8
  store i64 200, ptr addrspace(1) %d
  ret ptr addrspace(1) %p
}

define void @show(ptr addrspace(1) %p, ptr addrspace(1) %d) noinline gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  %w = load i64, ptr addrspace(1) %d
  %next = add i64 %v, 1
  %r = call i32 (ptr, ...) @printf(ptr @text, i64 %next, i64 %w)
  ret void
}

define void @fixed(i64 %n, ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %local = alloca i64
  store volatile i64 300, ptr %local
  %d = getelementptr i8, ptr addrspace(1) %p, i64 8
  call void @remember(ptr addrspace(1) %p)
  call void @look(ptr @fixed_name) ["deopt"(i64 %n, i32 -42, ptr addrspace(1) %p, ptr addrspace(1) %d, ptr addrspace(1) null, ptr %local)]
  call void @show(ptr addrspace(1) %p, ptr addrspace(1) %d)
  ret void
}

define void @dynamic(i64 %n, ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %local = alloca i64
  %array = alloca i64, i64 %n
  store volatile i64 300, ptr %local
  store volatile i64 1, ptr %array
  %d = getelementptr i8, ptr addrspace(1) %p, i64 8
  call void @remember(ptr addrspace(1) %p)
  call void @look(ptr @dynamic_name) ["deopt"(i64 %n, i32 -42, ptr addrspace(1) %p, ptr addrspace(1) %d, ptr addrspace(1) null, ptr %local)]
  call void @show(ptr addrspace(1) %p, ptr addrspace(1) %d)
  ret void
}

define i32 @main() gc "statepoint-example" {
  %p = call ptr addrspace(1) @make(i64 100)
  call void @fixed(i64 7, ptr addrspace(1) %p)
  %q = call ptr addrspace(1) @make(i64 101)
  call void @dynamic(i64 9, ptr addrspace(1) %q)
  ret i32 0
}
