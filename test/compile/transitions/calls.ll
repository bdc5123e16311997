; RUN: %cairn opt -p transitions -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: llc -O2 -filetype=obj %t.ll -o %t.o && llvm-readelf -sgr %t.o \
; RUN:   | FileCheck --check-prefix=OBJ %s
; A call that reached native code without an anchor would hide all frames below it from the walker.

; CHECK: module asm "  .section \22.text.cairn.call.native\22,\22axG\22,@progbits,\22cairn.call.native\22,comdat"
; CHECK: module asm "  .weak \22cairn.call.native\22"
; CHECK: module asm "  .hidden \22cairn.call.native\22"
; CHECK: module asm "  movq \22native\22@GOTPCREL(%rip), %r11"
; CHECK: module asm "  jmpq *cairn_call_any@GOTPCREL(%rip)"
; CHECK: module asm "\22cairn.call.odd name\\\22!\22:"
; CHECK: module asm "  movq \22odd name\\\22!\22@GOTPCREL(%rip), %r11"
; CHECK: module asm "\22cairn.vcall.printf\22:"
; CHECK: module asm "  movl $8, %eax"

; CHECK: @cairn.call.defined = hidden alias void (), ptr @defined
; CHECK: @cairn.call.caller = hidden alias
; CHECK-NOT: @cairn.call.weak_defined = {{.*}}alias
; CHECK-NOT: @cairn.call.static_defined = {{.*}}alias

declare void @native(i8 signext)
declare i32 @printf(ptr, ...)
declare void @"odd name\22!"()
declare double @sin(double)
declare void @declared_leaf() "gc-leaf-function"

; CHECK: define void @defined() {{.*}}prefix { i64, i64 } { i64 -3689348814741910324, i64 5643653827705430469 }
define void @defined() gc "statepoint-example" {
  ret void
}
; CHECK: define internal void @static_defined() {{.*}}prefix
define internal void @static_defined() gc "statepoint-example" {
  ret void
}
define weak void @weak_defined() gc "statepoint-example" {
  ret void
}
; CHECK: define internal void @static_native() {
define internal void @static_native() {
  ret void
}

; CHECK-LABEL: define i32 @caller
define i32 @caller(ptr %target, double %d, float %f) gc "statepoint-example" {
; What the declaration says of its argument must reach the code generator.
; CHECK: call void @cairn.call.native(i8 %{{.*}})
  %b = trunc i64 7 to i8
  call void @native(i8 %b)
; CHECK: call void @"cairn.call.odd name\22!"()
  call void @"odd name\22!"()
; Managed and here: nothing between.
; CHECK: call void @defined()
; CHECK: call void @static_defined()
  call void @defined()
  call void @static_defined()
; Another unit's, maybe native, definition may take the place of a weak one.
; CHECK: call void @cairn.call.weak_defined()
  call void @weak_defined()
; Leaves stay.
; CHECK: call double @sin(double %d)
; CHECK: call void @declared_leaf()
  %s = call double @sin(double %d)
  call void @declared_leaf()
; A static name can be the same in two units, so no thunk.
; CHECK: [[FIELD:%.*]] = getelementptr i8, ptr %{{.*}}, i64 40
; CHECK: store ptr @static_native, ptr [[FIELD]], align 8
; CHECK: call void @cairn_call_indirect()
  call void @static_native()
; CHECK: store ptr %target, ptr
; CHECK: %r = call i32 @cairn_call_indirect(i32 1)
  %r = call i32 %target(i32 1)
; A statepoint would not set %al: the arguments get types, and the thunk sets it.
; CHECK: %v = call i32 @cairn.vcall.printf(ptr %target, double %d, i32 %r)
  %v = call i32 (ptr, ...) @printf(ptr %target, double %d, i32 %r)
; CHECK: store ptr %target, ptr
; CHECK: %w = call i32 @cairn_vcall_indirect(ptr %target, double %d)
  %w = call i32 (ptr, ...) %target(ptr %target, double %d)
  ret i32 %v
}

; The frame is gone, but its caller's is not.
; CHECK-LABEL: define void @tail
; CHECK: musttail call void @cairn.call.native(i8
define void @tail(i8 signext %b) gc "statepoint-example" {
  musttail call void @native(i8 signext %b)
  ret void
}

; Statepoints of a front end that made them itself get their stubs, too.
; CHECK-LABEL: define void @by_hand
; CHECK: @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void (i8)) @cairn.call.native, i32 1, i32 0, i8 1, i32 0, i32 0)
define void @by_hand() gc "statepoint-example" {
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void (i8)) @native, i32 1, i32 0, i8 1, i32 0, i32 0)
  ret void
}
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)

; The slow paths are stubs themselves.
; CHECK-LABEL: define void @stubs
; CHECK: call preserve_allcc void @cairn_poll_slow()
; CHECK: call void @cairn_collect()
define void @stubs() gc "statepoint-example" {
  call preserve_allcc void @cairn_poll_slow()
  call void @cairn_collect()
  ret void
}
declare preserve_allcc void @cairn_poll_slow()
declare void @cairn_collect()

; CHECK-LABEL: define void @unmanaged
; CHECK: call void @native
define void @unmanaged() {
  call void @native(i8 1)
  ret void
}

; CHECK: declare hidden void @cairn.call.native(i8 signext)

; OBJ-DAG: WEAK HIDDEN {{.*}} cairn.call.native
; OBJ-DAG: GLOBAL HIDDEN {{.*}} cairn.call.defined
; OBJ-DAG: COMDAT group section {{.*}} [cairn.call.native]
