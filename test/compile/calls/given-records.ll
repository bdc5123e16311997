; Statepoints that a front end marked `tail`, or the optimiser, and that ask for more than references: an id, room
; for a patch, flags, deoptimisation state, a transition. Wrong: pass tail-calls makes jumps of them, and the record is lost.
; RUN: %cairn opt -p rewrite-statepoints,tail-calls -S %s | FileCheck %s
; RUN: sed '/^define void @patch/,/^}/d' %s > %t.ll
; RUN: %cairn-cc -O2 -c %t.ll -o %t.o && %cairn frames %t.o | FileCheck --check-prefix=MAP %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early -c %t.ll -o %t.o && %cairn frames %t.o | FileCheck --check-prefix=MAP %s
; The room for a patch lacks a description, so no program could find it: no-ops would stand in the call's place.
; RUN: not %cairn-cc -O2 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REFUSED %s
; REFUSED: in function 'patch': the description of the point at call to {{.*}} is missing [point-description]

declare void @foo()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)

; CHECK-LABEL: define void @id(
; CHECK: gc.statepoint
; MAP: function id:
; MAP: id 7{{$}}
define void @id() gc "statepoint-example" {
  %t = tail call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}
; CHECK-LABEL: define void @patch(
; CHECK: gc.statepoint
define void @patch() gc "statepoint-example" {
  %t = tail call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 5, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}
; CHECK-LABEL: define void @flags(
; CHECK: gc.statepoint
; CHECK-LABEL: define void @state(
; CHECK: gc.statepoint
; MAP: function state:
; MAP: deopt constant 11
define void @flags() gc "statepoint-example" {
  %t = tail call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 2, i32 0, i32 0)
  ret void
}
define void @state() gc "statepoint-example" {
  %t = tail call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 11) ]
  ret void
}
; Nothing is asked for: a jump.
; CHECK-LABEL: define void @jump(
; CHECK: musttail call void @foo()
; MAP-NOT: function jump
define void @jump() gc "statepoint-example" {
  %t = tail call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}
