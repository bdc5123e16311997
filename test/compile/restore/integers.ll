; The vectorisers share integers made of references. Shared over an allocation they would be stale:
; each use gets its own, just before it.
; RUN: %cairn opt -p restore-references -S %s | FileCheck %s
; RUN: %cairn opt -p \
; RUN:   restore-references,place-safepoints,rewrite-statepoints,lower-differences,verify-safepoints \
; RUN:   -S %s -o /dev/null

declare void @any() gc "statepoint-example"

; CHECK-LABEL: @shared(
; CHECK: call void @any()
; CHECK-NEXT: [[A:%.*]] = ptrtoint ptr addrspace(1) %a to i64
; CHECK-NEXT: [[B:%.*]] = ptrtoint ptr addrspace(1) %b to i64
; CHECK-NEXT: sub i64 [[A]], [[B]]
define i1 @shared(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %y = ptrtoint ptr addrspace(1) %b to i64
  %d = sub i64 %x, %y
  %c = icmp ult i64 %d, 32
  br i1 %c, label %more, label %done

more:
  call void @any()
  %e = sub i64 %x, %y
  %f = icmp ult i64 %e, 16
  ret i1 %f

done:
  ret i1 false
}

; A block that comes to a phi twice must bring the same value.
; CHECK-LABEL: @twice(
; CHECK: [[X:%.*]] = ptrtoint ptr addrspace(1) %a to i64
; CHECK-NEXT: switch
; CHECK: phi i64 [ [[X]], %0 ], [ [[X]], %0 ], [ 0, %other ]
define i64 @twice(ptr addrspace(1) %a, i32 %n) gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  switch i32 %n, label %other [
    i32 1, label %join
    i32 2, label %join
  ]

other:
  br label %join

join:
  %p = phi i64 [ %x, %0 ], [ %x, %0 ], [ 0, %other ]
  ret i64 %p
}
