; Zeroing, escape and description of a local are the rewriter's: without statepoints they would keep
; the local in memory for good, so it is promoted again. With user deoptimisation state before the
; description, which stays.

; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.ll
; RUN: FileCheck --check-prefix=REWRITTEN %s < %t.ll
; RUN: %cairn opt -p strip-statepoints -S %t.ll | FileCheck %s

declare void @foo()
declare void @fill(ptr)

; REWRITTEN: asm sideeffect "", "r,~{memory}"
; CHECK-LABEL: define ptr addrspace(1) @local(
; CHECK-NEXT: call void @foo() [ "deopt"(i64 3, i64 7) ]
; CHECK-NEXT: ret ptr addrspace(1) %p
define ptr addrspace(1) @local(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %a
  call void @foo() [ "deopt"(i64 3, i64 7) ]
  %v = load ptr addrspace(1), ptr %a
  ret ptr addrspace(1) %v
}

; Two of them, one with lots of places; a program's own zeroing stays.
; CHECK-LABEL: define void @several(
; CHECK-NOT: asm
; CHECK: call void @llvm.memset.p0.i64(ptr align 8 %b, i8 0, i64 64, i1 false)
; CHECK-NOT: asm
; CHECK: call void @fill(ptr %a){{$}}
; CHECK-NEXT: call void @fill(ptr %b){{$}}
define void @several() gc "statepoint-example" {
  %a = alloca { i64, ptr addrspace(1) }
  %b = alloca [8 x ptr addrspace(1)]
  call void @llvm.memset.p0.i64(ptr align 8 %b, i8 0, i64 64, i1 false)
  call void @fill(ptr %a)
  call void @fill(ptr %b)
  ret void
}

; Deoptimisation state that ends as a description does, by chance, is the program's.
; CHECK-LABEL: define void @chance(
; CHECK: call void @foo() [ "deopt"(i64 1, i64 2) ]
; CHECK: call void @foo() [ "deopt"(i64 9, i64 -1) ]
define void @chance() gc "statepoint-example" {
  call void @foo() [ "deopt"(i64 1, i64 2) ]
  call void @foo() [ "deopt"(i64 9, i64 -1) ]
  ret void
}
