; RUN: %cairn opt -p transitions -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: FileCheck --check-prefix=MUST %s < %t.ll
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

; The body, after the entry, which is for native code.
; CHECK: @cairn.call.defined = hidden alias void (), getelementptr (i8, ptr @defined, i64 24)
; CHECK: @cairn.call.caller = hidden alias
; CHECK-NOT: @cairn.call.weak_defined = {{.*}}alias
; CHECK-NOT: @cairn.call.static_defined = {{.*}}alias

declare void @native(i8 signext)
declare i32 @printf(ptr, ...)
declare void @"odd name\22!"()
declare double @sin(double)
declare void @declared_leaf() "gc-leaf-function"

; CHECK: define void @defined() align 16 gc "statepoint-example" prefix <{ {{.*}} i64 5643653827705430469 }> prologue [24 x i8]
define void @defined() gc "statepoint-example" {
  ret void
}
; Native code has no way to it.
; CHECK: define internal void @static_defined() gc "statepoint-example" {
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
; CHECK: call void @cairn.call.defined()
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
; CHECK: call void @cairn_call_native(ptr nest @static_native)
  call void @static_native()
; Managed or native? The mark tells. It is read in the 16 bytes in which the target begins, for there
; may be nothing before them; and the target goes in a register, for a signal may come in between.
; CHECK: [[ADDRESS:%.*]] = ptrtoint ptr %target to i64
; CHECK: [[BLOCK:%.*]] = and i64 [[ADDRESS]], -16
; CHECK: [[PLACE:%.*]] = inttoptr i64 [[BLOCK]] to ptr
; CHECK: [[WORD:%.*]] = load i64, ptr [[PLACE]], align 16
; CHECK: [[MANAGED:%.*]] = icmp eq i64 [[WORD]], 5643653827705430469
; CHECK: [[BODY:%.*]] = getelementptr i8, ptr %target, i64 24
; CHECK: [[CHOSEN:%.*]] = select i1 [[MANAGED]], ptr [[BODY]], ptr @cairn_call_native
; CHECK: [[CALLEE:%.*]] = freeze ptr [[CHOSEN]]
; CHECK: %r = call i32 [[CALLEE]](i32 1, ptr nest %target)
  %r = call i32 %target(i32 1)
; A promise costs nothing here, and two instructions there: who promises need not know of marks.
; CHECK: call i32 %target(i32 2) [[PROMISE:#[0-9]+]]
  %p = call i32 %target(i32 2) "cairn-managed-callee"
; A statepoint would not set %al: the arguments get types, and the thunk sets it.
; CHECK: %v = call i32 @cairn.vcall.printf(ptr %target, double %d, i32 %r)
  %v = call i32 (ptr, ...) @printf(ptr %target, double %d, i32 %r)
; CHECK: %w = call i32 @cairn_vcall_any(ptr %target, double %d, ptr nest %target)
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
; CHECK: call token {{.*}}(i64 7, i32 0, ptr elementtype(i8 (i8, ptr)) %{{.*}}, i32 2, i32 0, i8 signext 1, ptr nest %target, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
; CHECK: @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void (i8)) @cairn.call.native, i32 1, i32 0, i8 1, i32 0, i32 0)
define void @by_hand(ptr %target, ptr addrspace(1) %p) gc "statepoint-example" {
  %u = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(i8 (i8)) %target, i32 1, i32 0, i8 signext 1, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void (i8)) @native, i32 1, i32 0, i8 1, i32 0, i32 0)
  ret void
}
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)

; musttail wants one signature, so the caller gets the register as a parameter, and all of its tail
; calls pass something in it.
; MUST: define i32 @must(ptr %target, i1 %c, ptr nest %0)
; MUST: musttail call i32 @cairn.call.other(ptr %target, i1 %c, ptr nest poison)
; MUST: musttail call i32 %{{.*}}(ptr null, i1 %c, ptr nest %target)
declare i32 @other(ptr, i1)
define i32 @must(ptr %target, i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  %x = musttail call i32 @other(ptr %target, i1 %c)
  ret i32 %x
b:
  %y = musttail call i32 %target(ptr null, i1 %c)
  ret i32 %y
}

; Other conventions: a bridge takes the call's arguments as the call passes them, and has a native
; function of the C convention make the call.
; CHECK-LABEL: define tailcc i64 @closure
; CHECK: select i1 %{{.*}}, ptr %{{.*}}, ptr @cairn.bridge.[[BRIDGE:[0-9a-f]+]]
; CHECK: musttail call tailcc i64 %{{.*}}(i64 1, i64 2, ptr %p, ptr nest %f)
define tailcc i64 @closure(ptr %f, ptr %p) gc "statepoint-example" {
  %x = musttail call tailcc i64 %f(i64 1, i64 2, ptr %p)
  ret i64 %x
}
; Native code is given no reference.
; CHECK-LABEL: define tailcc i64 @closure_of_references
; CHECK: select i1 %{{.*}}, ptr %{{.*}}, ptr @cairn_call_managed
; CHECK: musttail call tailcc i64 %{{.*}}(i64 1, i64 2, ptr addrspace(1) %p, ptr nest %f)
define tailcc i64 @closure_of_references(ptr %f, ptr addrspace(1) %p) gc "statepoint-example" {
  %x = musttail call tailcc i64 %f(i64 1, i64 2, ptr addrspace(1) %p)
  ret i64 %x
}
; Only native code saves nearly all registers.
; CHECK-LABEL: define void @preserved
; CHECK: call void @cairn_call_native(ptr @native_preserving, ptr nest @cairn.native.[[NATIVE:[0-9a-f]+]])
declare preserve_mostcc void @native_preserving()
define void @preserved() gc "statepoint-example" {
  call preserve_mostcc void @native_preserving()
  ret void
}
; So does a call that uses the register itself.
; CHECK-LABEL: define void @static_chain
; CHECK: call void @cairn_call_native(ptr %chain, ptr %f, ptr nest @cairn.native.{{[0-9a-f]+}})
define void @static_chain(ptr %f, ptr %chain) gc "statepoint-example" {
  call void %f(ptr nest %chain)
  ret void
}

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
; CHECK: define internal tailcc i64 @cairn.bridge.[[BRIDGE]](i64 %0, i64 %1, ptr %2, ptr nest %3) {{.*}}gc "statepoint-example"
; CHECK: [[TOKEN:%.*]] = call token {{.*}}ptr elementtype(i64 (i64, i64, ptr, ptr, ptr)) @cairn_call_native, i32 5, i32 0, i64 %0, i64 %1, ptr %2, ptr %3, ptr nest @cairn.native.{{[0-9a-f]+}}, i32 0, i32 0)
; CHECK: call i64 @llvm.experimental.gc.result.i64(token [[TOKEN]])
; CHECK: define internal void @cairn.native.[[NATIVE]](ptr %0)
; CHECK-NEXT: call preserve_mostcc void %0()
; CHECK: attributes [[PROMISE]] = { "cairn-managed-callee" }

; OBJ-DAG: WEAK HIDDEN {{.*}} cairn.call.native
; OBJ-DAG: GLOBAL HIDDEN {{.*}} cairn.call.defined
; OBJ-DAG: COMDAT group section {{.*}} [cairn.call.native]
