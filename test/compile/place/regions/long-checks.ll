; The look for references in a long copy (pass check-stores) takes as long as the copy: it is made in pieces, too.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints -S %s | %cairn opt -p rewrite-statepoints -S - -o %t.ll
; RUN: %cairn verify %t.ll
target triple = "x86_64-unknown-linux-gnu"

declare void @cairn_check_copy(ptr, ptr addrspace(1), i64) "gc-leaf-function"
declare void @cairn_check_native_copy(ptr, ptr, i64) "gc-leaf-function"

define void @any(ptr %to, ptr addrspace(1) %from, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @any(
; CHECK: [[LONG:%.*]] = icmp ugt i64 %n, 16384
; CHECK: call void @cairn_check_copy(ptr %to, ptr addrspace(1) %from, i64 %n)
; CHECK: call void @cairn.long.cairn_check_copy(ptr %to, ptr addrspace(1) %from, i64 %n)
  call void @cairn_check_copy(ptr %to, ptr addrspace(1) %from, i64 %n)
  ret void
}

define void @large(ptr %to, ptr %from) gc "statepoint-example" {
; CHECK-LABEL: define void @large(
; CHECK-NOT: icmp ugt
; CHECK: call void @cairn.long.cairn_check_native_copy(ptr %to, ptr %from, i64 16777216)
  call void @cairn_check_native_copy(ptr %to, ptr %from, i64 16777216)
  ret void
}

; A reference at a multiple of eight in the destination lies in one piece, whatever the copy starts at.
; CHECK-LABEL: define internal void @cairn.long.cairn_check_copy(
; CHECK: %long.odd = and i64 {{%.*}}, 7
