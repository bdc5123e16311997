; SPDX-License-Identifier: Apache-2.0
; Functions of a language with the number 4: with arguments on the stack, with a large frame, and with calls that give
; narrow results.

declare i8 @gives_byte(i64) "cairn-managed"
declare float @gives_float(i64) "cairn-managed"
declare void @fills(ptr, i64)
declare i64 @llvm.experimental.deoptimize.i64(...)

define signext i8 @narrow(i64 %n) noinline gc "statepoint-example" {
  %r = call signext i8 @gives_byte(i64 %n) [ "deopt"(
    i64 4847652539576877063, i64 65540, i64 0, i64 1, i64 1, i64 0, i64 %n) ]
  ret i8 %r
}

define float @single(i64 %n) noinline gc "statepoint-example" {
  %r = call float @gives_float(i64 %n) [ "deopt"(
    i64 4847652539576877063, i64 131076, i64 1, i64 1, i64 1, i64 0, i64 %n) ]
  ret float %r
}

; A large frame, whose size is known when it runs, and four arguments on the stack.
define i64 @stacked(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, i64 %j) noinline gc "statepoint-example" {
  %room = alloca i8, i64 %a
  call void @fills(ptr %room, i64 %a)
  %even = trunc i64 %j to i1
  br i1 %even, label %now, label %later

now:
  %l = call i64 (...) @llvm.experimental.deoptimize.i64(i64 4) [ "deopt"(
    i64 4847652539576877072, i64 65540, i64 2, i64 0, i64 10, i64 0,
    i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, i64 %j) ]
  ret i64 %l

later:
  %r = call signext i8 @gives_byte(i64 %j) [ "deopt"(
    i64 4847652539576877072, i64 65540, i64 2, i64 1, i64 10, i64 0,
    i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, i64 %j) ]
  ret i64 0
}
