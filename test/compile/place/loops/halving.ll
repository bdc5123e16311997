; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; A binary search ends after as many iterations as its integers have bits: no poll. A poll too few would be one in a loop
; that can stay where it is.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i64 @lower_bound
; CHECK-NOT: load volatile
; CHECK: ret i64
define i64 @lower_bound(ptr addrspace(1) %a, i64 %n, i64 %key) gc "statepoint-example" {
e: br label %l
l:
  %low = phi i64 [ 0, %e ], [ %low.next, %l ]
  %high = phi i64 [ %n, %e ], [ %high.next, %l ]
  %d = sub i64 %high, %low
  %h = lshr i64 %d, 1
  %m = add i64 %low, %h
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %m
  %v = load i64, ptr addrspace(1) %p
  %right = icmp slt i64 %v, %key
  %m1 = add i64 %m, 1
  %low.next = select i1 %right, i64 %m1, i64 %low
  %high.next = select i1 %right, i64 %high, i64 %m
  %c = icmp ult i64 %low.next, %high.next
  br i1 %c, label %l, label %o
o: ret i64 %low.next
}

; With an exit where the key is found, a signed half, and blocks in place of selects.
; CHECK-LABEL: define i64 @search
; CHECK-NOT: load volatile
; CHECK: ret i64
define i64 @search(ptr addrspace(1) %a, i64 %n, i64 %key) gc "statepoint-example" {
e: br label %l
l:
  %low = phi i64 [ 0, %e ], [ %low.next, %latch ]
  %high = phi i64 [ %n, %e ], [ %high.next, %latch ]
  %c = icmp slt i64 %low, %high
  br i1 %c, label %body, label %o
body:
  %d = sub nsw i64 %high, %low
  %h = sdiv i64 %d, 2
  %m = add nsw i64 %h, %low
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %m
  %v = load i64, ptr addrspace(1) %p
  %found = icmp eq i64 %v, %key
  br i1 %found, label %o, label %order
order:
  %right = icmp slt i64 %v, %key
  br i1 %right, label %up, label %latch
up:
  %m1 = add nsw i64 %m, 1
  br label %latch
latch:
  %low.next = phi i64 [ %m1, %up ], [ %low, %order ]
  %high.next = phi i64 [ %high, %up ], [ %m, %order ]
  br label %l
o:
  %r = phi i64 [ -1, %l ], [ %m, %body ]
  ret i64 %r
}

; Up to and with the upper bound.
; CHECK-LABEL: define i32 @closed
; CHECK-NOT: load volatile
; CHECK: ret i32
define i32 @closed(ptr addrspace(1) %a, i32 %n, i32 %key) gc "statepoint-example" {
e: br label %l
l:
  %low = phi i32 [ 0, %e ], [ %low.next, %l ]
  %high = phi i32 [ %n, %e ], [ %high.next, %l ]
  %s = add nsw i32 %high, %low
  %m = sdiv i32 %s, 2
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %m
  %v = load i32, ptr addrspace(1) %p
  %right = icmp slt i32 %v, %key
  %m1 = add nsw i32 %m, 1
  %m2 = add nsw i32 %m, -1
  %low.next = select i1 %right, i32 %m1, i32 %low
  %high.next = select i1 %right, i32 %high, i32 %m2
  %c = icmp sgt i32 %low.next, %high.next
  br i1 %c, label %o, label %l
o: ret i32 %low.next
}

; The left half keeps its middle: of one element, this search never ends.
; CHECK-LABEL: define i32 @stays
; CHECK: load volatile
; CHECK: ret i32
define i32 @stays(ptr addrspace(1) %a, i32 %n, i32 %key) gc "statepoint-example" {
e: br label %l
l:
  %low = phi i32 [ 0, %e ], [ %low.next, %l ]
  %high = phi i32 [ %n, %e ], [ %high.next, %l ]
  %s = add nsw i32 %high, %low
  %m = sdiv i32 %s, 2
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %m
  %v = load i32, ptr addrspace(1) %p
  %right = icmp slt i32 %v, %key
  %m1 = add nsw i32 %m, 1
  %low.next = select i1 %right, i32 %m1, i32 %low
  %high.next = select i1 %right, i32 %high, i32 %m
  %c = icmp sgt i32 %low.next, %high.next
  br i1 %c, label %o, label %l
o: ret i32 %low.next
}

; The same for a right half that begins with the middle.
; CHECK-LABEL: define i32 @stays_right
; CHECK: load volatile
; CHECK: ret i32
define i32 @stays_right(ptr addrspace(1) %a, i32 %n, i32 %key) gc "statepoint-example" {
e: br label %l
l:
  %low = phi i32 [ 0, %e ], [ %low.next, %l ]
  %high = phi i32 [ %n, %e ], [ %high.next, %l ]
  %d = sub nuw i32 %high, %low
  %h = lshr i32 %d, 1
  %m = add nuw i32 %low, %h
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %m
  %v = load i32, ptr addrspace(1) %p
  %right = icmp slt i32 %v, %key
  %low.next = select i1 %right, i32 %m, i32 %low
  %high.next = select i1 %right, i32 %high, i32 %m
  %c = icmp ult i32 %low.next, %high.next
  br i1 %c, label %l, label %o
o: ret i32 %low.next
}

; The sum may wrap, and the middle is then where it likes.
; CHECK-LABEL: define i32 @wraps
; CHECK: load volatile
; CHECK: ret i32
define i32 @wraps(ptr addrspace(1) %a, i32 %n, i32 %key) gc "statepoint-example" {
e: br label %l
l:
  %low = phi i32 [ 0, %e ], [ %low.next, %l ]
  %high = phi i32 [ %n, %e ], [ %high.next, %l ]
  %s = add i32 %high, %low
  %m = lshr i32 %s, 1
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %m
  %v = load i32, ptr addrspace(1) %p
  %right = icmp slt i32 %v, %key
  %m1 = add i32 %m, 1
  %low.next = select i1 %right, i32 %m1, i32 %low
  %high.next = select i1 %right, i32 %high, i32 %m
  %c = icmp ult i32 %low.next, %high.next
  br i1 %c, label %l, label %o
o: ret i32 %low.next
}

; Each bound comes from a comparison of its own, so neither may move.
; CHECK-LABEL: define i32 @apart
; CHECK: load volatile
; CHECK: ret i32
define i32 @apart(ptr addrspace(1) %a, i32 %n, i32 %key, i32 %other) gc "statepoint-example" {
e: br label %l
l:
  %low = phi i32 [ 0, %e ], [ %low.next, %l ]
  %high = phi i32 [ %n, %e ], [ %high.next, %l ]
  %d = sub i32 %high, %low
  %h = lshr i32 %d, 1
  %m = add i32 %low, %h
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %m
  %v = load i32, ptr addrspace(1) %p
  %right = icmp slt i32 %v, %key
  %right2 = icmp slt i32 %v, %other
  %m1 = add i32 %m, 1
  %low.next = select i1 %right, i32 %m1, i32 %low
  %high.next = select i1 %right2, i32 %high, i32 %m
  %c = icmp ult i32 %low.next, %high.next
  br i1 %c, label %l, label %o
o: ret i32 %low.next
}
