; A constant offset from a live reference is computed again, not relocated (slides, "When relocation
; isn't needed"). Wrong: each field address would take a register and a stack map entry; an operand
; of the chain lost would shift the address.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: define void @chain
; CHECK-NOT: getelementptr
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: [[X:%.*]] = getelementptr inbounds i8, ptr addrspace(1) %a.relocated, i64 8
; CHECK: [[Y:%.*]] = getelementptr i8, ptr addrspace(1) [[X]], i64 16
; CHECK: call void @use(ptr addrspace(1) [[Y]])
define void @chain(ptr addrspace(1) %a) gc "statepoint-example" {
  %x = getelementptr inbounds i8, ptr addrspace(1) %a, i64 8
  call void @foo()
  %y = getelementptr i8, ptr addrspace(1) %x, i64 16
  call void @use(ptr addrspace(1) %y)
  ret void
}

; Where nothing moved in between, it stays as it is.
; CHECK-LABEL: define void @same
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: %x = getelementptr i8, ptr addrspace(1) %a.relocated, i64 8
; CHECK-NOT: getelementptr
; CHECK: ret void
define void @same(ptr addrspace(1) %a) gc "statepoint-example" {
  call void @foo()
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  call void @use(ptr addrspace(1) %x)
  call void @use(ptr addrspace(1) %x)
  ret void
}

; A use shares a copy that dominates it: %below has the copy of %left. Wrong: %right, which %left does not dominate, has
; it too.
; CHECK-LABEL: define void @arms
; CHECK: left:
; CHECK-NEXT: [[LEFT:%.*]] = getelementptr i8, ptr addrspace(1) %a.relocated, i64 8
; CHECK-NEXT: call void @use(ptr addrspace(1) [[LEFT]])
; CHECK: below:
; CHECK-NEXT: call void @use(ptr addrspace(1) [[LEFT]])
; CHECK: right:
; CHECK-NEXT: [[RIGHT:%.*]] = getelementptr i8, ptr addrspace(1) %a.relocated, i64 8
; CHECK-NEXT: call void @use(ptr addrspace(1) [[RIGHT]])
define void @arms(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
  %x = getelementptr i8, ptr addrspace(1) %a, i64 8
  call void @foo()
  br i1 %c, label %left, label %right
left:
  call void @use(ptr addrspace(1) %x)
  br i1 %c, label %below, label %right
below:
  call void @use(ptr addrspace(1) %x)
  ret void
right:
  call void @use(ptr addrspace(1) %x)
  ret void
}

; The step of a loop is relocated: computing it again would cost an instruction in each iteration.
; CHECK-LABEL: define void @step
; CHECK: "gc-live"(ptr addrspace(1) %{{.*}}, ptr addrspace(1) %n) ]
; CHECK: br i1
define void @step(ptr addrspace(1) %a, ptr %flag) gc "statepoint-example" {
entry:
  br label %head
head:
  %p = phi ptr addrspace(1) [%a, %entry], [%n, %head]
  %n = getelementptr i8, ptr addrspace(1) %p, i64 8
  call void @foo()
  %c = load i1, ptr %flag
  br i1 %c, label %head, label %exit
exit:
  ret void
}

; A long chain is computed again in two parts: six links where it is used, the rest after the
; safepoint.
; CHECK-LABEL: define void @long
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK-COUNT-8: getelementptr i8
; CHECK-NOT: getelementptr
; CHECK: ret void
define void @long(ptr addrspace(1) %a) gc "statepoint-example" {
  %g1 = getelementptr i8, ptr addrspace(1) %a, i64 8
  %g2 = getelementptr i8, ptr addrspace(1) %g1, i64 8
  %g3 = getelementptr i8, ptr addrspace(1) %g2, i64 8
  %g4 = getelementptr i8, ptr addrspace(1) %g3, i64 8
  %g5 = getelementptr i8, ptr addrspace(1) %g4, i64 8
  %g6 = getelementptr i8, ptr addrspace(1) %g5, i64 8
  %g7 = getelementptr i8, ptr addrspace(1) %g6, i64 8
  %g8 = getelementptr i8, ptr addrspace(1) %g7, i64 8
  call void @foo()
  call void @use(ptr addrspace(1) %g8)
  ret void
}
