; What the optimiser may make of an i64 copy of a reference: loads hoisted into phis, pairs in
; vectors. A web that does anything else with the integer cannot be restored and is refused: the
; value would be stale after a safepoint.
; RUN: split-file %s %t
; RUN: %cairn opt -p restore-references -S %t/web.ll | FileCheck %s
; RUN: not %cairn opt -p restore-references -S %t/hidden.ll 2>&1 \
; RUN:   | FileCheck %s --check-prefix=HIDDEN
;--- web.ll
; CHECK-LABEL: @loop(
; CHECK: [[A:%.*]] = load ptr addrspace(1), ptr addrspace(1) %from, align 8, !tbaa
; CHECK: [[P:%.*]] = phi ptr addrspace(1) [ [[A]], %entry ], [ [[B:%.*]], %loop ], [ null, %other ]
; CHECK: store ptr addrspace(1) [[P]], ptr addrspace(1) %to, align 8
; CHECK: [[B]] = load ptr addrspace(1), ptr addrspace(1) %from, align 8, !tbaa
define void @loop(ptr addrspace(1) %to, ptr addrspace(1) %from, i1 %c, i1 %d) gc "statepoint-example" {
entry:
  %a = load i64, ptr addrspace(1) %from, align 8, !tbaa !0
  br i1 %d, label %loop, label %other

other:
  br label %loop

loop:
  %p = phi i64 [ %a, %entry ], [ %b, %loop ], [ 0, %other ]
  store i64 %p, ptr addrspace(1) %to, align 8, !tbaa !0
  %b = load i64, ptr addrspace(1) %from, align 8, !tbaa !0
  br i1 %c, label %loop, label %done

done:
  ret void
}

; CHECK-LABEL: @pair(
; CHECK: [[V:%.*]] = load <2 x ptr addrspace(1)>, ptr addrspace(1) %from, align 8
; CHECK: store <2 x ptr addrspace(1)> [[V]], ptr addrspace(1) %to, align 8
define void @pair(ptr addrspace(1) %to, ptr addrspace(1) %from) gc "statepoint-example" {
  %v = load <2 x i64>, ptr addrspace(1) %from, align 8, !tbaa !0
  store <2 x i64> %v, ptr addrspace(1) %to, align 8, !tbaa !0
  ret void
}

; Pinned pairs, integers, and functions that are not managed stay.
; CHECK-LABEL: @others(
; CHECK: load volatile i64
; CHECK: load i64
define void @others(ptr addrspace(1) %to, ptr addrspace(1) %from) gc "statepoint-example" {
  %v = load volatile i64, ptr addrspace(1) %from, align 8, !tbaa !0
  store volatile i64 %v, ptr addrspace(1) %to, align 8, !tbaa !0
  %n = load i64, ptr addrspace(1) %from, align 8, !tbaa !3
  store i64 %n, ptr addrspace(1) %to, align 8, !tbaa !3
  ret void
}

; An ordinary pointer in ordinary memory may be an integer as well.
; CHECK-LABEL: @ordinary(
; CHECK: load i64, ptr %from
define i64 @ordinary(ptr %from) gc "statepoint-example" {
  %v = load i64, ptr %from, align 8, !tbaa !0
  %w = and i64 %v, 7
  ret i64 %w
}

!0 = !{!1, !1, i64 0}
!1 = !{!"any pointer", !2, i64 0}
!2 = !{!"omnipotent char", !4, i64 0}
!3 = !{!5, !5, i64 0}
!4 = !{!"Simple C/C++ TBAA"}
!5 = !{!"long", !2, i64 0}
;--- hidden.ll
; HIDDEN: in function 'f': {{.*}} [hidden-reference]
define i64 @f(ptr addrspace(1) %from) gc "statepoint-example" {
  %v = load i64, ptr addrspace(1) %from, align 8, !tbaa !0
  %w = and i64 %v, 7
  ret i64 %w
}
!0 = !{!1, !1, i64 0}
!1 = !{!"p1 _ZTS4node", !2, i64 0}
!2 = !{!"omnipotent char", !4, i64 0}
!4 = !{!"Simple C/C++ TBAA"}
