; SPDX-License-Identifier: Apache-2.0
; Compiled functions of a language with the number 9. The first operand of a record is DEOPT_FRAME << 32 and the number of
; its operands; the second the language and the result's kind << 16.

declare i64 @llvm.experimental.deoptimize.i64(...)
declare double @llvm.experimental.deoptimize.f64(...)
declare ptr addrspace(1) @llvm.experimental.deoptimize.p1(...)
declare void @cairn_deoptimize(i64)
declare i64 @gives_integer() "cairn-managed"
declare double @gives_double() "cairn-managed"
declare ptr addrspace(1) @gives_reference() "cairn-managed"
declare i64 @reaches_bottom() "cairn-managed"

define i64 @leaves_nested(i64 %n, double %x, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %a = mul i64 %n, 3
  %b = mul i64 %n, 5
  %c = mul i64 %n, 11
  %r = call i64 (...) @llvm.experimental.deoptimize.i64(i64 17) ["deopt"(
    i64 4847652539576877065, i64 9, i64 0, i64 1, i64 3, i64 0, double %x, i64 %a, ptr addrspace(1) %o,
    i64 4847652539576877064, i64 9, i64 1, i64 2, i64 2, i64 0, i64 %b, i8 -7,
    i64 4847652539576877063, i64 9, i64 2, i64 3, i64 1, i64 0, i64 %c)]
  ret i64 %r
}

define double @leaves_double(i64 %reason) noinline gc "statepoint-example" {
  %r = call double (...) @llvm.experimental.deoptimize.f64(i64 %reason) ["deopt"(
    i64 4847652539576877062, i64 9, i64 1, i64 0, i64 0, i64 0)]
  ret double %r
}

define ptr addrspace(1) @leaves_reference(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  call void @cairn_deoptimize(i64 1) ["deopt"(
    i64 4847652539576877063, i64 9, i64 2, i64 0, i64 1, i64 0, ptr addrspace(1) %o)]
  unreachable
}

define i64 @recurses(i64 %n) noinline gc "statepoint-example" {
  %r = call i64 (...) @llvm.experimental.deoptimize.i64(i64 2) ["deopt"(
    i64 4847652539576877063, i64 9, i64 3, i64 0, i64 1, i64 0, i64 %n)]
  ret i64 %r
}

define i64 @calls_integer(i64 %n) noinline gc "statepoint-example" {
  %r = call i64 @gives_integer() ["deopt"(
    i64 4847652539576877063, i64 65545, i64 4, i64 7, i64 1, i64 0, i64 %n)]
  %bad = add i64 %r, 1000000
  ret i64 %bad
}

define double @calls_double(double %x) noinline gc "statepoint-example" {
  %r = call double @gives_double() ["deopt"(
    i64 4847652539576877063, i64 131081, i64 5, i64 0, i64 1, i64 0, double %x)]
  %bad = fadd double %r, 1.0e6
  ret double %bad
}

define ptr addrspace(1) @calls_reference(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %r = call ptr addrspace(1) @gives_reference() ["deopt"(
    i64 4847652539576877063, i64 196617, i64 6, i64 0, i64 1, i64 0, ptr addrspace(1) %o)]
  store i64 1000000, ptr addrspace(1) %r
  ret ptr addrspace(1) %r
}

define i64 @descends(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %last = icmp eq i64 %n, 0
  br i1 %last, label %bottom, label %deeper

bottom:
  %zero = call i64 @reaches_bottom()
  ret i64 %zero

deeper:
  %next = sub i64 %n, 1
  %r = call i64 @descends(i64 %next, ptr addrspace(1) %o) ["deopt"(
    i64 4847652539576877064, i64 65545, i64 7, i64 0, i64 2, i64 0, i64 %n, ptr addrspace(1) %o)]
  %bad = add i64 %r, 1000000
  ret i64 %bad
}

; Like its continuation.
define i64 @sums(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %last = icmp eq i64 %n, 0
  br i1 %last, label %bottom, label %deeper

bottom:
  %zero = call i64 @reaches_bottom()
  ret i64 %zero

deeper:
  %next = sub i64 %n, 1
  %r = call i64 @sums(i64 %next, ptr addrspace(1) %o) ["deopt"(
    i64 4847652539576877064, i64 65545, i64 8, i64 0, i64 2, i64 0, i64 %n, ptr addrspace(1) %o)]
  %value = load i64, ptr addrspace(1) %o
  %some = add i64 %r, %value
  %sum = add i64 %some, %n
  ret i64 %sum
}

; Its call is native.
define i64 @waits(i64 %n) noinline gc "statepoint-example" {
  %r = call i64 @gives_natively(i64 %n) ["deopt"(
    i64 4847652539576877063, i64 65545, i64 4, i64 0, i64 1, i64 0, i64 %n)]
  %sum = add i64 %r, %n
  ret i64 %sum
}

; Its call is a stub of the runtime.
define i64 @collects(i64 %n, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  call void @cairn_collect() ["deopt"(
    i64 4847652539576877064, i64 9, i64 8, i64 0, i64 2, i64 0, i64 %n, ptr addrspace(1) %o)]
  %value = load i64, ptr addrspace(1) %o
  %sum = add i64 %value, %n
  ret i64 %sum
}
declare void @cairn_collect()
declare i64 @gives_natively(i64) "cairn-native"

; No language has its number.
define i64 @speaks_unknown(i64 %n) noinline gc "statepoint-example" {
  %r = call i64 @gives_integer() ["deopt"(
    i64 4847652539576877063, i64 65614, i64 4, i64 0, i64 1, i64 0, i64 %n)]
  %sum = add i64 %r, %n
  ret i64 %sum
}

; The operands of its call are no records.
define i64 @has_plain_operands(i64 %n) noinline gc "statepoint-example" {
  %r = call i64 @gives_integer() ["deopt"(i64 %n)]
  %sum = add i64 %r, %n
  ret i64 %sum
}
