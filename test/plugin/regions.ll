; Regions without safepoints in LLVM's own opt: they survive the optimiser between Cairn's passes, and are no
; calls in the end. Wrong: a symbol that nobody defines.
; UNSUPPORTED: sanitize
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='default<O2>' -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-place-safepoints<polls=return>' -S %s | FileCheck --check-prefix=PLACED %s
; CHECK-NOT: nopoll.begin
; CHECK-LABEL: define void @f(
; CHECK: gc.statepoint
; CHECK: store
; CHECK: store
; CHECK-NOT: gc.statepoint
; CHECK: ret void
; PLACED: call void @cairn.nopoll.end()
; PLACED: cairn_poll_slow
declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
declare void @foo()
define void @f(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @foo()
  call void @cairn.nopoll.begin()
  store ptr addrspace(1) %q, ptr addrspace(1) %p
  store volatile i8 1, ptr null
  call void @cairn.nopoll.end()
  ret void
}
