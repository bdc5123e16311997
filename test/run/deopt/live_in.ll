; RUN: clang -O1 -Wall -Wextra -I%root/include -c %S/Inputs/live_in_native.c -o %t.1.o
; RUN: %cairn-cc -O2 %s %t.1.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; Values that are needed only at the start of the call: those in registers that the call may change are lost, and a
; frame with such a value cannot be taken over. Wrong: a register's later value.
; CHECK: plain: lost lost lost 5 7
; CHECK-NEXT: record: lost lost lost 5 7: LOST at operand 6
; CHECK-NEXT: kept: 7 5: OK

declare void @look(i64, i32)
define i64 @plain(i64 %n, i64 %m, double %x) noinline gc "statepoint-example" {
  %a = mul i64 %n, %m
  %b = add i64 %n, 77
  call void @look(i64 %b, i32 0) "deopt-lowering"="live-in" [ "deopt"(i64 %a, i64 %b, double %x, i64 5, i64 %n) ]
  ret i64 %n
}

define i64 @record(i64 %n, i64 %m, double %x) noinline gc "statepoint-example" {
  %a = mul i64 %n, %m
  %b = add i64 %n, 77
  call void @look(i64 %b, i32 1) "deopt-lowering"="live-in" [ "deopt"(
    i64 4847652539576877067, i64 1, i64 12, i64 40, i64 5, i64 0, i64 %a, i64 %b, double %x, i64 5, i64 %n) ]
  ret i64 %n
}

define i64 @kept(i64 %n) noinline gc "statepoint-example" {
  call void @look(i64 0, i32 2) "deopt-lowering"="live-in" [ "deopt"(
    i64 4847652539576877064, i64 1, i64 12, i64 40, i64 2, i64 0, i64 %n, i64 5) ]
  ret i64 %n
}
