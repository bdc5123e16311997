; RUN: sed "s/i64 24))/i64 $(sed -n 's/.*(ENTRY_SIZE, \(.*\))/\1/p' %root/include/cairn/abi_%{machine}.def)))/" %s > %t.ll
; RUN: %cairn-cc -O0 %t.ll -o %t && %t | FileCheck %s
; RUN: %cairn-cc -O2 %t.ll -o %t && %t | FileCheck %s
; RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=none %t.ll -o %t.none && %t.none | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %t.ll -o %t.early && %t.early | FileCheck %s
; Closures that keep the address of their code's body, 24 bytes after the function's (CAIRN_ABI_ENTRY_SIZE of x86-64, which
; the first command replaces by the machine's), under the C convention and tailcc. Wrong: the call arrives elsewhere, also where functions have no entries.
; CHECK: c 3000 144
; CHECK: tail 3000 144
; CHECK: widths 501 0

%closure = type { ptr, ptr addrspace(1), i64 }
@closure = internal constant %closure zeroinitializer
@line = internal constant [12 x i8] c"%s %ld %ld\0A\00"
@name_c = internal constant [2 x i8] c"c\00"
@name_tail = internal constant [5 x i8] c"tail\00"
@name_widths = internal constant [7 x i8] c"widths\00"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare i32 @printf(ptr, ...)
define internal i64 @add_c(ptr addrspace(1) %self, i64 %n, i64 %sum) noinline gc "statepoint-example" {
  %slot = getelementptr %closure, ptr addrspace(1) %self, i64 0, i32 1
  %next = load ptr addrspace(1), ptr addrspace(1) %slot
  %code = load ptr, ptr addrspace(1) %next
  %more = add i64 %sum, 3
  %r = musttail call i64 %code(ptr addrspace(1) %next, i64 %n, i64 %more) "cairn-managed-callee"
  ret i64 %r
}
define internal i64 @count_c(ptr addrspace(1) %self, i64 %n, i64 %sum) noinline gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %out, label %on
out:
  ret i64 %sum
on:
  %slot = getelementptr %closure, ptr addrspace(1) %self, i64 0, i32 1
  %next = load ptr addrspace(1), ptr addrspace(1) %slot
  %code = load ptr, ptr addrspace(1) %next
  %less = sub i64 %n, 1
  %r = musttail call i64 %code(ptr addrspace(1) %next, i64 %less, i64 %sum) "cairn-managed-callee"
  ret i64 %r
}
define internal i64 @fib_c(ptr addrspace(1) %self, i64 %n, i64 %sum) noinline gc "statepoint-example" {
  %small = icmp ult i64 %n, 2
  br i1 %small, label %out, label %on
out:
  ret i64 %n
on:
  %code = load ptr, ptr addrspace(1) %self
  %a = sub i64 %n, 1
  %b = sub i64 %n, 2
  %x = call i64 %code(ptr addrspace(1) %self, i64 %a, i64 0) "cairn-managed-callee"
  %code2 = load ptr, ptr addrspace(1) %self
  %y = call i64 %code2(ptr addrspace(1) %self, i64 %b, i64 0) "cairn-managed-callee"
  %s = add i64 %x, %y
  ret i64 %s
}
; Tail calls with more arguments than their function, and with fewer.
define internal i64 @one_c(ptr addrspace(1) %self, i64 %n) noinline gc "statepoint-example" {
  %slot = getelementptr %closure, ptr addrspace(1) %self, i64 0, i32 1
  %next = load ptr addrspace(1), ptr addrspace(1) %slot
  %code = load ptr, ptr addrspace(1) %next
  %less = sub i64 %n, 1
  %r = tail call i64 %code(ptr addrspace(1) %next, i64 %less, i64 %n) "cairn-managed-callee"
  ret i64 %r
}
define internal i64 @two_c(ptr addrspace(1) %self, i64 %n, i64 %more) noinline gc "statepoint-example" {
  %sum.slot = getelementptr %closure, ptr addrspace(1) %self, i64 0, i32 2
  %sum = load i64, ptr addrspace(1) %sum.slot
  %steps = add i64 %sum, 1
  store i64 %steps, ptr addrspace(1) %sum.slot
  %end = icmp sle i64 %n, 0
  br i1 %end, label %out, label %on
out:
  ret i64 %steps
on:
  %slot = getelementptr %closure, ptr addrspace(1) %self, i64 0, i32 1
  %next = load ptr addrspace(1), ptr addrspace(1) %slot
  %code = load ptr, ptr addrspace(1) %next
  %less = sub i64 %more, 2
  %r = tail call i64 %code(ptr addrspace(1) %next, i64 %less) "cairn-managed-callee"
  ret i64 %r
}
define internal ptr addrspace(1) @make(ptr %code) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @closure, i64 24)
  store ptr %code, ptr addrspace(1) %o
  ret ptr addrspace(1) %o
}
define internal i64 @tails_c(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(ptr getelementptr (i8, ptr @count_c, i64 24))
  %b = call ptr addrspace(1) @make(ptr getelementptr (i8, ptr @add_c, i64 24))
  %s = getelementptr %closure, ptr addrspace(1) %a, i64 0, i32 1
  store ptr addrspace(1) %b, ptr addrspace(1) %s
  %t = getelementptr %closure, ptr addrspace(1) %b, i64 0, i32 1
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  %r = call i64 @count_c(ptr addrspace(1) %a, i64 %n, i64 0)
  ret i64 %r
}
define internal i64 @fibs_c(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(ptr getelementptr (i8, ptr @fib_c, i64 24))
  %r = call i64 @fib_c(ptr addrspace(1) %a, i64 %n, i64 0)
  ret i64 %r
}
define internal i64 @widths_c(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(ptr getelementptr (i8, ptr @one_c, i64 24))
  %b = call ptr addrspace(1) @make(ptr getelementptr (i8, ptr @two_c, i64 24))
  %s = getelementptr %closure, ptr addrspace(1) %a, i64 0, i32 1
  store ptr addrspace(1) %b, ptr addrspace(1) %s
  %t = getelementptr %closure, ptr addrspace(1) %b, i64 0, i32 1
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  %r = call i64 @one_c(ptr addrspace(1) %a, i64 %n)
  ret i64 %r
}
define internal tailcc i64 @add_tail(ptr addrspace(1) %self, i64 %n, i64 %sum) noinline gc "statepoint-example" {
  %slot = getelementptr %closure, ptr addrspace(1) %self, i64 0, i32 1
  %next = load ptr addrspace(1), ptr addrspace(1) %slot
  %code = load ptr, ptr addrspace(1) %next
  %more = add i64 %sum, 3
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %n, i64 %more) "cairn-managed-callee"
  ret i64 %r
}
define internal tailcc i64 @count_tail(ptr addrspace(1) %self, i64 %n, i64 %sum) noinline gc "statepoint-example" {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %out, label %on
out:
  ret i64 %sum
on:
  %slot = getelementptr %closure, ptr addrspace(1) %self, i64 0, i32 1
  %next = load ptr addrspace(1), ptr addrspace(1) %slot
  %code = load ptr, ptr addrspace(1) %next
  %less = sub i64 %n, 1
  %r = tail call tailcc i64 %code(ptr addrspace(1) %next, i64 %less, i64 %sum) "cairn-managed-callee"
  ret i64 %r
}
define internal tailcc i64 @fib_tail(ptr addrspace(1) %self, i64 %n, i64 %sum) noinline gc "statepoint-example" {
  %small = icmp ult i64 %n, 2
  br i1 %small, label %out, label %on
out:
  ret i64 %n
on:
  %code = load ptr, ptr addrspace(1) %self
  %a = sub i64 %n, 1
  %b = sub i64 %n, 2
  %x = call tailcc i64 %code(ptr addrspace(1) %self, i64 %a, i64 0) "cairn-managed-callee"
  %code2 = load ptr, ptr addrspace(1) %self
  %y = call tailcc i64 %code2(ptr addrspace(1) %self, i64 %b, i64 0) "cairn-managed-callee"
  %s = add i64 %x, %y
  ret i64 %s
}
define internal i64 @tails_tail(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(ptr getelementptr (i8, ptr @count_tail, i64 24))
  %b = call ptr addrspace(1) @make(ptr getelementptr (i8, ptr @add_tail, i64 24))
  %s = getelementptr %closure, ptr addrspace(1) %a, i64 0, i32 1
  store ptr addrspace(1) %b, ptr addrspace(1) %s
  %t = getelementptr %closure, ptr addrspace(1) %b, i64 0, i32 1
  store ptr addrspace(1) %a, ptr addrspace(1) %t
  %r = call tailcc i64 @count_tail(ptr addrspace(1) %a, i64 %n, i64 0)
  ret i64 %r
}
define internal i64 @fibs_tail(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(ptr getelementptr (i8, ptr @fib_tail, i64 24))
  %r = call tailcc i64 @fib_tail(ptr addrspace(1) %a, i64 %n, i64 0)
  ret i64 %r
}
define i32 @main() gc "statepoint-example" {
  %t_c = call i64 @tails_c(i64 1000)
  %f_c = call i64 @fibs_c(i64 12)
  call i32 (ptr, ...) @printf(ptr @line, ptr @name_c, i64 %t_c, i64 %f_c)
  %t_tail = call i64 @tails_tail(i64 1000)
  %f_tail = call i64 @fibs_tail(i64 12)
  call i32 (ptr, ...) @printf(ptr @line, ptr @name_tail, i64 %t_tail, i64 %f_tail)
  %w_c = call i64 @widths_c(i64 1000)
  call i32 (ptr, ...) @printf(ptr @line, ptr @name_widths, i64 %w_c, i64 0)
  ret i32 0
}
