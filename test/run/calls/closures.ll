; RUN: %cairn-cc -O0 %s -o %t && sh -c "ulimit -s 512; %t 1000000" | FileCheck %s
; RUN: %cairn-cc -O2 %s -o %t && sh -c "ulimit -s 512; %t 20000000" | FileCheck %s
; RUN: env CAIRN_STRESS=7 %t 20000 | FileCheck %s
; RUN: env CAIRN_STRESS=3 CAIRN_VERIFY=frames %t 200 | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s -o %t && sh -c "ulimit -s 512; %t 20000000" | FileCheck %s
; A ring of closures that call each other in tail position, each with one argument more than the one
; before: twenty million calls in half a megabyte of stack. What would go wrong: a call is wrapped in a
; statepoint, and leaves a frame; arguments on the stack are not passed on, or go where the caller's
; return address is.
; CHECK: tailcc 36
; CHECK: swifttailcc 36
; CHECK: marked 36

%closure = type { ptr, i64, ptr addrspace(1) }
@layout = internal constant %closure zeroinitializer
@line = internal constant [8 x i8] c"%s %ld\0A\00"
@name0 = internal constant [7 x i8] c"tailcc\00"
@name1 = internal constant [12 x i8] c"swifttailcc\00"
@name2 = internal constant [7 x i8] c"marked\00"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare i32 @printf(ptr, ...)
declare i64 @atol(ptr)

define internal ptr addrspace(1) @make(ptr %code, i64 %value, ptr addrspace(1) %next) noinline gc "statepoint-example" {
  %c = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 24)
  store ptr %code, ptr addrspace(1) %c
  %v = getelementptr i8, ptr addrspace(1) %c, i64 8
  store i64 %value, ptr addrspace(1) %v
  %n = getelementptr i8, ptr addrspace(1) %c, i64 16
  store ptr addrspace(1) %next, ptr addrspace(1) %n
  ret ptr addrspace(1) %c
}
define internal tailcc i64 @f0_0(ptr addrspace(1) %self, i64 %left) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f0_1(ptr addrspace(1) %self, i64 %left, i64 %a0) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f0_2(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f0_3(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f0_4(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f0_5(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f0_6(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f0_7(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f0_8(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6, i64 %a7) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %s0 = add i64 %a0, 0
  %s1 = add i64 %s0, %a1
  %s2 = add i64 %s1, %a2
  %s3 = add i64 %s2, %a3
  %s4 = add i64 %s3, %a4
  %s5 = add i64 %s4, %a5
  %s6 = add i64 %s5, %a6
  %s7 = add i64 %s6, %a7
  %less = sub i64 %left, 9
  %over = icmp slt i64 %less, 0
  br i1 %over, label %end, label %more
end:
  ret i64 %s7
more:
  %fresh = call ptr addrspace(1) @make(ptr @f0_8, i64 %value, ptr addrspace(1) %next)
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call tailcc i64 %code(ptr addrspace(1) %next, i64 %less)
  ret i64 %r
}
define internal void @run0(i64 %n) noinline gc "statepoint-example" {
  %c8 = call ptr addrspace(1) @make(ptr @f0_8, i64 100, ptr addrspace(1) null)
  %c7 = call ptr addrspace(1) @make(ptr @f0_7, i64 8, ptr addrspace(1) %c8)
  %c6 = call ptr addrspace(1) @make(ptr @f0_6, i64 7, ptr addrspace(1) %c7)
  %c5 = call ptr addrspace(1) @make(ptr @f0_5, i64 6, ptr addrspace(1) %c6)
  %c4 = call ptr addrspace(1) @make(ptr @f0_4, i64 5, ptr addrspace(1) %c5)
  %c3 = call ptr addrspace(1) @make(ptr @f0_3, i64 4, ptr addrspace(1) %c4)
  %c2 = call ptr addrspace(1) @make(ptr @f0_2, i64 3, ptr addrspace(1) %c3)
  %c1 = call ptr addrspace(1) @make(ptr @f0_1, i64 2, ptr addrspace(1) %c2)
  %c0 = call ptr addrspace(1) @make(ptr @f0_0, i64 1, ptr addrspace(1) %c1)
  %link = getelementptr i8, ptr addrspace(1) %c8, i64 16
  store ptr addrspace(1) %c0, ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %c0
  %r = call tailcc i64 %code(ptr addrspace(1) %c0, i64 %n)
  %p = call i32 (ptr, ...) @printf(ptr @line, ptr @name0, i64 %r)
  ret void
}
define internal swifttailcc i64 @f1_0(ptr addrspace(1) %self, i64 %left) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %value)
  ret i64 %r
}
define internal swifttailcc i64 @f1_1(ptr addrspace(1) %self, i64 %left, i64 %a0) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %value)
  ret i64 %r
}
define internal swifttailcc i64 @f1_2(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %value)
  ret i64 %r
}
define internal swifttailcc i64 @f1_3(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %value)
  ret i64 %r
}
define internal swifttailcc i64 @f1_4(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %value)
  ret i64 %r
}
define internal swifttailcc i64 @f1_5(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %value)
  ret i64 %r
}
define internal swifttailcc i64 @f1_6(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %value)
  ret i64 %r
}
define internal swifttailcc i64 @f1_7(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6, i64 %value)
  ret i64 %r
}
define internal swifttailcc i64 @f1_8(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6, i64 %a7) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %s0 = add i64 %a0, 0
  %s1 = add i64 %s0, %a1
  %s2 = add i64 %s1, %a2
  %s3 = add i64 %s2, %a3
  %s4 = add i64 %s3, %a4
  %s5 = add i64 %s4, %a5
  %s6 = add i64 %s5, %a6
  %s7 = add i64 %s6, %a7
  %less = sub i64 %left, 9
  %over = icmp slt i64 %less, 0
  br i1 %over, label %end, label %more
end:
  ret i64 %s7
more:
  %fresh = call ptr addrspace(1) @make(ptr @f1_8, i64 %value, ptr addrspace(1) %next)
  %code = load ptr, ptr addrspace(1) %next
  %r = musttail call swifttailcc i64 %code(ptr addrspace(1) %next, i64 %less)
  ret i64 %r
}
define internal void @run1(i64 %n) noinline gc "statepoint-example" {
  %c8 = call ptr addrspace(1) @make(ptr @f1_8, i64 100, ptr addrspace(1) null)
  %c7 = call ptr addrspace(1) @make(ptr @f1_7, i64 8, ptr addrspace(1) %c8)
  %c6 = call ptr addrspace(1) @make(ptr @f1_6, i64 7, ptr addrspace(1) %c7)
  %c5 = call ptr addrspace(1) @make(ptr @f1_5, i64 6, ptr addrspace(1) %c6)
  %c4 = call ptr addrspace(1) @make(ptr @f1_4, i64 5, ptr addrspace(1) %c5)
  %c3 = call ptr addrspace(1) @make(ptr @f1_3, i64 4, ptr addrspace(1) %c4)
  %c2 = call ptr addrspace(1) @make(ptr @f1_2, i64 3, ptr addrspace(1) %c3)
  %c1 = call ptr addrspace(1) @make(ptr @f1_1, i64 2, ptr addrspace(1) %c2)
  %c0 = call ptr addrspace(1) @make(ptr @f1_0, i64 1, ptr addrspace(1) %c1)
  %link = getelementptr i8, ptr addrspace(1) %c8, i64 16
  store ptr addrspace(1) %c0, ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %c0
  %r = call swifttailcc i64 %code(ptr addrspace(1) %c0, i64 %n)
  %p = call i32 (ptr, ...) @printf(ptr @line, ptr @name1, i64 %r)
  ret void
}
define internal tailcc i64 @f2_0(ptr addrspace(1) %self, i64 %left) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f2_1(ptr addrspace(1) %self, i64 %left, i64 %a0) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f2_2(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f2_3(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f2_4(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f2_5(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f2_6(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f2_7(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6, i64 %value)
  ret i64 %r
}
define internal tailcc i64 @f2_8(ptr addrspace(1) %self, i64 %left, i64 %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6, i64 %a7) noinline gc "statepoint-example" {
  %field = getelementptr i8, ptr addrspace(1) %self, i64 8
  %value = load i64, ptr addrspace(1) %field
  %link = getelementptr i8, ptr addrspace(1) %self, i64 16
  %next = load ptr addrspace(1), ptr addrspace(1) %link
  %s0 = add i64 %a0, 0
  %s1 = add i64 %s0, %a1
  %s2 = add i64 %s1, %a2
  %s3 = add i64 %s2, %a3
  %s4 = add i64 %s3, %a4
  %s5 = add i64 %s4, %a5
  %s6 = add i64 %s5, %a6
  %s7 = add i64 %s6, %a7
  %less = sub i64 %left, 9
  %over = icmp slt i64 %less, 0
  br i1 %over, label %end, label %more
end:
  ret i64 %s7
more:
  %fresh = call ptr addrspace(1) @make(ptr @f2_8, i64 %value, ptr addrspace(1) %next)
  %code = load ptr, ptr addrspace(1) %next
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %less)
  ret i64 %r
}
define internal void @run2(i64 %n) noinline gc "statepoint-example" {
  %c8 = call ptr addrspace(1) @make(ptr @f2_8, i64 100, ptr addrspace(1) null)
  %c7 = call ptr addrspace(1) @make(ptr @f2_7, i64 8, ptr addrspace(1) %c8)
  %c6 = call ptr addrspace(1) @make(ptr @f2_6, i64 7, ptr addrspace(1) %c7)
  %c5 = call ptr addrspace(1) @make(ptr @f2_5, i64 6, ptr addrspace(1) %c6)
  %c4 = call ptr addrspace(1) @make(ptr @f2_4, i64 5, ptr addrspace(1) %c5)
  %c3 = call ptr addrspace(1) @make(ptr @f2_3, i64 4, ptr addrspace(1) %c4)
  %c2 = call ptr addrspace(1) @make(ptr @f2_2, i64 3, ptr addrspace(1) %c3)
  %c1 = call ptr addrspace(1) @make(ptr @f2_1, i64 2, ptr addrspace(1) %c2)
  %c0 = call ptr addrspace(1) @make(ptr @f2_0, i64 1, ptr addrspace(1) %c1)
  %link = getelementptr i8, ptr addrspace(1) %c8, i64 16
  store ptr addrspace(1) %c0, ptr addrspace(1) %link
  %code = load ptr, ptr addrspace(1) %c0
  %r = call tailcc i64 %code(ptr addrspace(1) %c0, i64 %n)
  %p = call i32 (ptr, ...) @printf(ptr @line, ptr @name2, i64 %r)
  ret void
}
define i32 @main(i32 %argc, ptr %argv) gc "statepoint-example" {
  %place = getelementptr ptr, ptr %argv, i64 1
  %word = load ptr, ptr %place
  %n = call i64 @atol(ptr %word)
  call void @run0(i64 %n)
  call void @run1(i64 %n)
  call void @run2(i64 %n)
  ret i32 0
}
