; The end of a chunk is frozen if the loop calls functions, so that loop-reduce counts no further variable. The bound on
; the chunk's work is still proved.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --check-polls -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o /dev/null
declare void @leaf(i64) "gc-leaf-function" nounwind willreturn

; CHECK-LABEL: define void @calls
; CHECK: [[END:%.*]] = select i1 {{.*}}, i64 %n
; CHECK: [[FROZEN:%.*]] = freeze i64 [[END]]
; CHECK: icmp eq i64 %next, [[FROZEN]]
define void @calls(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @leaf(i64 %i)
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; CHECK-LABEL: define void @computes
; CHECK-NOT: freeze
define void @computes(ptr %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr i64, ptr %a, i64 %i
  store volatile i64 %i, ptr %at
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
