; RUN: clang -Wall -Wextra -Werror -O1 -I%root/include -c %S/Inputs/live_operands.c -o %t.1.o
; RUN: for o in 0 1 2 3; do %cairn-cc -O$o %s %t.1.o -o %t && env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s || exit 1; done
; RUN: %cairn-cc -O2 -fcairn-slots=always %s %t.1.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s %t.1.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: sed 's/ "cairn-live-operands"//' %s > %t.plain.ll
; RUN: %cairn-cc -O2 -fcairn-without=dead-operands %t.plain.ll %t.1.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: not %cairn-cc -O2 %t.plain.ll %t.1.o -o %t 2>&1 | FileCheck --check-prefix=DEAD %s
; A runtime function in C collects while it uses what it was given, and reads its caller's roots for where that
; went. Wrong: the object is freed under it, or it has moved and nobody knows where to.
; CHECK: moved: 1, value 42
; CHECK: moved: 1, value 43
; Without a wish for the list C is given no reference.
; DEAD: cairn.managed_code.use

@layout = internal constant i64 0
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @use(ptr addrspace(1)) "cairn-live-operands"

declare void @cairn_collect()
define void @collect() gc "statepoint-example" {
  call void @cairn_collect()
  ret void
}

define internal void @direct(i64 %n) noinline gc "statepoint-example" {
  %p = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  store i64 %n, ptr addrspace(1) %p
  call void @use(ptr addrspace(1) %p)
  ret void
}

; The result of a call is returned: this would be a tail call.
define internal void @last(ptr addrspace(1) %p) noinline gc "statepoint-example" {
  tail call void @use(ptr addrspace(1) %p)
  ret void
}

define i32 @main() gc "statepoint-example" {
  call void @direct(i64 42)
  %p = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  store i64 43, ptr addrspace(1) %p
  call void @last(ptr addrspace(1) %p)
  ret i32 0
}
