; A file without managed code or references stays as it is: no constructor for configure's test
; programs. A thread-local that may not be there is refused.
; RUN: split-file %s %t
; RUN: %cairn opt -p globals -S - < %t/plain.ll | FileCheck %s --implicit-check-not=cairn
; RUN: not %cairn opt -p globals -S %t/local.ll 2>&1 | FileCheck %s --check-prefix=LOCAL
;--- plain.ll
; CHECK: @x = global i64 0
@x = global i64 0
define void @f() {
  ret void
}
;--- local.ll
; LOCAL: thread-local 'mine' holds references and is weak and not defined here{{.*}} [thread-local-reference]
@mine = extern_weak thread_local global ptr addrspace(1)
