; Intrinsics that store several references become single stores, each with its check or its barrier: what goes to
; ordinary memory, what has a variable length, and patterns. Wrong: the references are stored where no collector looks,
; or without a barrier, and nothing says so.
; RUN: %cairn opt -p expand-intrinsics -S %s | FileCheck %s
; RUN: %cairn opt -p expand-intrinsics,check-stores,place-safepoints,insert-barriers,verify-barriers,rewrite-statepoints,verify-safepoints --barriers=cards -S %s | FileCheck --check-prefix=CHECKS %s
; RUN: for k in snapshot loads; do %cairn opt -p expand-intrinsics,check-stores,place-safepoints,insert-barriers,verify-barriers,rewrite-statepoints,verify-safepoints --barriers=$k --disable-output %s || exit 1; done
; RUN: not %cairn opt -p check-stores --disable-output %s 2>&1 | FileCheck --check-prefix=UNCHECKED %s
; RUN: not %cairn opt -p insert-barriers --barriers=cards --disable-output %s 2>&1 | FileCheck --check-prefix=UNBARRED %s
; RUN: not %cairn opt -p verify-barriers --barriers=cards --disable-output %s 2>&1 | FileCheck --check-prefix=UNBARRED-VERIFY %s
; UNCHECKED: error: in function 'pattern.outside': call to @llvm.experimental.memset.pattern.p0.p1.i64: it stores several references in ordinary memory; {{.*}} [unknown-intrinsic]
; UNCHECKED: error: in function 'masked.outside': {{.*}} [unknown-intrinsic]
; UNCHECKED: error: in function 'scattered.outside': {{.*}} [unknown-intrinsic]
; UNCHECKED: error: in function 'compressed': {{.*}} [unknown-intrinsic]
; UNBARRED: error: in function 'pattern': no barrier of kind cards covers a fill with a pattern (pass expand-intrinsics makes a loop of it) [missing-barrier]
; UNBARRED-VERIFY: error: in function 'pattern': no barrier of kind cards covers an intrinsic that may write references [missing-barrier]

declare void @llvm.experimental.memset.pattern.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.experimental.memset.pattern.p1.i32.i32(ptr addrspace(1), i32, i32, i1)
declare void @llvm.experimental.memset.pattern.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)>, ptr addrspace(1), <2 x i1>)
declare void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)>, ptr, <2 x i1>)
declare void @llvm.masked.store.v2i64.p0(<2 x i64>, ptr, <2 x i1>)
declare void @llvm.masked.scatter.v2p1.v2p0(<2 x ptr addrspace(1)>, <2 x ptr>, <2 x i1>)
declare void @llvm.masked.compressstore.v2p1(<2 x ptr addrspace(1)>, ptr, <2 x i1>)
declare void @llvm.vp.store.v2p1.p1(<2 x ptr addrspace(1)>, ptr addrspace(1), <2 x i1>, i32)
declare void @llvm.experimental.vp.strided.store.v2p1.p1.i32(<2 x ptr addrspace(1)>, ptr addrspace(1), i32, <2 x i1>, i32)
declare void @llvm.experimental.vp.strided.store.v2p1.p0.i64(<2 x ptr addrspace(1)>, ptr, i64, <2 x i1>, i32)

; CHECK-LABEL: define void @pattern(
; CHECK: icmp eq i64 %n, 0
; CHECK: fill:
; CHECK: %[[SLOT:[0-9]+]] = getelementptr ptr addrspace(1), ptr addrspace(1) %to, i64 %
; CHECK-NEXT: store volatile ptr addrspace(1) %v, ptr addrspace(1) %[[SLOT]], align 8
; CHECK: filled:
; CHECKS-LABEL: define void @pattern(
; CHECKS: call void @cairn.barrier.{{store|range}}(
define void @pattern(ptr addrspace(1) %to, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
  call void @llvm.experimental.memset.pattern.p1.p1.i64(ptr addrspace(1) align 16 %to, ptr addrspace(1) %v, i64 %n, i1 true)
  ret void
}

; A pattern without references, too: the loop gets polls.
; CHECK-LABEL: define void @numbers(
; CHECK: zext i32 %n to i64
; CHECK: store i32 7, ptr addrspace(1) %{{[0-9]+}}, align 4
; CHECKS-LABEL: define void @numbers(
; CHECKS-NOT: cairn.barrier
; CHECKS: gc.statepoint
; CHECKS: ret void
define void @numbers(ptr addrspace(1) %to, i32 %n) gc "statepoint-example" {
  call void @llvm.experimental.memset.pattern.p1.i32.i32(ptr addrspace(1) align 4 %to, i32 7, i32 %n, i1 false)
  ret void
}

; CHECK-LABEL: define void @pattern.outside(
; CHECK-NOT: memset.pattern
; CHECKS-LABEL: define void @pattern.outside(
; CHECKS: cairn_check_store
define void @pattern.outside(ptr %to, ptr addrspace(1) %v, i64 %n) gc "statepoint-example" {
  call void @llvm.experimental.memset.pattern.p0.p1.i64(ptr %to, ptr addrspace(1) %v, i64 %n, i1 false)
  ret void
}

; Barriers know this one as it is.
; CHECK-LABEL: define void @masked(
; CHECK-NEXT: call void @llvm.masked.store
define void @masked(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %to, <2 x i1> %m) gc "statepoint-example" {
  call void @llvm.masked.store.v2p1.p1(<2 x ptr addrspace(1)> %v, ptr addrspace(1) align 8 %to, <2 x i1> %m)
  ret void
}

; CHECK-LABEL: define void @masked.outside(
; CHECK: %[[BIT:[0-9]+]] = extractelement <2 x i1> %m, i64 0
; CHECK-NEXT: %[[ONE:[0-9]+]] = freeze i1 %[[BIT]]
; CHECK-NEXT: br i1 %[[ONE]], label %lane, label %lane.done
; CHECK: store ptr addrspace(1) %{{[0-9]+}}, ptr %{{[0-9]+}}, align 8
; CHECK: store ptr addrspace(1) %{{[0-9]+}}, ptr %{{[0-9]+}}, align 8
; CHECK-NOT: llvm.masked
; CHECK: ret void
; CHECKS-LABEL: define void @masked.outside(
; CHECKS-COUNT-2: cairn_check_store
define void @masked.outside(<2 x ptr addrspace(1)> %v, ptr %to, <2 x i1> %m) gc "statepoint-example" {
  call void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)> %v, ptr align 16 %to, <2 x i1> %m)
  ret void
}

; CHECK-LABEL: define void @numbers.outside(
; CHECK-NEXT: call void @llvm.masked.store
define void @numbers.outside(<2 x i64> %v, ptr %to, <2 x i1> %m) gc "statepoint-example" {
  call void @llvm.masked.store.v2i64.p0(<2 x i64> %v, ptr align 8 %to, <2 x i1> %m)
  ret void
}

; Lanes that are stored for sure, or surely not, need no branch.
; CHECK-LABEL: define void @scattered.outside(
; CHECK-NEXT: %[[SLOT:[0-9]+]] = extractelement <2 x ptr> %to, i64 1
; CHECK-NEXT: %[[V:[0-9]+]] = extractelement <2 x ptr addrspace(1)> %v, i64 1
; CHECK-NEXT: store ptr addrspace(1) %[[V]], ptr %[[SLOT]], align 8
; CHECK-NEXT: ret void
define void @scattered.outside(<2 x ptr addrspace(1)> %v, <2 x ptr> %to) gc "statepoint-example" {
  call void @llvm.masked.scatter.v2p1.v2p0(<2 x ptr addrspace(1)> %v, <2 x ptr> align 8 %to, <2 x i1> <i1 false, i1 true>)
  ret void
}

; CHECK-LABEL: define void @compressed(
; CHECK: %[[FIRST:[0-9]+]] = zext i1 %{{[0-9]+}} to i64
; CHECK: getelementptr ptr addrspace(1), ptr %to, i64 0
; CHECK: getelementptr ptr addrspace(1), ptr %to, i64 %
; CHECKS-LABEL: define void @compressed(
; CHECKS-COUNT-2: cairn_check_store
define void @compressed(<2 x ptr addrspace(1)> %v, ptr %to, <2 x i1> %m) gc "statepoint-example" {
  call void @llvm.masked.compressstore.v2p1(<2 x ptr addrspace(1)> %v, ptr align 8 %to, <2 x i1> %m)
  ret void
}

; CHECK-LABEL: define void @some(
; CHECK: icmp ult i32 0, %n
; CHECK: and i1
; CHECK: icmp ult i32 1, %n
; CHECK-NOT: llvm.vp.store
; CHECKS-LABEL: define void @some(
; CHECKS-COUNT-2: cairn.barrier.store
define void @some(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %to, <2 x i1> %m, i32 %n) gc "statepoint-example" {
  call void @llvm.vp.store.v2p1.p1(<2 x ptr addrspace(1)> %v, ptr addrspace(1) align 8 %to, <2 x i1> %m, i32 %n)
  ret void
}

; CHECK-LABEL: define void @strided(
; CHECK: icmp ult i32 1, %n
; CHECK: lane{{[0-9]*}}:
; CHECK-NEXT: %[[WIDE:[0-9]+]] = sext i32 %stride to i64
; CHECK-NEXT: %[[BYTES:[0-9]+]] = mul i64 %[[WIDE]], 1
; CHECK-NEXT: %[[SLOT:[0-9]+]] = getelementptr i8, ptr addrspace(1) %to, i64 %[[BYTES]]
; CHECK-NEXT: %[[LANE:[0-9]+]] = extractelement <2 x ptr addrspace(1)> %v, i64 1
; CHECK-NEXT: store ptr addrspace(1) %[[LANE]], ptr addrspace(1) %[[SLOT]], align 1
; CHECKS-LABEL: define void @strided(
; CHECKS-COUNT-2: cairn.barrier.store
define void @strided(<2 x ptr addrspace(1)> %v, ptr addrspace(1) %to, i32 %stride, <2 x i1> %m, i32 %n) gc "statepoint-example" {
  call void @llvm.experimental.vp.strided.store.v2p1.p1.i32(<2 x ptr addrspace(1)> %v, ptr addrspace(1) align 8 %to, i32 %stride, <2 x i1> %m, i32 %n)
  ret void
}

; CHECK-LABEL: define void @strided.outside(
; CHECK-NOT: strided.store
; CHECKS-LABEL: define void @strided.outside(
; CHECKS-COUNT-2: cairn_check_store
define void @strided.outside(<2 x ptr addrspace(1)> %v, ptr %to, i64 %stride, <2 x i1> %m, i32 %n) gc "statepoint-example" {
  call void @llvm.experimental.vp.strided.store.v2p1.p0.i64(<2 x ptr addrspace(1)> %v, ptr %to, i64 %stride, <2 x i1> %m, i32 %n)
  ret void
}
