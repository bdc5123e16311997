; A language's kinds of immediates, told by low bits of the integer: with a test that the word is an immediate, one
; comparison of the word. An integer at its position in the word is the word without its last bit. Wrong: a test whose
; bits are those of a reference; with other endings, another immediate taken for the integer.
; RUN: %cairn opt -p prepare,rewrite-statepoints,verify-safepoints,lower-tags --words=0:1 -S %s | FileCheck %s --check-prefixes=ALL,ONE
; RUN: %cairn opt -p prepare,rewrite-statepoints,verify-safepoints,lower-tags --words=000:10 -S %s | FileCheck %s --check-prefixes=ALL,SEVERAL

declare i1 @cairn.tag.is(ptr addrspace(1))
declare i64 @cairn.tag.value(ptr addrspace(1))

; ALL-LABEL: define i1 @both
; ONE: [[A:%.*]] = and i64 {{%.*}}, 7
; ONE-NEXT: [[C:%.*]] = icmp eq i64 [[A]], 5
; ONE-NEXT: ret i1 [[C]]
; SEVERAL: icmp eq
; SEVERAL: icmp ne
; SEVERAL: and i1
define i1 @both(ptr addrspace(1) %v) gc "statepoint-example" {
  %n = call i64 @cairn.tag.value(ptr addrspace(1) %v)
  %low = and i64 %n, 3
  %special = icmp eq i64 %low, 2
  %is = call i1 @cairn.tag.is(ptr addrspace(1) %v)
  %both = and i1 %special, %is
  ret i1 %both
}

; ALL-LABEL: define i1 @chosen
; ONE: [[A:%.*]] = and i64 {{%.*}}, 3
; ONE-NEXT: [[C:%.*]] = icmp eq i64 [[A]], 3
; ONE-NEXT: ret i1 [[C]]
; SEVERAL: select
define i1 @chosen(ptr addrspace(1) %v) gc "statepoint-example" {
  %is = call i1 @cairn.tag.is(ptr addrspace(1) %v)
  %n = call i64 @cairn.tag.value(ptr addrspace(1) %v)
  %low = and i64 %n, 1
  %float = icmp ne i64 %low, 0
  %both = select i1 %is, i1 %float, i1 false
  ret i1 %both
}

; ALL-LABEL: define i1 @neither
; ONE: [[A:%.*]] = and i64 {{%.*}}, 7
; ONE-NEXT: [[C:%.*]] = icmp ne i64 [[A]], 1
; ONE-NEXT: ret i1 [[C]]
; SEVERAL: select
define i1 @neither(ptr addrspace(1) %v) gc "statepoint-example" {
  %is = call i1 @cairn.tag.is(ptr addrspace(1) %v)
  %no = xor i1 %is, true
  %n = call i64 @cairn.tag.value(ptr addrspace(1) %v)
  %low = and i64 %n, 3
  %other = icmp ne i64 %low, 0
  %either = select i1 %no, i1 true, i1 %other
  ret i1 %either
}

; The test of another word, of the opposite sense, or by "or", is no such test.
; ALL-LABEL: define i1 @unrelated
; ONE: icmp ne
; ONE: icmp eq
; ONE: and i1
define i1 @unrelated(ptr addrspace(1) %v, ptr addrspace(1) %w) gc "statepoint-example" {
  %is = call i1 @cairn.tag.is(ptr addrspace(1) %w)
  %n = call i64 @cairn.tag.value(ptr addrspace(1) %v)
  %low = and i64 %n, 3
  %special = icmp eq i64 %low, 2
  %both = and i1 %is, %special
  ret i1 %both
}

; ALL-LABEL: define i1 @either
; ONE: icmp ne
; ONE: icmp eq
; ONE: or i1
define i1 @either(ptr addrspace(1) %v) gc "statepoint-example" {
  %is = call i1 @cairn.tag.is(ptr addrspace(1) %v)
  %n = call i64 @cairn.tag.value(ptr addrspace(1) %v)
  %low = and i64 %n, 3
  %special = icmp eq i64 %low, 2
  %either = or i1 %is, %special
  ret i1 %either
}

; ALL-LABEL: define i64 @raised
; ONE-NEXT: [[P:%.*]] = ptrtoint ptr addrspace(1) %v to i64
; ONE-NEXT: [[A:%.*]] = and i64 [[P]], -2
; ONE: ret i64 [[A]]
define i64 @raised(ptr addrspace(1) %v) gc "statepoint-example" {
  %n = call i64 @cairn.tag.value(ptr addrspace(1) %v)
  %up = shl i64 %n, 1
  ret i64 %up
}
