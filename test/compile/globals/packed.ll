; A packed global that puts references at odd addresses is refused, also where it has so many that
; it would get several roots.
; RUN: split-file %s %t
; RUN: not %cairn opt -p globals -S %t/few.ll 2>&1 | FileCheck %s
; RUN: not %cairn opt -p globals -S %t/many.ll 2>&1 | FileCheck %s
; CHECK: [misaligned-reference]
;--- few.ll
@packed = global <{ i8, [2 x ptr addrspace(1)] }> zeroinitializer
;--- many.ll
@packed = global <{ i8, [70000 x ptr addrspace(1)] }> zeroinitializer
