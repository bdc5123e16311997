; The difference of a reference and a null that a branch chose is the same number, no 0, whether the optimiser has specialised
; the subtraction for the branch or not, and the program that keeps it over a safepoint is not refused.
; RUN: %cairn-cc -O0 %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; CHECK: an address 1, within 8
%cell = type { i64, i64 }
@cell.layout = internal constant %cell zeroinitializer
@text = private constant [27 x i8] c"an address %d, within %ld\0A\00"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @printf(ptr, ...)

define internal i64 @less(ptr addrspace(1) %p, ptr addrspace(1) %r, i1 %c) alwaysinline gc "statepoint-example" {
  br i1 %c, label %some, label %join
some:
  br label %join
join:
  %q = phi ptr addrspace(1) [ %r, %some ], [ null, %0 ]
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %q to i64
  %d = sub i64 %i, %j
  ret i64 %d
}
define i32 @main() gc "statepoint-example" {
  %p = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %p, i64 8
  %none = call i64 @less(ptr addrspace(1) %f, ptr addrspace(1) %p, i1 false)
  %some = call i64 @less(ptr addrspace(1) %f, ptr addrspace(1) %p, i1 true)
  call void @cairn_collect()
  %is = icmp ne i64 %none, 0
  %n = zext i1 %is to i32
  %x = call i32 (ptr, ...) @printf(ptr @text, i32 %n, i64 %some)
  ret i32 0
}
