; A data layout that says ni:1 is a wish: the optimiser starts with non-integral references, and keeps a loop that it would
; make a memset of; nothing is optimised twice. Without the wish it starts with integral ones.
; RUN: %cairn-cc -O2 -fcairn-remarks -fcairn-times -S -o %t.s %s 2> %t.log
; RUN: FileCheck --check-prefix=ONCE --input-file=%t.log %s
; RUN: FileCheck --check-prefix=LOOP --input-file=%t.s %s
; RUN: sed 's/-ni:1//' %s > %t.integral.ll
; RUN: %cairn-cc -O2 -S -o - %t.integral.ll | FileCheck --check-prefix=MEMSET %s
; ONCE-NOT: optimised again
; ONCE: 1 default<O2>
; LOOP-NOT: memset
; MEMSET: memset

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-ni:1"
target triple = "x86_64-pc-linux-gnu"

define void @clear(ptr addrspace(1) %at, ptr addrspace(1) %end) gc "statepoint-example" {
entry:
  %none = icmp eq ptr addrspace(1) %at, %end
  br i1 %none, label %done, label %loop
loop:
  %p = phi ptr addrspace(1) [ %end, %entry ], [ %q, %loop ]
  %q = getelementptr i8, ptr addrspace(1) %p, i64 -1
  store i8 0, ptr addrspace(1) %q
  %last = icmp eq ptr addrspace(1) %q, %at
  br i1 %last, label %done, label %loop
done:
  ret void
}
