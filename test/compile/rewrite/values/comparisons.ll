; A comparison reads both references as they are there: an old one compared with a new one is unequal to the same object.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare ptr addrspace(1) @bar()

; CHECK-LABEL: define i1 @null
; CHECK: "gc-live"(ptr addrspace(1) %t) ]
; CHECK: icmp eq ptr addrspace(1) %t.relocated, null
define i1 @null(ptr addrspace(1) %t) gc "statepoint-example" {
  call void @foo()
  %c = icmp eq ptr addrspace(1) %t, null
  ret i1 %c
}

; CHECK-LABEL: define i1 @later
; CHECK: icmp eq ptr addrspace(1) %t.relocated{{.*}}, %s.relocated
define i1 @later(ptr addrspace(1) %t) gc "statepoint-example" {
  %s = call ptr addrspace(1) @bar()
  call void @foo()
  %c = icmp eq ptr addrspace(1) %t, %s
  ret i1 %c
}
