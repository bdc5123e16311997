; RUN: split-file %s %t
; RUN: %cairn opt -p transitions -S %t/calls.ll | FileCheck %t/calls.ll
; RUN: not %cairn opt -p transitions -S %t/refused.ll 2>&1 | FileCheck %t/refused.ll
; A call that passes a reference reaches managed code, or the linker or the program ends with the callee's name.

;--- calls.ll
; CHECK: module asm "  jmpq *\22cairn.managed_code.takes\22@GOTPCREL(%rip)"
; CHECK: module asm "  jmpq *cairn_call_body@GOTPCREL(%rip)"
%pair = type { ptr addrspace(1), i64 }
declare void @takes(ptr addrspace(1))
declare void @takes_pair(ptr byval(%pair))
declare void @takes_struct(%pair)
declare void @variadic(ptr addrspace(1), ...)
declare extern_weak void @maybe(ptr addrspace(1))
declare tailcc void @tail(ptr addrspace(1))
declare void @leaf(ptr addrspace(1)) "gc-leaf-function"
declare void @listed(ptr addrspace(1)) "cairn-live-operands"
declare void @plain(i64)
declare ptr addrspace(1) @returns(i64)
declare %pair @returns_struct()
define void @here(ptr addrspace(1) %r) {
  ret void
}

; CHECK-LABEL: define void @names
define void @names(ptr addrspace(1) %r, ptr addrspace(1) "cairn-immovable" %fixed, ptr %pair, %pair %struct) gc "statepoint-example" {
; CHECK: call void @cairn.body.takes(ptr addrspace(1) %r)
  call void @takes(ptr addrspace(1) %r)
; CHECK: call void @cairn.body.takes_pair(ptr byval(%pair) %pair)
  call void @takes_pair(ptr byval(%pair) %pair)
; CHECK: call void @cairn.body.takes_struct(%pair %struct)
  call void @takes_struct(%pair %struct)
; CHECK: call void @cairn.vbody.variadic(ptr addrspace(1) %r, i32 1)
  call void (ptr addrspace(1), ...) @variadic(ptr addrspace(1) %r, i32 1)
; CHECK: call void @cairn.body.maybe(ptr addrspace(1) %r)
  call void @maybe(ptr addrspace(1) %r)
; CHECK: call tailcc void @cairn.body.tail(ptr addrspace(1) %r)
  call tailcc void @tail(ptr addrspace(1) %r)
; A result that is a reference would be stale after a collection for which the thread waits on its way back.
; CHECK: call ptr addrspace(1) @cairn.body.returns(i64 1)
  %n = call ptr addrspace(1) @returns(i64 1)
; CHECK: call %pair @cairn.body.returns_struct()
  %s = call %pair @returns_struct()
; What does no harm: a leaf, a callee that is looked at here, one whose arguments are listed, an object that never moves,
; and no reference.
; CHECK: call void @leaf(ptr addrspace(1) %r)
  call void @leaf(ptr addrspace(1) %r)
; CHECK: call void @cairn.call.here(ptr addrspace(1) %r)
  call void @here(ptr addrspace(1) %r)
; CHECK: call void @cairn.call.listed(ptr addrspace(1) %r)
  call void @listed(ptr addrspace(1) %r)
; CHECK: call void @cairn.call.elsewhere(ptr addrspace(1) %r)
  call void @elsewhere(ptr addrspace(1) %r) "cairn-live-operands"
; CHECK: call void @cairn.call.plain(i64 1)
  call void @plain(i64 1)
  ret void
}

; CHECK-LABEL: define void @fixed
; CHECK: call void @cairn.call.elsewhere(ptr addrspace(1) %fixed)
declare void @elsewhere(ptr addrspace(1))
define void @fixed(ptr addrspace(1) "cairn-immovable" %fixed) gc "statepoint-example" {
  call void @elsewhere(ptr addrspace(1) %fixed)
  ret void
}

; CHECK-LABEL: define void @pointers
define void @pointers(ptr %f, ptr addrspace(1) %r, ptr %chain) gc "statepoint-example" {
; CHECK: select i1 %{{.*}}, ptr %{{.*}}, ptr @cairn_call_managed
  call void %f(ptr addrspace(1) %r)
; CHECK: select i1 %{{.*}}, ptr %{{.*}}, ptr @cairn_call_native
  call void %f(i64 1)
; CHECK: call void @cairn_call_managed(ptr addrspace(1) %r, i32 1, ptr nest %f)
  call void (ptr addrspace(1), ...) %f(ptr addrspace(1) %r, i32 1)
; CHECK: [[CHOSEN:%.*]] = select i1 %{{.*}}, ptr %{{.*}}, ptr @cairn_refuse_native
; CHECK: [[TARGET:%.*]] = freeze ptr [[CHOSEN]]
; CHECK: call void @cairn_call_passing(ptr %chain, ptr addrspace(1) %r, ptr [[TARGET]], ptr nest @cairn.native.{{[0-9a-f]+}})
  call void %f(ptr nest %chain, ptr addrspace(1) %r)
; CHECK: call void %f(ptr addrspace(1) %r) #
  call void %f(ptr addrspace(1) %r) "cairn-managed-callee"
  ret void
}

;--- refused.ll
; CHECK: in function 'f': @native takes or returns a reference, and is native code{{.*}}cairn_leaf{{.*}}[reference-to-native]
; CHECK: in function 'f': @preserving takes or returns a reference{{.*}}[reference-to-native]
; CHECK: in function 'f': @returns takes or returns a reference{{.*}}[reference-to-native]
declare void @native(ptr addrspace(1)) "cairn-native"
declare preserve_mostcc void @preserving(ptr addrspace(1))
declare ptr addrspace(1) @returns() "cairn-native"
define void @f(ptr addrspace(1) %r) gc "statepoint-example" {
  call void @native(ptr addrspace(1) %r)
  call preserve_mostcc void @preserving(ptr addrspace(1) %r)
  %n = call ptr addrspace(1) @returns()
  ret void
}
