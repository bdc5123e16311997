; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,lower-transitions -S flag.ll -o lowered.ll && FileCheck flag.ll < lowered.ll
; RUN: llc -O2 -relocation-model=static lowered.ll -o - | FileCheck --check-prefix=ASM flag.ll
; RUN: llc -O2 -mtriple=aarch64-linux-gnu lowered.ll -filetype=obj -o aarch64.o && llvm-readelf -S aarch64.o | FileCheck --check-prefix=MAPS flag.ll
; RUN: llc -O2 -mtriple=riscv64-linux-gnu lowered.ll -filetype=obj -o riscv64.o && llvm-readelf -S riscv64.o | FileCheck --check-prefix=MAPS flag.ll
; RUN: %cairn opt -p rewrite-statepoints,lower-transitions -S none.ll | FileCheck none.ll
; RUN: not %cairn opt -p rewrite-statepoints,lower-transitions -S refused.ll 2>&1 | FileCheck refused.ll
; RUN: not %cairn opt -p rewrite-statepoints,lower-transitions -S reference.ll 2>&1 | FileCheck reference.ll
; RUN: not %cairn opt -p rewrite-statepoints,lower-transitions -S pad.ll 2>&1 | FileCheck pad.ll
; RUN: not %cairn opt -p rewrite-statepoints,lower-transitions -S one.ll 2>&1 | FileCheck one.ll
;
; The strategy that "Garbage Collection Safepoints in LLVM" ("GC Transitions") draws: a thread-local flag is written before
; and after a call of unmanaged code. Wrong: it is written on one side alone, or not on the unwind edge.

;--- flag.ll
target triple = "x86_64-unknown-linux-gnu"
@flag = dso_local thread_local(localexec) global i32 0, align 4
define void @cairn.transition.enter(ptr %at) "gc-leaf-function" {
  store i32 1, ptr @flag
  ret void
}
define void @cairn.transition.leave(ptr %at) "gc-leaf-function" {
  store i32 0, ptr @flag
  ret void
}
declare void @foo()
declare i32 @personality(...)

; CHECK-LABEL: define ptr addrspace(1) @test1(
; CHECK-NOT: gc-transition
; CHECK: store i32 1, ptr @flag
; CHECK-NEXT: gc.statepoint.p0(i64 {{[0-9]+}}, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %obj) ]
; CHECK-NEXT: store i32 0, ptr @flag
; CHECK-NEXT: gc.relocate
; ASM-LABEL: test1:
; ASM: movl $1, %fs:flag@TPOFF
; ASM: callq foo
; ASM-NEXT: .Ltmp{{[0-9]+}}:
; ASM-NEXT: movl $0, %fs:flag@TPOFF
; MAPS: .llvm_stackmaps
define ptr addrspace(1) @test1(ptr addrspace(1) %obj) gc "statepoint-example" {
  call void @foo() [ "gc-transition"(ptr @flag) ]
  ret ptr addrspace(1) %obj
}

; CHECK-LABEL: define ptr addrspace(1) @unwinds(
; CHECK: store i32 1, ptr @flag
; CHECK-NEXT: invoke token
; CHECK-NOT: gc-transition
; CHECK: store i32 0, ptr @flag
; CHECK: landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: store i32 0, ptr @flag
define ptr addrspace(1) @unwinds(ptr addrspace(1) %obj) gc "statepoint-example" personality ptr @personality {
  invoke void @foo() [ "gc-transition"(ptr @flag) ]
          to label %good unwind label %bad
good:
  ret ptr addrspace(1) %obj
bad:
  %pad = landingpad { ptr, i32 } cleanup
  ret ptr addrspace(1) %obj
}

;--- none.ll
; Without templates Cairn's stubs are the transition; the bundle goes all the same.
; CHECK-LABEL: define void @plain(
; CHECK: gc.statepoint.p0(i64 {{[0-9]+}}, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0){{$}}
declare void @foo()
define void @plain() gc "statepoint-example" {
  call void @foo() [ "gc-transition"(i32 7) ]
  ret void
}

;--- refused.ll
define void @cairn.transition.enter(i32 %a) "gc-leaf-function" {
  ret void
}
define void @cairn.transition.leave(i32 %a) "gc-leaf-function" {
  ret void
}
declare void @foo()
; CHECK: error: in function 'other': {{.*}} are not those that @cairn.transition.enter takes [transition-template]
define void @other() gc "statepoint-example" {
  call void @foo() [ "gc-transition"(i64 7) ]
  ret void
}

;--- reference.ll
define void @cairn.transition.enter(ptr addrspace(1) %a) "gc-leaf-function" {
  ret void
}
define void @cairn.transition.leave(ptr addrspace(1) %a) "gc-leaf-function" {
  ret void
}
declare void @foo()
; CHECK: error: in function 'f': operand 1 of {{.*}} is a reference{{.*}} [transition-reference]
define void @f(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo() [ "gc-transition"(ptr addrspace(1) %p) ]
  ret void
}

;--- pad.ll
define void @cairn.transition.enter() "gc-leaf-function" {
  ret void
}
define void @cairn.transition.leave() "gc-leaf-function" {
  ret void
}
declare void @foo()
declare i32 @personality(...)
; CHECK: error: in function 'f': the landing pad {{.*}} [transition-unwind]
define void @f() gc "statepoint-example" personality ptr @personality {
  invoke void @foo() [ "gc-transition"() ]
          to label %more unwind label %bad
more:
  invoke void @foo()
          to label %good unwind label %bad
good:
  ret void
bad:
  %pad = landingpad { ptr, i32 } cleanup
  ret void
}

;--- one.ll
; CHECK: error: {{.*}}the module defines one of @cairn.transition.enter and @cairn.transition.leave [transition-template]
define void @cairn.transition.enter() {
  ret void
}
