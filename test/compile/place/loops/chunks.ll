; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; A tight loop gets an end of its own some ten thousand instructions away; only the loop round it
; polls.

; CHECK-LABEL: define i64 @sum
; CHECK: {{^}}chunk:
; CHECK-NEXT: %chunk.start = phi i64 [ 0, %poll.done ], [ %chunk.after, %chunk.poll ]
; CHECK-NEXT: %chunk.start1 = phi i64 [ 0, %poll.done ], [ %s.next, %chunk.poll ]
; CHECK-NEXT: %chunk.left = sub i64 %n, %chunk.start
; CHECK-NEXT: %chunk.far = icmp ugt i64 %chunk.left, 4096
; CHECK-NEXT: %chunk.next = add i64 %chunk.start, 4096
; CHECK-NEXT: %chunk.end = select i1 %chunk.far, i64 %chunk.next, i64 %n
; CHECK-NEXT: %chunk.after = add i64 %chunk.start, 4096
; CHECK: {{^}}loop:
; CHECK-NEXT: %i = phi i64 [ %chunk.start, %chunk ], [ %i.next, %loop ]
; CHECK-NEXT: %s = phi i64 [ %chunk.start1, %chunk ], [ %s.next, %loop ]
; CHECK-NOT: load volatile
; CHECK: %chunk.ends = icmp eq i64 %i.next, %chunk.end
; CHECK-NEXT: br i1 %chunk.ends, label %chunk.check, label %loop, !llvm.loop
; CHECK: {{^}}chunk.check:
; CHECK-NEXT: %c = icmp eq i64 %i.next, %n
; CHECK-NEXT: br i1 %c, label %done, label %chunk.poll{{$}}
; CHECK: {{^}}chunk.poll:
; CHECK-NEXT: call preserve_allcc void @cairn_poll()
; CHECK: {{^}}done:
; CHECK-NEXT: %r = phi i64 [ %s.next, %chunk.check ]
define i64 @sum(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %s.next, %loop ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %v = load i64, ptr addrspace(1) %p
  %s.next = add i64 %s, %v
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %done, label %loop, !llvm.loop !0
done:
  %r = phi i64 [ %s.next, %loop ]
  ret i64 %r
}

; References count, too: p and end move together, and the distance is gone before the poll.
; CHECK-LABEL: define void @clear
; CHECK: {{^}}chunk:
; CHECK-NEXT: %chunk.start = phi ptr addrspace(1) [ %a, %poll.done ], [ %next,
; CHECK-NEXT: %chunk.at = ptrtoint ptr addrspace(1) %chunk.start to i64
; CHECK-NEXT: %chunk.at{{[0-9]+}} = ptrtoint ptr addrspace(1) %end to i64
; CHECK: %chunk.far = icmp ugt i64 %chunk.left, 65536
; CHECK-NEXT: %chunk.next = getelementptr i8, ptr addrspace(1) %chunk.start, i64 65536
; CHECK-NEXT: %chunk.end = select i1 %chunk.far, ptr addrspace(1) %chunk.next, ptr addrspace(1) %end
define void @clear(ptr addrspace(1) %a, ptr addrspace(1) %end) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %next, %loop ]
  store volatile i64 0, ptr addrspace(1) %p
  %next = getelementptr inbounds i64, ptr addrspace(1) %p, i64 1
  %c = icmp ne ptr addrspace(1) %next, %end
  br i1 %c, label %loop, label %done
done:
  ret void
}

; An order as the test; swapped operands; counting down.
; CHECK-LABEL: define void @down
; CHECK: %chunk.left = sub i64 %chunk.start, %n
; CHECK-NEXT: %chunk.far = icmp ugt i64 %chunk.left, 8192
; CHECK-NEXT: %chunk.short = icmp sgt i64 %chunk.start, %n
; CHECK-NEXT: %chunk.far{{[0-9]+}} = and i1 %chunk.short, %chunk.far
; CHECK-NEXT: %chunk.next = add i64 %chunk.start, -8192
; CHECK: %chunk.ends = icmp slt i64 %chunk.end, %i.next
; CHECK-NEXT: br i1 %chunk.ends, label %loop, label %chunk.check
define void @down(ptr %a, i64 %m, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %m, %entry ], [ %i.next, %loop ]
  store volatile i64 0, ptr %a
  %i.next = add nsw i64 %i, -1
  %c = icmp slt i64 %n, %i.next
  br i1 %c, label %loop, label %done
done:
  ret void
}

; Without a flag the counter may wrap, or step over its bound and go on for ever: then it must poll,
; too.
; CHECK-LABEL: define void @may_wrap
; CHECK: %chunk.left = sub i64 %n, %chunk.start
; CHECK-NEXT: %chunk.before = sub i64 %chunk.left, 1
; CHECK-NEXT: %chunk.far = icmp uge i64 %chunk.before, 32768
; CHECK-NEXT: %chunk.over = and i64 %chunk.left, 3
; CHECK-NEXT: %chunk.misses = icmp ne i64 %chunk.over, 0
; CHECK-NEXT: or i1 %chunk.far, %chunk.misses
define void @may_wrap(ptr %a, i64 %m, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %m, %entry ], [ %i.next, %loop ]
  store volatile i64 0, ptr %a
  %i.next = add i64 %i, 4
  %c = icmp ne i64 %n, %i.next
  br i1 %c, label %loop, label %done
done:
  ret void
}

; A call that polls for itself makes chunks pointless; a bound that changes, or a step that does,
; makes them wrong.
; CHECK-LABEL: define void @not_these
; CHECK-NOT: chunk
; CHECK: ret void
declare void @callee()
define void @not_these(ptr %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  call void @callee()
  %i.next = add i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %loop2, label %loop
loop2:
  %j = phi i64 [ 0, %loop ], [ %j.next, %loop2 ]
  %m = load volatile i64, ptr %a
  %j.next = add i64 %j, 1
  %d = icmp eq i64 %j.next, %m
  br i1 %d, label %loop3, label %loop2
loop3:
  %k = phi i64 [ 1, %loop2 ], [ %k.next, %loop3 ]
  store volatile i64 %k, ptr %a
  %k.next = shl i64 %k, 1
  %e = icmp eq i64 %k.next, %n
  br i1 %e, label %done, label %loop3
done:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}

; A step that is not known but does not change: looked at on entry. Not above zero or too large,
; each trip is a chunk.
; CHECK-LABEL: define void @strided
; CHECK: %chunk.step = icmp ult i64 %step, 2251799813685248
; CHECK-NEXT: %chunk.size = mul i64 %step, 4096
; CHECK-NEXT: %chunk.left = sub i64 %n, %chunk.start
; CHECK-NEXT: %chunk.far = icmp ugt i64 %chunk.left, %chunk.size
; CHECK-NEXT: %chunk.next = add i64 %chunk.start, %chunk.size
; CHECK-NEXT: %chunk.end = select i1 %chunk.far, i64 %chunk.next, i64 %n
; CHECK-NEXT: %chunk.short = icmp slt i64 %chunk.start, %n
; CHECK-NEXT: %chunk.fits = and i1 %chunk.step, %chunk.short
; CHECK-NEXT: %chunk.end{{[0-9]+}} = select i1 %chunk.fits, i64 %chunk.end, i64 -9223372036854775808
define void @strided(ptr addrspace(1) %a, i64 %m, i64 %n, i64 %step) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ %m, %entry ], [ %i.next, %loop ]
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  store i8 1, ptr addrspace(1) %p
  %i.next = add nsw i64 %i, %step
  %c = icmp slt i64 %i.next, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}
