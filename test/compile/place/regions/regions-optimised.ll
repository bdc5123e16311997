; The optimiser keeps accesses to memory on their side of the markers, which it must take to read and
; write anything: no store is moved or dropped, no load answered from before. A nopoll function that is
; inlined brings its region along. Wrong: the optimiser merges what is in a region with what is not.
; RUN: opt -passes='default<O3>' -S %s | FileCheck %s
; RUN: %cairn opt -p prepare -S %s | opt -passes='default<O3>' -S | FileCheck --check-prefixes=CHECK,INLINED %s
; RUN: %cairn opt -p prepare -S %s | opt -passes='default<O3>' -S | %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S - -o /dev/null

declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
declare void @foo()

; CHECK-LABEL: define i64 @order(
; CHECK-NEXT: store i64 1
; CHECK-NEXT: call void @cairn.nopoll.begin()
; CHECK-NEXT: store i64 2
; CHECK-NEXT: call void @cairn.nopoll.end()
; CHECK-NEXT: store i64 3
; CHECK-NEXT: load i64, ptr addrspace(1) %q
; CHECK-NEXT: call void @cairn.nopoll.begin()
; CHECK-NEXT: load i64, ptr addrspace(1) %q
; CHECK-NEXT: call void @cairn.nopoll.end()
; CHECK-NEXT: add
; CHECK-NEXT: ret
define i64 @order(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  store i64 1, ptr addrspace(1) %p
  call void @cairn.nopoll.begin()
  store i64 2, ptr addrspace(1) %p
  call void @cairn.nopoll.end()
  store i64 3, ptr addrspace(1) %p
  %a = load i64, ptr addrspace(1) %q
  call void @cairn.nopoll.begin()
  %b = load i64, ptr addrspace(1) %q
  call void @cairn.nopoll.end()
  %c = add i64 %a, %b
  ret i64 %c
}

define internal void @put(ptr addrspace(1) %p, i1 %c) "cairn-nopoll" gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  store i64 4, ptr addrspace(1) %p
  ret void
b:
  store i64 5, ptr addrspace(1) %p
  ret void
}

; INLINED-LABEL: define void @caller(
; INLINED: call void @foo()
; INLINED: call void @cairn.nopoll.begin()
; INLINED-NOT: call
; INLINED: store i64
; INLINED: call void @cairn.nopoll.end()
; INLINED: call void @foo()
define void @caller(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  call void @foo()
  call void @put(ptr addrspace(1) %p, i1 %c)
  call void @foo()
  ret void
}
