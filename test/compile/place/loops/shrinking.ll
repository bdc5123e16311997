; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; Loops that take a bit at least from a number on each pass end after as many passes as it has bits:
; no poll. A poll too few would be one in a loop that can stay where it is.
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @shift
; CHECK-NOT: load volatile
; CHECK: ret i32
define i32 @shift(i32 %n) gc "statepoint-example" {
e: br label %l
l:
  %i = phi i32 [ %n, %e ], [ %j, %l ]
  %t = phi i32 [ 0, %e ], [ %u, %l ]
  %u = add i32 %t, 1
  %j = lshr i32 %i, 1
  %c = icmp ugt i32 %i, 1
  br i1 %c, label %l, label %o
o: ret i32 %u
}

; CHECK-LABEL: define i32 @bits
; CHECK-NOT: load volatile
; CHECK: ret i32
define i32 @bits(i64 %n) gc "statepoint-example" {
e: br label %l
l:
  %i = phi i64 [ %n, %e ], [ %j, %l ]
  %t = phi i32 [ 0, %e ], [ %u, %l ]
  %u = add i32 %t, 1
  %m = add i64 %i, -1
  %j = and i64 %i, %m
  %c = icmp eq i64 %j, 0
  br i1 %c, label %o, label %l
o: ret i32 %u
}

; n / 10 != 0, as the optimiser writes it for a number with a sign.
; CHECK-LABEL: define i32 @digits
; CHECK-NOT: load volatile
; CHECK: ret i32
define i32 @digits(i32 %n) gc "statepoint-example" {
e: br label %l
l:
  %i = phi i32 [ %n, %e ], [ %j, %l ]
  %t = phi i32 [ 0, %e ], [ %u, %l ]
  %u = add i32 %t, 1
  %j = sdiv i32 %i, 10
  %k = add i32 %i, 9
  %c = icmp ult i32 %k, 19
  br i1 %c, label %o, label %l
o: ret i32 %u
}

; CHECK-LABEL: define i32 @euclid
; CHECK-NOT: load volatile
; CHECK: ret i32
define i32 @euclid(i32 %x, i32 %y) gc "statepoint-example" {
e: br label %l
l:
  %a = phi i32 [ %x, %e ], [ %b, %l ]
  %b = phi i32 [ %y, %e ], [ %r, %l ]
  %r = urem i32 %a, %b
  %c = icmp eq i32 %r, 0
  br i1 %c, label %o, label %l
o: ret i32 %b
}

; -1 >> 1 is -1.
; CHECK-LABEL: define i32 @sign
; CHECK: load volatile
; CHECK: ret i32
define i32 @sign(i32 %n) gc "statepoint-example" {
e: br label %l
l:
  %i = phi i32 [ %n, %e ], [ %j, %l ]
  %j = ashr i32 %i, 1
  %c = icmp ne i32 %j, 0
  br i1 %c, label %l, label %o
o: ret i32 1
}

; Zero goes on.
; CHECK-LABEL: define i32 @stays
; CHECK: load volatile
; CHECK: ret i32
define i32 @stays(i32 %n) gc "statepoint-example" {
e: br label %l
l:
  %i = phi i32 [ %n, %e ], [ %j, %l ]
  %j = lshr i32 %i, 1
  %c = icmp ult i32 %j, 7
  br i1 %c, label %l, label %o
o: ret i32 1
}

; With 3 added, zero goes on.
; CHECK-LABEL: define i32 @added
; CHECK: load volatile
; CHECK: ret i32
define i32 @added(i32 %n) gc "statepoint-example" {
e: br label %l
l:
  %i = phi i32 [ %n, %e ], [ %j, %l ]
  %j = udiv i32 %i, 10
  %k = add i32 %i, 3
  %c = icmp ne i32 %k, 0
  br i1 %c, label %l, label %o
o: ret i32 1
}

; By one nothing gets smaller.
; CHECK-LABEL: define i32 @by_one
; CHECK: load volatile
; CHECK: ret i32
define i32 @by_one(i32 %n) gc "statepoint-example" {
e: br label %l
l:
  %i = phi i32 [ %n, %e ], [ %j, %l ]
  %j = udiv i32 %i, 1
  %c = icmp ne i32 %j, 0
  br i1 %c, label %l, label %o
o: ret i32 1
}

; The other operand is not the remainder before the last.
; CHECK-LABEL: define i32 @no_euclid
; CHECK: load volatile
; CHECK: ret i32
define i32 @no_euclid(i32 %x, i32 %y) gc "statepoint-example" {
e: br label %l
l:
  %a = phi i32 [ %x, %e ], [ %x, %l ]
  %b = phi i32 [ %y, %e ], [ %r, %l ]
  %d = add i32 %a, %b
  %r = urem i32 %d, %b
  %c = icmp eq i32 %r, 0
  br i1 %c, label %o, label %l
o: ret i32 %b
}
