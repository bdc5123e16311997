; A tag of memory that never changes, in each format of TBAA. With the tag left alone, instruction
; selection folds the load into the addition after the call, with the register that holds the old
; address; no check of IR sees that. A tag that says nothing but the type stays.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc -O2 -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr=true %t.ll -o - \
; RUN:   | FileCheck %s --check-prefix=ASM
declare void @foo()

; {base, access, offset, flag}
; CHECK-LABEL: define i64 @older(
; CHECK: %v = load i64, ptr addrspace(1) %p, align 8{{$}}
; ASM-LABEL: older:
; ASM: (%rdi)
; ASM: callq foo
; ASM-COUNT-1: {{\(%r..?\)}}
; ASM-NOT: {{\(%r..?\)}}
; ASM: retq
define i64 @older(ptr addrspace(1) %p, i64 %x) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !tbaa !2
  call void @foo()
  %w = load i64, ptr addrspace(1) %p, align 8
  %s = add i64 %x, %v
  %t = add i64 %w, %s
  ret i64 %t
}

; {base, access, offset, size, flag}
; CHECK-LABEL: define i64 @newer(
; CHECK: %v = load i64, ptr addrspace(1) %p, align 8{{$}}
; ASM-LABEL: newer:
; ASM: (%rdi)
; ASM: callq foo
; ASM-COUNT-1: {{\(%r..?\)}}
; ASM-NOT: {{\(%r..?\)}}
; ASM: retq
define i64 @newer(ptr addrspace(1) %p, i64 %x) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !tbaa !12
  call void @foo()
  %w = load i64, ptr addrspace(1) %p, align 8
  %s = add i64 %x, %v
  %t = add i64 %w, %s
  ret i64 %t
}

; {base, access, offset, size} of one byte: the last operand is no flag.
; CHECK-LABEL: define i8 @odd_size(
; CHECK: load i8, ptr addrspace(1) %p, align 1, !tbaa [[BYTE:![0-9]+]]
; CHECK: ret
define i8 @odd_size(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load i8, ptr addrspace(1) %p, align 1, !tbaa !13
  call void @foo()
  ret i8 %v
}

; Flags that are not set.
; CHECK-LABEL: define i64 @changing(
; CHECK: load i64, ptr addrspace(1) %p, align 8, !tbaa
; CHECK: load i64, ptr addrspace(1) %p, align 8, !tbaa
; CHECK: ret
define i64 @changing(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %p, align 8, !tbaa !3
  %w = load i64, ptr addrspace(1) %p, align 8, !tbaa !14
  call void @foo()
  %s = add i64 %v, %w
  ret i64 %s
}

; CHECK: [[BYTE]] = !{[[CHAR:![0-9]+]], [[CHAR]], i64 0, i64 1}
!0 = !{!"root"}
!1 = !{!"long", !0, i64 0}
!2 = !{!1, !1, i64 0, i64 1}
!3 = !{!1, !1, i64 0, i64 0}
!10 = !{!0, i64 1, !"sized char"}
!11 = !{!10, i64 8, !"sized long"}
!12 = !{!11, !11, i64 0, i64 8, i64 1}
!13 = !{!10, !10, i64 0, i64 1}
!14 = !{!11, !11, i64 0, i64 8, i64 0}
