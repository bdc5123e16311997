; What an allocation in line clears is never long, whatever its length is computed from. Taken for
; long, it would be made in pieces, with a poll while the object has neither fields nor an end that
; a collection could rely on.
; RUN: %cairn opt -p layouts,allocate,place-safepoints -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@long = internal constant i64 0
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)

; CHECK-LABEL: define ptr addrspace(1) @array(
; CHECK-NOT: icmp ugt i64 {{.*}}, 16384
; CHECK-NOT: @cairn.long
; CHECK: call void @llvm.memset.p1.i64(
; CHECK-NOT: @cairn.long
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow(
; CHECK: {{^}}}
define ptr addrspace(1) @array(i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array(ptr @long, i64 %n)
  ret ptr addrspace(1) %r
}
