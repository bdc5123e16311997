; Passes that do not speak to the runtime work for any target; the others, and cairn-cc, say that there is no
; port. Wrong: x86-64 code in a module for another machine.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: not %cairn opt -p transitions %s -o /dev/null 2>&1 | FileCheck --check-prefix=NO %s
; RUN: not %cairn-cc -c %s -o %t.o 2>&1 | FileCheck --check-prefix=CC %s
; CHECK: gc.statepoint
; NO: pass transitions makes code that calls the runtime, which has no port for 'riscv64-unknown-linux-gnu' yet (x86-64 Linux and AArch64 Linux only) [target]
; CC: target 'riscv64-unknown-linux-gnu' is not supported yet (x86-64 Linux and AArch64 Linux only)
target triple = "riscv64-unknown-linux-gnu"
declare void @foo()
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  ret ptr addrspace(1) %p
}
