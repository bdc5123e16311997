; An image is marked with the barriers that were made in all of its managed functions, not with those that the options ask
; for. What would go wrong: a collector that needs barriers loses objects of code that has none, in silence.

; RUN: split-file %s %t
; RUN: for p in insert-barriers,lower-barriers,globals globals lower-barriers,globals; do for k in cards snapshot none; do echo $p $k; %cairn opt -p $p --barriers=$k -S %t/one.ll | grep -o '^@cairn.barriers.[^k][a-z]*'; done; done | FileCheck %s
; CHECK:      insert-barriers,lower-barriers,globals cards
; CHECK-NEXT: @cairn.barriers.cards
; CHECK-NEXT: insert-barriers,lower-barriers,globals snapshot
; CHECK-NEXT: @cairn.barriers.snapshot
; CHECK-NEXT: insert-barriers,lower-barriers,globals none
; CHECK-NEXT: @cairn.barriers.none
; CHECK-NEXT: globals cards
; CHECK-NEXT: @cairn.barriers.none
; CHECK-NEXT: globals snapshot
; CHECK-NEXT: @cairn.barriers.none
; CHECK-NEXT: globals none
; CHECK-NEXT: @cairn.barriers.none
; CHECK-NEXT: lower-barriers,globals cards
; CHECK-NEXT: @cairn.barriers.none
; CHECK-NEXT: lower-barriers,globals snapshot
; CHECK-NEXT: @cairn.barriers.none
; CHECK-NEXT: lower-barriers,globals none
; CHECK-NEXT: @cairn.barriers.none

; The flags of the image say the same: kind 7 from bit 8 on is cards.
; RUN: %cairn opt -p insert-barriers,lower-barriers,globals -S %t/one.ll | FileCheck --check-prefix=CARDS %s
; CARDS: @cairn.image.data = {{.*}} i64 67328 }
; RUN: %cairn opt -p globals -S %t/one.ll | FileCheck --check-prefix=NONE %s
; NONE: @cairn.image.data = {{.*}} i64 65536 }
; NONE: @cairn.barriers.none

; The passes in two runs. (In LLVM's own tool: plugin/barriers.ll.)
; RUN: %cairn opt -p insert-barriers -S %t/one.ll -o %t/in.ll && %cairn opt -p lower-barriers,globals -S %t/in.ll | FileCheck --check-prefix=CARDS %s

; Two modules in one, in either order, with and without module flags: one function without barriers is enough, and two kinds
; are none.
; RUN: %cairn opt -p insert-barriers,lower-barriers -S %t/two.ll -o %t/two.in.ll && %cairn opt -p insert-barriers --barriers=snapshot -S %t/two.ll -o %t/snapshot.ll
; RUN: cd %t && %cairn opt -p insert-barriers,lower-barriers -S one.ll -o in.ll && cat flags.ll >> one.ll
; RUN: cd %t && for m in "in.ll two.ll" "two.ll in.ll" "one.ll two.in.ll" "two.in.ll one.ll" "in.ll snapshot.ll" "snapshot.ll in.ll"; do llvm-link -S $m -o both.ll && %cairn opt -p globals -S both.ll | FileCheck --check-prefix=NONE %s || exit 1; done
; RUN: cd %t && for m in "in.ll two.in.ll" "in.ll data.ll" "data.ll in.ll"; do llvm-link -S $m -o both.ll && %cairn opt -p globals -S both.ll | FileCheck --check-prefix=CARDS %s || exit 1; done

; A module without managed code stores nothing: it goes with any. So does code without safepoints, which nothing is collected in.
; RUN: for k in cards none snapshot; do %cairn opt -p globals --barriers=$k -S %t/data.ll | grep -q "^@cairn.barriers.$k[.0-9]* = " || exit 1; done
; RUN: %cairn opt -p globals --safepoints=none -S %t/one.ll | grep -q "^@cairn.barriers.cards.2 = "

;--- one.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
define void @one(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}
;--- flags.ll
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
;--- two.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
define void @two(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}
;--- data.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
@root = global ptr addrspace(1) null
