; Objects that stay, and what is said of each. What could go wrong: one that others know, or that cannot be a local,
; becomes one; or it stays and nobody knows why.
; RUN: %cairn opt -p escape --report -S %s -o %t 2>&1 | FileCheck %s
; RUN: grep -c 'call ptr addrspace(1) @cairn_' %t | FileCheck %s --check-prefix=COUNT
; RUN: not grep -E 'alloca|becomes' %t
; COUNT: 23
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i64, ptr addrspace(1) }
@pair = internal constant %pair zeroinitializer
@weak = internal constant %pair zeroinitializer, !cairn.type !0
@closed = internal constant i64 0, !cairn.type !2
@fixed = internal constant i64 0, !cairn.type !3
@number = internal constant i64 0
@odd = internal constant { i64, ptr addrspace(1), i64 } zeroinitializer
@global = global ptr addrspace(1) null
!0 = !{!"weak", !1}
!1 = !{!"next", i64 8, !"weak"}
!2 = !{!"closed", !"finalisable"}
!3 = !{!"fixed", !"never-moves"}
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_resize_array(ptr, ptr addrspace(1), i64)
declare i64 @cairn.ptrdiff(ptr addrspace(1), ptr addrspace(1))
declare void @use(ptr addrspace(1))
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)

; CHECK: 'returned': an object of type 'pair' is allocated: it is returned [object-allocated]
define ptr addrspace(1) @returned() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  ret ptr addrspace(1) %o
}
; CHECK: 'stored': {{.*}} is allocated: it is stored [
define void @stored() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store ptr addrspace(1) %o, ptr @global
  ret void
}
; CHECK: 'in_itself': {{.*}} is allocated: it is stored [
define i64 @in_itself(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %o, ptr addrspace(1) %f
  br i1 %c, label %yes, label %end
yes:
  store i64 1, ptr addrspace(1) %o
  br label %end
end:
  %p = load ptr addrspace(1), ptr addrspace(1) %f
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}
; CHECK: 'passed': {{.*}} is allocated: it is passed on, by a call to @use [
define void @passed() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  call void @use(ptr addrspace(1) %o)
  ret void
}
; CHECK: 'inner': {{.*}} is allocated: it is passed on, by a call to @use [
define void @inner() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  call void @use(ptr addrspace(1) %f)
  ret void
}
; CHECK: 'volatile': {{.*}} is allocated: it is accessed as volatile or atomic [
define void @volatile() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store volatile i64 1, ptr addrspace(1) %o
  ret void
}
; CHECK: 'atomic': {{.*}} is allocated: it is accessed as volatile or atomic [
define i64 @atomic() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %v = load atomic i64, ptr addrspace(1) %o seq_cst, align 8
  ret i64 %v
}
; CHECK: 'exchanged': {{.*}} is allocated: it is used otherwise than by loads and stores [
define i64 @exchanged() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %v = atomicrmw add ptr addrspace(1) %o, i64 1 seq_cst
  ret i64 %v
}
; CHECK: 'outside': {{.*}} is allocated: memory outside of it is accessed [
define i64 @outside() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 -8
  %v = load i64, ptr addrspace(1) %f
  ret i64 %v
}
; CHECK: 'hidden': {{.*}} is allocated: a reference in it is accessed as something else [
define i64 @hidden(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %p, ptr addrspace(1) %f
  %v = load i64, ptr addrspace(1) %f
  ret i64 %v
}
; CHECK: 'untyped': {{.*}} is allocated: a reference is accessed where its type has no reference [
define ptr addrspace(1) @untyped(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store ptr addrspace(1) %p, ptr addrspace(1) %o
  %v = load ptr addrspace(1), ptr addrspace(1) %o
  ret ptr addrspace(1) %v
}
; CHECK: 'copied': {{.*}} is allocated: it has references, and is copied by bytes, by a call to @llvm.memcpy.p1.p1.i64 [
define void @copied(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @odd, i64 24)
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %o, ptr addrspace(1) %p, i64 24, i1 false)
  ret void
}
; CHECK: 'integer': {{.*}} is allocated: its address is taken as an integer [
define i64 @integer() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %v = ptrtoint ptr addrspace(1) %o to i64
  ret i64 %v
}
; CHECK: 'apart': {{.*}} is allocated: its distance from another is taken, by a call to @cairn.ptrdiff [
define i64 @apart(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %v = call i64 @cairn.ptrdiff(ptr addrspace(1) %o, ptr addrspace(1) %p)
  ret i64 %v
}
; CHECK: 'below': {{.*}} is allocated: its address is compared with another [
define i1 @below(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %v = icmp ult ptr addrspace(1) %o, %p
  ret i1 %v
}
; CHECK: 'length': {{.*}} is allocated: its length is not constant [
define i64 @length(i64 %n) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array(ptr @number, i64 %n)
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}
; CHECK: 'large': {{.*}} is allocated: it is large [
define i64 @large(i64 %i) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array(ptr @number, i64 513)
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}
; CHECK: 'negative': {{.*}} is allocated: it is large [
define i64 @negative(i64 %i) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array(ptr @number, i64 -1)
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}
; CHECK: 'stack': {{.*}} is allocated: it is accessed at places that are not constant, and too large for the stack [
define i64 @stack(i64 %i) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array(ptr @number, i64 65)
  %f = getelementptr i64, ptr addrspace(1) %o, i64 %i
  %v = load i64, ptr addrspace(1) %f
  ret i64 %v
}
; CHECK: 'resized': {{.*}} is allocated: it may be the array that is resized [
define i64 @resized(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_resize_array(ptr @number, ptr addrspace(1) %p, i64 4)
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}
; CHECK: 'weak_field': an object of type 'weak' is allocated: it has weak fields [
define i64 @weak_field() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @weak, i64 16)
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}
; CHECK: 'file': an object of type 'closed' is allocated: its type is finalisable [
define i64 @file() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @closed, i64 8)
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}
; CHECK: 'bound': an object of type 'fixed' is allocated: objects of its type never move [
define i64 @bound() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @fixed, i64 8)
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}
