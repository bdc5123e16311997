; A loop that may be left early, entered at its bound: it meets that only by wrapping, which its flags
; rule out, so it runs until it is left otherwise, for as long as it likes. Taken for one of no trips
; at all, it would be a single chunk and never come to a safepoint.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --check-polls -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o /dev/null

; A distance of nothing is one of 2^64, and so far.
; CHECK-LABEL: define i64 @scan(
; CHECK: %chunk.left = sub i64
; CHECK-NEXT: %chunk.before = sub i64 %chunk.left, 1
; CHECK-NEXT: %chunk.far = icmp uge i64 %chunk.before, 1024
define i64 @scan(ptr addrspace(1) %p, ptr addrspace(1) %end, i8 %what) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %at = phi ptr addrspace(1) [ %p, %entry ], [ %next, %latch ]
  %s = phi i64 [ 0, %entry ], [ %s.next, %latch ]
  %b = load i8, ptr addrspace(1) %at
  %z = zext i8 %b to i64
  %m = xor i64 %z, %s
  %s.next = add i64 %m, 3
  %d = udiv i64 %s.next, %z
  %is = icmp eq i8 %b, %what
  br i1 %is, label %out, label %latch
latch:
  %next = getelementptr inbounds i8, ptr addrspace(1) %at, i64 1
  %c = icmp ne ptr addrspace(1) %next, %end
  br i1 %c, label %loop, label %out
out:
  %r = phi i64 [ %d, %loop ], [ %d, %latch ]
  ret i64 %r
}

; The same that nothing else ends: wrapping would be undefined, so the bound is ahead.
; CHECK-LABEL: define void @fill(
; CHECK: %chunk.left = sub i64
; CHECK-NEXT: %chunk.far = icmp ugt i64 %chunk.left,
define void @fill(ptr addrspace(1) %p, ptr addrspace(1) %end) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %at = phi ptr addrspace(1) [ %p, %entry ], [ %next, %loop ]
  store i8 7, ptr addrspace(1) %at
  %next = getelementptr inbounds i8, ptr addrspace(1) %at, i64 1
  %c = icmp ne ptr addrspace(1) %next, %end
  br i1 %c, label %loop, label %out
out:
  ret void
}
