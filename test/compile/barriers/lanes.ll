; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: for k in snapshot custom; do %cairn opt -p insert-barriers,verify-barriers --barriers=$k -S good.ll | FileCheck --check-prefixes=CHECK,STORES good.ll || exit 1; done
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=cards -S good.ll | FileCheck --check-prefixes=CHECK,CARDS good.ll
; RUN: %cairn opt -p insert-barriers,verify-barriers --barriers=loads -S good.ll | FileCheck --check-prefixes=LOADS good.ll
; RUN: for k in cards snapshot loads; do %cairn opt -p insert-barriers,verify-barriers,rewrite-statepoints,verify-barriers,lower-barriers --barriers=$k --disable-output good.ll || exit 1; done
; RUN: not %cairn verify --barriers=snapshot bad.ll 2>&1 | FileCheck bad.ll
; RUN: not %cairn verify --barriers=loads reads.ll 2>&1 | FileCheck reads.ll
;
; Vectors whose references lie apart, or of which a mask leaves some out: a barrier for each lane, of no bytes where
; there is no access. Wrong: a lane has none; or the barrier reads where a lane that is left out would lie, which may be
; no memory at all.

;--- good.ll
declare void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)>, <2 x ptr addrspace(1)>, <2 x i1>)
declare <2 x ptr addrspace(1)> @llvm.masked.gather.v2p1.v2p1(<2 x ptr addrspace(1)>, <2 x i1>, <2 x ptr addrspace(1)>)
declare void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)>, ptr addrspace(1), <2 x i1>)
declare <2 x ptr addrspace(1)> @llvm.masked.load.v2p1.p1(ptr addrspace(1), <2 x i1>, <2 x ptr addrspace(1)>)
define void @cairn.barrier.store(ptr addrspace(1) %o, ptr addrspace(1) %s, ptr addrspace(1) %v) "gc-leaf-function" {
  ret void
}
define void @cairn.barrier.range(ptr addrspace(1) %to, i64 %n) "gc-leaf-function" {
  ret void
}

; CHECK-LABEL: define void @scatter(
; CHECK: %[[BIT0:[0-9]+]] = extractelement <2 x i1> %m, i64 0
; CHECK-NEXT: %[[SIZE0:[0-9]+]] = select i1 %[[BIT0]], i64 8, i64 0
; CHECK-NEXT: %[[SLOT0:[0-9]+]] = extractelement <2 x ptr addrspace(1)> %to, i64 0
; CHECK-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %[[SLOT0]], i64 %[[SIZE0]])
; CHECK-NEXT: %[[BIT1:[0-9]+]] = extractelement <2 x i1> %m, i64 1
; CHECK-NEXT: %[[SIZE1:[0-9]+]] = select i1 %[[BIT1]], i64 8, i64 0
; CHECK-NEXT: %[[SLOT1:[0-9]+]] = extractelement <2 x ptr addrspace(1)> %to, i64 1
; CHECK-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %[[SLOT1]], i64 %[[SIZE1]])
; CHECK-NEXT: call void @llvm.masked.scatter
; CHECK-NEXT: %second = shufflevector
; CHECK-NEXT: %[[SURE:[0-9]+]] = extractelement <2 x ptr addrspace(1)> %second, i64 1
; CHECK-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %[[SURE]], i64 8)
; CHECK-NEXT: call void @llvm.masked.scatter
; CARDS-NEXT: call void @llvm.masked.scatter
; CHECK: ret void
define void @scatter(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %to, <2 x i1> %m) gc "statepoint-example" {
  call void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %to, <2 x i1> %m)
  %second = shufflevector <2 x ptr addrspace(1)> %to, <2 x ptr addrspace(1)> poison, <2 x i32> <i32 1, i32 0>
  call void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %second, <2 x i1> <i1 false, i1 true>)
  call void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)> zeroinitializer, <2 x ptr addrspace(1)> %to, <2 x i1> %m)
  ret void
}

; What goes to other memory, or is no reference, has none.
; CHECK-LABEL: define void @elsewhere(
; CHECK-NOT: barrier
; CHECK: ret void
declare void @llvm.masked.scatter.v2i64.v2p1(<2 x i64>, <2 x ptr addrspace(1)>, <2 x i1>)
declare void @llvm.masked.scatter.v2p1.v2p0(<2 x ptr addrspace(1)>, <2 x ptr>, <2 x i1>)
define void @elsewhere(<2 x i64> %n, <2 x ptr addrspace(1)> %to, <2 x ptr> %out, <2 x i1> %m) gc "statepoint-example" {
  call void @llvm.masked.scatter.v2i64.v2p1(<2 x i64> %n, <2 x ptr addrspace(1)> %to, <2 x i1> %m)
  call void @llvm.masked.scatter.v2p1.v2p0(<2 x ptr addrspace(1)> %to, <2 x ptr> %out, <2 x i1> %m)
  ret void
}

; CHECK-LABEL: define void @masked(
; STORES: %[[SIZE:[0-9]+]] = select i1 %{{[0-9]+}}, i64 8, i64 0
; STORES-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %[[SIZE]])
; STORES: %[[NEXT:[0-9]+]] = getelementptr ptr addrspace(1), ptr addrspace(1) %p, i64 1
; STORES: call void @cairn.barrier.range(ptr addrspace(1) %[[NEXT]], i64 %{{[0-9]+}})
; CARDS: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 16)
; CHECK: call void @llvm.masked.store
; CHECK: call void @cairn.barrier.range(ptr addrspace(1) %q, i64 16)
; CHECK-NEXT: call void @llvm.masked.store
; CHECK: ret void
define void @masked(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %p, ptr addrspace(1) %q, <2 x i1> %m) gc "statepoint-example" {
  call void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %p, <2 x i1> %m)
  call void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %q, <2 x i1> <i1 true, i1 true>)
  ret void
}

; LOADS-LABEL: define void @reads(
; LOADS-COUNT-2: call void @cairn.barrier.range(ptr addrspace(1) %{{[0-9]+}}, i64 %{{[0-9]+}})
; LOADS: call <2 x ptr addrspace(1)> @llvm.masked.gather
; LOADS: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %{{[0-9]+}})
; LOADS: call void @cairn.barrier.range(ptr addrspace(1) %{{[0-9]+}}, i64 %{{[0-9]+}})
; LOADS-NEXT: call <2 x ptr addrspace(1)> @llvm.masked.load
; LOADS-NOT: barrier
; LOADS: ret void
define void @reads(<2 x ptr addrspace(1)> %from, ptr addrspace(1) %p, <2 x i1> %m, ptr %out) gc "statepoint-example" {
  %a = call <2 x ptr addrspace(1)> @llvm.masked.gather.v2p1.v2p1(<2 x ptr addrspace(1)> %from, <2 x i1> %m, <2 x ptr addrspace(1)> poison)
  store <2 x ptr addrspace(1)> %a, ptr %out
  %b = call <2 x ptr addrspace(1)> @llvm.masked.load.v2p1.p1(ptr addrspace(1) %p, <2 x i1> %m, <2 x ptr addrspace(1)> poison)
  store <2 x ptr addrspace(1)> %b, ptr %out
  ret void
}

; A vector of null is no reference.
; CHECK-LABEL: define void @nulls(
; CARDS-NOT: barrier
; CHECK: ret void
define void @nulls(ptr addrspace(1) %p) gc "statepoint-example" {
  store <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %p
  ret void
}

;--- bad.ll
declare void @cairn.barrier.range(ptr addrspace(1), i64) "gc-leaf-function"
declare void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)>, <2 x ptr addrspace(1)>, <2 x i1>)
declare void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)>, ptr addrspace(1), <2 x i1>)
; The second lane has none.
; CHECK: error: in function 'one': the access at %to has no barrier of kind snapshot on every path since the last safepoint [missing-barrier]
define void @one(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %to, <2 x i1> %m) gc "statepoint-example" {
  %a = extractelement <2 x ptr addrspace(1)> %to, i64 0
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 8)
  call void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %to, <2 x i1> %m)
  ret void
}
; It looks at the first lane's bit.
; CHECK: error: in function 'other_bit': the access at %p
define void @other_bit(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %p, <2 x i1> %m) gc "statepoint-example" {
  %bit = extractelement <2 x i1> %m, i64 0
  %bytes = select i1 %bit, i64 8, i64 0
  call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %bytes)
  %next = getelementptr i8, ptr addrspace(1) %p, i64 8
  call void @cairn.barrier.range(ptr addrspace(1) %next, i64 %bytes)
  call void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %p, <2 x i1> %m)
  ret void
}
; It has a length if the bit is not set.
; CHECK: error: in function 'turned': the access at %p
define void @turned(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %p, <2 x i1> %m) gc "statepoint-example" {
  %bit = extractelement <2 x i1> %m, i64 0
  %bytes = select i1 %bit, i64 0, i64 8
  call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %bytes)
  %next = getelementptr i8, ptr addrspace(1) %p, i64 8
  call void @cairn.barrier.range(ptr addrspace(1) %next, i64 8)
  call void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %p, <2 x i1> %m)
  ret void
}
; Of the bits of another mask; and of a part of a reference.
; CHECK: error: in function 'other_mask': the access at %p
; CHECK: error: in function 'part': the access at %to
define void @other_mask(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %p, <2 x i1> %m, <2 x i1> %o) gc "statepoint-example" {
  %bit = extractelement <2 x i1> %o, i64 0
  %bytes = select i1 %bit, i64 8, i64 0
  call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %bytes)
  call void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %p, <2 x i1> %m)
  ret void
}
define void @part(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %to) gc "statepoint-example" {
  %a = extractelement <2 x ptr addrspace(1)> %to, i64 0
  call void @cairn.barrier.range(ptr addrspace(1) %a, i64 4)
  call void @llvm.masked.scatter.v2p1.v2p1(<2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %to, <2 x i1> <i1 true, i1 false>)
  ret void
}
; CHECK-NOT: error

;--- reads.ll
declare <2 x ptr addrspace(1)> @llvm.masked.gather.v2p1.v2p1(<2 x ptr addrspace(1)>, <2 x i1>, <2 x ptr addrspace(1)>)
; CHECK: error: in function 'gather': the access at %from has no barrier of kind loads
define <2 x ptr addrspace(1)> @gather(<2 x ptr addrspace(1)> %from, <2 x i1> %m) gc "statepoint-example" {
  %v = call <2 x ptr addrspace(1)> @llvm.masked.gather.v2p1.v2p1(<2 x ptr addrspace(1)> %from, <2 x i1> %m, <2 x ptr addrspace(1)> poison)
  ret <2 x ptr addrspace(1)> %v
}
