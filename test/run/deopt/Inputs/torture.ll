; SPDX-License-Identifier: Apache-2.0
; Functions of a language with the number 5 (torture.c), each with locals n, o, d: at random they leave at once (place 0),
; or they call the interpreter's function (place 1), and then use its result with their locals.

declare i1 @leaves_now() "gc-leaf-function"
declare i64 @step_integer(i64, ptr addrspace(1), i64) "cairn-managed"
declare double @step_double(i64, ptr addrspace(1), i64) "cairn-managed"
declare ptr addrspace(1) @step_reference(i64, ptr addrspace(1), i64) "cairn-managed"
declare i64 @llvm.experimental.deoptimize.i64(...)
declare double @llvm.experimental.deoptimize.f64(...)
declare ptr addrspace(1) @llvm.experimental.deoptimize.p1(...)

define i64 @compiled_integer(i64 %n, ptr addrspace(1) %o, i64 %d) noinline gc "statepoint-example" {
  %leaves = call i1 @leaves_now()
  br i1 %leaves, label %leave, label %go

leave:
  %l = call i64 (...) @llvm.experimental.deoptimize.i64(i64 1) [ "deopt"(
    i64 4847652539576877065, i64 65541, i64 0, i64 0, i64 3, i64 0, i64 %n, ptr addrspace(1) %o, i64 %d) ]
  ret i64 %l

go:
  %a = mul i64 %n, 3
  %b = add i64 %d, %a
  %c = xor i64 %n, %b
  %r = call i64 @step_integer(i64 %n, ptr addrspace(1) %o, i64 %d) [ "deopt"(
    i64 4847652539576877065, i64 65541, i64 0, i64 1, i64 3, i64 0, i64 %n, ptr addrspace(1) %o, i64 %d) ]
  %v = load i64, ptr addrspace(1) %o
  %abc = add i64 %a, %b
  %s = add i64 %abc, %c
  %t = add i64 %s, %v
  %x = mul i64 %r, 5
  %y = add i64 %x, %t
  ret i64 %y
}

define double @compiled_double(i64 %n, ptr addrspace(1) %o, i64 %d) noinline gc "statepoint-example" {
  %leaves = call i1 @leaves_now()
  br i1 %leaves, label %leave, label %go

leave:
  %l = call double (...) @llvm.experimental.deoptimize.f64(i64 1) [ "deopt"(
    i64 4847652539576877065, i64 131077, i64 1, i64 0, i64 3, i64 0, i64 %n, ptr addrspace(1) %o, i64 %d) ]
  ret double %l

go:
  %a = mul i64 %n, 3
  %b = add i64 %d, %a
  %c = xor i64 %n, %b
  %r = call double @step_double(i64 %n, ptr addrspace(1) %o, i64 %d) [ "deopt"(
    i64 4847652539576877065, i64 131077, i64 1, i64 1, i64 3, i64 0, i64 %n, ptr addrspace(1) %o, i64 %d) ]
  %v = load i64, ptr addrspace(1) %o
  %abc = add i64 %a, %b
  %s = add i64 %abc, %c
  %t = add i64 %s, %v
  %m = and i64 %t, 1023
  %f = sitofp i64 %m to double
  %y = fadd double %r, %f
  ret double %y
}

define ptr addrspace(1) @compiled_reference(i64 %n, ptr addrspace(1) %o, i64 %d) noinline gc "statepoint-example" {
  %leaves = call i1 @leaves_now()
  br i1 %leaves, label %leave, label %go

leave:
  %l = call ptr addrspace(1) (...) @llvm.experimental.deoptimize.p1(i64 1) [ "deopt"(
    i64 4847652539576877065, i64 196613, i64 2, i64 0, i64 3, i64 0, i64 %n, ptr addrspace(1) %o, i64 %d) ]
  ret ptr addrspace(1) %l

go:
  %a = mul i64 %n, 3
  %b = add i64 %d, %a
  %c = xor i64 %n, %b
  %r = call ptr addrspace(1) @step_reference(i64 %n, ptr addrspace(1) %o, i64 %d) [ "deopt"(
    i64 4847652539576877065, i64 196613, i64 2, i64 1, i64 3, i64 0, i64 %n, ptr addrspace(1) %o, i64 %d) ]
  %v = load i64, ptr addrspace(1) %o
  %abc = add i64 %a, %b
  %s = add i64 %abc, %c
  %t = add i64 %s, %v
  %x = load i64, ptr addrspace(1) %r
  %y = add i64 %x, %t
  store i64 %y, ptr addrspace(1) %r
  ret ptr addrspace(1) %r
}
