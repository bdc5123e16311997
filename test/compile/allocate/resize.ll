; An array that is resized: the array is live over the parse point, and a leaf copies after it. What could go wrong: the
; optimiser takes the result for fresh memory; an array of references is not cleared; a type that is none.
; RUN: split-file %s %t
; RUN: %cairn opt -p prepare -S %t/fine.ll | FileCheck %s --check-prefix=KNOWN
; RUN: %cairn opt -p layouts,allocate,rewrite-statepoints -S %t/fine.ll | FileCheck %s
; RUN: not %cairn opt -p prepare -S %t/refused.ll 2>&1 | FileCheck %s --check-prefix=REFUSED
; RUN: not %cairn opt -p layouts,allocate -S %t/refused.ll 2>&1 | FileCheck %s --check-prefix=REFUSED
; RUN: not %cairn opt -p layouts -S %t/types.ll 2>&1 | FileCheck %s --check-prefix=TYPES

;--- fine.ll
@ref = internal constant ptr addrspace(1) null
@byte = internal constant i8 0
declare ptr addrspace(1) @cairn_resize_array(ptr, ptr addrspace(1), i64)
declare ptr addrspace(1) @cairn_resize_array_uninit(ptr, ptr addrspace(1), i64)

; KNOWN: declare nonnull align 8 ptr addrspace(1) @cairn_resize_array(ptr, ptr addrspace(1), i64) #[[A:[0-9]+]]
; KNOWN: attributes #[[A]] = { nounwind willreturn }

; CHECK-LABEL: @references(
; CHECK: @llvm.experimental.gc.statepoint.p0({{.*}} @cairn_resize_slow, i32 4, i32 0, ptr @cairn.layout.0, ptr addrspace(1) %a, i64 %n, i64 0, {{.*}} "gc-live"(ptr addrspace(1) %a)
; CHECK: [[FRESH:%.*]] = call {{.*}} @llvm.experimental.gc.result
; CHECK: [[ARRAY:%.*]] = call {{.*}} @llvm.experimental.gc.relocate
; CHECK: [[R:%.*]] = call ptr addrspace(1) @cairn_resize_finish(ptr addrspace(1) [[FRESH]], ptr addrspace(1) [[ARRAY]], i64 0)
; CHECK: ret ptr addrspace(1) [[R]]
define ptr addrspace(1) @references(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_resize_array(ptr @ref, ptr addrspace(1) %a, i64 %n)
  ret ptr addrspace(1) %r
}

; CHECK-LABEL: @bytes(
; CHECK: @cairn_resize_slow, i32 4, i32 0, ptr @cairn.layout.1, ptr addrspace(1) %a, i64 %n, i64 1
; CHECK: @cairn_resize_finish({{.*}}, i64 1)
define ptr addrspace(1) @bytes(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_resize_array_uninit(ptr @byte, ptr addrspace(1) %a, i64 %n)
  ret ptr addrspace(1) %r
}
;--- refused.ll
@ref = internal constant { i64, ptr addrspace(1) } zeroinitializer
declare ptr addrspace(1) @cairn_resize_array_uninit(ptr, ptr addrspace(1), i64)
; REFUSED: in function 'f': {{.*}} [uninit-references]
define ptr addrspace(1) @f(ptr addrspace(1) %a) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_resize_array_uninit(ptr @ref, ptr addrspace(1) %a, i64 4)
  ret ptr addrspace(1) %r
}
;--- types.ll
@byte = internal constant i8 0
declare ptr addrspace(1) @cairn_resize_array(ptr, ptr, i64)
declare ptr addrspace(1) @cairn_resize_array_uninit(ptr, i64)
; TYPES: [reserved-name]
; TYPES: [reserved-name]
define void @f(ptr %p) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_resize_array(ptr @byte, ptr %p, i64 2)
  %b = call ptr addrspace(1) @cairn_resize_array_uninit(ptr @byte, i64 2)
  ret void
}
