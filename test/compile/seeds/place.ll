; statepoints-later, "PlaceSafepoints": the example, with the module's own poll. The entry poll and the
; call are both statepoints, in this order; without recursion known not to happen the poll stays.
; Wrong: no poll; the poll's body not a statepoint.
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s | FileCheck %s

; CHECK-LABEL: define void @test()
; CHECK: call token {{.*}}(i64 2882400000, i32 0, ptr elementtype(void ()) @do_safepoint, i32 0, i32 0, i32 0, i32 0)
; CHECK: call token {{.*}}(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
; CHECK: ret void
define void @test() gc "statepoint-example" {
  call void @foo()
  ret void
}

declare void @foo()
declare void @do_safepoint()

define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}
