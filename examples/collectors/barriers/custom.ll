; Barriers of a program's own, for cards.c with -DCUSTOM. A C program takes them in by
;   llvm-as custom.ll -o custom.bc
;   cairn-cc -fcairn-barriers=custom -Xclang -mlink-bitcode-file -Xclang custom.bc ...
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @custom_mark(ptr addrspace(1)) "gc-leaf-function"
declare void @custom_mark_range(ptr addrspace(1), i64) "gc-leaf-function"

define weak_odr hidden void @cairn.barrier.store(ptr addrspace(1) %object, ptr addrspace(1) %slot, ptr addrspace(1) %value) {
  call void @custom_mark(ptr addrspace(1) %slot)
  ret void
}

define weak_odr hidden void @cairn.barrier.range(ptr addrspace(1) %to, i64 %bytes) {
  call void @custom_mark_range(ptr addrspace(1) %to, i64 %bytes)
  ret void
}
