; RUN: %cairn-cc -O0 %s -o %t.0 && %t.0 | FileCheck %s
; RUN: env CAIRN_STRESS=499 CAIRN_VERIFY=frames %t.0 | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-report %s -o %t 2>&1 | FileCheck --check-prefix=SAYS %s
; RUN: %t | FileCheck %s
; RUN: env CAIRN_STRESS=499 CAIRN_VERIFY=frames %t | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s -o %t.early
; RUN: env CAIRN_STRESS=499 %t.early | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=none %s -o %t.none && %t.none | FileCheck %s
; A list is built, mapped and folded by functions of tailcc, some of which get the C convention. A million tail calls
; take no stack. Wrong: a caller and a callee disagree about the bytes that are popped, references are lost, or the
; stack overflows.
; SAYS: {{^ }}add:
; SAYS: keeps its convention
; SAYS: {{^ }}build:
; SAYS: gets the C convention
; SAYS: {{^ }}map:
; SAYS: gets the C convention
; SAYS: {{^ }}fold:
; SAYS: gets the C convention
; SAYS: {{^ }}fold_on:
; SAYS: gets the C convention
; SAYS: {{^ }}jump:
; SAYS: keeps its convention
; SAYS: {{^ }}land:
; SAYS: keeps its convention
; CHECK: 505000000 1000000

%node = type { ptr addrspace(1), i64 }
@node = internal constant %node zeroinitializer
@line = internal constant [9 x i8] c"%ld %ld\0A\00"
@operation = global ptr @add
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare i32 @printf(ptr, ...)

define internal tailcc i64 @add(i64 %a, i64 %b) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  %s = add i64 %a, %b
  ret i64 %s
}
define internal tailcc ptr addrspace(1) @build(i64 %n) noinline gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %out, label %on
out:
  ret ptr addrspace(1) null
on:
  %less = sub i64 %n, 1
  %rest = call tailcc ptr addrspace(1) @build(i64 %less)
  %o = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  store ptr addrspace(1) %rest, ptr addrspace(1) %o
  %s = getelementptr %node, ptr addrspace(1) %o, i64 0, i32 1
  store i64 %n, ptr addrspace(1) %s
  ret ptr addrspace(1) %o
}
define internal tailcc ptr addrspace(1) @map(ptr addrspace(1) %p, i64 %more) noinline gc "statepoint-example" {
  %end = icmp eq ptr addrspace(1) %p, null
  br i1 %end, label %out, label %on
out:
  ret ptr addrspace(1) null
on:
  %next = load ptr addrspace(1), ptr addrspace(1) %p
  %rest = call tailcc ptr addrspace(1) @map(ptr addrspace(1) %next, i64 %more)
  %slot = getelementptr %node, ptr addrspace(1) %p, i64 0, i32 1
  %v = load i64, ptr addrspace(1) %slot
  %f = load ptr, ptr @operation
  %w = call tailcc i64 %f(i64 %v, i64 %more)
  %o = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  store ptr addrspace(1) %rest, ptr addrspace(1) %o
  %s = getelementptr %node, ptr addrspace(1) %o, i64 0, i32 1
  store i64 %w, ptr addrspace(1) %s
  ret ptr addrspace(1) %o
}
define internal tailcc i64 @fold(i64 %n, ptr addrspace(1) %p, i64 %rounds, ptr addrspace(1) %list) noinline gc "statepoint-example" {
  %end = icmp eq ptr addrspace(1) %p, null
  br i1 %end, label %again, label %on
again:
  %less = sub i64 %rounds, 1
  %last = icmp eq i64 %less, 0
  br i1 %last, label %out, label %round
out:
  ret i64 %n
round:
  %r = tail call tailcc i64 @fold(i64 %n, ptr addrspace(1) %list, i64 %less, ptr addrspace(1) %list)
  ret i64 %r
on:
  %t = tail call tailcc i64 @fold_on(i64 %n, ptr addrspace(1) %p, i64 %rounds, ptr addrspace(1) %list)
  ret i64 %t
}
define internal tailcc i64 @fold_on(i64 %n, ptr addrspace(1) %p, i64 %rounds, ptr addrspace(1) %list) noinline gc "statepoint-example" {
  %s = getelementptr %node, ptr addrspace(1) %p, i64 0, i32 1
  %v = load i64, ptr addrspace(1) %s
  %next = load ptr addrspace(1), ptr addrspace(1) %p
  %more = add i64 %n, %v
  %r = musttail call tailcc i64 @fold(i64 %more, ptr addrspace(1) %next, i64 %rounds, ptr addrspace(1) %list)
  ret i64 %r
}
; Of different prototypes, one with arguments in memory.
define internal tailcc i64 @jump(ptr addrspace(1) %p, i64 %n, i64 %count) noinline gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %out, label %on
out:
  ret i64 %count
on:
  %r = musttail call tailcc i64 @land(i64 0, i64 1, i64 2, i64 3, i64 4, i64 %n, i64 %count, ptr addrspace(1) %p)
  ret i64 %r
}
define internal tailcc i64 @land(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %n, i64 %count, ptr addrspace(1) %p) noinline gc "statepoint-example" {
  %less = sub i64 %n, 1
  %more = add i64 %count, 1
  %r = musttail call tailcc i64 @jump(ptr addrspace(1) %p, i64 %less, i64 %more)
  ret i64 %r
}
define i32 @main() gc "statepoint-example" {
  %list = call tailcc ptr addrspace(1) @build(i64 1000)
  %mapped = call tailcc ptr addrspace(1) @map(ptr addrspace(1) %list, i64 9)
  %again = call tailcc ptr addrspace(1) @map(ptr addrspace(1) %mapped, i64 -5)
  %s = call tailcc i64 @fold(i64 500000, ptr addrspace(1) %again, i64 1000, ptr addrspace(1) %again)
  %j = call tailcc i64 @jump(ptr addrspace(1) %again, i64 1000000, i64 0)
  %l = call i32 (ptr, ...) @printf(ptr @line, i64 %s, i64 %j)
  ret i32 0
}
