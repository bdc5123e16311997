; Field row 10: inline assembly. LLVM 22 wraps it in a statepoint, which is a broken module; for ours it is
; a leaf, and an error if it is given a reference.
; RUN: not --crash opt -passes=rewrite-statepoints-for-gc -S %s -o /dev/null
; RUN: sed -n '/^; --$/q;p' %s | %cairn opt -p rewrite-statepoints,verify-safepoints -S - | FileCheck %s
; RUN: not %cairn opt -p rewrite-statepoints -S %s -o /dev/null 2>&1 | FileCheck --check-prefix=TAKES %s
; CHECK: call void asm sideeffect "nop", ""()
; CHECK-NOT: gc.statepoint
; TAKES: in function 'takes': {{.*}}[asm-reference]
define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  call void asm sideeffect "nop", ""()
  ret ptr addrspace(1) %p
}
; --
define void @takes(ptr addrspace(1) %p) gc "statepoint-example" {
  call void asm sideeffect "incq ($0)", "r"(ptr addrspace(1) %p)
  ret void
}
