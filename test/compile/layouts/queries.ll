; Queries of objects: a test of the type is one load and one comparison of the header without the collector's bits, and
; the length one load and a shift. Wrong: a bit of the collector makes the test false, or a query is a call.
; RUN: split-file %s %t
; RUN: %cairn-cc -O2 -S %t/queries.ll -o - | FileCheck %s
; RUN: not %cairn opt -p prepare,layouts,allocate -S %t/declared.ll 2>&1 | FileCheck %s --check-prefix=DECLARED
; RUN: not %cairn opt -p prepare,layouts,allocate -S %t/address.ll 2>&1 | FileCheck %s --check-prefix=ADDRESS
; RUN: not %cairn opt -p prepare,layouts,allocate -S %t/null.ll 2>&1 | FileCheck %s --check-prefix=NULL

;--- queries.ll
%cell = type { ptr addrspace(1), i64 }
@own = internal constant %cell zeroinitializer
@shared = external constant %cell
declare i1 @cairn.layout.is(ptr addrspace(1), ptr)
declare i1 @cairn.layout.is.array(ptr addrspace(1), ptr)
declare i64 @cairn.object.count(ptr addrspace(1))
declare i64 @cairn.object.size(ptr addrspace(1))

; CHECK-LABEL: {{^}}is_own:
; CHECK: leaq .Lcairn.layout.0(%rip), %[[A:r..]]
; CHECK-NEXT: xorq -8(%rdi), %[[A]]
; CHECK-NEXT: xorl
; CHECK-NEXT: shlq $16, %[[A]]
; CHECK-NEXT: sete
define i64 @is_own(ptr addrspace(1) %object) gc "statepoint-example" {
  %is = call i1 @cairn.layout.is(ptr addrspace(1) %object, ptr @own)
  %r = zext i1 %is to i64
  ret i64 %r
}
; CHECK-LABEL: {{^}}is_shared:
; CHECK: movq -8(%rdi), %[[B:r..]]
; CHECK-NEXT: xorq "cairn.shared.shared[]"(%rip), %[[B]]
; CHECK-NEXT: xorl
; CHECK-NEXT: shlq $16, %[[B]]
; CHECK-NEXT: sete
define i64 @is_shared(ptr addrspace(1) %object) gc "statepoint-example" {
  %is = call i1 @cairn.layout.is.array(ptr addrspace(1) %object, ptr @shared)
  %r = zext i1 %is to i64
  ret i64 %r
}
; CHECK-LABEL: {{^}}count:
; CHECK: movq -16(%rdi), %rax
; CHECK-NEXT: shrq %rax
define i64 @count(ptr addrspace(1) %object) gc "statepoint-example" {
  %n = call i64 @cairn.object.count(ptr addrspace(1) %object)
  ret i64 %n
}
; CHECK-LABEL: {{^}}size:
; CHECK: cairn_object_size
define i64 @size(ptr addrspace(1) %object) gc "statepoint-example" {
  %n = call i64 @cairn.object.size(ptr addrspace(1) %object)
  ret i64 %n
}

;--- declared.ll
declare i64 @cairn.object.count(ptr)
define i64 @f(ptr %p) gc "statepoint-example" {
; DECLARED: @cairn.object.count is not declared as Cairn has it (docs/frontends.md) [object-query]
  %n = call i64 @cairn.object.count(ptr %p)
  ret i64 %n
}
;--- address.ll
declare i64 @cairn.object.size(ptr addrspace(1))
define ptr @f() gc "statepoint-example" {
; ADDRESS: @cairn.object.size is used other than by calling it [object-query]
  ret ptr @cairn.object.size
}
;--- null.ll
declare i1 @cairn.layout.is(ptr addrspace(1), ptr)
define i1 @f(ptr addrspace(1) %p) gc "statepoint-example" {
; NULL: the layout given to a query must be a zero-initialised static of the object's type, {{.*}} [unknown-layout]
  %n = call i1 @cairn.layout.is(ptr addrspace(1) %p, ptr null)
  ret i1 %n
}
