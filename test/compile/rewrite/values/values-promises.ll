; Promises that a collection breaks, with what LLVM's optimiser makes of them: after rewriting,
; default<O2> must not forward over a safepoint what was read before it, nor drop a store that the
; collector sees. Wrong: the function returns where the object was. Promises of functions that are
; not managed, of leaves and of values stay.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes='default<O2>' -S %t.ll -o %t.o2.ll
; RUN: FileCheck %s --check-prefix=O2 < %t.o2.ll
; RUN: %cairn opt -p verify-safepoints %t.o2.ll -o /dev/null
declare void @foo()
declare void @fill(ptr)
declare ptr addrspace(1) @same(ptr addrspace(1) returned)
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare void @leaf(ptr addrspace(1)) "gc-leaf-function"
declare ptr @llvm.invariant.start.p0(i64, ptr)
declare void @llvm.invariant.end.p0(ptr, i64, ptr)
@numbers = internal global i64 0
@root = global ptr addrspace(1) null

; A local that is read twice, with a promise that it does not change.
; CHECK-LABEL: define void @unchanging(
; CHECK-NOT: invariant
; CHECK: ret void
; O2-LABEL: define void @unchanging(
; O2: load ptr addrspace(1), ptr %slot
; O2: gc.statepoint
; O2: [[NEW:%.*]] = load ptr addrspace(1), ptr %slot
; O2: call void @use(ptr addrspace(1) [[NEW]])
define void @unchanging(ptr noalias readonly %slot) gc "statepoint-example" {
  %i = call ptr @llvm.invariant.start.p0(i64 8, ptr %slot)
  %old = load ptr addrspace(1), ptr %slot, !invariant.load !{}, !invariant.group !{}
  call void @use(ptr addrspace(1) %old)
  call void @foo()
  %new = load ptr addrspace(1), ptr %slot, !invariant.load !{}, !invariant.group !{}
  call void @use(ptr addrspace(1) %new)
  ret void
}

; A start that is ended in two ways, and one of a global that holds no reference.
; CHECK-LABEL: define void @started(
; CHECK-NEXT: %j = call ptr @llvm.invariant.start.p0(i64 8, ptr @numbers)
; CHECK-NEXT: store ptr null, ptr %where
; CHECK-NEXT: gc.statepoint
define void @started(ptr %where) gc "statepoint-example" {
  %i = call ptr @llvm.invariant.start.p0(i64 8, ptr @root)
  %j = call ptr @llvm.invariant.start.p0(i64 8, ptr @numbers)
  store ptr %i, ptr %where
  call void @llvm.invariant.end.p0(ptr %i, i64 8, ptr @root)
  call void @foo()
  ret void
}

; "initializes" at the call would let the zeroing of a described local be dropped.
; CHECK-LABEL: define ptr addrspace(1) @filled(
; CHECK: gc.statepoint{{.*}}@fill, i32 1, i32 0, ptr sret(ptr addrspace(1)) %a,
; O2-LABEL: define {{.*}}ptr addrspace(1) @filled(
; O2: store {{.*}}, ptr %a
; O2: gc.statepoint{{.*}}@fill
define ptr addrspace(1) @filled() gc "statepoint-example" {
  %a = alloca ptr addrspace(1)
  call void @fill(ptr noalias writeonly initializes((0, 8)) dead_on_unwind sret(ptr addrspace(1)) %a)
  %l = load ptr addrspace(1), ptr %a
  ret ptr addrspace(1) %l
}

; CHECK-LABEL: define ptr addrspace(1) @returning(ptr addrspace(1) %p)
; CHECK-SAME: gc "statepoint-example" {
define ptr addrspace(1) @returning(ptr addrspace(1) returned dead_on_return %p) optnone noinline speculatable memory(none) gc "statepoint-example" {
  call void @foo()
  ret ptr addrspace(1) %p
}

; A leaf keeps what is promised of it; other accesses keep what speaks of values.
; CHECK-LABEL: define i64 @kept(
; CHECK: call void @leaf(ptr addrspace(1) readonly dereferenceable(8) %p) [[LEAF:#[0-9]+]]
; CHECK: load i64, ptr %q, align 8, !range {{.*}}, !invariant.load
; CHECK: load ptr addrspace(1), ptr addrspace(1) %p, align 8, !nonnull {{![0-9]+}}, !align {{![0-9]+}}{{$}}
; CHECK: cmpxchg ptr addrspace(1) %p, i64 0, i64 1 seq_cst seq_cst, align 8{{$}}
define i64 @kept(ptr addrspace(1) %p, ptr %q) gc "statepoint-example" {
  call void @leaf(ptr addrspace(1) readonly dereferenceable(8) %p) memory(read)
  %x = load i64, ptr %q, align 8, !invariant.load !{}, !range !{i64 0, i64 9}
  %r = load ptr addrspace(1), ptr addrspace(1) %p, align 8, !nonnull !{}, !align !{i64 8}, !dereferenceable !{i64 8}, !noalias !2
  %c = cmpxchg ptr addrspace(1) %p, i64 0, i64 1 seq_cst seq_cst, align 8, !noalias !2
  call void @use(ptr addrspace(1) %r)
  call void @foo()
  ret i64 %x
}
; CHECK: attributes [[LEAF]] = { memory(read) }
!0 = distinct !{!0}
!1 = distinct !{!1, !0}
!2 = !{!1}
