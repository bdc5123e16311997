; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=cards -S %s | FileCheck --check-prefixes=CHECK,CARDS %s
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=snapshot -S %s | FileCheck --check-prefixes=CHECK,OLD %s
; RUN: sed 's/^;DEFINE //' %s > %t.ll && %cairn opt -p insert-barriers,verify-barriers --barriers=custom -S %t.ll | FileCheck --check-prefixes=CHECK,OLD,CUSTOM %s
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=loads -S %s | FileCheck --check-prefix=LOADS %s
; RUN: %cairn opt -p insert-barriers --barriers=none -S %s | FileCheck --check-prefix=NONE %s
;
; "A load barrier is a bit of code executed immediately after the machine load instruction, but before any use of the
; value loaded." "A store barrier is a code fragment that runs immediately before the machine store instruction, but
; after the computation of the value stored." (statepoints-original) Wrong: an access has none, or has it on the other
; side, or with another place.

%node = type { ptr addrspace(1), ptr addrspace(1), i64 }
declare void @f()
;DEFINE define void @cairn.barrier.store(ptr addrspace(1) %o, ptr addrspace(1) %s, ptr addrspace(1) %v) "gc-leaf-function" { ret void }
;DEFINE define void @cairn.barrier.range(ptr addrspace(1) %t, i64 %n) "gc-leaf-function" { ret void }
declare ptr addrspace(1) @make()
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p1.p1.i32(ptr addrspace(1), ptr addrspace(1), i32, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)>, ptr addrspace(1), <2 x i1>)

; NONE-NOT: cairn.barrier

; CHECK-LABEL: define void @one(
; CHECK: %slot = getelementptr
; CHECK-NEXT: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %slot, ptr addrspace(1) %v)
; CHECK-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %slot
; CHECK-NEXT: ret void
; LOADS-LABEL: define void @one(
; LOADS-NOT: barrier
; LOADS: ret void
define void @one(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  %slot = getelementptr inbounds %node, ptr addrspace(1) %p, i64 0, i32 1
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  ret void
}

; "after the computation of the value stored"
; CHECK-LABEL: define void @computed(
; CHECK: %v = call ptr addrspace(1) @make()
; CHECK-NEXT: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
; CHECK-NEXT: store
define void @computed(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = call ptr addrspace(1) @make()
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}

; What is no reference, and what is not in managed memory, has none.
; CHECK-LABEL: define void @other(
; CHECK-NOT: barrier
; CHECK: ret void
; LOADS-LABEL: define void @other(
; LOADS-NOT: barrier
; LOADS: ret void
define void @other(ptr addrspace(1) %p, ptr %q, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
  store i64 %n, ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr %q
  %a = load i64, ptr addrspace(1) %p
  %b = load ptr addrspace(1), ptr %q
  ret void
}

; Native functions have none.
; CHECK-LABEL: define void @native(
; CHECK-NOT: barrier
; CHECK: ret void
define void @native(ptr addrspace(1) %p, ptr addrspace(1) %v) {
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}

; The object is named to a module's own barriers where its start is known: by a load, an attribute, a merge of such.
; CHECK-LABEL: define void @object(
; CUSTOM: call void @cairn.barrier.store(ptr addrspace(1) %o, ptr addrspace(1) %slot, ptr addrspace(1) %v)
; CARDS: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %slot, ptr addrspace(1) %v)
; CHECK: store ptr addrspace(1) %v, ptr addrspace(1) %slot
; CUSTOM: call void @cairn.barrier.store(ptr addrspace(1) %s, ptr addrspace(1) %s, ptr addrspace(1) %v)
; CUSTOM: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %t, ptr addrspace(1) %v)
; CHECK: ret void
define void @object(ptr addrspace(1) "cairn-object" %p, ptr addrspace(1) %u, ptr addrspace(1) %v, i1 %c) gc "statepoint-example" {
  %o = load ptr addrspace(1), ptr addrspace(1) %p
  %slot = getelementptr inbounds %node, ptr addrspace(1) %o, i64 0, i32 1
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  %s = select i1 %c, ptr addrspace(1) %o, ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr addrspace(1) %s
  %t = select i1 %c, ptr addrspace(1) %o, ptr addrspace(1) %u
  store ptr addrspace(1) %v, ptr addrspace(1) %t
  ret void
}

; CHECK-LABEL: define void @copies(
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 24)
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %n)
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NEXT: %[[W:[0-9]+]] = zext i32 %m to i64
; CHECK-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %[[W]])
; CHECK-NEXT: call void @llvm.memcpy
; CARDS-NEXT: call void @llvm.memset
; OLD-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 32)
; OLD-NEXT: call void @llvm.memset
; LOADS-LABEL: define void @copies(
; LOADS: call void @cairn.barrier.range(ptr addrspace(1) %q, i64 24)
; LOADS-NEXT: call void @llvm.memcpy
; LOADS-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %q, i64 %n)
; LOADS-NEXT: call void @llvm.memcpy
define void @copies(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i32 %m) gc "statepoint-example" {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 24, i1 false)
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i1 false)
  call void @llvm.memcpy.p1.p1.i32(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %m, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 32, i1 false)
  ret void
}

; CHECK-LABEL: define void @vectors(
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 16)
; CHECK-NEXT: store <2 x ptr addrspace(1)>
; CARDS-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %q, i64 24)
; CHECK: call void @llvm.masked.store
; OLD-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %q, i64 24)
; CHECK-NEXT: store %node
; LOADS-LABEL: define void @vectors(
; LOADS: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 16)
; LOADS-NEXT: load <2 x ptr addrspace(1)>
define void @vectors(ptr addrspace(1) %p, ptr addrspace(1) %q, <2 x ptr addrspace(1)> %v, <2 x i1> %mask, %node %n) gc "statepoint-example" {
  store <2 x ptr addrspace(1)> %v, ptr addrspace(1) %p
  call void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %q, <2 x i1> %mask)
  store %node %n, ptr addrspace(1) %q
  %w = load <2 x ptr addrspace(1)>, ptr addrspace(1) %p
  store <2 x ptr addrspace(1)> %w, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define ptr addrspace(1) @atomics(
; CHECK: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
; CHECK-NEXT: cmpxchg
; CHECK: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %q, ptr addrspace(1) %v)
; CHECK-NEXT: atomicrmw xchg
; CHECK: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %r, ptr addrspace(1) %v)
; CHECK-NEXT: store atomic
; LOADS-LABEL: define ptr addrspace(1) @atomics(
; LOADS: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 8)
; LOADS-NEXT: cmpxchg
; LOADS: call void @cairn.barrier.range(ptr addrspace(1) %q, i64 8)
; LOADS-NEXT: atomicrmw xchg
; LOADS: %a = load atomic
; LOADS-NEXT: %a.healed = call ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1) %r, ptr addrspace(1) %a)
; LOADS-NEXT: ret ptr addrspace(1) %a.healed
define ptr addrspace(1) @atomics(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r, ptr addrspace(1) %v) gc "statepoint-example" {
  %x = cmpxchg ptr addrspace(1) %p, ptr addrspace(1) %v, ptr addrspace(1) %v seq_cst seq_cst
  %y = atomicrmw xchg ptr addrspace(1) %q, ptr addrspace(1) %v seq_cst
  store atomic ptr addrspace(1) %v, ptr addrspace(1) %r release, align 8
  %a = load atomic ptr addrspace(1), ptr addrspace(1) %r acquire, align 8
  ret ptr addrspace(1) %a
}
