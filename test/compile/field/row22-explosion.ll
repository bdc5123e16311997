; Field row 22: with LLVM 22 the output grows with safepoints times live references (here 64 x 64 relocates
; of 64 values: 4096). Where that passes the budget ours keeps the references in one area of the frame, and
; the output grows with the input.
; RUN: python3 %S/Inputs/explosion.py 64 > %t.ll
; RUN: opt -passes=rewrite-statepoints-for-gc -S %t.ll | grep -c 'call .*gc.relocate' | FileCheck --check-prefix=LLVM %s
; RUN: %cairn opt --slot-budget=1000 -p rewrite-statepoints,verify-safepoints -S %t.ll -o %t.slots.ll 2>&1 | FileCheck --check-prefix=WHY %s
; RUN: FileCheck %s < %t.slots.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.slots.ll
; LLVM: 6112
; WHY: [slot-mode]
; CHECK-NOT: gc.relocate
; CHECK: alloca [64 x ptr addrspace(1)]
