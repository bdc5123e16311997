; Arrays that are not cleared. What could go wrong: they are cleared all the same, or an array with references is not; a
; collector that looks for headers is not told that old ones lie about, or is told so by a module in which none is made.
; RUN: split-file %s %t
; RUN: %cairn opt -p layouts,allocate,slow-paths,globals -S %t/fine.ll | FileCheck %s
; RUN: %cairn opt -p layouts,allocate,slow-paths,globals -S %t/cleared.ll | FileCheck %s --check-prefix=CLEARED
; RUN: %cairn opt -p prepare -S %t/fine.ll | FileCheck %s --check-prefix=KNOWN
; RUN: not %cairn opt -p prepare -S %t/refused.ll 2>&1 | FileCheck %s --check-prefix=REFUSED
; RUN: not %cairn opt -p layouts,allocate -S %t/refused.ll 2>&1 | FileCheck %s --check-prefix=LAYOUT
; RUN: not %cairn opt -p layouts -S %t/types.ll 2>&1 | FileCheck %s --check-prefix=TYPES

; CLEARED-NOT: store i8 1

;--- fine.ll
@long = internal constant i64 0
@text = internal constant { i64, i32, [0 x i8] } zeroinitializer
declare ptr addrspace(1) @cairn_alloc_array_uninit(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex_uninit(ptr, i64)

; KNOWN: declare noalias nonnull align 8 ptr addrspace(1) @cairn_alloc_array_uninit(ptr, i64)
; KNOWN: call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @long, i64 4) [[KIND:#[0-9]+]]
; KNOWN: call ptr addrspace(1) @cairn_alloc_flex_uninit(ptr @text, i64 %n) [[OPEN:#[0-9]+]]
; KNOWN: attributes [[KIND]] = { {{.*}}allockind("alloc,uninitialized") "alloc-family"="cairn" }
; KNOWN: attributes [[OPEN]] = { nomerge }

; CHECK-LABEL: @few(
; CHECK: store i64 9, ptr addrspace(1)
; CHECK: store ptr @cairn.layout.0, ptr addrspace(1)
; CHECK: [[MUTATOR:%[a-z0-9]+]] = call ptr @llvm.threadlocal.address.p0(ptr @cairn_mutator)
; CHECK-NEXT: [[NOTED:%[a-z0-9]+]] = getelementptr i8, ptr [[MUTATOR]], i64 41
; CHECK-NEXT: store i8 1, ptr [[NOTED]]
; CHECK-NOT: memset
; CHECK: call preserve_allcc ptr addrspace(1) @cairn.slow.cairn_alloc_uninit_slow(ptr @cairn.layout.0, i64 4)
define ptr addrspace(1) @few() gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @long, i64 4)
  ret ptr addrspace(1) %r
}

; CHECK-LABEL: @some(
; CHECK: %large = icmp ugt i64 %n, 8156
; CHECK: store i8 1, ptr
; CHECK-NOT: memset
; CHECK: call preserve_allcc ptr addrspace(1) @cairn.slow.cairn_alloc_uninit_slow(ptr @cairn.layout.1, i64 %n)
define ptr addrspace(1) @some(i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_flex_uninit(ptr @text, i64 %n)
  ret ptr addrspace(1) %r
}

; CHECK-LABEL: @many(
; CHECK-NEXT: call preserve_allcc ptr addrspace(1) @cairn.slow.cairn_alloc_uninit_slow(ptr @cairn.layout.0, i64 5000)
; CHECK-NEXT: ret
define ptr addrspace(1) @many() gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @long, i64 5000)
  ret ptr addrspace(1) %r
}
;--- cleared.ll
@long = internal constant i64 0
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
define ptr addrspace(1) @few() gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array(ptr @long, i64 4)
  ret ptr addrspace(1) %r
}
;--- refused.ll
@ref = internal constant ptr addrspace(1) null
@mixed = internal constant { ptr addrspace(1), [0 x i8] } zeroinitializer
@refs = internal constant { i64, [0 x { i64, ptr addrspace(1) }] } zeroinitializer
declare ptr addrspace(1) @cairn_alloc_array_uninit(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex_uninit(ptr, i64)
; REFUSED: in function 'f': {{.*}} would keep the memory's old contents; use cairn_new_array(), cairn_new_flex() or cairn_resize_array() [uninit-references]
; REFUSED: in function 'f': {{.*}} [uninit-references]
; REFUSED: in function 'f': {{.*}} [uninit-references]
; LAYOUT: in function 'f': @cairn_alloc_array_uninit is given a layout with references{{.*}} [uninit-references]
; LAYOUT: in function 'f': @cairn_alloc_flex_uninit is given a layout with references{{.*}} [uninit-references]
; LAYOUT: in function 'f': @cairn_alloc_flex_uninit is given a layout with references{{.*}} [uninit-references]
define void @f(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @ref, i64 %n)
  %b = call ptr addrspace(1) @cairn_alloc_flex_uninit(ptr @mixed, i64 2)
  %c = call ptr addrspace(1) @cairn_alloc_flex_uninit(ptr @refs, i64 0)
  ret void
}
;--- types.ll
@long = internal constant i64 0
declare ptr addrspace(1) @cairn_alloc_flex_uninit(ptr, i64)
declare ptr @cairn_alloc_array_uninit(ptr, i64)
; TYPES: [flex-layout]
; TYPES: [reserved-name]
define void @f(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_flex_uninit(ptr @long, i64 %n)
  %b = call ptr @cairn_alloc_array_uninit(ptr @long, i64 2)
  ret void
}
