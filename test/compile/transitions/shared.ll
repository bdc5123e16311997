; RUN: %cairn opt -p transitions --shared -S %s | FileCheck %s
; Through the procedure linkage table a call could end in another object's definition, a native one,
; without an anchor: in code for shared objects it goes to the hidden name of the definition here.

; CHECK: define void @visible()
define void @visible() gc "statepoint-example" {
  ret void
}
define hidden void @kept() gc "statepoint-example" {
  ret void
}
; CHECK-LABEL: define void @caller
; CHECK: call void @cairn.call.visible()
; CHECK: call void @cairn.call.kept()
define void @caller(ptr %p) gc "statepoint-example" {
  call void @visible()
  call void @kept()
  ret void
}
