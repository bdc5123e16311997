; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: for k in snapshot custom; do %cairn opt -p place-safepoints,insert-barriers,verify-barriers --barriers=$k -S good.ll | FileCheck --check-prefix=STORES good.ll || exit 1; done
; RUN: %cairn opt -p place-safepoints,insert-barriers,verify-barriers --barriers=cards -S good.ll | FileCheck --check-prefix=STORES good.ll
; RUN: %cairn opt -p place-safepoints,insert-barriers,verify-barriers --barriers=snapshot -S good.ll | FileCheck --check-prefix=OLD good.ll
; RUN: %cairn opt -p place-safepoints,insert-barriers,verify-barriers --barriers=cards -S good.ll | FileCheck --check-prefix=NULLS good.ll
; RUN: %cairn opt -p place-safepoints,insert-barriers,verify-barriers --barriers=loads -S good.ll | FileCheck --check-prefix=LOADS good.ll
; RUN: for k in cards snapshot loads; do %cairn opt -p place-safepoints,insert-barriers,verify-barriers,rewrite-statepoints,verify-safepoints,verify-barriers,lower-barriers --barriers=$k --disable-output good.ll || exit 1; done
; RUN: not %cairn verify --barriers=cards bad.ll 2>&1 | FileCheck bad.ll
;
; Copies in pieces (cairn.long.NAME) with a safepoint between the pieces: each piece has a barrier of its own, of its own
; bytes, after the safepoint. The caller has none, for it copies nothing then. Wrong: a barrier of all bytes before the
; first piece, which the collector forgets at the next safepoint; or a piece that goes downwards has the bytes of another.

;--- good.ll
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
define void @cairn.barrier.store(ptr addrspace(1) %o, ptr addrspace(1) %s, ptr addrspace(1) %v) "gc-leaf-function" {
  ret void
}
define void @cairn.barrier.range(ptr addrspace(1) %to, i64 %n) "gc-leaf-function" {
  ret void
}
define void @both(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) gc "statepoint-example" {
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i1 false)
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i1 false)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %n, i1 false)
  ret void
}

; STORES-LABEL: define void @both(
; STORES: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %n)
; STORES-NEXT: call void @llvm.memcpy
; STORES: call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %n)
; STORES-NEXT: call void @llvm.memmove
; STORES: long.cold:
; STORES-NEXT: call void @cairn.long.llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n)
; STORES-NEXT: br
; STORES: call void @cairn.long.llvm.memmove.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n)
; STORES-NEXT: br

; STORES-LABEL: define internal void @cairn.long.llvm.memcpy.p1.p1.i64(
; STORES-NOT: barrier
; STORES: long.piece:
; STORES: call preserve_allcc void @cairn_poll()
; STORES: %[[TO:.*]] = getelementptr i8, ptr addrspace(1) %0, i64 %long.from
; STORES: call void @cairn.barrier.range(ptr addrspace(1) %[[TO]], i64 %[[BYTES:[0-9]+]])
; STORES-NEXT: call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %[[TO]], ptr addrspace(1) %{{.*}}, i64 %[[BYTES]], i1 false)

; Upwards, and downwards.
; STORES-LABEL: define internal void @cairn.long.llvm.memmove.p1.p1.i64(
; STORES-NOT: barrier
; STORES: long.piece:
; STORES: call preserve_allcc void @cairn_poll()
; STORES: call void @cairn.barrier.range(ptr addrspace(1) %[[UP:.*]], i64 %[[MORE:[0-9]+]])
; STORES-NEXT: call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %[[UP]], ptr addrspace(1) %{{.*}}, i64 %[[MORE]], i1 false)
; STORES: long.piece2:
; STORES: call preserve_allcc void @cairn_poll()
; STORES: call void @cairn.barrier.range(ptr addrspace(1) %[[DOWN:.*]], i64 %[[LESS:[0-9]+]])
; STORES-NEXT: call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %[[DOWN]], ptr addrspace(1) %{{.*}}, i64 %[[LESS]], i1 false)

; Null is stored: kinds that want the old values have a barrier for each piece, others none.
; OLD-LABEL: define internal void @cairn.long.llvm.memset.p1.i64(
; OLD: call preserve_allcc void @cairn_poll()
; OLD: call void @cairn.barrier.range(ptr addrspace(1) %[[TO:.*]], i64 %[[BYTES:[0-9]+]])
; OLD-NEXT: call void @llvm.memset.p1.i64(ptr addrspace(1) %[[TO]], i8 %1, i64 %[[BYTES]], i1 false)
; NULLS-LABEL: define internal void @cairn.long.llvm.memset.p1.i64(
; NULLS-NOT: call void @cairn.barrier
; NULLS: call void @llvm.memset.p1.i64(
; NULLS-NOT: call void @cairn.barrier

; What is read is healed, piece by piece.
; LOADS-LABEL: define internal void @cairn.long.llvm.memcpy.p1.p1.i64(
; LOADS: call preserve_allcc void @cairn_poll()
; LOADS: %[[FROM:.*]] = getelementptr i8, ptr addrspace(1) %1, i64 %long.from
; LOADS-NEXT: call void @cairn.barrier.range(ptr addrspace(1) %[[FROM]], i64 %[[BYTES:[0-9]+]])
; LOADS-NEXT: call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %{{.*}}, ptr addrspace(1) %[[FROM]], i64 %[[BYTES]], i1 false)
; LOADS-LABEL: define internal void @cairn.long.llvm.memmove.p1.p1.i64(
; LOADS: call void @cairn.barrier.range(ptr addrspace(1) %[[UP:.*]], i64 %[[MORE:[0-9]+]])
; LOADS-NEXT: call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %{{.*}}, ptr addrspace(1) %[[UP]], i64 %[[MORE]], i1 false)
; LOADS: call void @cairn.barrier.range(ptr addrspace(1) %[[DOWN:.*]], i64 %[[LESS:[0-9]+]])
; LOADS-NEXT: call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %{{.*}}, ptr addrspace(1) %[[DOWN]], i64 %[[LESS]], i1 false)
; LOADS-LABEL: define internal void @cairn.long.llvm.memset.p1.i64(
; LOADS-NOT: call void @cairn.barrier
; LOADS: call void @llvm.memset.p1.i64(
; LOADS-NOT: call void @cairn.barrier

;--- bad.ll
declare void @cairn.barrier.range(ptr addrspace(1), i64) "gc-leaf-function"
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @f()
; One barrier of all, before the pieces.
; CHECK: error: in function 'once': the access at %at has no barrier of kind cards on every path since the last safepoint [missing-barrier]
define void @once(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) gc "statepoint-example" {
entry:
  %all = mul i64 %n, 65536
  call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %all)
  br label %piece
piece:
  %i = phi i64 [ 0, %entry ], [ %next, %piece ]
  call void @f()
  %from = mul i64 %i, 65536
  %at = getelementptr i8, ptr addrspace(1) %p, i64 %from
  %at1 = getelementptr i8, ptr addrspace(1) %q, i64 %from
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %at, ptr addrspace(1) %at1, i64 65536, i1 false)
  %next = add i64 %i, 1
  %more = icmp ne i64 %next, %n
  br i1 %more, label %piece, label %done
done:
  ret void
}
; Of another length than the piece.
; CHECK: error: in function 'short': the access at %p
define void @short(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) gc "statepoint-example" {
  %less = sub i64 %n, 8
  call void @cairn.barrier.range(ptr addrspace(1) %p, i64 %less)
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n, i1 false)
  ret void
}
; CHECK-NOT: error
