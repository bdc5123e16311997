; A front end may write an alloca anywhere in the entry block. What would go wrong: an allocation before
; it is expanded, the block is split there, and the alloca becomes a dynamic one that nothing can
; describe.
; RUN: %cairn opt -p layouts,allocate,rewrite-statepoints -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
@node = internal constant { ptr addrspace(1), ptr addrspace(1) } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @use(ptr)

; CHECK-LABEL: @function(
; CHECK: %place = alloca ptr addrspace(1)
; CHECK: br i1
define void @function() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  %place = alloca ptr addrspace(1)
  store ptr addrspace(1) %a, ptr %place
  call void @use(ptr %place)
  ret void
}
