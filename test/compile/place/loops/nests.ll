; RUN: %cairn opt -p place-safepoints -S %s -o %t.ll
; RUN: FileCheck --input-file=%t.ll %s
; RUN: opt -passes=verify -disable-output %t.ll
; RUN: %cairn opt --check-polls -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o /dev/null
; A loop that runs loops of few trips on each of its own: what bounds those is known before it, so
; it gets a copy in which they do not poll, taken where they are small. A guard that is wrong would
; let them run without a poll for ever; an undefined bound must not decide.

; A row of few: the copy polls on each trip of the outer loop, and nowhere else. What it computes is
; merged after it.
; CHECK-LABEL: define i64 @rows
; CHECK: {{^}}nest:
; CHECK: %chunk.far = icmp ugt i64 %chunk.left, 1{{[0-9]+}}
; CHECK-NEXT: %nest.far = freeze i1 %chunk.far
; CHECK-NEXT: br i1 %nest.far, label %outer, label %[[OUTER:outer[0-9]+]]
; CHECK: {{^}}inner[[I:[0-9]+]]:
; CHECK-NOT: load volatile
; CHECK: br i1 %c{{[0-9]+}}, label %latch{{[0-9]+}}, label %inner[[I]], !cairn.bounded
; CHECK: {{^}}latch{{[0-9]+}}:
; CHECK: load volatile i32
; CHECK: {{^}}chunk:
; CHECK: {{^}}done:
; CHECK-NEXT: %s.next.lcssa{{[^ ]*}} = phi i64 [ %s.next.lcssa, {{.*}} ], [ %s.next.lcssa{{[0-9]+}},
define i64 @rows(ptr addrspace(1) %a, i64 %n, i64 %m) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  %t = phi i64 [ 0, %entry ], [ %s.next, %latch ]
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %i.next, %inner ]
  %s = phi i64 [ %t, %outer ], [ %s.next, %inner ]
  %at = add i64 %i, %j
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %at
  %v = load i64, ptr addrspace(1) %p
  %s.next = add i64 %s, %v
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %m
  br i1 %c, label %latch, label %inner
latch:
  %j.next = add nuw i64 %j, 1
  %d = icmp eq i64 %j.next, %n
  br i1 %d, label %done, label %outer
done:
  ret i64 %s.next
}

; Two in each other, in a third: their product is what counts.
; CHECK-LABEL: define void @taps
; CHECK: {{^}}nest:
; CHECK: mul i64 %nest.trips
; CHECK: %nest.far{{[0-9]+}} = freeze
; CHECK: {{^}}chunk:
; CHECK: ret void
define void @taps(ptr addrspace(1) %a, i64 %n, i64 %m) gc "statepoint-example" {
entry:
  br label %rows
rows:
  %y = phi i64 [ 0, %entry ], [ %y.next, %rows.latch ]
  br label %places
places:
  %x = phi i64 [ 0, %rows ], [ %x.next, %places.latch ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %x
  br label %outer
outer:
  %j = phi i64 [ 0, %places ], [ %j.next, %outer.latch ]
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %i.next, %inner ]
  %q = getelementptr i64, ptr addrspace(1) %p, i64 %i
  store i64 %j, ptr addrspace(1) %q
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %m
  br i1 %c, label %outer.latch, label %inner
outer.latch:
  %j.next = add nuw i64 %j, 1
  %d = icmp eq i64 %j.next, %m
  br i1 %d, label %places.latch, label %outer
places.latch:
  %x.next = add nuw i64 %x, 1
  %e = icmp eq i64 %x.next, %n
  br i1 %e, label %rows.latch, label %places
rows.latch:
  %y.next = add nuw i64 %y, 1
  %f = icmp eq i64 %y.next, %n
  br i1 %f, label %done, label %rows
done:
  ret void
}

; What bounds the inner loop changes with the outer one: no copy.
; CHECK-LABEL: define void @triangle
; CHECK-NOT: nest
; CHECK: ret void
define void @triangle(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %j = phi i64 [ 1, %entry ], [ %j.next, %latch ]
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %i.next, %inner ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 0, ptr addrspace(1) %p
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %j
  br i1 %c, label %latch, label %inner
latch:
  %j.next = add nuw i64 %j, 1
  %d = icmp eq i64 %j.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}

; A counter that starts somewhere in the loop: if it only goes up, its bound is enough; if it may
; wrap, nothing is known.
; CHECK-LABEL: define void @from
; CHECK: {{^}}nest:
; CHECK: %chunk.left = sub i64 %m, 0
; CHECK: ret void
define void @from(ptr addrspace(1) %a, i64 %n, i64 %m) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  br label %inner
inner:
  %i = phi i64 [ %j, %outer ], [ %i.next, %inner ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 0, ptr addrspace(1) %p
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %m
  br i1 %c, label %latch, label %inner
latch:
  %j.next = add nuw i64 %j, 1
  %d = icmp eq i64 %j.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}

; CHECK-LABEL: define void @around
; CHECK-NOT: nest
; CHECK: ret void
define void @around(ptr addrspace(1) %a, i64 %n, i64 %m) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  br label %inner
inner:
  %i = phi i64 [ %j, %outer ], [ %i.next, %inner ]
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 0, ptr addrspace(1) %p
  %i.next = add i64 %i, 1
  %c = icmp eq i64 %i.next, %m
  br i1 %c, label %latch, label %inner
latch:
  %j.next = add nuw i64 %j, 1
  %d = icmp eq i64 %j.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}

; Two nests, the second of which starts at a counter of the first: that is another value when the first has
; been copied.
; CHECK-LABEL: define i64 @starts_where_one_ended
; CHECK-COUNT-2: {{^}}nest{{[0-9]*}}:
define i64 @starts_where_one_ended(ptr addrspace(1) %p, i64 %n, i64 %k, i64 %r) gc "statepoint-example" {
entry:
  br label %again
again:
  %z = phi i64 [ 0, %entry ], [ %z.next, %again.next ]
  br label %outer
outer:
  %i = phi i64 [ 0, %again ], [ %i.next, %outer.next ]
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %s = phi i64 [ %i, %outer ], [ %s.next, %inner ]
  %q = getelementptr i64, ptr addrspace(1) %p, i64 %j
  %s.next = add i64 %s, 3
  store i64 %s.next, ptr addrspace(1) %q
  %j.next = add i64 %j, 1
  %c = icmp ne i64 %j.next, %k
  br i1 %c, label %inner, label %outer.next
outer.next:
  %i.next = add i64 %i, 1
  %d = icmp ne i64 %i.next, %n
  br i1 %d, label %outer, label %between
between:
  br label %second
second:
  %a = phi i64 [ 0, %between ], [ %a.next, %second.next ]
  br label %inside
inside:
  %b = phi i64 [ %i, %second ], [ %b.next, %inside ]
  %q2 = getelementptr i64, ptr addrspace(1) %p, i64 %b
  %v = load i64, ptr addrspace(1) %q2
  %v2 = add i64 %v, %b
  store i64 %v2, ptr addrspace(1) %q2
  %b.next = add i64 %b, 1
  %e = icmp ne i64 %b.next, %r
  br i1 %e, label %inside, label %second.next
second.next:
  %a.next = add i64 %a, 1
  %f = icmp ne i64 %a.next, %n
  br i1 %f, label %second, label %again.next
again.next:
  %z.next = add i64 %z, 1
  %g = icmp ne i64 %z.next, %r
  br i1 %g, label %again, label %out
out:
  ret i64 %i
}

; CHECK-LABEL: define i64 @starts_where_one_was
; CHECK-COUNT-2: {{^}}nest{{[0-9]*}}:
define i64 @starts_where_one_was(ptr addrspace(1) %p, i64 %n, i64 %k, i64 %r) gc "statepoint-example" {
entry:
  br label %second
second:
  %a = phi i64 [ 0, %entry ], [ %a.next, %second.next ]
  br label %inside
inside:
  %b = phi i64 [ 0, %second ], [ %b.next, %inside ]
  %b.next = add i64 %b, 1
  store volatile i64 %b.next, ptr addrspace(1) %p
  %e = icmp ne i64 %b.next, %r
  br i1 %e, label %inside, label %second.next
second.next:
  %a.next = add i64 %a, 1
  %f = icmp ne i64 %a.next, %n
  br i1 %f, label %second, label %again
again:
  br label %outer
outer:
  %i = phi i64 [ 0, %again ], [ %i.next, %outer.next ]
  br label %inner
inner:
  %j = phi i64 [ %a, %outer ], [ %j.next, %inner ]
  store volatile i64 %j, ptr addrspace(1) %p
  %j.next = add i64 %j, 1
  %c = icmp ne i64 %j.next, %k
  br i1 %c, label %inner, label %outer.next
outer.next:
  %i.next = add i64 %i, 1
  %d = icmp ne i64 %i.next, %n
  br i1 %d, label %outer, label %out
out:
  ret i64 %i
}

; Each trip runs one of two loops, one of them with a product. Neither has a form of its own in the copy: one test
; before the outer loop decides for both, and the only poll is the outer loop's.
; CHECK-LABEL: define void @columns
; CHECK: {{^}}nest:
; CHECK: br i1 %nest.far{{.*}}, label %outer, label %[[OUTER:outer[0-9]+]]
; CHECK: {{^}}[[OUTER]]:
; CHECK: {{^}}by.ones{{[0-9]+}}:
; CHECK-NOT: load volatile
; CHECK: br i1 %{{.*}}, label %[[LATCH:latch[0-9]+]], label %by.ones{{[0-9]+}}, !cairn.bounded
; CHECK: {{^}}by.eights{{[0-9]+}}:
; CHECK-NOT: load volatile
; CHECK: br i1 %{{.*}}, label %[[LATCH]], label %by.eights{{[0-9]+}}, !cairn.bounded
; CHECK: {{^}}[[LATCH]]:
; CHECK-NEXT: {{%.*}} = call ptr @llvm.threadlocal.address
; CHECK: {{^}}outer:
; CHECK: {{^}}chunk:
; CHECK: ret void
define void @columns(ptr addrspace(1) %a, i64 %n, i64 %m, i64 %k, i1 %wide) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  %row = getelementptr i64, ptr addrspace(1) %a, i64 %j
  br i1 %wide, label %by.eights, label %by.ones
by.eights:
  %x = phi i64 [ 0, %outer ], [ %x.next, %by.eights ]
  %p = getelementptr i64, ptr addrspace(1) %row, i64 %x
  store i64 1, ptr addrspace(1) %p
  %x.next = add nuw i64 %x, 8
  %c = icmp eq i64 %x.next, %m
  br i1 %c, label %latch, label %by.eights
by.ones:
  %y = phi i64 [ 0, %outer ], [ %y.next, %by.ones ]
  %at = mul i64 %y, %k
  %q = getelementptr i64, ptr addrspace(1) %row, i64 %at
  store i64 1, ptr addrspace(1) %q
  %y.next = add nuw i64 %y, 1
  %e = icmp eq i64 %y.next, %m
  br i1 %e, label %latch, label %by.ones
latch:
  %j.next = add nuw i64 %j, 1
  %d = icmp eq i64 %j.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}
