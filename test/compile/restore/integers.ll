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

; The end of what one of them writes is shared, too: the sum is computed again, from the reference as
; it is there. Its flags were proved of the address that it had.
; CHECK-LABEL: @ends(
; CHECK: call void @any()
; CHECK-NEXT: [[B:%.*]] = ptrtoint ptr addrspace(1) %b to i64
; CHECK-NEXT: [[A:%.*]] = ptrtoint ptr addrspace(1) %a to i64
; CHECK-NEXT: [[E:%.*]] = add i64 [[A]], %n
; CHECK-NEXT: icmp ult i64 [[B]], [[E]]
define i1 @ends(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %end = add nuw nsw i64 %x, %n
  %y = ptrtoint ptr addrspace(1) %b to i64
  %c = icmp ult i64 %y, %end
  br i1 %c, label %more, label %done

more:
  call void @any()
  %f = icmp ult i64 %y, %end
  ret i1 %f

done:
  ret i1 false
}

; Two distances of one sum: none of them is an address, and their sum is not computed again.
; CHECK-LABEL: @distances(
; CHECK: call void @any()
; CHECK-NEXT: ret i64 %s
define i64 @distances(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %y = ptrtoint ptr addrspace(1) %b to i64
  %z = ptrtoint ptr addrspace(1) %c to i64
  %d = sub i64 %x, %y
  %e = sub i64 %y, %z
  %s = add i64 %d, %e
  call void @any()
  ret i64 %s
}
