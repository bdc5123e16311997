; Relocation across control flow: a phi exactly where different definitions meet, none where they do
; not. Wrong: a missing phi is a stale reference on one path; a needless one is a copy in a hot
; loop.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: define void @diamond
; CHECK: join:
; CHECK-NEXT: [[P:%.*]] = phi ptr addrspace(1) [ %a, %plain ], [ %a.relocated, %call ]
; CHECK-NEXT: br label %end
; CHECK: end:
; CHECK-NEXT: call void @use(ptr addrspace(1) [[P]])
define void @diamond(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
  br i1 %c, label %call, label %plain
call:
  call void @foo()
  br label %join
plain:
  br label %join
join:
  br label %end
end:
  call void @use(ptr addrspace(1) %a)
  ret void
}

; The poll in the loop is on a cold path: one phi at the header, one where the paths meet.
; CHECK-LABEL: define void @loop
; CHECK: head:
; CHECK-NEXT: [[H:%.*]] = phi ptr addrspace(1) [ %a, %entry ], [ [[L:%.*]], %latch ]
; CHECK-NOT: phi
; CHECK: cold:
; CHECK: "gc-live"(ptr addrspace(1) [[H]])
; CHECK: latch:
; CHECK-NEXT: [[L]] = phi ptr addrspace(1) [ [[H]], %head ], [ %a.relocated, %cold ]
; CHECK: exit:
; CHECK-NOT: phi
; CHECK: call void @use(ptr addrspace(1) [[L]])
define void @loop(ptr addrspace(1) %a, ptr %flag) gc "statepoint-example" {
entry:
  br label %head
head:
  call void @use(ptr addrspace(1) %a)
  %p = load i1, ptr %flag
  br i1 %p, label %cold, label %latch
cold:
  call void @foo()
  br label %latch
latch:
  %again = load i1, ptr %flag
  br i1 %again, label %head, label %exit
exit:
  call void @use(ptr addrspace(1) %a)
  ret void
}

; A loop without a safepoint after one with: no phi.
; CHECK-LABEL: define void @after
; CHECK: head:
; CHECK-NEXT: call void @use(ptr addrspace(1) %a.relocated)
define void @after(ptr addrspace(1) %a, ptr %flag) gc "statepoint-example" {
entry:
  call void @foo()
  br label %head
head:
  call void @use(ptr addrspace(1) %a)
  %p = load i1, ptr %flag
  br i1 %p, label %head, label %exit
exit:
  ret void
}

; A block that comes twice in a switch needs one operand per edge.
; CHECK-LABEL: define void @edges
; CHECK: = phi ptr addrspace(1) [ %a, %entry ], [ %a, %entry ], [ %a.relocated, %cold ]
define void @edges(ptr addrspace(1) %a, i32 %n) gc "statepoint-example" {
entry:
  switch i32 %n, label %cold [ i32 1, label %join
                               i32 2, label %join ]
cold:
  call void @foo()
  br label %join
join:
  call void @use(ptr addrspace(1) %a)
  ret void
}

; Unreachable blocks are gone, and phi operands from them.
; CHECK-LABEL: define void @unreachable
; CHECK-NOT: nowhere
; CHECK: call void @use(ptr addrspace(1) %a.relocated)
define void @unreachable(ptr addrspace(1) %a) gc "statepoint-example" {
entry:
  call void @foo()
  br label %join
nowhere:
  call void @foo()
  br label %join
join:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ null, %nowhere ]
  call void @use(ptr addrspace(1) %p)
  ret void
}
