; A callee that saves more registers than the usual: the walker would take them from the wrong place.
; RUN: not %cairn opt -p rewrite-statepoints -S %s 2>&1 | FileCheck %s --implicit-check-not=error:
; CHECK: error: in function 'most': {{.*}} convention 14 {{.*}} [calling-convention]
; CHECK: error: in function 'windows': {{.*}} convention 79 {{.*}} [calling-convention]
target triple = "x86_64-unknown-linux-gnu"
declare void @safepoint() gc "statepoint-example"

define preserve_mostcc ptr addrspace(1) @most(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @safepoint()
  ret ptr addrspace(1) %p
}

define win64cc ptr addrspace(1) @windows(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @safepoint()
  ret ptr addrspace(1) %p
}

; No safepoint, nothing to walk.
define preserve_mostcc ptr addrspace(1) @quiet(ptr addrspace(1) %p) gc "statepoint-example" {
  ret ptr addrspace(1) %p
}
