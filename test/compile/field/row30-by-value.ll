; Field row 30: a large struct passed by value. Offsets of the record are from SP at the call, pushed bytes
; included, which the stack size in the map's header leaves out: so nothing may be computed from that size.
; The frame map has the distance from CFA and agrees with the call-frame information (`cairn frames`
; refuses an object where the two differ).
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints %s | llc -filetype=obj -o %t.o
; RUN: %cairn frames --rewrite %t.o -o %t.frames.o
; RUN: %cairn frames %t.frames.o | FileCheck %s
; 64 bytes of argument, the root, 8 bytes of alignment, and the return address.
; CHECK: function f:
; CHECK: cfa rsp + 80
; CHECK: root [rsp + 64]
target triple = "x86_64-unknown-linux-gnu"
%big = type [8 x i64]
declare void @foo(ptr byval(%big))
define ptr addrspace(1) @f(ptr addrspace(1) %p, ptr %s) gc "statepoint-example" {
  call void @foo(ptr byval(%big) %s)
  ret ptr addrspace(1) %p
}
