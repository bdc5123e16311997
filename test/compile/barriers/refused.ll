; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: not %cairn opt -p insert-barriers --barriers=cards -S scatter.ll 2>&1 | FileCheck scatter.ll
; RUN: not %cairn opt -p verify-barriers --barriers=cards -S scatter.ll 2>&1 | FileCheck --check-prefix=VERIFY scatter.ll
; RUN: not %cairn opt -p insert-barriers --barriers=cards -S strided.ll 2>&1 | FileCheck strided.ll
; RUN: not %cairn opt -p verify-barriers --barriers=cards -S strided.ll 2>&1 | FileCheck --check-prefix=VERIFY strided.ll
; RUN: not %cairn opt -p insert-barriers --barriers=loads -S gather.ll 2>&1 | FileCheck gather.ll
; RUN: not %cairn opt -p insert-barriers --barriers=cards -S assembly.ll 2>&1 | FileCheck assembly.ll
; RUN: not %cairn opt -p insert-barriers --barriers=custom -S assembly.ll 2>&1 | FileCheck --check-prefix=CUSTOM assembly.ll
; RUN: for k in sometimes fields objects; do not %cairn opt -p insert-barriers --barriers=$k -S assembly.ll 2>&1 | FileCheck --check-prefix=KIND assembly.ll || exit 1; done
; RUN: not %cairn opt -p lower-barriers --barriers=none -S left.ll 2>&1 | FileCheck left.ll
;
; What no barrier covers. Wrong: it goes by in silence.

;--- scatter.ll
declare void @llvm.vp.scatter.v2p1.v2p1(<2 x ptr addrspace(1)>, <2 x ptr addrspace(1)>, <2 x i1>, i32)
; CHECK: scatter.ll: error: in function 'f': no barrier of kind cards covers references in lanes whose number varies [missing-barrier]
; VERIFY: scatter.ll: error: in function 'f': no barrier of kind cards covers references in lanes whose number varies [missing-barrier]
define void @f(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %to, <2 x i1> %m, i32 %n) gc "statepoint-example" {
  call void @llvm.vp.scatter.v2p1.v2p1(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %to, <2 x i1> %m, i32 %n)
  ret void
}
;--- strided.ll
declare void @llvm.experimental.vp.strided.store.v2p1.p1.i64(<2 x ptr addrspace(1)>, ptr addrspace(1), i64, <2 x i1>, i32)
; CHECK: strided.ll: error: in function 'f': no barrier of kind cards covers references in lanes whose number varies [missing-barrier]
; VERIFY: strided.ll: error: in function 'f': no barrier of kind cards covers references in lanes whose number varies [missing-barrier]
define void @f(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %to, i64 %stride, <2 x i1> %m, i32 %n) gc "statepoint-example" {
  call void @llvm.experimental.vp.strided.store.v2p1.p1.i64(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %to, i64 %stride, <2 x i1> %m, i32 %n)
  ret void
}
;--- gather.ll
declare <2 x ptr addrspace(1)> @llvm.vp.gather.v2p1.v2p1(<2 x ptr addrspace(1)>, <2 x i1>, i32)
; CHECK: error: in function 'f': no barrier of kind loads covers references in lanes whose number varies [missing-barrier]
define <2 x ptr addrspace(1)> @f(<2 x ptr addrspace(1)> %from, <2 x i1> %m, i32 %n) gc "statepoint-example" {
  %v = call <2 x ptr addrspace(1)> @llvm.vp.gather.v2p1.v2p1(<2 x ptr addrspace(1)> %from, <2 x i1> %m, i32 %n)
  ret <2 x ptr addrspace(1)> %v
}
;--- assembly.ll
; CHECK: error: in function 'f': no barrier of kind cards covers assembly that is given a reference and may store it [missing-barrier]
; CUSTOM: error: the module defines neither @cairn.barrier.store nor @cairn.barrier.load [barrier-template]
; KIND: barriers: '{{sometimes|fields|objects}}' is not cards, none, snapshot, loads or custom
define void @f(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  call void asm sideeffect "mov $1, ($0)", "r,r,~{memory}"(ptr addrspace(1) %p, ptr addrspace(1) %v)
  ret void
}
;--- left.ll
declare void @cairn.barrier.store(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1)) "gc-leaf-function"
; CHECK: error: in function 'f': @cairn.barrier.store is called, but neither a kind of barriers nor the module defines it [barrier-template]
define void @f(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}
