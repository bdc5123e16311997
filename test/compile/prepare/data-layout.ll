; References are words of eight bytes here. Wrong: a module for narrower ones is compiled, and the
; collector reads and writes beyond each.
; RUN: not %cairn opt -p prepare -S %s 2>&1 | FileCheck %s
; CHECK: error: {{.*}}[data-layout]
target datalayout = "e-p1:32:32-i64:64-S128"
define void @f() gc "statepoint-example" {
  ret void
}
