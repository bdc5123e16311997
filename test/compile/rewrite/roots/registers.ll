; References stay in callee-saved registers over calls, and in any register over a poll
; (docs/llvm-22.md). Wrong: a spill and a reload around each call, or spill code in the hot loop.
; RUN: %cairn opt -p rewrite-statepoints %s | llc -O3 -mtriple=x86_64-linux-gnu \
; RUN:   -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true -verify-machineinstrs | \
; RUN:   FileCheck %s
declare void @foo()
declare preserve_allcc void @cairn_poll_slow()
declare void @use(ptr addrspace(1), ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: calls:
; CHECK: movq %rsi, %[[B:r(bx|bp|1[2-5])]]
; CHECK: movq %rdi, %[[A:r(bx|bp|1[2-5])]]
; CHECK-NOT: rsp
; CHECK: callq foo
; CHECK-NOT: rsp
; CHECK: callq foo
; CHECK-NOT: rsp
; CHECK: movq %[[A]], %rdi
; CHECK: movq %[[B]], %rsi
define void @calls(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  call void @foo()
  call void @foo()
  tail call void @use(ptr addrspace(1) %a, ptr addrspace(1) %b)
  ret void
}

; CHECK-LABEL: poll:
; CHECK: pushq %rax
; CHECK-NOT: {{push|rsp}}
; CHECK: jne
; CHECK-NOT: {{push|\(%rsp}}
; CHECK: retq
define i64 @poll(ptr addrspace(1) %a, ptr addrspace(1) %end, ptr %word) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %n, %latch ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %latch ]
  %x = load i64, ptr addrspace(1) %p
  %sum.next = add i64 %sum, %x
  %w = load volatile i64, ptr %word
  %c = icmp ne i64 %w, 0
  br i1 %c, label %cold, label %latch, !prof !0
cold:
  call preserve_allcc void @cairn_poll_slow()
  br label %latch
latch:
  %n = getelementptr i8, ptr addrspace(1) %p, i64 8
  %done = icmp eq ptr addrspace(1) %n, %end
  br i1 %done, label %exit, label %loop
exit:
  ret i64 %sum.next
}
!0 = !{!"branch_weights", i32 1, i32 1048575}
