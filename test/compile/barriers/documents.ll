; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=loads --report -S %s 2> %t.why | FileCheck --check-prefix=LOADS %s
; RUN: FileCheck --check-prefix=WHY %s < %t.why
; RUN: for k in cards snapshot; do %cairn opt -p insert-barriers,verify-barriers --barriers=$k -S %s | FileCheck --check-prefix=STORES %s || exit 1; done
; RUN: %cairn opt -p insert-barriers --barriers=none -S %s | FileCheck --check-prefix=NEITHER %s
; RUN: for k in cards loads; do \
; RUN:   %cairn opt -p insert-barriers,rewrite-statepoints,verify-safepoints,verify-barriers,lower-barriers --barriers=$k %s -o %t.$k.ll && \
; RUN:   llc -O2 -verify-machineinstrs %t.$k.ll -o - | FileCheck --check-prefix=CODE-$k %s || exit 1; \
; RUN: done
; RUN: for k in cards snapshot loads; do \
; RUN:   %cairn opt -p insert-barriers,rewrite-statepoints,verify-safepoints,lower-barriers --barriers=$k -S %s | FileCheck --check-prefix=LEAF %s || exit 1; \
; RUN: done
;
; The papers' sentences on barriers (docs/barriers.md, "What the documents say"), in IR and in machine code. Wrong: a
; barrier stands elsewhere than they say.
target triple = "x86_64-unknown-linux-gnu"

; NEITHER-NOT: @cairn.barrier
; "The GC could optimize its barriers and provide its own code info manager to handle enumerating roots in those
; barriers." (pillar-stack-iterator-2011) Ours hold no roots: no barrier is a safepoint.
; LEAF-NOT: gc.statepoint

; "A load barrier is a bit of code executed immediately after the machine load instruction, but before any use of the
; value loaded." (statepoints-original, "Overview")
; LOADS-LABEL: define i64 @use(
; LOADS: %v = load ptr addrspace(1), ptr addrspace(1) %p
; LOADS-NEXT: %[[V:.*]] = call ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1) %p, ptr addrspace(1) %v)
; LOADS-NEXT: br i1 %c
; LOADS: load i64, ptr addrspace(1) %[[V]]
; LOADS: getelementptr i8, ptr addrspace(1) %[[V]], i64 8
; LOADS-NOT: ptr addrspace(1) %v{{[,) ]}}
; LOADS: ret i64
; CODE-loads-LABEL: use:
; CODE-loads: movq (%rdi), %[[R:[a-z0-9]+]]
; CODE-loads-NEXT: testq %[[R]], %fs:cairn_mutator@TPOFF+368
; CODE-loads-NEXT: jne
; CODE-loads: ({{.*}}%[[R]]
; CODE-cards-LABEL: use:
; CODE-cards-NOT: %fs
; CODE-cards: retq
define i64 @use(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  %v = load ptr addrspace(1), ptr addrspace(1) %p
  br i1 %c, label %yes, label %no
yes:
  %a = load i64, ptr addrspace(1) %v
  br label %no
no:
  %n = phi i64 [ %a, %yes ], [ 0, %0 ]
  %slot = getelementptr i8, ptr addrspace(1) %v, i64 8
  %b = load i64, ptr addrspace(1) %slot
  %sum = add i64 %n, %b
  ret i64 %sum
}

; "Depending on the collector, such a barrier may be needed for all loads, merely loads of a particular type (in the
; original source language), or none at all." All: of references, and of no others. Of a type: what a front end says never
; moves has none. None at all: the other kinds.
; LOADS-LABEL: define ptr addrspace(1) @types(
; LOADS: %ref = load ptr addrspace(1), ptr addrspace(1) %p
; LOADS-NEXT: call ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1) %p, ptr addrspace(1) %ref)
; LOADS-NOT: barrier
; LOADS: ret ptr addrspace(1)
; WHY: remark: in function 'types': no barrier: the loaded value never moves [barrier-elided]
; STORES-LABEL: define ptr addrspace(1) @types(
; STORES-NOT: barrier
; STORES: ret ptr addrspace(1)
define ptr addrspace(1) @types(ptr addrspace(1) %p, ptr %out) gc "statepoint-example" {
  %ref = load ptr addrspace(1), ptr addrspace(1) %p
  store ptr addrspace(1) %ref, ptr %out
  %number = load i64, ptr addrspace(1) %p
  store i64 %number, ptr %out
  %native = load ptr, ptr addrspace(1) %p
  store ptr %native, ptr %out
  %class = load ptr addrspace(1), ptr addrspace(1) %p, !cairn.immovable !0
  ret ptr addrspace(1) %class
}

; "Analogously, a store barrier is a code fragment that runs immediately before the machine store instruction, but after
; the computation of the value stored." "The most common use of a store barrier is to update a 'card table' in a
; generational garbage collector."
; STORES-LABEL: define void @computed(
; STORES: %v = getelementptr
; STORES-NEXT: call void @cairn.barrier.store(ptr addrspace(1) {{null|%p}}, ptr addrspace(1) %slot, ptr addrspace(1) %v)
; STORES-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %slot
; LOADS-LABEL: define void @computed(
; LOADS-NOT: barrier
; LOADS: ret void
; CODE-cards-LABEL: computed:
; CODE-cards: addq $16, %[[V:[a-z0-9]+]]
; CODE-cards: movb $1, (%{{[a-z0-9]+}},%{{[a-z0-9]+}})
; CODE-cards-NEXT: movq %[[V]], 8(%rdi)
; CODE-loads-LABEL: computed:
; CODE-loads-NOT: %fs
; CODE-loads: retq
define void @computed(ptr addrspace(1) %p, ptr addrspace(1) %u) gc "statepoint-example" {
  %slot = getelementptr i8, ptr addrspace(1) %p, i64 8
  %v = getelementptr i8, ptr addrspace(1) %u, i64 16
  store ptr addrspace(1) %v, ptr addrspace(1) %slot
  ret void
}

; "Intercepting (some) loads and stores" (late-insertion-slides-2014, "Compiler Cooperation Needed!"): those of
; references in managed memory, not those of other values, nor of roots.
; STORES-LABEL: define void @some(
; STORES-NOT: barrier
; STORES: call void @cairn.barrier.store(ptr addrspace(1) {{null|%p}}, ptr addrspace(1) %p, ptr addrspace(1) %v)
; STORES-NEXT: store ptr addrspace(1) %v, ptr addrspace(1) %p
; STORES-NOT: barrier
; STORES: ret void
@root = external global ptr addrspace(1)
define void @some(ptr addrspace(1) %p, ptr addrspace(1) %v, i64 %n, ptr %native) gc "statepoint-example" {
  store i64 %n, ptr addrspace(1) %p
  store ptr %native, ptr addrspace(1) %p
  store ptr addrspace(1) %v, ptr @root
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}

!0 = !{}
