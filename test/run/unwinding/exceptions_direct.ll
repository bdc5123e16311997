; RUN: clang -O1 -c %root/test/random/modules/support.c -o %t.o
; RUN: %cairn-cc -O0 %s %t.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 %s %t.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; Native code throws, and the managed function that called it catches, or nobody does. What would go
; wrong: unwinders know a frame by its end, and that of the stub between is its caller's: the stub was
; asked to catch what the caller had said that it would.
; CHECK: caught 7

@text = private constant [12 x i8] c"caught %ld\0A\00"
@layout = internal constant i64 0
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @random_throw(i64)
declare void @random_caught(ptr)
declare i32 @random_personality(...)
declare i32 @printf(ptr, ...)

define i64 @catch(ptr addrspace(1) %p) noinline gc "statepoint-example" personality ptr @random_personality {
  invoke void @random_throw(i64 1) to label %none unwind label %pad
none:
  ret i64 0
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  %x = extractvalue { ptr, i32 } %e, 0
  call void @random_caught(ptr %x)
  %n = load i64, ptr addrspace(1) %p
  ret i64 %n
}

define i32 @main() gc "statepoint-example" {
  %p = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  store i64 7, ptr addrspace(1) %p
  %n = call i64 @catch(ptr addrspace(1) %p)
  call void @random_throw(i64 2)
  %r = call i32 (ptr, ...) @printf(ptr @text, i64 %n)
  ret i32 0
}
