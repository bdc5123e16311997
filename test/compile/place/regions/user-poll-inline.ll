; A poll of the user's whose body cannot stand in managed functions is refused. Wrong: a call of an
; unmanaged function stays at each poll, a parse point that no poll word guards.
; RUN: not %cairn opt --polls=entry,backedge -p place-safepoints -S %s 2>&1 | FileCheck %s
; CHECK: [poll-inline]
@where = global ptr blockaddress(@gc.safepoint_poll, %a)
define void @gc.safepoint_poll() {
  br label %a
a:
  call void @callee()
  %target = load ptr, ptr @where
  indirectbr ptr %target, [label %a, label %b]
b:
  ret void
}
declare void @callee()
define void @f() gc "statepoint-example" {
  call void @callee()
  ret void
}
