; RUN: %cairn-cc -O0 %s -o %t.0 && %t.0 | FileCheck %s
; RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t.0 | FileCheck %s
; RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s
; RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s -o %t.early && env CAIRN_STRESS=1 %t.early | FileCheck %s
; RUN: sed s/tailcc/swifttailcc/ %s >%t.ll && %cairn-cc -O2 %t.ll -o %t.swift
; RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t.swift | FileCheck %s
; RUN: %cairn frames %t | FileCheck --check-prefix=MAPS %s
; Callees of tailcc that move the return address: they make tail calls with more or fewer arguments in memory than they
; were given. A collection happens behind, while the caller has references in registers, in slots, in a described local,
; in a frame with a local that is aligned to 64 bytes, and in one that makes such a tail call itself. Wrong: the caller's
; references are looked for beside their places.
; CHECK: 210 210 210 210 210
; The places are based on the frame pointer, since the stack pointer is not known.
; MAPS: function many
; MAPS: root [rbp -
; MAPS: function described
; MAPS: area [rbp -
; MAPS: function aligned

%node = type { ptr addrspace(1), i64 }
@node = internal constant %node zeroinitializer
@line = internal constant [21 x i8] c"%ld %ld %ld %ld %ld\0A\00"
@grows = global ptr @grow
@shrinks = global ptr @shrink
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare i32 @printf(ptr, ...)
define internal ptr addrspace(1) @make(i64 %n) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  %s = getelementptr %node, ptr addrspace(1) %o, i64 0, i32 1
  store i64 %n, ptr addrspace(1) %s
  ret ptr addrspace(1) %o
}
define internal i64 @value(ptr addrspace(1) %o) noinline gc "statepoint-example" {
  %s = getelementptr %node, ptr addrspace(1) %o, i64 0, i32 1
  %v = load volatile i64, ptr addrspace(1) %s
  ret i64 %v
}
; ---- callees ----
define tailcc i64 @grow(ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %r = musttail call tailcc i64 @large(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, ptr addrspace(1) %p)
  ret i64 %r
}
define tailcc i64 @large(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 0)
  %v = call i64 @value(ptr addrspace(1) %o)
  %w = call i64 @value(ptr addrspace(1) %p)
  %s = add i64 %v, %w
  ret i64 %s
}
define tailcc i64 @shrink(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %r = musttail call tailcc i64 @small(ptr addrspace(1) %p)
  ret i64 %r
}
define tailcc i64 @small(ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 0)
  %v = call i64 @value(ptr addrspace(1) %o)
  %w = call i64 @value(ptr addrspace(1) %p)
  %s = add i64 %v, %w
  ret i64 %s
}
; ---- callers ----
define i64 @few(i64 %k) noinline gc "statepoint-example" {
  %p0 = call ptr addrspace(1) @make(i64 1)
  %p1 = call ptr addrspace(1) @make(i64 2)
  %p2 = call ptr addrspace(1) @make(i64 207)
  %code = load volatile ptr, ptr @grows
  %x = call tailcc i64 %code(ptr addrspace(1) %p2)
  %code2 = load volatile ptr, ptr @shrinks
  %y = call tailcc i64 %code2(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, ptr addrspace(1) %p2)
  %d = sub i64 %x, %y
  %s0 = add i64 %d, 0
  %v0 = call i64 @value(ptr addrspace(1) %p0)
  %s1 = add i64 %s0, %v0
  %v1 = call i64 @value(ptr addrspace(1) %p1)
  %s2 = add i64 %s1, %v1
  %v2 = call i64 @value(ptr addrspace(1) %p2)
  %s3 = add i64 %s2, %v2
  ret i64 %s3
}
define i64 @many(i64 %k) noinline gc "statepoint-example" {
  %p0 = call ptr addrspace(1) @make(i64 1)
  %p1 = call ptr addrspace(1) @make(i64 2)
  %p2 = call ptr addrspace(1) @make(i64 3)
  %p3 = call ptr addrspace(1) @make(i64 4)
  %p4 = call ptr addrspace(1) @make(i64 5)
  %p5 = call ptr addrspace(1) @make(i64 6)
  %p6 = call ptr addrspace(1) @make(i64 7)
  %p7 = call ptr addrspace(1) @make(i64 8)
  %p8 = call ptr addrspace(1) @make(i64 9)
  %p9 = call ptr addrspace(1) @make(i64 10)
  %p10 = call ptr addrspace(1) @make(i64 11)
  %p11 = call ptr addrspace(1) @make(i64 12)
  %p12 = call ptr addrspace(1) @make(i64 13)
  %p13 = call ptr addrspace(1) @make(i64 14)
  %p14 = call ptr addrspace(1) @make(i64 15)
  %p15 = call ptr addrspace(1) @make(i64 16)
  %p16 = call ptr addrspace(1) @make(i64 17)
  %p17 = call ptr addrspace(1) @make(i64 18)
  %p18 = call ptr addrspace(1) @make(i64 19)
  %p19 = call ptr addrspace(1) @make(i64 20)
  %code = load volatile ptr, ptr @grows
  %x = call tailcc i64 %code(ptr addrspace(1) %p19)
  %code2 = load volatile ptr, ptr @shrinks
  %y = call tailcc i64 %code2(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, ptr addrspace(1) %p19)
  %d = sub i64 %x, %y
  %s0 = add i64 %d, 0
  %v0 = call i64 @value(ptr addrspace(1) %p0)
  %s1 = add i64 %s0, %v0
  %v1 = call i64 @value(ptr addrspace(1) %p1)
  %s2 = add i64 %s1, %v1
  %v2 = call i64 @value(ptr addrspace(1) %p2)
  %s3 = add i64 %s2, %v2
  %v3 = call i64 @value(ptr addrspace(1) %p3)
  %s4 = add i64 %s3, %v3
  %v4 = call i64 @value(ptr addrspace(1) %p4)
  %s5 = add i64 %s4, %v4
  %v5 = call i64 @value(ptr addrspace(1) %p5)
  %s6 = add i64 %s5, %v5
  %v6 = call i64 @value(ptr addrspace(1) %p6)
  %s7 = add i64 %s6, %v6
  %v7 = call i64 @value(ptr addrspace(1) %p7)
  %s8 = add i64 %s7, %v7
  %v8 = call i64 @value(ptr addrspace(1) %p8)
  %s9 = add i64 %s8, %v8
  %v9 = call i64 @value(ptr addrspace(1) %p9)
  %s10 = add i64 %s9, %v9
  %v10 = call i64 @value(ptr addrspace(1) %p10)
  %s11 = add i64 %s10, %v10
  %v11 = call i64 @value(ptr addrspace(1) %p11)
  %s12 = add i64 %s11, %v11
  %v12 = call i64 @value(ptr addrspace(1) %p12)
  %s13 = add i64 %s12, %v12
  %v13 = call i64 @value(ptr addrspace(1) %p13)
  %s14 = add i64 %s13, %v13
  %v14 = call i64 @value(ptr addrspace(1) %p14)
  %s15 = add i64 %s14, %v14
  %v15 = call i64 @value(ptr addrspace(1) %p15)
  %s16 = add i64 %s15, %v15
  %v16 = call i64 @value(ptr addrspace(1) %p16)
  %s17 = add i64 %s16, %v16
  %v17 = call i64 @value(ptr addrspace(1) %p17)
  %s18 = add i64 %s17, %v17
  %v18 = call i64 @value(ptr addrspace(1) %p18)
  %s19 = add i64 %s18, %v18
  %v19 = call i64 @value(ptr addrspace(1) %p19)
  %s20 = add i64 %s19, %v19
  ret i64 %s20
}
define i64 @described(i64 %k) noinline gc "statepoint-example" {
  %local = alloca [4 x ptr addrspace(1)]
  %p0 = call ptr addrspace(1) @make(i64 1)
  %p1 = call ptr addrspace(1) @make(i64 2)
  %p2 = call ptr addrspace(1) @make(i64 3)
  %p3 = call ptr addrspace(1) @make(i64 4)
  %p4 = call ptr addrspace(1) @make(i64 200)
  %at = getelementptr [4 x ptr addrspace(1)], ptr %local, i64 0, i64 2
  store [4 x ptr addrspace(1)] zeroinitializer, ptr %local
  store ptr addrspace(1) %p0, ptr %at
  call void @look(ptr %local)
  %code = load volatile ptr, ptr @grows
  %x = call tailcc i64 %code(ptr addrspace(1) %p4)
  %code2 = load volatile ptr, ptr @shrinks
  %y = call tailcc i64 %code2(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, ptr addrspace(1) %p4)
  %d = sub i64 %x, %y
  %s0 = add i64 %d, 0
  %v0 = call i64 @value(ptr addrspace(1) %p0)
  %s1 = add i64 %s0, %v0
  %v1 = call i64 @value(ptr addrspace(1) %p1)
  %s2 = add i64 %s1, %v1
  %v2 = call i64 @value(ptr addrspace(1) %p2)
  %s3 = add i64 %s2, %v2
  %v3 = call i64 @value(ptr addrspace(1) %p3)
  %s4 = add i64 %s3, %v3
  %v4 = call i64 @value(ptr addrspace(1) %p4)
  %s5 = add i64 %s4, %v4
  %back = load volatile ptr addrspace(1), ptr %at
  %w = call i64 @value(ptr addrspace(1) %back)
  %t = add i64 %s5, %w
  %u = sub i64 %t, 1
  ret i64 %u
}
define i64 @aligned(i64 %k) noinline gc "statepoint-example" {
  %local = alloca [8 x i64], align 64
  %p0 = call ptr addrspace(1) @make(i64 1)
  %p1 = call ptr addrspace(1) @make(i64 2)
  %p2 = call ptr addrspace(1) @make(i64 3)
  %p3 = call ptr addrspace(1) @make(i64 4)
  %p4 = call ptr addrspace(1) @make(i64 5)
  %p5 = call ptr addrspace(1) @make(i64 6)
  %p6 = call ptr addrspace(1) @make(i64 7)
  %p7 = call ptr addrspace(1) @make(i64 8)
  %p8 = call ptr addrspace(1) @make(i64 9)
  %p9 = call ptr addrspace(1) @make(i64 10)
  %p10 = call ptr addrspace(1) @make(i64 11)
  %p11 = call ptr addrspace(1) @make(i64 12)
  %p12 = call ptr addrspace(1) @make(i64 13)
  %p13 = call ptr addrspace(1) @make(i64 14)
  %p14 = call ptr addrspace(1) @make(i64 15)
  %p15 = call ptr addrspace(1) @make(i64 16)
  %p16 = call ptr addrspace(1) @make(i64 17)
  %p17 = call ptr addrspace(1) @make(i64 18)
  %p18 = call ptr addrspace(1) @make(i64 19)
  %p19 = call ptr addrspace(1) @make(i64 20)
  call void @look_aligned(ptr %local)
  %code = load volatile ptr, ptr @grows
  %x = call tailcc i64 %code(ptr addrspace(1) %p19)
  %code2 = load volatile ptr, ptr @shrinks
  %y = call tailcc i64 %code2(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, ptr addrspace(1) %p19)
  %d = sub i64 %x, %y
  %s0 = add i64 %d, 0
  %v0 = call i64 @value(ptr addrspace(1) %p0)
  %s1 = add i64 %s0, %v0
  %v1 = call i64 @value(ptr addrspace(1) %p1)
  %s2 = add i64 %s1, %v1
  %v2 = call i64 @value(ptr addrspace(1) %p2)
  %s3 = add i64 %s2, %v2
  %v3 = call i64 @value(ptr addrspace(1) %p3)
  %s4 = add i64 %s3, %v3
  %v4 = call i64 @value(ptr addrspace(1) %p4)
  %s5 = add i64 %s4, %v4
  %v5 = call i64 @value(ptr addrspace(1) %p5)
  %s6 = add i64 %s5, %v5
  %v6 = call i64 @value(ptr addrspace(1) %p6)
  %s7 = add i64 %s6, %v6
  %v7 = call i64 @value(ptr addrspace(1) %p7)
  %s8 = add i64 %s7, %v7
  %v8 = call i64 @value(ptr addrspace(1) %p8)
  %s9 = add i64 %s8, %v8
  %v9 = call i64 @value(ptr addrspace(1) %p9)
  %s10 = add i64 %s9, %v9
  %v10 = call i64 @value(ptr addrspace(1) %p10)
  %s11 = add i64 %s10, %v10
  %v11 = call i64 @value(ptr addrspace(1) %p11)
  %s12 = add i64 %s11, %v11
  %v12 = call i64 @value(ptr addrspace(1) %p12)
  %s13 = add i64 %s12, %v12
  %v13 = call i64 @value(ptr addrspace(1) %p13)
  %s14 = add i64 %s13, %v13
  %v14 = call i64 @value(ptr addrspace(1) %p14)
  %s15 = add i64 %s14, %v14
  %v15 = call i64 @value(ptr addrspace(1) %p15)
  %s16 = add i64 %s15, %v15
  %v16 = call i64 @value(ptr addrspace(1) %p16)
  %s17 = add i64 %s16, %v16
  %v17 = call i64 @value(ptr addrspace(1) %p17)
  %s18 = add i64 %s17, %v17
  %v18 = call i64 @value(ptr addrspace(1) %p18)
  %s19 = add i64 %s18, %v18
  %v19 = call i64 @value(ptr addrspace(1) %p19)
  %s20 = add i64 %s19, %v19
  %u = load volatile i64, ptr %local
  %t = add i64 %s20, %u
  ret i64 %t
}
define tailcc i64 @swap(i64 %k) noinline gc "statepoint-example" {
  %p0 = call ptr addrspace(1) @make(i64 1)
  %p1 = call ptr addrspace(1) @make(i64 2)
  %p2 = call ptr addrspace(1) @make(i64 3)
  %p3 = call ptr addrspace(1) @make(i64 4)
  %p4 = call ptr addrspace(1) @make(i64 5)
  %p5 = call ptr addrspace(1) @make(i64 6)
  %p6 = call ptr addrspace(1) @make(i64 7)
  %p7 = call ptr addrspace(1) @make(i64 8)
  %p8 = call ptr addrspace(1) @make(i64 9)
  %p9 = call ptr addrspace(1) @make(i64 10)
  %p10 = call ptr addrspace(1) @make(i64 11)
  %p11 = call ptr addrspace(1) @make(i64 12)
  %p12 = call ptr addrspace(1) @make(i64 13)
  %p13 = call ptr addrspace(1) @make(i64 14)
  %p14 = call ptr addrspace(1) @make(i64 15)
  %p15 = call ptr addrspace(1) @make(i64 16)
  %p16 = call ptr addrspace(1) @make(i64 17)
  %p17 = call ptr addrspace(1) @make(i64 18)
  %p18 = call ptr addrspace(1) @make(i64 19)
  %p19 = call ptr addrspace(1) @make(i64 20)
  %code = load volatile ptr, ptr @grows
  %x = call tailcc i64 %code(ptr addrspace(1) %p19)
  %code2 = load volatile ptr, ptr @shrinks
  %y = call tailcc i64 %code2(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, ptr addrspace(1) %p19)
  %d = sub i64 %x, %y
  %s0 = add i64 %d, 0
  %v0 = call i64 @value(ptr addrspace(1) %p0)
  %s1 = add i64 %s0, %v0
  %v1 = call i64 @value(ptr addrspace(1) %p1)
  %s2 = add i64 %s1, %v1
  %v2 = call i64 @value(ptr addrspace(1) %p2)
  %s3 = add i64 %s2, %v2
  %v3 = call i64 @value(ptr addrspace(1) %p3)
  %s4 = add i64 %s3, %v3
  %v4 = call i64 @value(ptr addrspace(1) %p4)
  %s5 = add i64 %s4, %v4
  %v5 = call i64 @value(ptr addrspace(1) %p5)
  %s6 = add i64 %s5, %v5
  %v6 = call i64 @value(ptr addrspace(1) %p6)
  %s7 = add i64 %s6, %v6
  %v7 = call i64 @value(ptr addrspace(1) %p7)
  %s8 = add i64 %s7, %v7
  %v8 = call i64 @value(ptr addrspace(1) %p8)
  %s9 = add i64 %s8, %v8
  %v9 = call i64 @value(ptr addrspace(1) %p9)
  %s10 = add i64 %s9, %v9
  %v10 = call i64 @value(ptr addrspace(1) %p10)
  %s11 = add i64 %s10, %v10
  %v11 = call i64 @value(ptr addrspace(1) %p11)
  %s12 = add i64 %s11, %v11
  %v12 = call i64 @value(ptr addrspace(1) %p12)
  %s13 = add i64 %s12, %v12
  %v13 = call i64 @value(ptr addrspace(1) %p13)
  %s14 = add i64 %s13, %v13
  %v14 = call i64 @value(ptr addrspace(1) %p14)
  %s15 = add i64 %s14, %v14
  %v15 = call i64 @value(ptr addrspace(1) %p15)
  %s16 = add i64 %s15, %v15
  %v16 = call i64 @value(ptr addrspace(1) %p16)
  %s17 = add i64 %s16, %v16
  %v17 = call i64 @value(ptr addrspace(1) %p17)
  %s18 = add i64 %s17, %v17
  %v18 = call i64 @value(ptr addrspace(1) %p18)
  %s19 = add i64 %s18, %v18
  %v19 = call i64 @value(ptr addrspace(1) %p19)
  %s20 = add i64 %s19, %v19
  %more = icmp sgt i64 %k, 0
  br i1 %more, label %on, label %out
out:
  ret i64 %s20
on:
  %less = sub i64 %k, 1
  %r = musttail call tailcc i64 @swapped(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 %less)
  ret i64 %r
}
define tailcc i64 @swapped(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, i64 %k) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @make(i64 0)
  %r = musttail call tailcc i64 @swap(i64 %k)
  ret i64 %r
}
define internal void @look(ptr %at) noinline gc "statepoint-example" {
  %o = load volatile ptr addrspace(1), ptr %at
  ret void
}
define internal void @look_aligned(ptr %at) noinline {
  %a = ptrtoint ptr %at to i64
  %low = and i64 %a, 63
  store volatile i64 %low, ptr %at
  ret void
}
@swaps = global ptr @swap
define i32 @main() gc "statepoint-example" {
  %a = call i64 @few(i64 0)
  %b = call i64 @many(i64 0)
  %c = call i64 @described(i64 0)
  %d = call i64 @aligned(i64 0)
  %code = load volatile ptr, ptr @swaps
  %e = call tailcc i64 %code(i64 5)
  %l = call i32 (ptr, ...) @printf(ptr @line, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e)
  ret i32 0
}
