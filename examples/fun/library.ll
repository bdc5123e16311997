; SPDX-License-Identifier: Apache-2.0
;
; The primitives of Fun (fun.c), which are functions in IR; library.fun has their types.

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"cairn.words", !"0:1"}

declare ptr addrspace(1) @cairn.tag.from(i64)
declare i1 @cairn.tag.is(ptr addrspace(1))
declare i64 @cairn.tag.value(ptr addrspace(1))
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex_uninit(ptr, i64)
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare i32 @cairn_throw(i64, ptr addrspace(1))
declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"
declare i32 @__gcc_personality_v0(...)
declare void @exit(i32) "cairn-native" noreturn
declare i64 @write(i32, ptr, i64) "cairn-native"
declare i64 @fwrite(ptr, i64, i64, ptr) "cairn-native"
declare i32 @snprintf(ptr, i64, ptr, ...) "cairn-native"
declare i64 @atol(ptr)
declare i32 @memcmp(ptr addrspace(1), ptr addrspace(1), i64) nobuiltin nounwind "gc-leaf-function"
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
@stdout = external global ptr

define internal ptr addrspace(1) @word_of_int(i64 %i) alwaysinline gc "statepoint-example" {
  %n = ashr i64 %i, 1
  %w = call ptr addrspace(1) @cairn.tag.from(i64 %n)
  ret ptr addrspace(1) %w
}
define internal i64 @int_of_word(ptr addrspace(1) %w) alwaysinline gc "statepoint-example" {
  %n = call i64 @cairn.tag.value(ptr addrspace(1) %w)
  %i = shl i64 %n, 1
  ret i64 %i
}
define internal i1 @is_reference(ptr addrspace(1) %w) alwaysinline gc "statepoint-example" {
  %tag = call i1 @cairn.tag.is(ptr addrspace(1) %w)
  %not = xor i1 %tag, true
  ret i1 %not
}
define internal i64 @int_of_test(i1 %t) alwaysinline gc "statepoint-example" {
  %i = select i1 %t, i64 2, i64 0
  ret i64 %i
}

; ---- unknown calls ----

define internal ptr addrspace(1) @apply.1(ptr addrspace(1) %f,
    ptr addrspace(1) %a) alwaysinline gc "statepoint-example" {
  %code = load ptr, ptr addrspace(1) %f
  %r = tail call ptr addrspace(1) %code(ptr addrspace(1) %f, ptr addrspace(1) %a) "cairn-managed-callee"
  ret ptr addrspace(1) %r
}

; Code of one argument for functions of n > 1 parameters makes a partial application, whose own code is @rest.n.
@layout.partial.1 = internal constant { ptr, ptr addrspace(1), ptr addrspace(1) } zeroinitializer,
    !cairn.type !{!"partial application"}
@layout.partial = internal constant { ptr, ptr, ptr addrspace(1), ptr addrspace(1) } zeroinitializer,
    !cairn.type !{!"partial application"}

define internal ptr addrspace(1) @apply.2(ptr addrspace(1) %f, ptr addrspace(1) %a1,
    ptr addrspace(1) %a2) alwaysinline gc "statepoint-example" {
  %code = load ptr, ptr addrspace(1) %f
  %full = icmp eq ptr %code, getelementptr (i8, ptr @curry.2, i64 24)
  br i1 %full, label %direct, label %slow
direct:
  %place = getelementptr i8, ptr addrspace(1) %f, i64 8
  %body = load ptr, ptr addrspace(1) %place
  %r = tail call ptr addrspace(1) %body(ptr addrspace(1) %f, ptr addrspace(1) %a1,
    ptr addrspace(1) %a2) "cairn-managed-callee"
  ret ptr addrspace(1) %r
slow:
  %s = tail call ptr addrspace(1) @apply.2.slow(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2)
  ret ptr addrspace(1) %s
}
define internal ptr addrspace(1) @apply.2.slow(ptr addrspace(1) %f, ptr addrspace(1) %a1,
    ptr addrspace(1) %a2) noinline gc "statepoint-example" {
  %g = call ptr addrspace(1) @apply.1(ptr addrspace(1) %f, ptr addrspace(1) %a1)
  %s = tail call ptr addrspace(1) @apply.1(ptr addrspace(1) %g, ptr addrspace(1) %a2)
  ret ptr addrspace(1) %s
}
define internal ptr addrspace(1) @curry.2(ptr addrspace(1) %f, ptr addrspace(1) %a) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @layout.partial.1, i64 24)
  store ptr getelementptr (i8, ptr @rest.2, i64 24), ptr addrspace(1) %o
  %place.f = getelementptr i8, ptr addrspace(1) %o, i64 8
  %place.a = getelementptr i8, ptr addrspace(1) %o, i64 16
  store ptr addrspace(1) %f, ptr addrspace(1) %place.f
  store ptr addrspace(1) %a, ptr addrspace(1) %place.a
  ret ptr addrspace(1) %o
}
define internal ptr addrspace(1) @rest.2(ptr addrspace(1) %p, ptr addrspace(1) %a2) gc "statepoint-example" {
  %place.f = getelementptr i8, ptr addrspace(1) %p, i64 8
  %f = load ptr addrspace(1), ptr addrspace(1) %place.f
  %place.a = getelementptr i8, ptr addrspace(1) %p, i64 16
  %a1 = load ptr addrspace(1), ptr addrspace(1) %place.a
  %place = getelementptr i8, ptr addrspace(1) %f, i64 8
  %code = load ptr, ptr addrspace(1) %place
  %r = tail call ptr addrspace(1) %code(ptr addrspace(1) %f, ptr addrspace(1) %a1,
    ptr addrspace(1) %a2) "cairn-managed-callee"
  ret ptr addrspace(1) %r
}
define internal ptr addrspace(1) @apply.3(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3) alwaysinline gc "statepoint-example" {
  %code = load ptr, ptr addrspace(1) %f
  %full = icmp eq ptr %code, getelementptr (i8, ptr @curry.3, i64 24)
  br i1 %full, label %direct, label %slow
direct:
  %place = getelementptr i8, ptr addrspace(1) %f, i64 8
  %body = load ptr, ptr addrspace(1) %place
  %r = tail call ptr addrspace(1) %body(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3) "cairn-managed-callee"
  ret ptr addrspace(1) %r
slow:
  %s = tail call ptr addrspace(1) @apply.3.slow(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3)
  ret ptr addrspace(1) %s
}
define internal ptr addrspace(1) @apply.3.slow(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3) noinline gc "statepoint-example" {
  %g = call ptr addrspace(1) @apply.1(ptr addrspace(1) %f, ptr addrspace(1) %a1)
  %s = tail call ptr addrspace(1) @apply.2(ptr addrspace(1) %g, ptr addrspace(1) %a2, ptr addrspace(1) %a3)
  ret ptr addrspace(1) %s
}
define internal ptr addrspace(1) @curry.3(ptr addrspace(1) %f, ptr addrspace(1) %a) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @layout.partial, i64 32)
  %place.code = getelementptr i8, ptr addrspace(1) %o, i64 8
  %place.f = getelementptr i8, ptr addrspace(1) %o, i64 16
  %place.a = getelementptr i8, ptr addrspace(1) %o, i64 24
  store ptr getelementptr (i8, ptr @curry.2, i64 24), ptr addrspace(1) %o
  store ptr getelementptr (i8, ptr @rest.3, i64 24), ptr addrspace(1) %place.code
  store ptr addrspace(1) %f, ptr addrspace(1) %place.f
  store ptr addrspace(1) %a, ptr addrspace(1) %place.a
  ret ptr addrspace(1) %o
}
define internal ptr addrspace(1) @rest.3(ptr addrspace(1) %p, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3) gc "statepoint-example" {
  %place.f = getelementptr i8, ptr addrspace(1) %p, i64 16
  %f = load ptr addrspace(1), ptr addrspace(1) %place.f
  %place.a = getelementptr i8, ptr addrspace(1) %p, i64 24
  %a1 = load ptr addrspace(1), ptr addrspace(1) %place.a
  %place = getelementptr i8, ptr addrspace(1) %f, i64 8
  %code = load ptr, ptr addrspace(1) %place
  %r = tail call ptr addrspace(1) %code(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3) "cairn-managed-callee"
  ret ptr addrspace(1) %r
}
define internal ptr addrspace(1) @apply.4(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3, ptr addrspace(1) %a4) alwaysinline gc "statepoint-example" {
  %code = load ptr, ptr addrspace(1) %f
  %full = icmp eq ptr %code, getelementptr (i8, ptr @curry.4, i64 24)
  br i1 %full, label %direct, label %slow
direct:
  %place = getelementptr i8, ptr addrspace(1) %f, i64 8
  %body = load ptr, ptr addrspace(1) %place
  %r = tail call ptr addrspace(1) %body(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3, ptr addrspace(1) %a4) "cairn-managed-callee"
  ret ptr addrspace(1) %r
slow:
  %s = tail call ptr addrspace(1) @apply.4.slow(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3, ptr addrspace(1) %a4)
  ret ptr addrspace(1) %s
}
define internal ptr addrspace(1) @apply.4.slow(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3, ptr addrspace(1) %a4) noinline gc "statepoint-example" {
  %g = call ptr addrspace(1) @apply.1(ptr addrspace(1) %f, ptr addrspace(1) %a1)
  %s = tail call ptr addrspace(1) @apply.3(ptr addrspace(1) %g, ptr addrspace(1) %a2, ptr addrspace(1) %a3,
    ptr addrspace(1) %a4)
  ret ptr addrspace(1) %s
}
define internal ptr addrspace(1) @curry.4(ptr addrspace(1) %f, ptr addrspace(1) %a) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @layout.partial, i64 32)
  %place.code = getelementptr i8, ptr addrspace(1) %o, i64 8
  %place.f = getelementptr i8, ptr addrspace(1) %o, i64 16
  %place.a = getelementptr i8, ptr addrspace(1) %o, i64 24
  store ptr getelementptr (i8, ptr @curry.3, i64 24), ptr addrspace(1) %o
  store ptr getelementptr (i8, ptr @rest.4, i64 24), ptr addrspace(1) %place.code
  store ptr addrspace(1) %f, ptr addrspace(1) %place.f
  store ptr addrspace(1) %a, ptr addrspace(1) %place.a
  ret ptr addrspace(1) %o
}
define internal ptr addrspace(1) @rest.4(ptr addrspace(1) %p, ptr addrspace(1) %a2, ptr addrspace(1) %a3,
    ptr addrspace(1) %a4) gc "statepoint-example" {
  %place.f = getelementptr i8, ptr addrspace(1) %p, i64 16
  %f = load ptr addrspace(1), ptr addrspace(1) %place.f
  %place.a = getelementptr i8, ptr addrspace(1) %p, i64 24
  %a1 = load ptr addrspace(1), ptr addrspace(1) %place.a
  %place = getelementptr i8, ptr addrspace(1) %f, i64 8
  %code = load ptr, ptr addrspace(1) %place
  %r = tail call ptr addrspace(1) %code(ptr addrspace(1) %f, ptr addrspace(1) %a1, ptr addrspace(1) %a2,
    ptr addrspace(1) %a3, ptr addrspace(1) %a4) "cairn-managed-callee"
  ret ptr addrspace(1) %r
}

; ---- numbers ----

define internal i64 @"+"(i64, i64) gc "statepoint-example" {
  %r = add i64 %0, %1
  ret i64 %r
}
define internal i64 @"-"(i64, i64) gc "statepoint-example" {
  %r = sub i64 %0, %1
  ret i64 %r
}
define internal i64 @"*"(i64, i64) gc "statepoint-example" {
  %n = ashr i64 %0, 1
  %r = mul i64 %n, %1
  ret i64 %r
}
define internal i64 @"land"(i64, i64) gc "statepoint-example" {
  %r = and i64 %0, %1
  ret i64 %r
}
define internal i64 @"lor"(i64, i64) gc "statepoint-example" {
  %r = or i64 %0, %1
  ret i64 %r
}
define internal i64 @"lxor"(i64, i64) gc "statepoint-example" {
  %r = xor i64 %0, %1
  ret i64 %r
}
define internal i64 @"lsl"(i64, i64) gc "statepoint-example" {
  %n = ashr i64 %1, 1
  %r = shl i64 %0, %n
  ret i64 %r
}
define internal i64 @"lsr"(i64, i64) gc "statepoint-example" {
  %n = ashr i64 %1, 1
  %l = lshr i64 %0, %n
  %r = and i64 %l, -2
  ret i64 %r
}
define internal i64 @"asr"(i64, i64) gc "statepoint-example" {
  %n = ashr i64 %1, 1
  %l = ashr i64 %0, %n
  %r = and i64 %l, -2
  ret i64 %r
}
define internal i64 @"="(i64, i64) gc "statepoint-example" {
  %t = icmp eq i64 %0, %1
  %r = call i64 @int_of_test(i1 %t)
  ret i64 %r
}
define internal i64 @"<>"(i64, i64) gc "statepoint-example" {
  %t = icmp ne i64 %0, %1
  %r = call i64 @int_of_test(i1 %t)
  ret i64 %r
}
define internal i64 @"<"(i64, i64) gc "statepoint-example" {
  %t = icmp slt i64 %0, %1
  %r = call i64 @int_of_test(i1 %t)
  ret i64 %r
}
define internal i64 @">"(i64, i64) gc "statepoint-example" {
  %t = icmp sgt i64 %0, %1
  %r = call i64 @int_of_test(i1 %t)
  ret i64 %r
}
define internal i64 @"<="(i64, i64) gc "statepoint-example" {
  %t = icmp sle i64 %0, %1
  %r = call i64 @int_of_test(i1 %t)
  ret i64 %r
}
define internal i64 @">="(i64, i64) gc "statepoint-example" {
  %t = icmp sge i64 %0, %1
  %r = call i64 @int_of_test(i1 %t)
  ret i64 %r
}

; ---- exceptions ----

; A throw that its own function catches becomes a branch, so the call of cairn_throw() comes to its handler by inlining.
define internal ptr addrspace(1) @raise(ptr addrspace(1)) alwaysinline gc "statepoint-example" {
  %status = call i32 @cairn_throw(i64 1, ptr addrspace(1) %0)
  call void @uncaught()
  unreachable
}
@uncaught.text = internal constant [30 x i8] c"Fatal error: exception raised\0A"
define internal void @uncaught() noinline nounwind cold gc "statepoint-example" {
  %n = call i64 @write(i32 2, ptr @uncaught.text, i64 30)
  call void @exit(i32 2)
  unreachable
}
; The value of %body or, if it throws, of %handler.
define internal ptr addrspace(1) @"%try"(ptr addrspace(1) %body, ptr addrspace(1) %handler) alwaysinline
    gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  %unit = call ptr addrspace(1) @cairn.tag.from(i64 0)
  %code = load ptr, ptr addrspace(1) %body
  call void @cairn.span.begin(i64 1, ptr null)
  %r = invoke ptr addrspace(1) %code(ptr addrspace(1) %body, ptr addrspace(1) %unit) "cairn-managed-callee"
    to label %on unwind label %off
on:
  call void @cairn.span.end(i64 1)
  ret ptr addrspace(1) %r
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %exception = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 1)
  %h = tail call ptr addrspace(1) @apply.1(ptr addrspace(1) %handler, ptr addrspace(1) %exception)
  ret ptr addrspace(1) %h
}

@bounds.text = internal addrspace(1) constant { i64, [19 x i8] } { i64 38, [19 x i8] c"index out of bounds" }, align 8
@bounds = internal addrspace(1) constant { i64, ptr addrspace(1) } { i64 1, ptr addrspace(1) @bounds.text }, align 8

define internal ptr addrspace(1) @match_failure() noinline gc "statepoint-example" {
  %e = call ptr addrspace(1) @cairn.tag.from(i64 2)
  %r = call ptr addrspace(1) @raise(ptr addrspace(1) %e)
  unreachable
}
define internal void @out_of_bounds() noinline gc "statepoint-example" {
  %r = call ptr addrspace(1) @raise(ptr addrspace(1) @bounds)
  unreachable
}
define internal i64 @divisor(i64 %d) alwaysinline gc "statepoint-example" {
  %zero = icmp eq i64 %d, 0
  br i1 %zero, label %wrong, label %right
wrong:
  %e = call ptr addrspace(1) @cairn.tag.from(i64 1)
  %r = call ptr addrspace(1) @raise(ptr addrspace(1) %e)
  unreachable
right:
  ret i64 %d
}
define internal i64 @"/"(i64, i64) gc "statepoint-example" {
  %d = call i64 @divisor(i64 %1)
  %q = sdiv i64 %0, %d
  %r = shl i64 %q, 1
  ret i64 %r
}
define internal i64 @"mod"(i64, i64) gc "statepoint-example" {
  %d = call i64 @divisor(i64 %1)
  %r = srem i64 %0, %d
  ret i64 %r
}

; ---- references ----

@ref.layout = internal constant { ptr addrspace(1) } zeroinitializer, !cairn.type !{!"ref"}
define internal ptr addrspace(1) @"ref"(ptr addrspace(1)) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @ref.layout, i64 8)
  store ptr addrspace(1) %0, ptr addrspace(1) %o
  ret ptr addrspace(1) %o
}
define internal ptr addrspace(1) @"!"(ptr addrspace(1)) gc "statepoint-example" {
  %r = load ptr addrspace(1), ptr addrspace(1) %0
  ret ptr addrspace(1) %r
}
define internal i64 @":="(ptr addrspace(1), ptr addrspace(1)) gc "statepoint-example" {
  store ptr addrspace(1) %1, ptr addrspace(1) %0
  ret i64 0
}

; ---- strings: the length as an int, and bytes ----

@string.layout = internal constant { i64, [0 x i8] } zeroinitializer, !cairn.type !{!"string"}
@number.format = internal constant [4 x i8] c"%ld\00"

define internal ptr addrspace(1) @make_string(i64 %i) alwaysinline gc "statepoint-example" {
  %n = ashr i64 %i, 1
  %s = call ptr addrspace(1) @cairn_alloc_flex_uninit(ptr @string.layout, i64 %n)
  store i64 %i, ptr addrspace(1) %s
  ret ptr addrspace(1) %s
}
define internal void @copy(ptr addrspace(1) %to, i64 %at, ptr addrspace(1) %from, i64 %start,
    i64 %i) alwaysinline gc "statepoint-example" {
  %x = ashr i64 %at, 1
  %y = ashr i64 %start, 1
  %n = ashr i64 %i, 1
  %a = getelementptr { i64, [0 x i8] }, ptr addrspace(1) %to, i64 0, i32 1, i64 %x
  %b = getelementptr { i64, [0 x i8] }, ptr addrspace(1) %from, i64 0, i32 1, i64 %y
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n, i1 false)
  ret void
}
define internal i64 @"string-length"(ptr addrspace(1)) gc "statepoint-example" {
  %r = load i64, ptr addrspace(1) %0
  ret i64 %r
}
define internal i64 @"string-get"(ptr addrspace(1), i64) gc "statepoint-example" {
  %length = load i64, ptr addrspace(1) %0
  %in = icmp ult i64 %1, %length
  br i1 %in, label %right, label %wrong
right:
  %x = ashr i64 %1, 1
  %a = getelementptr { i64, [0 x i8] }, ptr addrspace(1) %0, i64 0, i32 1, i64 %x
  %c = load i8, ptr addrspace(1) %a
  %n = zext i8 %c to i64
  %r = shl i64 %n, 1
  ret i64 %r
wrong:
  call void @out_of_bounds()
  unreachable
}
define internal ptr addrspace(1) @"make-string"(i64, i64) gc "statepoint-example" {
  %s = call ptr addrspace(1) @make_string(i64 %0)
  %n = ashr i64 %0, 1
  %x = ashr i64 %1, 1
  %c = trunc i64 %x to i8
  %a = getelementptr i8, ptr addrspace(1) %s, i64 8
  call void @llvm.memset.p1.i64(ptr addrspace(1) %a, i8 %c, i64 %n, i1 false)
  ret ptr addrspace(1) %s
}
define internal ptr addrspace(1) @"substring"(ptr addrspace(1), i64, i64) gc "statepoint-example" {
  %length = load i64, ptr addrspace(1) %0
  %end = add i64 %1, %2
  %a = icmp ule i64 %1, %end
  %b = icmp ule i64 %end, %length
  %in = and i1 %a, %b
  br i1 %in, label %right, label %wrong
right:
  %s = call ptr addrspace(1) @make_string(i64 %2)
  call void @copy(ptr addrspace(1) %s, i64 0, ptr addrspace(1) %0, i64 %1, i64 %2)
  ret ptr addrspace(1) %s
wrong:
  call void @out_of_bounds()
  unreachable
}
define internal ptr addrspace(1) @"^"(ptr addrspace(1), ptr addrspace(1)) gc "statepoint-example" {
  %a = load i64, ptr addrspace(1) %0
  %b = load i64, ptr addrspace(1) %1
  %length = add i64 %a, %b
  %s = call ptr addrspace(1) @make_string(i64 %length)
  call void @copy(ptr addrspace(1) %s, i64 0, ptr addrspace(1) %0, i64 0, i64 %a)
  call void @copy(ptr addrspace(1) %s, i64 %a, ptr addrspace(1) %1, i64 0, i64 %b)
  ret ptr addrspace(1) %s
}
define internal i64 @"string-compare"(ptr addrspace(1), ptr addrspace(1)) gc "statepoint-example" {
  %a = load i64, ptr addrspace(1) %0
  %b = load i64, ptr addrspace(1) %1
  %i = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  %n = ashr i64 %i, 1
  %p = getelementptr i8, ptr addrspace(1) %0, i64 8
  %q = getelementptr i8, ptr addrspace(1) %1, i64 8
  %order = call i32 @memcmp(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n)
  %wide = sext i32 %order to i64
  %by.bytes = shl i64 %wide, 1
  %by.length = sub i64 %a, %b
  %same = icmp eq i32 %order, 0
  %r = select i1 %same, i64 %by.length, i64 %by.bytes
  ret i64 %r
}
define internal ptr addrspace(1) @"string-of-int"(i64) gc "statepoint-example" {
  %n = ashr i64 %0, 1
  %digits = alloca [24 x i8]
  %count = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %digits, i64 24, ptr @number.format, i64 %n)
  %bytes = zext i32 %count to i64
  %length = shl i64 %bytes, 1
  %s = call ptr addrspace(1) @make_string(i64 %length)
  %a = getelementptr i8, ptr addrspace(1) %s, i64 8
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %a, ptr %digits, i64 %bytes, i1 false)
  ret ptr addrspace(1) %s
}

; ---- input and output ----

@argument.count = internal global i64 0
@arguments = internal global ptr null

define i32 @main(i32 %count, ptr %arguments) gc "statepoint-example" {
  %n = zext i32 %count to i64
  store i64 %n, ptr @argument.count
  store ptr %arguments, ptr @arguments
  %unit = call i64 @main.program()
  ret i32 0
}
define internal i64 @"argument"(i64) gc "statepoint-example" {
  %i = ashr i64 %0, 1
  %count = load i64, ptr @argument.count
  %in = icmp ult i64 %i, %count
  br i1 %in, label %right, label %wrong
right:
  %list = load ptr, ptr @arguments
  %place = getelementptr ptr, ptr %list, i64 %i
  %text = load ptr, ptr %place
  %n = call i64 @atol(ptr %text)
  %r = shl i64 %n, 1
  ret i64 %r
wrong:
  call void @out_of_bounds()
  unreachable
}
define internal i64 @"print"(ptr addrspace(1)) gc "statepoint-example" {
entry:
  %buffer = alloca [1024 x i8]
  %i = load i64, ptr addrspace(1) %0
  %length = ashr i64 %i, 1
  %bytes = getelementptr i8, ptr addrspace(1) %0, i64 8
  br label %test
test:
  %done = phi i64 [ 0, %entry ], [ %more, %part ]
  %left = sub i64 %length, %done
  %end = icmp eq i64 %left, 0
  br i1 %end, label %exit, label %part
part:
  %n = call i64 @llvm.umin.i64(i64 %left, i64 1024)
  %from = getelementptr { i64, [0 x i8] }, ptr addrspace(1) %0, i64 0, i32 1, i64 %done
  call void @llvm.memcpy.p0.p1.i64(ptr %buffer, ptr addrspace(1) %from, i64 %n, i1 false)
  %stream = load ptr, ptr @stdout
  %written = call i64 @fwrite(ptr %buffer, i64 1, i64 %n, ptr %stream)
  %more = add i64 %done, %n
  br label %test
exit:
  ret i64 0
}
