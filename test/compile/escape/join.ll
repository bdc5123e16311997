; Phis of objects. What could go wrong: the object of one pass of a loop and that of the next share their memory; a phi
; is null and is taken for an object; somebody sees by another name that an object is a copy; the values of two phis are
; taken one after the other.
; RUN: %cairn opt -p escape -S %s | FileCheck %s
; RUN: %cairn opt -p escape --report --disable-output %s 2>&1 | FileCheck %s --check-prefix=SAID
; RUN: %cairn opt -p escape,layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i64, ptr addrspace(1) }
@pair = internal constant %pair zeroinitializer
@double = internal constant double zeroinitializer
@number = internal constant i64 zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @use(ptr addrspace(1))
declare i1 @ask()

; A variable that gets a new object on each pass.
; SAID-COUNT-2: in function 'boxed': an object of type 'double' becomes a local [object-local]
; CHECK-LABEL: @boxed(
; CHECK-NOT: alloc
; CHECK: loop:
; CHECK: %[[A:.*]] = phi double [ 0.000000e+00, %0 ], [ %[[B:.*]], %loop ]
; CHECK: %[[B]] = fadd double %[[A]], %x
; CHECK-NOT: alloc
; CHECK: ret double %[[B]]
define double @boxed(double %x) gc "statepoint-example" {
  %zero = call ptr addrspace(1) @cairn_alloc(ptr @double, i64 8)
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %zero, %0 ], [ %new, %loop ]
  %a = load double, ptr addrspace(1) %p
  %b = fadd double %a, %x
  %new = call ptr addrspace(1) @cairn_alloc(ptr @double, i64 8)
  store double %b, ptr addrspace(1) %new
  %again = call i1 @ask()
  br i1 %again, label %loop, label %end
end:
  %r = load double, ptr addrspace(1) %new
  ret double %r
}

; One or none.
; CHECK-LABEL: @maybe(
; CHECK-NOT: alloc
; CHECK: select i1 %c, i64 %x, i64 -1
; CHECK-NOT: alloc
; CHECK: ret i64
define i64 @maybe(i1 %c, i64 %x) gc "statepoint-example" {
  br i1 %c, label %yes, label %join
yes:
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store i64 %x, ptr addrspace(1) %o
  br label %join
join:
  %p = phi ptr addrspace(1) [ %o, %yes ], [ null, %0 ]
  %a = call i1 @ask()
  %none = icmp eq ptr addrspace(1) %p, null
  br i1 %none, label %no, label %one
one:
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
no:
  ret i64 -1
}

; The two change places on each pass: both values are of the pass before.
; CHECK-LABEL: @exchange(
; CHECK-NOT: alloc
; CHECK: %[[A:.*]] = phi i64 [ 1, %0 ], [ %[[B:.*]], %loop ]
; CHECK: %[[B]] = phi i64 [ 2, %0 ], [ %[[A]], %loop ]
; CHECK-NOT: alloc
; CHECK: ret i64 %[[A]]
define i64 @exchange() gc "statepoint-example" {
  %first = call ptr addrspace(1) @cairn_alloc(ptr @number, i64 8)
  store i64 1, ptr addrspace(1) %first
  %second = call ptr addrspace(1) @cairn_alloc(ptr @number, i64 8)
  store i64 2, ptr addrspace(1) %second
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %first, %0 ], [ %q, %loop ]
  %q = phi ptr addrspace(1) [ %second, %0 ], [ %p, %loop ]
  %again = call i1 @ask()
  br i1 %again, label %loop, label %end
end:
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

; The object of the pass before is still known by its own name: it stays.
; SAID: in function 'alias': {{.*}} is allocated: it is one of several that a reference may lead to; it is used by another name afterwards [
; CHECK-LABEL: @alias(
; CHECK: call ptr addrspace(1) @cairn_alloc(
; CHECK: ret i64
define i64 @alias(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @number, i64 8)
  br i1 %c, label %yes, label %join
yes:
  %n = call ptr addrspace(1) @cairn_alloc(ptr @number, i64 8)
  br label %join
join:
  %p = phi ptr addrspace(1) [ %n, %yes ], [ %o, %0 ]
  %a = call i1 @ask()
  store i64 5, ptr addrspace(1) %p
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}

; Two names of one object.
; SAID: in function 'twice': {{.*}}; it is used by another name afterwards [
; CHECK-LABEL: @twice(
; CHECK: call ptr addrspace(1) @cairn_alloc(
; CHECK: ret i64
define i64 @twice(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @number, i64 8)
  %n = call ptr addrspace(1) @cairn_alloc(ptr @number, i64 8)
  %m = call ptr addrspace(1) @cairn_alloc(ptr @number, i64 8)
  br i1 %c, label %yes, label %join
yes:
  %a = call i1 @ask()
  br label %join
join:
  %p = phi ptr addrspace(1) [ %n, %yes ], [ %o, %0 ]
  %q = phi ptr addrspace(1) [ %n, %yes ], [ %m, %0 ]
  store i64 5, ptr addrspace(1) %p
  %b = call i1 @ask()
  %v = load i64, ptr addrspace(1) %q
  ret i64 %v
}

; One that may be a parameter; one that is passed on.
; SAID: in function 'other': {{.*}}; another of them is no new object of this type [
; SAID: in function 'known': {{.*}}; it is passed on, by a call to @use [
; CHECK-LABEL: @other(
; CHECK: call ptr addrspace(1) @cairn_alloc(
; CHECK: ret i64
define i64 @other(i1 %c, ptr addrspace(1) %in) gc "statepoint-example" {
  br i1 %c, label %yes, label %join
yes:
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  br label %join
join:
  %p = phi ptr addrspace(1) [ %o, %yes ], [ %in, %0 ]
  %v = load i64, ptr addrspace(1) %p
  ret i64 %v
}

; CHECK-LABEL: @known(
; CHECK: call ptr addrspace(1) @cairn_alloc(
; CHECK: ret void
define void @known(i1 %c) gc "statepoint-example" {
  br i1 %c, label %yes, label %join
yes:
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %a = call i1 @ask()
  br label %join
join:
  %p = phi ptr addrspace(1) [ %o, %yes ], [ null, %0 ]
  call void @use(ptr addrspace(1) %p)
  ret void
}
