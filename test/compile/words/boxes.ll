; Boxes: words with some of the 16 upper bits set. Wrong: a box of any integer that is an address of the heap; a test
; where the upper bits are certain; without a kind of words, an error.
; RUN: %cairn opt -p prepare,rewrite-statepoints,verify-safepoints,lower-tags -S %s | FileCheck %s
; RUN: %cairn opt -p prepare,rewrite-statepoints,verify-safepoints,lower-tags --words=0:1 -S %s | FileCheck %s
; RUN: %cairn opt -p prepare,rewrite-statepoints,lower-tags -S %s -o %t.ll && not %cairn verify %t.ll 2>&1 | FileCheck %s --check-prefix=LOWERED
; LOWERED: error: the integers of its words look like addresses: verify the module as it was before lower-tags [lowered-words]
; RUN: sed '/^declare i1/s/ptr addr.*[)]/i64)/; s/box.is(ptr.*/box.is(i64 0)/' %s | not %cairn opt -p prepare - -o /dev/null 2>&1 | FileCheck %s --check-prefix=TYPE
; TYPE: error: in function 'cairn.box.is': @cairn.box.is is not declared as Cairn has it (docs/words.md) [tag-call]
; CHECK-NOT: cairn.box

declare ptr addrspace(1) @cairn.box.from(i64)
declare i1 @cairn.box.is(ptr addrspace(1))
declare i64 @cairn.box.bits(ptr addrspace(1))
declare void @collects(ptr addrspace(1))

; CHECK-LABEL: define ptr addrspace(1) @any
; CHECK-NEXT: [[H:%.*]] = lshr i64 %n, 48
; CHECK-NEXT: [[C:%.*]] = icmp ne i64 [[H]], 0
; CHECK-NEXT: [[B:%.*]] = select i1 [[C]], i64 %n, i64 0
; CHECK-NEXT: inttoptr i64 [[B]] to ptr addrspace(1)
define ptr addrspace(1) @any(i64 %n) gc "statepoint-example" {
  %v = call ptr addrspace(1) @cairn.box.from(i64 %n)
  ret ptr addrspace(1) %v
}

; CHECK-LABEL: define ptr addrspace(1) @certain
; CHECK-NEXT: [[B:%.*]] = or i64 %n, -9223372036854775808
; CHECK-NEXT: inttoptr i64 [[B]] to ptr addrspace(1)
define ptr addrspace(1) @certain(i64 %n) gc "statepoint-example" {
  %b = or i64 %n, -9223372036854775808
  %v = call ptr addrspace(1) @cairn.box.from(i64 %b)
  ret ptr addrspace(1) %v
}

; CHECK-LABEL: define ptr addrspace(1) @too_low
; CHECK: select i1
define ptr addrspace(1) @too_low(i64 %n) gc "statepoint-example" {
  %b = or i64 %n, 140737488355328
  %v = call ptr addrspace(1) @cairn.box.from(i64 %b)
  ret ptr addrspace(1) %v
}

; CHECK-LABEL: define i1 @is
; CHECK-NEXT: [[P:%.*]] = ptrtoint ptr addrspace(1) %v to i64
; CHECK-NEXT: [[H:%.*]] = lshr i64 [[P]], 48
; CHECK-NEXT: icmp ne i64 [[H]], 0
define i1 @is(ptr addrspace(1) %v) gc "statepoint-example" {
  %i = call i1 @cairn.box.is(ptr addrspace(1) %v)
  ret i1 %i
}

; A box stays as it is over a safepoint, and an object moves.
; CHECK-LABEL: define i64 @over
; CHECK: "gc-live"(ptr addrspace(1) %o)
define i64 @over(i64 %n, ptr addrspace(1) %o) gc "statepoint-example" {
  %b = or i64 %n, -9223372036854775808
  %v = call ptr addrspace(1) @cairn.box.from(i64 %b)
  call void @collects(ptr addrspace(1) %o)
  call void @collects(ptr addrspace(1) %v)
  %w = load ptr addrspace(1), ptr addrspace(1) %o
  %i = call i64 @cairn.box.bits(ptr addrspace(1) %w)
  ret i64 %i
}
