; What is made of an address otherwise than as a distance is not computed again after a safepoint:
; it would be another number there, and a loop peeled until %a is aligned would count on both being the
; same. Kept over the safepoint, it is refused.
; RUN: %cairn opt -p restore-references -S %s | FileCheck %s
; RUN: not %cairn opt -p restore-references,place-safepoints,rewrite-statepoints,verify-safepoints \
; RUN:   --polls=none -S %s 2>&1 | FileCheck --check-prefix=ERROR %s

declare void @any() gc "statepoint-example"

; CHECK-LABEL: @peeled(
; CHECK-NEXT: ptrtoint
; CHECK: call void @any()
; CHECK-NOT: ptrtoint
; CHECK: ret
; ERROR: in function 'peeled': %e, which comes from %count, is used after the object may have moved {{.*}}[stale-reference]
define i64 @peeled(ptr addrspace(1) %a) gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %low = and i64 %x, 31
  %count = lshr i64 %low, 3
  %c = icmp eq i64 %count, 0
  br i1 %c, label %done, label %more

more:
  %l = load i64, ptr addrspace(1) %a
  call void @any()
  %e = getelementptr i64, ptr addrspace(1) %a, i64 %count
  %m = load i64, ptr addrspace(1) %e
  %s = add i64 %l, %m
  ret i64 %s

done:
  ret i64 0
}

; A phi of it is no distance.
; ERROR: in function 'twice': {{.*}}[integer-of-reference]
define i64 @twice(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  br i1 %c, label %other, label %join

other:
  br label %join

join:
  %p = phi i64 [ %x, %0 ], [ 0, %other ]
  %y = ptrtoint ptr addrspace(1) %b to i64
  %d = sub i64 %p, %y
  call void @any()
  ret i64 %d
}
