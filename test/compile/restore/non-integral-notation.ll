; LLVM's notation for pointers that are no integers is a wish like ni:1 (non-integral.ll), wherever
; it stands in the layout: cairn-cc and the passes take it, the plugin in test/plugin. Wrong: the layout is refused
; as another target's.
; RUN: for notation in ni:1 pu1:64:64 pe1:64:64 pue1:64:64:64 pe1:64:64:64:64 ni:7:1 pu1:64:64-ni:1 ; do \
; RUN:   sed "s/-HERE/-$notation/" %s > %t.ll && \
; RUN:   %cairn-cc -O2 -fcairn-remarks -fcairn-times -S -o %t.s %t.ll 2> %t.log && \
; RUN:   FileCheck --check-prefix=ONCE --input-file=%t.log %s && \
; RUN:   FileCheck --check-prefix=LOOP --input-file=%t.s %s && \
; RUN:   %cairn opt -p place-safepoints -p rewrite-statepoints -S %t.ll -o %t.rewritten.ll && \
; RUN:   %cairn verify %t.rewritten.ll || exit 1; done
; ONCE-NOT: optimised again
; ONCE: 1 default<O2>
; LOOP-NOT: memset
;
; The sizes alone are no wish.
; RUN: sed 's/-HERE/-p1:64:64/' %s > %t.ll
; RUN: %cairn-cc -O2 -S -o - %t.ll | FileCheck --check-prefix=MEMSET %s
; MEMSET: memset
;
; Indices of 32 bits are another kind of reference, as are flags of a space that is not managed.
; RUN: sed 's/-HERE/-pu1:64:64:64:32/' %s > %t.ll
; RUN: not %cairn opt -p prepare -S %t.ll 2>&1 | FileCheck --check-prefix=NARROW %s
; RUN: not %cairn-cc -O2 -S -o - %t.ll 2>&1 | FileCheck --check-prefix=OTHER %s
; RUN: sed 's/-HERE/-pu7:64:64/' %s > %t.ll
; RUN: not %cairn-cc -O2 -S -o - %t.ll 2>&1 | FileCheck --check-prefix=OTHER %s
; NARROW: error: {{.*}}[data-layout]
; OTHER: data layout {{.*}} is not that of

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128-HERE"
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
