; SPDX-License-Identifier: Apache-2.0
; Compiled functions with eight numbers in callee-saved registers, for vectors.c; vectors.sed writes the parts HAVE and
; SAME. The language has the number 9, and throws with key 5.

@factors = external global [8 x double]
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare i32 @cairn_throw(i64, ptr addrspace(1))
declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"
declare i64 @llvm.experimental.deoptimize.i64(...)
declare i32 @__gcc_personality_v0(...)
declare void @touch() "cairn-managed"
declare i64 @marks_caller() "cairn-managed"
declare i64 @go_on(i64, double) "cairn-managed"
declare i1 @are_same(double, double, double, double, double, double, double, double, double) "cairn-managed"

; Its activation is taken over at once.
define i64 @leaves(double %x) noinline gc "statepoint-example" {
  HAVE
  call void @touch()
  %r = call i64 (...) @llvm.experimental.deoptimize.i64(i64 1) ["deopt"(
    i64 4847652539576877070, i64 9, i64 1, i64 0, i64 8, i64 0, double %v0, double %v1, double %v2, double %v3,
    double %v4, double %v5, double %v6, double %v7)]
  ret i64 %r
}

; It is taken over when its call returns.
define i64 @is_marked(double %x) noinline gc "statepoint-example" {
  HAVE
  call void @touch()
  %r = call i64 @marks_caller() ["deopt"(
    i64 4847652539576877070, i64 65545, i64 1, i64 0, i64 8, i64 0, double %v0, double %v1, double %v2, double %v3,
    double %v4, double %v5, double %v6, double %v7)]
  SAME
  %bad = zext i1 %same to i64
  ret i64 %bad
}

define void @throws() noinline gc "statepoint-example" {
  %s = call i32 @cairn_throw(i64 5, ptr addrspace(1) null)
  ret void
}

; 1 if the numbers are the same at the landing pad.
define i64 @catches(i64 %kind, double %x) noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  HAVE
  call void @cairn.span.begin(i64 5, ptr null)
  %r = invoke i64 @go_on(i64 %kind, double %x) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  SAME
  %good = zext i1 %same to i64
  ret i64 %good
}
