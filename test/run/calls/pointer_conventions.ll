; RUN: %cairn-cc -O0 %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 %s -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: for o in -O0 -O2 -flto; do %cairn-cc $o -fcairn-collector=generational %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s || exit 1; done
; Calls through pointers under each calling convention: to managed functions, to native ones that come
; back and collect, and to native ones of other units by name. Arguments lie in registers and on the
; stack, which the callee takes off under some. What would go wrong: an argument, a result or a
; register is lost on the way; the walk does not find the frames above, or those that a callee which
; popped its arguments left; a reference comes back stale from where a convention saves it.
; CHECK: 14 calls, 0 wrong

%box = type { i64, ptr addrspace(1) }
@layout = internal constant %box zeroinitializer
@wrong = internal global i64 0
@calls = internal global i64 0
@line = internal constant [20 x i8] c"%ld calls, %ld wrong"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @printf(ptr, ...)

define ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 %n, ptr addrspace(1) %b
  ret ptr addrspace(1) %b
}
define void @collects() noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @box(i64 1)
  call void @cairn_collect()
  ret void
}
define internal void @note(i64 %result, i64 %value) noinline gc "statepoint-example" {
  %right = icmp eq i64 %result, 1236
  %kept = icmp eq i64 %value, 1000
  %all = and i1 %right, %kept
  %w = load i64, ptr @wrong
  %more = zext i1 %all to i64
  %w1 = add i64 %w, 1
  %w2 = sub i64 %w1, %more
  store i64 %w2, ptr @wrong
  %c = load i64, ptr @calls
  %c1 = add i64 %c, 1
  store i64 %c1, ptr @calls
  ret void
}
define internal ccc i64 @managed_ccc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
define internal ccc i64 @native_ccc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_ccc = internal global ptr @native_ccc
@to_managed_ccc = internal global ptr @managed_ccc
define internal void @try_ccc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call ccc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define internal fastcc i64 @managed_fastcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
define internal fastcc i64 @native_fastcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_fastcc = internal global ptr @native_fastcc
@to_managed_fastcc = internal global ptr @managed_fastcc
define internal void @try_fastcc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call fastcc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define internal tailcc i64 @managed_tailcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
define internal tailcc i64 @native_tailcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_tailcc = internal global ptr @native_tailcc
@to_managed_tailcc = internal global ptr @managed_tailcc
define internal void @try_tailcc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call tailcc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define internal swiftcc i64 @managed_swiftcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
define internal swiftcc i64 @native_swiftcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_swiftcc = internal global ptr @native_swiftcc
@to_managed_swiftcc = internal global ptr @managed_swiftcc
define internal void @try_swiftcc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call swiftcc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define internal swifttailcc i64 @managed_swifttailcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
define internal swifttailcc i64 @native_swifttailcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_swifttailcc = internal global ptr @native_swifttailcc
@to_managed_swifttailcc = internal global ptr @managed_swifttailcc
define internal void @try_swifttailcc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call swifttailcc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define internal preserve_mostcc i64 @native_preserve_mostcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_preserve_mostcc = internal global ptr @native_preserve_mostcc
define internal void @try_preserve_mostcc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call preserve_mostcc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define internal preserve_allcc i64 @native_preserve_allcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_preserve_allcc = internal global ptr @native_preserve_allcc
define internal void @try_preserve_allcc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call preserve_allcc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define internal coldcc i64 @native_coldcc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_coldcc = internal global ptr @native_coldcc
define internal void @try_coldcc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call coldcc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define internal win64cc i64 @native_win64cc(ptr addrspace(1) %p, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, double %x) noinline uwtable {
  %v = load i64, ptr addrspace(1) %p
  call void @collects()
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  %s6 = add i64 %s5, %g
  %i = fptosi double %x to i64
  %s7 = add i64 %s6, %i
  %s8 = add i64 %s7, %v
  ret i64 %s8
}
@to_native_win64cc = internal global ptr @native_win64cc
define internal void @try_win64cc(ptr %f) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @box(i64 1000)
  %r = call win64cc i64 %f(ptr addrspace(1) %p, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, double 208.0) "cairn-live-operands"
  %v = load i64, ptr addrspace(1) %p
  call void @note(i64 %r, i64 %v)
  ret void
}
define i32 @main() gc "statepoint-example" {
  %managed_ccc = load volatile ptr, ptr @to_managed_ccc
  call void @try_ccc(ptr %managed_ccc)
  %native_ccc = load volatile ptr, ptr @to_native_ccc
  call void @try_ccc(ptr %native_ccc)
  %managed_fastcc = load volatile ptr, ptr @to_managed_fastcc
  call void @try_fastcc(ptr %managed_fastcc)
  %native_fastcc = load volatile ptr, ptr @to_native_fastcc
  call void @try_fastcc(ptr %native_fastcc)
  %managed_tailcc = load volatile ptr, ptr @to_managed_tailcc
  call void @try_tailcc(ptr %managed_tailcc)
  %native_tailcc = load volatile ptr, ptr @to_native_tailcc
  call void @try_tailcc(ptr %native_tailcc)
  %managed_swiftcc = load volatile ptr, ptr @to_managed_swiftcc
  call void @try_swiftcc(ptr %managed_swiftcc)
  %native_swiftcc = load volatile ptr, ptr @to_native_swiftcc
  call void @try_swiftcc(ptr %native_swiftcc)
  %managed_swifttailcc = load volatile ptr, ptr @to_managed_swifttailcc
  call void @try_swifttailcc(ptr %managed_swifttailcc)
  %native_swifttailcc = load volatile ptr, ptr @to_native_swifttailcc
  call void @try_swifttailcc(ptr %native_swifttailcc)
  %native_preserve_mostcc = load volatile ptr, ptr @to_native_preserve_mostcc
  call void @try_preserve_mostcc(ptr %native_preserve_mostcc)
  %native_preserve_allcc = load volatile ptr, ptr @to_native_preserve_allcc
  call void @try_preserve_allcc(ptr %native_preserve_allcc)
  %native_coldcc = load volatile ptr, ptr @to_native_coldcc
  call void @try_coldcc(ptr %native_coldcc)
  %native_win64cc = load volatile ptr, ptr @to_native_win64cc
  call void @try_win64cc(ptr %native_win64cc)
  %c = load i64, ptr @calls
  %w = load i64, ptr @wrong
  %n = call i32 (ptr, ...) @printf(ptr @line, i64 %c, i64 %w)
  ret i32 0
}
