; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-insert-barriers<barriers=cards>' -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-insert-barriers' -S %s | FileCheck --check-prefix=NONE %s
;
; Barriers in LLVM's own tool. Wrong: the kind does not come through.

; CHECK: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
; CHECK-NEXT: store
; NONE-NOT: barrier.store
define void @one(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}
