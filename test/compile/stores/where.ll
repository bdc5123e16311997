; A reference may be stored in a local or a global, which are described to the collector. Through
; any other ordinary pointer it is checked at run time: memory of the C library would lose it
; without a word.
; RUN: %cairn opt -p check-stores -S %s | FileCheck %s
@global = global ptr addrspace(1) null
@array = global [4 x ptr addrspace(1)] zeroinitializer

; CHECK-LABEL: define void @known
; CHECK-NOT: cairn_check_slot
; CHECK: ret void
define void @known(ptr sret({ptr addrspace(1), i64, i64}) %result, i1 %c, i64 %i, ptr addrspace(1) %p, ptr addrspace(1) %object) gc "statepoint-example" {
  %local = alloca [2 x ptr addrspace(1)]
  %element = getelementptr [2 x ptr addrspace(1)], ptr %local, i64 0, i64 %i
  %other = getelementptr [4 x ptr addrspace(1)], ptr @array, i64 0, i64 %i
  %either = select i1 %c, ptr %element, ptr %other
  store ptr addrspace(1) %p, ptr %either
  store ptr addrspace(1) %p, ptr @global
  store ptr addrspace(1) %p, ptr addrspace(1) %object
  store ptr addrspace(1) %p, ptr %result
  ret void
}

; CHECK-LABEL: define void @unknown
; CHECK: call void @cairn_check_slot(ptr %out)
; CHECK-NEXT: store ptr addrspace(1) %p, ptr %out, align 8
; CHECK: call void @cairn_check_slot(ptr %field)
define void @unknown(ptr %out, ptr %where, ptr addrspace(1) %p) gc "statepoint-example" {
  store atomic ptr addrspace(1) %p, ptr %out unordered, align 8
  %struct = load ptr, ptr %where
  %field = getelementptr i8, ptr %struct, i64 16
  store ptr addrspace(1) %p, ptr %field
  store i64 1, ptr %struct
  ret void
}

; CHECK-LABEL: define void @unmanaged
; CHECK-NOT: call void @cairn_check_slot
; CHECK: ret void
define void @unmanaged(ptr %out, ptr addrspace(1) %p) {
  store ptr addrspace(1) %p, ptr %out
  ret void
}
; CHECK: declare void @cairn_check_slot(ptr) [[LEAF:#[0-9]+]]
; CHECK: attributes [[LEAF]] = { {{.*}}"gc-leaf-function"
