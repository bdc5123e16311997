; The function that stands for a difference of references, called with something else.
; RUN: not %cairn opt -p lower-differences -S %s 2>&1 | FileCheck %s
; CHECK: cairn.ptrdiff is used other than by calling it with two references [ptrdiff]
declare i64 @cairn.ptrdiff(i64)
define i64 @f(i64 %n) {
  %d = call i64 @cairn.ptrdiff(i64 %n)
  ret i64 %d
}
