; Which functions get polls: those with a strategy of ours or "cairn", whatever else they are; no others.
; Wrong: a poll in a function whose frames nobody can parse, or none in one that can run for ever.
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: sed 's/^;add //' %s | %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S - \
; RUN:   | FileCheck --check-prefix=USER %s
;add declare void @do_safepoint()
;add define linkonce_odr hidden void @gc.safepoint_poll() noinline optnone {
;add   call void @do_safepoint()
;add   ret void
;add }

declare void @foo()

; CHECK-LABEL: define void @coreclr
; CHECK: statepoint
; USER-LABEL: define void @coreclr
; USER: statepoint{{.*}}@do_safepoint
define void @coreclr() gc "coreclr" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define void @ours
; CHECK: cairn_poll_slow
; USER-LABEL: define void @ours
; USER: statepoint{{.*}}@do_safepoint
define void @ours() "cairn" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define void @not_optimised
; CHECK: cairn_poll_slow
; USER-LABEL: define void @not_optimised
; USER: statepoint{{.*}}@do_safepoint
define void @not_optimised() optnone noinline gc "statepoint-example" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define available_externally void @elsewhere
; CHECK: cairn_poll_slow
define available_externally void @elsewhere() gc "statepoint-example" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define weak void @weak
; CHECK: cairn_poll_slow
define weak void @weak() gc "statepoint-example" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define void @coroutine
; CHECK: cairn_poll_slow
; USER-LABEL: define void @coroutine
; USER: statepoint{{.*}}@do_safepoint
define void @coroutine() presplitcoroutine gc "statepoint-example" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define void @naked
; CHECK-NEXT: call void asm
; CHECK-NEXT: unreachable
define void @naked() naked gc "statepoint-example" {
  call void asm sideeffect "ret", ""()
  unreachable
}
; CHECK-LABEL: define void @shadow
; CHECK-NEXT: call void @foo()
; CHECK-NEXT: ret void
; USER-LABEL: define void @shadow
; USER-NEXT: call void @foo()
define void @shadow() gc "shadow-stack" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define void @erlang
; CHECK-NEXT: call void @foo()
define void @erlang() gc "erlang" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define void @none
; CHECK-NEXT: call void @foo()
define void @none() {
  call void @foo()
  ret void
}
; CHECK-LABEL: define void @leaf
; CHECK-NEXT: ret void
define void @leaf() "gc-leaf-function" gc "statepoint-example" {
  ret void
}
; CHECK-LABEL: define void @nopoll
; CHECK-NEXT: ret void
define void @nopoll() "cairn-nopoll" gc "statepoint-example" {
  ret void
}
