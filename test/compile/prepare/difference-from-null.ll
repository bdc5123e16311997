; The difference of a reference and null, on a path that no execution takes, must not become the
; bare address: that would be an integer that a move makes wrong.
; RUN: %cairn opt -p lower-differences -S %s | FileCheck %s
declare i64 @cairn.ptrdiff(ptr addrspace(1), ptr addrspace(1))

define i64 @f(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %a = call i64 @cairn.ptrdiff(ptr addrspace(1) %p, ptr addrspace(1) null)
  %b = call i64 @cairn.ptrdiff(ptr addrspace(1) %p, ptr addrspace(1) %q)
  %c = add i64 %a, %b
  ret i64 %c
}
; CHECK-LABEL: define i64 @f
; CHECK-NEXT: [[P:%.*]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK-NEXT: [[Q:%.*]] = ptrtoint ptr addrspace(1) %q to i64
; CHECK-NEXT: [[D:%.*]] = sub i64 [[P]], [[Q]]
; CHECK-NEXT: add i64 0, [[D]]
