; RUN: clang -O1 -I%root/include -c %S/Inputs/user_roots_native.c -o %t.1.o
; RUN: %cairn-cc -O0 %s %t.1.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck --check-prefix=CHECK %s
; RUN: %cairn-cc -O2 %s %t.1.o -o %t && env CAIRN_STRESS=1 %t | FileCheck --check-prefix=CHECK %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s %t.1.o -o %t && env CAIRN_STRESS=1 %t | FileCheck --check-prefix=CHECK %s
; RUN: env NO_HANDLER=1 CAIRN_STRESS=1 not --crash %t 2>&1 | FileCheck --check-prefix=NONE %s
; RUN: %cairn-cc -O2 -c %s -o %t.2.o && %cairn frames %t.2.o | FileCheck --check-prefix=MAP %s
; Words of locals that are the language's own, references with bits in them, come to the handler of such roots with
; their tag and parameter, and to who enumerates roots; of inlined functions, too. Wrong: an object that moves
; without its word, or is freed; a program that goes on though nobody knows what the word is.
; MAP: area [{{r?}}sp + {{[0-9]+}}], count 1, stride 8, tag 4, parameter 2
; CHECK: sum 3, shown
; CHECK: 42 7
; NONE: a user root, but the program has not called cairn_set_user_roots()

@layout = internal constant i64 0
@text = private constant [9 x i8] c"%ld %ld\0A\00"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare void @cairn.user.root(ptr, i32, i64)
declare void @word_set(ptr, ptr addrspace(1), i64) "gc-leaf-function"
declare ptr addrspace(1) @word_get(ptr) "gc-leaf-function"
declare void @count()
declare i32 @printf(ptr, ...)

define internal i64 @inner(i64 %n) gc "statepoint-example" {
  %word = alloca i64
  call void @cairn.user.root(ptr %word, i32 4, i64 2)
  %p = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  store i64 %n, ptr addrspace(1) %p
  call void @word_set(ptr %word, ptr addrspace(1) %p, i64 2)
  call void @cairn_collect()
  call void @count()
  %q = call ptr addrspace(1) @word_get(ptr %word)
  %v = load i64, ptr addrspace(1) %q
  ret i64 %v
}

define i32 @main() gc "statepoint-example" {
  %words = alloca [2 x i64]
  %second = getelementptr [2 x i64], ptr %words, i64 0, i64 1
  call void @cairn.user.root(ptr %second, i32 4, i64 1)
  call void @cairn_collect()
  %p = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  store i64 42, ptr addrspace(1) %p
  call void @word_set(ptr %second, ptr addrspace(1) %p, i64 1)
  %n = call i64 @inner(i64 7)
  %q = call ptr addrspace(1) @word_get(ptr %second)
  %v = load i64, ptr addrspace(1) %q
  %r = call i32 (ptr, ...) @printf(ptr @text, i64 %v, i64 %n)
  ret i32 0
}
