; RUN: clang -O1 -D_GNU_SOURCE -Wall -Wextra -I%root/include -c %S/Inputs/frames_native.c -o %t.1.o
; DEFINE: %{options} =
; DEFINE: %{run} = %cairn-cc %{options} %s %t.1.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t moving | FileCheck --check-prefixes=CHECK,MOVES %s
; REDEFINE: %{options} = -O0
; RUN: %{run}
; REDEFINE: %{options} = -O2
; RUN: %{run}
; REDEFINE: %{options} = -O2 -fcairn-collector=semispace -fno-omit-frame-pointer
; RUN: %{run}
; REDEFINE: %{options} = -O3 -static
; RUN: %{run}
; The compiler refuses malformed records, so this one is made by hand: records of six operands say that they have seven.
; RUN: env LC_ALL=C sed 's/\x06\x00\x00\x00MRFC/\x07\x00\x00\x00MRFC/g' %t > %t.bad && chmod +x %t.bad && %t.bad | FileCheck --check-prefix=BAD %s
; BAD: check: ok
; BAD-NEXT: unknown language: a frame record is malformed, operand 0: the length of the record is not within the operands
; BAD-NEXT: no continuation: a frame record is malformed, operand 0: the length of the record is not within the operands
; BAD-NEXT: no layout: no language,
; Frame records of an activation with an inlined function, read in two threads under a moving collector: the inliner
; puts the caller's frame first. Wrong: a value of another frame or class; an object of another record; an old address.
; CHECK: 2 frames
; CHECK-NEXT: language 1 function 12 index 40 result 1: 2 locals, 1 on the stack, first 6
; CHECK-NEXT: integer of 64 bits: 7
; CHECK-NEXT: object 0
; CHECK-NEXT: float of 64 bits: 2.5
; CHECK-NEXT: language 1 function 13 index 41 result 0: 9 locals, 0 on the stack, first 19
; CHECK-NEXT: reference: 100, at its start
; CHECK-NEXT: integer of 1 bits: 1
; CHECK-NEXT: integer of 32 bits: -3
; CHECK-NEXT: float of 32 bits: 2.5
; CHECK-NEXT: vector of 128 bits: 7, 8
; CHECK-NEXT: undefined
; CHECK-NEXT: object 1
; CHECK-NEXT: reference: null
; CHECK-NEXT: integer of 8 bits: 14
; CHECK-NEXT: 2 objects
; CHECK-NEXT: language 1 layout 5 elements 0: 1 fields
; CHECK-NEXT: at 0: integer of 64 bits: 7
; CHECK-NEXT: language 1 layout 6 elements 0: 2 fields
; CHECK-NEXT: at 0: integer of 64 bits: 14
; CHECK-NEXT: at 8: object 1
; CHECK-NEXT: check: ok
; CHECK-NEXT: unknown language: no language, or a part of it, has the number, operand 1: no language has the number 9
; CHECK-NEXT: no continuation: no language, or a part of it, has the number, operand -1: language mine has no continuation for function 99 at 40
; CHECK-NEXT: no layout: no language, or a part of it, has the number, operand 6: language 1 has no layout 7
; CHECK-NEXT: beyond: a frame record is malformed, operand 8: the field lies outside of the object
; CHECK-NEXT: no reference: a frame record is malformed, operand 8: the layout has no reference at the field
; CHECK-NEXT: no integer: a frame record is malformed, operand 8: the layout has a reference at the field, whose value is none
; CHECK-NEXT: elements: a frame record is malformed, operand 7: the layout does not have 3 elements
; MOVES-NEXT: objects moved
; CHECK-NEXT: 800 right activations in 2 threads

@layout = internal constant i64 0
@list_layout = internal constant { i64, ptr addrspace(1) } zeroinitializer
@unknown_language = private constant [17 x i8] c"unknown language\00"
@no_continuation = private constant [16 x i8] c"no continuation\00"
@no_layout = private constant [10 x i8] c"no layout\00"
@beyond = private constant [7 x i8] c"beyond\00"
@no_reference = private constant [13 x i8] c"no reference\00"
@no_integer = private constant [11 x i8] c"no integer\00"
@elements = private constant [9 x i8] c"elements\00"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @remember(i64, ptr addrspace(1)) "gc-leaf-function"
declare void @look(i64)
declare void @expect_fault(ptr)

define ptr addrspace(1) @make(i64 %n) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @cairn_alloc(ptr @list_layout, i64 16)
  store i64 %n, ptr addrspace(1) %p
  %q = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  call void @remember(i64 5, ptr addrspace(1) %q)
  ret ptr addrspace(1) %p
}

define internal void @inner(i64 %n, ptr addrspace(1) %p, <2 x i64> %v, float %f) alwaysinline gc "statepoint-example" {
  %odd = trunc i64 %n to i1
  %minus = sub i64 4, %n
  %small = trunc i64 %minus to i32
  %next = add i64 %n, %n
  %byte = trunc i64 %next to i8
  call void @look(i64 %n) [ "deopt"(
    i64 4847652539576877077, i64 1, i64 13, i64 41, i64 9, i64 1,
    ptr addrspace(1) %p, i1 %odd, i32 %small, float %f, <2 x i64> %v, i64 poison, i24 0, ptr addrspace(1) null, i8 %byte,
    i64 8589934598, i64 0, i64 0, i64 %next, i64 8, i24 0) ]
  ret void
}

define i64 @outer(i64 %n, ptr addrspace(1) %p, double %d) noinline gc "statepoint-example" {
  %f = fptrunc double %d to float
  %m = add i64 %n, 1
  %v0 = insertelement <2 x i64> poison, i64 %n, i32 0
  %v = insertelement <2 x i64> %v0, i64 %m, i32 1
  call void @inner(i64 %n, ptr addrspace(1) %p, <2 x i64> %v, float %f) [ "deopt"(
    i64 4847652539576877069, i64 65537, i64 12, i64 40, i64 4294967298, i64 1,
    i64 %n, i24 0, double %d, i64 4294967301, i64 0, i64 0, i64 %n) ]
  %r = load i64, ptr addrspace(1) %p
  ret i64 %r
}

define i64 @run(i64 %n) gc "statepoint-example" {
  %p = call ptr addrspace(1) @make(i64 100)
  call void @remember(i64 6, ptr addrspace(1) %p)
  %r = call i64 @outer(i64 %n, ptr addrspace(1) %p, double 2.5)
  ret i64 %r
}

define void @faults(i64 %n) gc "statepoint-example" {
  call void @expect_fault(ptr @unknown_language) [ "deopt"(i64 4847652539576877062, i64 9, i64 12, i64 40, i64 0, i64 0) ]
  call void @expect_fault(ptr @no_continuation) [ "deopt"(i64 4847652539576877062, i64 1, i64 99, i64 40, i64 0, i64 0) ]
  call void @expect_fault(ptr @no_layout) [ "deopt"(i64 4847652539576877064, i64 1, i64 12, i64 40, i64 0, i64 1, i64 7, i64 0) ]
  call void @expect_fault(ptr @beyond) [ "deopt"(i64 4847652539576877066, i64 1, i64 12, i64 40, i64 0, i64 1, i64 4294967301, i64 0, i64 1, i64 %n) ]
  call void @expect_fault(ptr @no_reference) [ "deopt"(i64 4847652539576877066, i64 1, i64 12, i64 40, i64 0, i64 1, i64 4294967302, i64 0, i64 0, i24 0) ]
  call void @expect_fault(ptr @no_integer) [ "deopt"(i64 4847652539576877066, i64 1, i64 12, i64 40, i64 0, i64 1, i64 4294967302, i64 0, i64 4, i64 %n) ]
  call void @expect_fault(ptr @elements) [ "deopt"(i64 4847652539576877064, i64 1, i64 12, i64 40, i64 0, i64 1, i64 5, i64 3) ]
  ret void
}
