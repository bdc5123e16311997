; RUN: split-file %s %t
; RUN: %cairn opt -p place-safepoints -S %t/good.ll | FileCheck %s
; RUN: not %cairn opt -p place-safepoints -S %t/type.ll 2>&1 | FileCheck --check-prefix=TYPE %s
; RUN: not %cairn opt -p place-safepoints -S %t/body.ll 2>&1 | FileCheck --check-prefix=BODY %s
; A front end's own poll is taken as with LLVM's pass, and checked: LLVM crashes without a body.

;--- good.ll
; CHECK-LABEL: define void @test()
; CHECK-NEXT: call void @do_safepoint()
; CHECK-NEXT: call void @foo()
; CHECK-NEXT: ret void
define void @test() gc "statepoint-example" {
  call void @foo()
  ret void
}
; CHECK-LABEL: define void @loop()
; CHECK-NOT: do_safepoint
; CHECK: head:
; CHECK: call void @do_safepoint()
; CHECK: %c = call i1 @more()
; CHECK: br i1 %c
define void @loop() gc "statepoint-example" {
entry:
  br label %head
head:
  %c = call i1 @more()
  br i1 %c, label %head, label %out
out:
  ret void
}
declare void @foo()
declare i1 @more()
declare void @do_safepoint()
; CHECK-LABEL: define void @gc.safepoint_poll()
; CHECK-NEXT: call void @do_safepoint()
; CHECK-NEXT: ret void
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}
; CHECK-NOT: cairn_poll_slow

;--- type.ll
; TYPE: error: {{.*}}@gc.safepoint_poll must have type void () [poll-type]
define i32 @gc.safepoint_poll() {
  ret i32 0
}
define void @test() gc "statepoint-example" {
  ret void
}

;--- body.ll
; BODY: error: {{.*}}@gc.safepoint_poll is declared but has no body to insert at polls [poll-body]
declare void @gc.safepoint_poll()
define void @test() gc "statepoint-example" {
  ret void
}
