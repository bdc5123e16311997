; The plugin takes roots=pairs as `cairn opt --roots=pairs` does (rewrite/roots-pairs.ll has what it means): a described local,
; which it cannot list as a pair, is refused.
; UNSUPPORTED: sanitize
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-rewrite-statepoints' -S %s | FileCheck %s
; RUN: not opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-rewrite-statepoints<roots=pairs>' -S %s 2>&1 \
; RUN:   | FileCheck --check-prefix=PAIRS %s
; CHECK: "deopt"(
; PAIRS: [roots-pairs]

declare void @f(ptr)

define void @local(ptr addrspace(1) %p) gc "statepoint-example" {
  %slot = alloca ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %slot
  call void @f(ptr %slot)
  ret void
}
