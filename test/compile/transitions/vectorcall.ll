; LLVM writes the name of a vectorcall function with the size of its parameters, `f@@8`, and the entry is relocated by
; name. A static one that managed code alone calls needs no entry.
; RUN: not %cairn opt -p transitions -S %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:
; CHECK: error: in function 'public': a managed function of calling convention 80 (vectorcall){{.*}}[calling-convention]
; CHECK: error: in function 'taken': {{.*}}[calling-convention]

define x86_vectorcallcc i64 @public(i64 %n) gc "statepoint-example" {
  ret i64 %n
}
define internal x86_vectorcallcc i64 @taken(i64 %n) gc "statepoint-example" {
  ret i64 %n
}
define internal x86_vectorcallcc i64 @own(i64 %n) gc "statepoint-example" {
  ret i64 %n
}
define ptr @user(i64 %n) gc "statepoint-example" {
  %m = call x86_vectorcallcc i64 @own(i64 %n)
  ret ptr @taken
}
