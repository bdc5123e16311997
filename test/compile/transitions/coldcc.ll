; A coldcc function saves nearly every register in its own frame, where no frame map looks: as a managed
; function it is refused; as a callee it is native code's, and called by a native function of the C
; convention. Wrong: references that stay in such registers over the call, and are brought back stale.
; RUN: split-file %s %t
; RUN: not %cairn opt -p rewrite-statepoints -S %t/defined.ll -o /dev/null 2>&1 | FileCheck --check-prefix=DEFINED %s
; RUN: %cairn opt -p transitions -S %t/called.ll | FileCheck --check-prefix=CALLED %s
; DEFINED: in function 'f': {{.*}}coldcc{{.*}}[calling-convention]
; CALLED: call void @cairn_call_native(ptr @g, ptr nest @cairn.native.{{.*}})

;--- defined.ll
declare void @g()
define internal coldcc void @f(ptr addrspace(1) %p) noinline gc "statepoint-example" {
  call void @g()
  store i64 1, ptr addrspace(1) %p
  ret void
}
define void @h(ptr addrspace(1) %p) gc "statepoint-example" {
  call coldcc void @f(ptr addrspace(1) %p)
  ret void
}

;--- called.ll
declare coldcc void @g()
define void @h(ptr addrspace(1) %p) gc "statepoint-example" {
  call coldcc void @g()
  store i64 1, ptr addrspace(1) %p
  ret void
}
