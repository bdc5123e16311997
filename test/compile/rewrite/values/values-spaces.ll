; Managed address spaces other than 1, several in one function. LLVM's strategies know address space
; 1 only: references of the others are listed and relocated through casts, which become no
; instruction. Wrong: a broken module ("gc.relocate: must return gc pointer"), or a reference of
; space 2 or 3 that no statepoint lists.
; RUN: %cairn opt --address-spaces=1,2,3 -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt --address-spaces=1,2,3 -p rewrite-statepoints,verify-safepoints %s -o %t.bc
; RUN: opt -passes=verify -disable-output %t.bc
; RUN: llc -verify-machineinstrs %t.bc -o - | FileCheck %s --check-prefix=ASM
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s --check-prefix=ONE
; RUN: not %cairn opt --address-spaces=0 -p rewrite-statepoints %s 2>&1 | FileCheck %s --check-prefix=ZERO
; RUN: not %cairn opt --address-spaces=272 -p rewrite-statepoints %s 2>&1 | FileCheck %s --check-prefix=BIG
; RUN: not %cairn opt --address-spaces=4 -p rewrite-statepoints %s 2>&1 | FileCheck %s --check-prefix=SMALL
; RUN: %cairn opt --address-spaces=2 -p rewrite-statepoints,verify-safepoints %s -o %t.two.bc
; RUN: %cairn opt --address-spaces=1,2,3 -p rewrite-statepoints -S %s | sed "s/ret ptr addrspace(2) .p.relocated/ret ptr addrspace(2) %%p/" > %t.stale.ll
; RUN: not %cairn opt --address-spaces=1,2,3 -p verify-safepoints %t.stale.ll 2>&1 | FileCheck %s --check-prefix=STALE
; STALE: error: in function {{.*}}: {{.}}p is used after the object may have moved{{.*}}stale-reference]
; ZERO: error: --address-spaces
; BIG: error: --address-spaces
; SMALL: address space 4 cannot be a managed one: its pointers are not of 64 bits
target datalayout = "e-p4:32:32-i64:64-S128"
target triple = "x86_64-pc-linux-gnu"
declare void @foo()
declare ptr addrspace(2) @bar(ptr addrspace(3))
declare void @use2(ptr addrspace(2)) "gc-leaf-function"
declare void @use3(ptr addrspace(3)) "gc-leaf-function"

; CHECK-LABEL: define ptr addrspace(2) @both
; CHECK: [[C:%.*]] = addrspacecast ptr addrspace(2) %p to ptr addrspace(1)
; CHECK-NEXT: [[T:%.*]] = call token {{.*}} @foo{{.*}}[ "gc-live"(ptr addrspace(1) [[C]], ptr addrspace(1) %q) ]
; CHECK: call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T]], i32 0, i32 0)
; CHECK-NEXT: %p.relocated = addrspacecast ptr addrspace(1) {{.*}} to ptr addrspace(2)
; CHECK-NOT: gc.relocate.p2
; ASM-LABEL: both:
; ASM: callq foo
; ASM-NOT: call
; ASM: retq
; ONE-LABEL: define ptr addrspace(2) @both
; ONE: gc.statepoint{{.*}}@foo{{.*}}[ "gc-live"(ptr addrspace(1) %q) ]
; ONE: ret ptr addrspace(2) %p
define ptr addrspace(2) @both(ptr addrspace(2) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @foo()
  store i8 0, ptr addrspace(1) %q
  ret ptr addrspace(2) %p
}

; A derived pointer, a phi, a vector and a struct.
; CHECK-LABEL: define void @forms
; CHECK: gc.relocate.p1
define void @forms(ptr addrspace(2) %p, ptr addrspace(3) %r, {ptr addrspace(2), i64} %s, <2 x ptr addrspace(3)> %v, i64 %n, i1 %c) gc "statepoint-example" {
entry:
  %d = getelementptr i8, ptr addrspace(2) %p, i64 %n
  br i1 %c, label %a, label %b
a:
  %x = call ptr addrspace(2) @bar(ptr addrspace(3) %r)
  br label %b
b:
  %phi = phi ptr addrspace(2) [%d, %entry], [%x, %a]
  call void @foo() [ "deopt"(ptr addrspace(3) %r) ]
  call void @use2(ptr addrspace(2) %phi)
  %s0 = extractvalue {ptr addrspace(2), i64} %s, 0
  call void @use2(ptr addrspace(2) %s0)
  %v0 = extractelement <2 x ptr addrspace(3)> %v, i64 1
  call void @use3(ptr addrspace(3) %v0)
  ret void
}

; A local that holds references of another space is described as any other.
; CHECK-LABEL: define void @local
; CHECK: gc.statepoint{{.*}}"deopt"({{.*}}ptr %a
define void @local(ptr addrspace(3) %r) gc "statepoint-example" {
  %a = alloca ptr addrspace(3)
  store ptr addrspace(3) %r, ptr %a
  call void @foo()
  %l = load ptr addrspace(3), ptr %a
  call void @use3(ptr addrspace(3) %l)
  ret void
}
