; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: for kind in cards snapshot loads; do \
; RUN:   %cairn opt -p insert-barriers,rewrite-statepoints,verify-safepoints,verify-barriers,lower-barriers --barriers=$kind -S in.ll -o $kind.ll && \
; RUN:   llc -O2 -verify-machineinstrs $kind.ll -o $kind.s && FileCheck --check-prefix=$kind in.ll < $kind.s || exit 1; \
; RUN: done
; RUN: %cairn opt -p insert-barriers,verify-barriers,rewrite-statepoints,verify-safepoints,lower-barriers --barriers=custom -S custom.ll | FileCheck custom.ll
; RUN: not %cairn opt -p insert-barriers --barriers=custom -S half.ll 2>&1 | FileCheck half.ll
;
; The code of each kind, and a module's own. Wrong: a fence, a spill, a slow path that is a safepoint, a call where the
; code should be in line.

;--- in.ll
target triple = "x86_64-unknown-linux-gnu"
; "The most common use of a store barrier is to update a 'card table' in a generational garbage collector."
; (statepoints-original)
; cards-LABEL: store:
; cards: shrq $9, %[[I:[a-z0-9]+]]
; cards: andq %fs:cairn_mutator@TPOFF+360, %[[I]]
; cards: movb $1, (%{{.*}},%[[I]])
; cards-NOT: call
; cards: retq
; snapshot-LABEL: store:
; snapshot: cmpq $0, %fs:cairn_mutator@TPOFF+368
; snapshot: callq {{.*}}cairn_barrier_snapshot
; loads-LABEL: store:
; loads-NOT: call
; loads: retq
define void @store(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}

; loads-LABEL: load:
; loads: {{testq|andq}} {{.*}}%fs:cairn_mutator@TPOFF+368
; loads: callq {{.*}}cairn_barrier_load
define ptr addrspace(1) @load(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load ptr addrspace(1), ptr addrspace(1) %p
  ret ptr addrspace(1) %v
}

; cards-LABEL: short:
; cards-NOT: cairn_barrier_range
; cards: cmpb $0
; cards-NOT: cairn_barrier_range
; cards: cmpb $0
; cards-NOT: cairn_barrier_range
; cards: retq
; cards: movb $1
; cards: movb $1
; cards-LABEL: some:
; cards-NOT: cairn_barrier_range
; cards: movb $1
; cards-NEXT: addq $512
; cards-NEXT: cmpq
; cards-NEXT: jb
; cards: movb $1
; cards-NOT: cairn_barrier_range
; cards: retq
; cards-LABEL: long:
; cards: cairn_barrier_range
; snapshot-LABEL: short:
; snapshot: cairn_barrier_range
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
define void @short(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 32, i1 false)
  ret void
}
define void @some(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 1024, i1 false)
  ret void
}
define void @long(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 16384, i1 false)
  ret void
}

;--- custom.ll
@log = external global ptr
define void @cairn.barrier.store(ptr addrspace(1) %object, ptr addrspace(1) %slot, ptr addrspace(1) %value) "gc-leaf-function" {
  %at = load ptr, ptr @log
  store i64 1, ptr %at
  ret void
}
define ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1) %slot, ptr addrspace(1) %value) "gc-leaf-function" {
  %at = load ptr, ptr @log
  store i64 2, ptr %at
  ret ptr addrspace(1) %value
}
; CHECK-LABEL: define ptr addrspace(1) @both(
; CHECK-NEXT: load ptr addrspace(1), ptr addrspace(1) %p
; CHECK: store i64 2
; CHECK: store i64 1
; CHECK-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %p
; CHECK-NEXT: ret ptr addrspace(1) %o
define ptr addrspace(1) @both(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  %o = load ptr addrspace(1), ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret ptr addrspace(1) %o
}

;--- half.ll
define void @cairn.barrier.store(ptr addrspace(1) %object, ptr addrspace(1) %slot, ptr addrspace(1) %value) "gc-leaf-function" {
  ret void
}
; CHECK: error: in function 'several': the module has no @cairn.barrier.range for it [missing-barrier]
define void @several(ptr addrspace(1) %p, <2 x ptr addrspace(1)> %v) gc "statepoint-example" {
  store <2 x ptr addrspace(1)> %v, ptr addrspace(1) %p
  ret void
}
