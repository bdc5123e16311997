; RUN: rm -rf %t && split-file %s %t && clang -O1 -c %t/native.c -o %t/native.o
; RUN: %cairn-cc -O2 %t/program.ll %t/native.o -o %t/run && %t/run | FileCheck %s
; RUN: env CAIRN_STRESS=1 %t/run | FileCheck %s
; A module's own templates around its calls with a bundle "gc-transition": the flag is 1 in native code, and 0 in managed.
; CHECK: in native code 1 1, after it 0, the list has 3

;--- native.c
#include <stdio.h>
extern _Thread_local int flag;
int seen(void) { return flag; }
void print(int a, int b, int c, long n) { printf("in native code %d %d, after it %d, the list has %ld\n", a, b, c, n); }

;--- program.ll
%node = type { ptr addrspace(1), i64 }
@node.layout = internal constant %node zeroinitializer
@flag = thread_local global i32 0, align 4
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare i32 @seen()
declare void @print(i32, i32, i32, i64)
define void @cairn.transition.enter(ptr %at) "gc-leaf-function" {
  store i32 1, ptr %at
  ret void
}
define void @cairn.transition.leave(ptr %at) "gc-leaf-function" {
  store i32 0, ptr %at
  ret void
}
define i32 @main() gc "statepoint-example" {
  %one = call ptr addrspace(1) @cairn_alloc(ptr @node.layout, i64 16)
  %n = getelementptr %node, ptr addrspace(1) %one, i64 0, i32 1
  store i64 3, ptr addrspace(1) %n
  %a = call i32 @seen() [ "gc-transition"(ptr @flag) ]
  %b = call i32 @seen() [ "gc-transition"(ptr @flag) ]
  %c = load volatile i32, ptr @flag
  %count = load i64, ptr addrspace(1) %n
  call void @print(i32 %a, i32 %b, i32 %c, i64 %count)
  ret i32 0
}
