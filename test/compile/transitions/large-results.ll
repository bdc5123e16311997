; Functions of the compiler's own that fetch results which have no room in registers. If references go through one, as an
; argument or in the result, the thread stays managed: no other thread collects meanwhile. What is called must be
; managed, too.
; RUN: %cairn opt -p transitions -S %s | FileCheck %s
%refs = type { i64, ptr addrspace(1), ptr addrspace(1), i64 }
%words = type { i64, i64, i64, i64 }

declare %words @words(i64)

; CHECK-LABEL: define void @f
define void @f(ptr %callee, ptr addrspace(1) %r) gc "statepoint-example" {
; CHECK: %[[C:managed[0-9]*]] = icmp eq i64 %{{.*}}, 5643653827705430469
; CHECK: %[[S:[0-9]+]] = select i1 %[[C]], ptr %{{.*}}, ptr @cairn_refuse_native
; CHECK-NEXT: %[[CALLEE:callee[0-9]*]] = freeze ptr %[[S]]
; CHECK-NEXT: call void @cairn_call_passing(ptr {{%[0-9]+}}, ptr %[[CALLEE]], i64 1, ptr nest [[RESULT:@cairn.result[.0-9]*]])
  %a = call %refs %callee(i64 1)
; CHECK: call void @cairn_call_passing(ptr {{%[0-9]+}}, ptr %callee{{[0-9]*}}, ptr addrspace(1) %r, ptr nest [[ARGUMENT:@cairn.result[.0-9]*]])
  %b = call %words %callee(ptr addrspace(1) %r)
; None: the thread is native meanwhile, and delays nobody.
; CHECK: call void @cairn_call_native(ptr {{%[0-9]+}}, ptr @words, i64 2, ptr nest {{@cairn.result[.0-9]*}})
  %c = call %words @words(i64 2)
  ret void
}

; Code of a convention that only native code has is called through a bridge, and so is managed code of that convention.
; CHECK-LABEL: define void @g
define void @g(ptr %callee, ptr addrspace(1) %r) gc "statepoint-example" {
; CHECK: call void @cairn_call_passing(ptr addrspace(1) %r, ptr {{%.*}}, ptr nest @cairn.native.{{[0-9a-f]+}})
  call preserve_mostcc void %callee(ptr addrspace(1) %r)
  ret void
}
