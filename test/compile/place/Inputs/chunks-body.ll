define i64 @managed.NAME(i8 %start, i8 %bound) gc "statepoint-example" {
entry:
  %step = load volatile i8, ptr @step.STEP
  br label %loop
loop:
  %i = phi i8 [ %start, %entry ], [ %i.next, %latch ]
  %s = phi i64 [ 7, %entry ], [ %s.next, %latch ]
  %t = phi i64 [ 0, %entry ], [ %t.next, %latch ]
  CALL
  %wide = zext i8 %i to i64
  %m = MIX
  %more = add i64 %wide, 3
  %s.next = add i64 %m, %more
  %t.next = add i64 %t, 1
  %enough = icmp ugt i64 %t.next, 600
  br i1 %enough, label %out, label %wraps
wraps:
  %from = sub i8 %i, LOW
  %near = icmp ugt i8 %from, RANGE
  br i1 %near, label %out, label %latch
latch:
  %i.next = add FLAGS i8 %i, BY
  %c = icmp TEST i8 TESTED, %bound
  br i1 %c, label %YES, label %NO
out:
  %r = phi i64 [ %s.next, %loop ], [ %s.next, %wraps ], [ %s.next, %latch ]
  %u = phi i64 [ %t.next, %loop ], [ %t.next, %wraps ], [ %t.next, %latch ]
  %both = xor i64 %r, %u
  ret i64 %both
}
define i64 @plain.NAME(i8 %start, i8 %bound)  {
entry:
  %step = load volatile i8, ptr @step.STEP
  br label %loop
loop:
  %i = phi i8 [ %start, %entry ], [ %i.next, %latch ]
  %s = phi i64 [ 7, %entry ], [ %s.next, %latch ]
  %t = phi i64 [ 0, %entry ], [ %t.next, %latch ]
  CALL
  %wide = zext i8 %i to i64
  %m = MIX
  %more = add i64 %wide, 3
  %s.next = add i64 %m, %more
  %t.next = add i64 %t, 1
  %enough = icmp ugt i64 %t.next, 600
  br i1 %enough, label %out, label %wraps
wraps:
  %from = sub i8 %i, LOW
  %near = icmp ugt i8 %from, RANGE
  br i1 %near, label %out, label %latch
latch:
  %i.next = add FLAGS i8 %i, BY
  %c = icmp TEST i8 TESTED, %bound
  br i1 %c, label %YES, label %NO
out:
  %r = phi i64 [ %s.next, %loop ], [ %s.next, %wraps ], [ %s.next, %latch ]
  %u = phi i64 [ %t.next, %loop ], [ %t.next, %wraps ], [ %t.next, %latch ]
  %both = xor i64 %r, %u
  ret i64 %both
}
