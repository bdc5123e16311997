; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll 2>%t.err && FileCheck %s < %t.ll
; RUN: FileCheck --check-prefix=REMARK %s < %t.err
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
; RUN: llc -O2 -verify-machineinstrs %t.ll -o - | FileCheck --check-prefix=ASM %s
; Calls that a statepoint cannot wrap as they are. What would go wrong: a deoptimisation without a
; statepoint has no state to give; a copy that a collection interrupts goes on at the old place; a
; variadic callee that is wrapped finds its vector arguments nowhere, because %al is not set.

declare i32 @llvm.experimental.deoptimize.i32(...)
declare void @llvm.experimental.deoptimize.isVoid(...)
declare void @llvm.experimental.guard(i1, ...)
declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1), ptr addrspace(1), i32, i32)
declare void @llvm.memmove.element.unordered.atomic.p1.p0.i64(ptr addrspace(1), ptr, i64, i32)
declare void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1), i8, i64, i32)
declare i32 @printf(ptr, ...)
declare double @sum(i32, ...)
declare void @foo()
declare i32 @personality(...)

; REMARK: in function 'variadic'{{.*}}variadic
; REMARK: in function 'indirect'
; CHECK-LABEL: define i32 @deoptimize
; CHECK: call token {{.*}} @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void (i32)) @__llvm_deoptimize, i32 1, i32 0, i32 7, i32 0, i32 0) [ "deopt"(i32 1, ptr addrspace(1) %p, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 16387, i64 6), "gc-live"(ptr addrspace(1) %p) ]
; CHECK-NEXT: unreachable
define i32 @deoptimize(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = call i32 (...) @llvm.experimental.deoptimize.i32(i32 7) [ "deopt"(i32 1, ptr addrspace(1) %p) ]
  ret i32 %r
}

; CHECK-LABEL: define i32 @guard
; CHECK: br i1 %c, label %guarded, label %deopt, !prof
; CHECK: deopt:
; CHECK-NEXT: statepoint{{.*}}@__llvm_deoptimize, i32 1, i32 0, i64 0, i32 0, i32 0) [ "deopt"(ptr addrspace(1) %p, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 16387, i64 5)
; CHECK-NEXT: unreachable
; CHECK: guarded:
; CHECK-NEXT: load i32, ptr addrspace(1) %p
define i32 @guard(i1 %c, ptr addrspace(1) %p) gc "statepoint-example" {
  call void (i1, ...) @llvm.experimental.guard(i1 %c) [ "deopt"(ptr addrspace(1) %p) ]
  %r = load i32, ptr addrspace(1) %p
  ret i32 %r
}

; The base of each pointer, and the way from it.
; CHECK-LABEL: define ptr addrspace(1) @copy
; CHECK-DAG: [[BASE:%.*]] = ptrtoint ptr addrspace(1) %p to i64
; CHECK-DAG: [[AT:%.*]] = ptrtoint ptr addrspace(1) %d to i64
; CHECK: [[OFFSET:%.*]] = sub i64 [[AT]], [[BASE]]
; CHECK: ptr elementtype(void (ptr addrspace(1), i64, ptr addrspace(1), i64, i32)) @__llvm_memcpy_element_unordered_atomic_safepoint_4, i32 5, i32 0, ptr addrspace(1) %p, i64 [[OFFSET]], ptr addrspace(1) %q, i64 {{.*}}, i32 64, i32 0, i32 0)
; CHECK-SAME: "gc-live"(ptr addrspace(1) %p
define ptr addrspace(1) @copy(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %i) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %i
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1) align 4 %d, ptr addrspace(1) align 4 %q, i32 64, i32 4)
  ret ptr addrspace(1) %d
}

; Bases meet in phis, too.
; CHECK-LABEL: define void @copy_merged
; CHECK: [[B:%.*]] = phi ptr addrspace(1) [ %p, %a ], [ %q, %b ]
; CHECK: safepoint_8{{.*}} ptr addrspace(1) [[B]], i64
define void @copy_merged(i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %q, ptr %from) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  %pa = getelementptr i8, ptr addrspace(1) %p, i64 8
  br label %both
b:
  %qb = getelementptr i8, ptr addrspace(1) %q, i64 16
  br label %both
both:
  %d = phi ptr addrspace(1) [ %pa, %a ], [ %qb, %b ]
  call void @llvm.memmove.element.unordered.atomic.p1.p0.i64(ptr addrspace(1) align 8 %d, ptr align 8 %from, i64 64, i32 8)
  ret void
}

; Constants (llvm/llvm-project#56493): LLVM's pass asked for their base.
; CHECK-LABEL: define void @copy_constants
; CHECK: safepoint_4, i32 5, i32 0, ptr addrspace(1) null, i64 0, ptr addrspace(1) null, i64 ptrtoint (ptr addrspace(1) inttoptr (i64 8 to ptr addrspace(1)) to i64), i32 64, i32 0, i32 0)
; CHECK: safepoint_4, i32 5, i32 0, ptr addrspace(1) null, i64 poison
define void @copy_constants() gc "statepoint-example" {
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1) align 4 null, ptr addrspace(1) align 4 inttoptr (i64 8 to ptr addrspace(1)), i32 64, i32 4)
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1) align 4 poison, ptr addrspace(1) align 4 undef, i32 64, i32 4)
  ret void
}

; A leaf by order, and one that cannot be interrupted.
; CHECK-LABEL: define void @copy_leaf
; CHECK: call void @llvm.memcpy.element
; CHECK: call void @llvm.memset.element
define void @copy_leaf(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1) align 4 %p, ptr addrspace(1) align 4 %q, i32 64, i32 4) "gc-leaf-function"
  call void @llvm.memset.element.unordered.atomic.p1.i64(ptr addrspace(1) align 4 %p, i8 0, i64 64, i32 4)
  ret void
}

; CHECK-LABEL: define double @variadic
; CHECK: ptr elementtype(double (ptr, i32, double, ptr)) [[CALLER:@cairn.variadic.*]], i32 4, i32 0, ptr @sum, i32 1, double %d, ptr byval(i64) %x
; CHECK: call double @llvm.experimental.gc.result
define double @variadic(double %d, ptr %x) gc "statepoint-example" {
  %r = call double (i32, ...) @sum(i32 1, double %d, ptr byval(i64) %x)
  ret double %r
}
; CHECK-LABEL: define void @indirect
; CHECK: statepoint{{.*}}"deopt"(i32 5, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5)
; ASM-LABEL: indirect:
define void @indirect(ptr %f, ptr addrspace(1) %p) gc "statepoint-example" {
  call void (...) %f(i8 signext 1) [ "deopt"(i32 5) ]
  store i8 1, ptr addrspace(1) %p
  ret void
}
; A leaf stays.
; CHECK-LABEL: define void @variadic_leaf
; CHECK-NEXT: call i32 (ptr, ...) @printf(ptr %f, double 1.0
define void @variadic_leaf(ptr %f) gc "statepoint-example" {
  %n = call i32 (ptr, ...) @printf(ptr %f, double 1.0) "gc-leaf-function"
  ret void
}
; CHECK: define internal double [[CALLER]](ptr %0, i32 %1, double %2, ptr byval(i64) %3) #[[ATTR:[0-9]+]] {
; CHECK-NEXT: %5 = call double (i32, ...) %0(i32 %1, double %2, ptr byval(i64) %3)
; CHECK-NEXT: ret double %5
; ASM-LABEL: cairn.variadic:
; ASM: movb $1, %al
; ASM: callq
; CHECK: attributes #[[ATTR]] = { noinline uwtable }
