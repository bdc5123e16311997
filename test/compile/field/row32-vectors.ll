; Field row 32: a vector of references over a call crashed code generation on AArch64. Ours relocates
; scalars only, and AArch64 and RISC-V compile them too.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc -mtriple=aarch64-linux-gnu -verify-machineinstrs -filetype=obj %t.ll -o /dev/null
; RUN: llc -mtriple=riscv64-linux-gnu -mattr=+d -verify-machineinstrs -filetype=obj %t.ll -o /dev/null
declare void @foo()
; CHECK-NOT: gc.relocate.v2p1
; CHECK: "gc-live"(ptr addrspace(1) %{{[^,]*}}, ptr addrspace(1) %
define <2 x ptr addrspace(1)> @f(<2 x ptr addrspace(1)> %v) gc "statepoint-example" {
  call void @foo()
  ret <2 x ptr addrspace(1)> %v
}
