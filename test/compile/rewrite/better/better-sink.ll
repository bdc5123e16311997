; A relocate stands where it is first read, on the path that reads it: the reload of a spilled
; reference is there as well, and no register keeps it over leaf calls (slides, "Finding references
; which need relocated"). Wrong: the hot path reloads what only the cold one needs. Switched off, all
; that is listed is relocated directly after the safepoint.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=sink -S %s | FileCheck %s --check-prefix=OFF
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
; RUN: %cairn opt -p rewrite-statepoints -S %s | llc -O2 -verify-machineinstrs -o - | FileCheck %s --check-prefix=ASM
; RUN: %cairn opt -p rewrite-statepoints -S %s | llc -O2 -verify-machineinstrs -max-registers-for-gc-values=9 -fixup-allow-gcptr-in-csr=true -o /dev/null
target triple = "x86_64-unknown-linux-gnu"
declare void @foo()
declare void @leaf() "gc-leaf-function"
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: define void @path
; CHECK: gc.statepoint
; CHECK-NEXT: br i1
; CHECK: cold:
; CHECK-NEXT: call void @leaf()
; CHECK-NEXT: %a.relocated = call
; CHECK-NEXT: call void @use(ptr addrspace(1) %a.relocated)
; OFF-LABEL: define void @path
; OFF: gc.statepoint
; OFF-NEXT: %a.relocated = call
; OFF-NEXT: br i1
; ASM-LABEL: path:
; ASM: callq foo
; ASM-NOT: (%rsp), %r
; ASM: callq leaf
; ASM-NEXT: movq {{.*}}(%rsp), %rdi
define void @path(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  call void @foo()
  br i1 %c, label %cold, label %hot
cold:
  call void @leaf()
  call void @use(ptr addrspace(1) %a)
  ret void
hot:
  ret void
}

; Read on two paths: where both come from.
; CHECK-LABEL: define void @both
; CHECK: call void @leaf()
; CHECK-NEXT: %a.relocated = call
; CHECK-NEXT: br i1
; OFF-LABEL: define void @both
; OFF: gc.statepoint
; OFF-NEXT: %a.relocated = call
define void @both(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  call void @foo()
  call void @leaf()
  br i1 %c, label %x, label %y
x:
  call void @use(ptr addrspace(1) %a)
  ret void
y:
  call void @use(ptr addrspace(1) %a)
  ret void
}

; Not into a loop: there it would be made on every pass.
; CHECK-LABEL: define void @loop
; CHECK: before:
; CHECK-NEXT: %a.relocated = call
; CHECK-NEXT: br label %head
; CHECK: head:
; CHECK-NOT: gc.relocate
; CHECK: ret void
define void @loop(ptr addrspace(1) %a, ptr %flag, i1 %c) gc "statepoint-example" {
entry:
  call void @foo()
  br i1 %c, label %before, label %exit
before:
  br label %head
head:
  call void @use(ptr addrspace(1) %a)
  %again = load i1, ptr %flag
  br i1 %again, label %head, label %exit
exit:
  ret void
}

; What is listed and never read again has no relocate, but without the optimisation it has.
; CHECK-LABEL: define void @listed
; CHECK: %p.relocated = call
; CHECK-NOT: %p.base.relocated = call
; CHECK: ret void
; OFF-LABEL: define void @listed
; OFF-DAG: %p.relocated = call
; OFF-DAG: %p.base.relocated = call
; OFF: ret void
define void @listed(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
entry:
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  %y = getelementptr i8, ptr addrspace(1) %b, i64 8
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %p = phi ptr addrspace(1) [%x, %entry], [%y, %left]
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  ret void
}
