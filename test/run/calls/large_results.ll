; RUN: %cairn-cc -O0 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; Beside a thread that collects all the time: no reference is lost on its way through the code that fetches the result.
; RUN: clang -shared -fPIC -O2 -D_GNU_SOURCE %root/test/tools/threads.c -o %t.so -ldl
; RUN: for i in 1 2 3 4 5 6 7 8 9 10; do env TEST_THREADS=collect LD_PRELOAD=%t.so %t | FileCheck %s || exit 1; done
; Results that have no room in registers, with references in them: the code generator crashes on such statepoints, or
; calls address 0. Managed callees, by name and by address, and one of the C library.
; CHECK: fat 7 8 1
; CHECK: fat 9 9 1
; CHECK: four 1 2 3
; CHECK: vector 5 6 7
; CHECK: div 3 1 0

%box = type { i64, ptr addrspace(1) }
%fat = type { i64, { ptr addrspace(1), ptr addrspace(1) }, i1 }
@layout = private constant %box zeroinitializer
@f = private constant [15 x i8] c"%s %ld %ld %d\0A\00"
@fat = private constant [4 x i8] c"fat\00"
@four = private constant [5 x i8] c"four\00"
@vector = private constant [7 x i8] c"vector\00"
@div = private constant [4 x i8] c"div\00"

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @printf(ptr, ...)
declare { i64, i64 } @ldiv(i64, i64)

define internal ptr addrspace(1) @make(i64 %value) noinline gc "statepoint-example" {
  %box = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 %value, ptr addrspace(1) %box
  ret ptr addrspace(1) %box
}

define internal %fat @pair(i64 %value, ptr addrspace(1) %second) noinline gc "statepoint-example" {
  %first = call ptr addrspace(1) @make(i64 %value)
  %a = insertvalue %fat { i64 3, { ptr addrspace(1), ptr addrspace(1) } zeroinitializer, i1 true }, ptr addrspace(1) %first, 1, 0
  %b = insertvalue %fat %a, ptr addrspace(1) %second, 1, 1
  call void @cairn_collect()
  ret %fat %b
}

define internal void @fats(ptr %callee) noinline gc "statepoint-example" {
  %eight = call ptr addrspace(1) @make(i64 8)
  %r = call %fat @pair(i64 7, ptr addrspace(1) %eight)
  call void @show(%fat %r)
  %first = extractvalue %fat %r, 1, 0
  store i64 9, ptr addrspace(1) %first
  %s = call %fat %callee(i64 9, ptr addrspace(1) %first)
  call void @show(%fat %s)
  ret void
}

define internal void @show(%fat %r) noinline gc "statepoint-example" {
  call void @cairn_collect()
  %x = extractvalue %fat %r, 1, 0
  %y = extractvalue %fat %r, 1, 1
  %z = extractvalue %fat %r, 2
  %m = load i64, ptr addrspace(1) %x
  %n = load i64, ptr addrspace(1) %y
  %k = zext i1 %z to i32
  %p = call i32 (ptr, ...) @printf(ptr @f, ptr @fat, i64 %m, i64 %n, i32 %k)
  ret void
}

define internal [5 x i64] @count(ptr addrspace(1) %a) noinline gc "statepoint-example" {
  %n = load i64, ptr addrspace(1) %a
  %r = insertvalue [5 x i64] [i64 0, i64 2, i64 3, i64 4, i64 5], i64 %n, 0
  ret [5 x i64] %r
}

define internal <8 x double> @lanes(ptr addrspace(1) %a) noinline gc "statepoint-example" {
  %n = load i64, ptr addrspace(1) %a
  %d = sitofp i64 %n to double
  %v = insertelement <8 x double> <double 0.0, double 6.0, double 7.0, double 0.0, double 0.0, double 0.0, double 0.0, double 0.0>, double %d, i32 0
  ret <8 x double> %v
}

define i32 @main() gc "statepoint-example" {
  call void @fats(ptr @pair)
  %one = call ptr addrspace(1) @make(i64 1)
  %r = call [5 x i64] @count(ptr addrspace(1) %one)
  %r0 = extractvalue [5 x i64] %r, 0
  %r1 = extractvalue [5 x i64] %r, 1
  %r2 = extractvalue [5 x i64] %r, 2
  %k = trunc i64 %r2 to i32
  %p = call i32 (ptr, ...) @printf(ptr @f, ptr @four, i64 %r0, i64 %r1, i32 %k)
  store i64 5, ptr addrspace(1) %one
  %v = call <8 x double> @lanes(ptr addrspace(1) %one)
  %i = fptosi <8 x double> %v to <8 x i64>
  %v0 = extractelement <8 x i64> %i, i32 0
  %v1 = extractelement <8 x i64> %i, i32 1
  %v2 = extractelement <8 x i64> %i, i32 2
  %j = trunc i64 %v2 to i32
  %q = call i32 (ptr, ...) @printf(ptr @f, ptr @vector, i64 %v0, i64 %v1, i32 %j)
  %d = call { i64, i64 } @ldiv(i64 7, i64 2)
  %d0 = extractvalue { i64, i64 } %d, 0
  %d1 = extractvalue { i64, i64 } %d, 1
  %s = call i32 (ptr, ...) @printf(ptr @f, ptr @div, i64 %d0, i64 %d1, i32 0)
  ret i32 0
}
