; late-insertion-slides-2014, "Early vs Late Insertion" and "Statepoints: motivation": after late
; insertion the copy that an optimiser made of a reference (here %r2) is relocated or computed again
; like any other. Wrong: @use sees %r2 of before the parse point.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output

declare void @parse_point()
declare void @use(ptr addrspace(1))

; CHECK-LABEL: define void @copy(
; CHECK: @parse_point
; CHECK: @use, i32 1, i32 0, ptr addrspace(1) [[R:%[^,]*]], i32 0
; CHECK-NOT: ptr addrspace(1) %r2, i32
; CHECK: ret void
define void @copy(ptr addrspace(1) %r0, ptr addrspace(1) %r1) gc "statepoint-example" {
  %r2 = getelementptr i8, ptr addrspace(1) %r0, i64 0
  call void @parse_point()
  call void @use(ptr addrspace(1) %r2)
  ret void
}
