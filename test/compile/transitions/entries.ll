; RUN: %cairn opt -p transitions,slow-paths -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: llc -O2 -filetype=obj %t.ll -o %t.o && llvm-objdump -dr %t.o | FileCheck --check-prefix=CODE %s
; RUN: %cairn opt -p transitions,slow-paths --shared -S %s | llc -O2 -relocation-model=pic -filetype=obj -o %t.o
; RUN: llvm-objdump -dr %t.o | FileCheck --check-prefix=SHARED %s
; RUN: llvm-readelf -s %t.o | FileCheck --check-prefix=NAMES %s
; RUN: %cairn opt -p transitions -S %s | %cairn opt -p transitions -S - | FileCheck --check-prefix=TWICE %s
;
; Native code that reached a body would run managed code with the thread still native; a body that
; managed code reached through the entry would cost each call a comparison. One entry, if the pass
; runs twice.

; CHECK: module asm "  .reloc \22taken\22+8, R_X86_64_TPOFF32, cairn_mutator+40"
; CHECK-DAG: @cairn.call.taken = private alias void (), getelementptr (i8, ptr @taken, i64 24)
; CHECK-DAG: @cairn.call.visible = hidden alias void (), getelementptr (i8, ptr @visible, i64 24)
; CHECK-NOT: @cairn.call.{{called|replaceable}} =

; CODE-LABEL: <taken>:
; CODE-NEXT: endbr64
; CODE-NEXT: cmpb $0x0, %fs:0x0
; CODE-NEXT: R_X86_64_TPOFF32 cairn_mutator+0x28
; CODE-NEXT: jne
; CODE-NEXT: nop
; CODE-NEXT: retq
; SHARED-LABEL: <taken>:
; SHARED-NEXT: endbr64
; SHARED-NEXT: movq (%rip), %r11
; SHARED-NEXT: R_X86_64_GOTTPOFF cairn_mutator-0x4
; SHARED-NEXT: cmpb $0x0, %fs:0x28(%r11)
; SHARED-NEXT: jne
; SHARED-NEXT: nop
; SHARED-NEXT: retq

; NAMES-NOT: cairn.call.taken
; NAMES: TLS GLOBAL DEFAULT UND cairn_mutator
; NAMES-NOT: cairn.call.taken

; TWICE-COUNT-6: .reloc
; TWICE-NOT: .reloc
; TWICE: define internal void @taken()

@table = global ptr @taken

define internal void @taken() gc "statepoint-example" {
  ret void
}
; Only called by name, from managed code.
; CHECK: define internal void @called() gc "statepoint-example" {
define internal void @called() gc "statepoint-example" {
  call void @native()
  ret void
}
; CHECK: define internal void @called_by_native() align 16 {{.*}}prologue
define internal void @called_by_native() gc "statepoint-example" {
  ret void
}
; Another definition may take its place, and that one may be native.
; CHECK: define weak void @replaceable() align 16 {{.*}}prologue
define weak void @replaceable() gc "statepoint-example" {
  ret void
}
; No mark: there is no room at the place where every function has one.
; CHECK: define void @aligned() align 64 {{.*}}prefix <{ [40 x i8], {{.*}} i64 0 }> {{.*}}prologue
define void @aligned() align 64 gc "statepoint-example" {
  ret void
}

declare void @native()

; CHECK-LABEL: define void @visible
; CHECK: call void @cairn.call.taken()
; CHECK: call void @called()
; CHECK: call void @cairn.call.called_by_native()
; CHECK: call void @cairn.call.replaceable()
; CHECK: call void @cairn.call.visible()
; CHECK: call void @cairn.call.takes(ptr @taken)
define void @visible() gc "statepoint-example" {
  call void @taken()
  call void @called()
  call void @called_by_native()
  call void @replaceable()
  call void @visible()
  call void @takes(ptr @taken)
  ret void
}
define void @takes(ptr %f) gc "statepoint-example" {
  ret void
}
; CHECK-LABEL: define void @unmanaged
; CHECK: call void @called_by_native()
define void @unmanaged() {
  call void @called_by_native()
  ret void
}
