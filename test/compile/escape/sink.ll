; Objects that are allocated where they escape. What could go wrong: an object is made twice, or not at all; it lacks what was
; stored before, or what is stored later; two names of it lead to two objects; an allocation comes where none may be, or
; one that ran once runs on each pass of a loop.
; RUN: %cairn opt -p prepare,escape -S %s | FileCheck %s
; RUN: %cairn opt -p prepare,escape --report --disable-output %s 2>&1 | FileCheck %s --check-prefix=SAID
; RUN: %cairn opt -p prepare,escape,layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i64, ptr addrspace(1) }
@pair = internal constant %pair zeroinitializer
@bytes = internal constant [40 x i8] zeroinitializer
%five = type { ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), ptr addrspace(1) }
@five = internal constant %five zeroinitializer
@global = global ptr addrspace(1) null
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
declare void @use(ptr addrspace(1))
declare i1 @ask()
declare ptr addrspace(1) @make(i64)

; What was stored before is stored again.
; SAID: in function 'rare': an object of type 'pair' is allocated where it escapes [object-sunk]
; CHECK-LABEL: @rare(
; CHECK-NEXT: br i1 %c
; CHECK: yes:
; CHECK-NEXT: %[[O:.*]] = call {{.*}}@cairn_alloc(
; CHECK-NEXT: store i64 %x, ptr addrspace(1) %[[O]]
; CHECK: call void @use(ptr addrspace(1) {{.*}}%[[O]])
; CHECK-NEXT: br label %end
; CHECK-NOT: alloc
; CHECK: ret
define void @rare(i1 %c, i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store i64 %x, ptr addrspace(1) %o
  br i1 %c, label %yes, label %end
yes:
  call void @use(ptr addrspace(1) %o)
  br label %end
end:
  ret void
}

; On two paths, once on each. Loads after the call are of the object that it was given.
; CHECK-LABEL: @two(
; CHECK: yes:
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK: call void @use(
; CHECK-NEXT: load i64
; CHECK: more:
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK: call void @use(
; CHECK-NOT: alloc
; CHECK: ret
define i64 @two(i32 %c, i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store i64 %x, ptr addrspace(1) %o
  switch i32 %c, label %no [ i32 1, label %yes
                             i32 2, label %more ]
yes:
  call void @use(ptr addrspace(1) %o)
  %v = load i64, ptr addrspace(1) %o
  br label %end
more:
  call void @use(ptr addrspace(1) %o)
  br label %end
no:
  %w = load i64, ptr addrspace(1) %o
  br label %end
end:
  %r = phi i64 [ %v, %yes ], [ 1, %more ], [ %w, %no ]
  ret i64 %r
}

; A use where both paths meet means the one object or the other: it is allocated as it was.
; SAID: in function 'meets': {{.*}} is allocated: it is passed on, by a call to @use [object-allocated]
; CHECK-LABEL: @meets(
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK-NOT: alloc
; CHECK: ret
define i64 @meets(i1 %c, i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store i64 %x, ptr addrspace(1) %o
  br i1 %c, label %yes, label %end
yes:
  call void @use(ptr addrspace(1) %o)
  br label %end
end:
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}

; Two uses that one leads to the other: one allocation, above both.
; CHECK-LABEL: @above(
; CHECK: yes:
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK-NOT: alloc
; CHECK: ret
define void @above(i1 %c, i1 %d) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  br i1 %c, label %yes, label %end
yes:
  br i1 %d, label %first, label %second
first:
  call void @use(ptr addrspace(1) %o)
  br label %second
second:
  call void @use(ptr addrspace(1) %o)
  br label %end
end:
  ret void
}

; In a loop that the call is not in: not on each pass, but before it.
; CHECK-LABEL: @loop(
; CHECK: before:
; CHECK-NEXT: call i1 @ask()
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK: loop:
; CHECK-NOT: alloc
; CHECK: ret
define void @loop(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  br i1 %c, label %before, label %end
before:
  %a = call i1 @ask()
  br label %loop
loop:
  call void @use(ptr addrspace(1) %o)
  %again = call i1 @ask()
  br i1 %again, label %loop, label %end
end:
  ret void
}

; In a loop that the call is in, and where that is left: the last one only.
; CHECK-LABEL: @last(
; CHECK: loop:
; CHECK-NOT: alloc
; CHECK: end:
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK: ret
define ptr addrspace(1) @last(i64 %x) gc "statepoint-example" {
  br label %loop
loop:
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store i64 %x, ptr addrspace(1) %o
  %again = call i1 @ask()
  br i1 %again, label %loop, label %end
end:
  ret ptr addrspace(1) %o
}

; A phi with others needs it at the end of the way to the phi.
; CHECK-LABEL: @one_of(
; CHECK: yes:
; CHECK-NEXT: call i1 @ask()
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK-NOT: alloc
; CHECK: ret
define ptr addrspace(1) @one_of(i1 %c, ptr addrspace(1) %p, i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store i64 %x, ptr addrspace(1) %o
  br i1 %c, label %yes, label %end
yes:
  %a = call i1 @ask()
  br label %end
end:
  %r = phi ptr addrspace(1) [ %o, %yes ], [ %p, %0 ]
  ret ptr addrspace(1) %r
}

; Not where it hardly pays: all paths but one to an abort.
; CHECK-LABEL: @nearly(
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK-NOT: alloc
define void @nearly(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  br i1 %c, label %stop, label %usual
stop:
  %a = call i1 @ask()
  unreachable
usual:
  call void @use(ptr addrspace(1) %o)
  ret void
}

; Not into a region without safepoints.
; CHECK-LABEL: @region(
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK-NOT: alloc
; CHECK: ret
define void @region(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  call void @cairn.nopoll.begin()
  br i1 %c, label %yes, label %end
yes:
  store ptr addrspace(1) %o, ptr @global
  br label %end
end:
  call void @cairn.nopoll.end()
  ret void
}

; A pointer into the object is formed again. Many fields without references are copied as a block.
; CHECK-LABEL: @inner(
; CHECK: yes:
; CHECK-NEXT: %[[O:.*]] = call {{.*}}@cairn_alloc(
; CHECK: %[[F:.*]] = getelementptr {{.*}}ptr addrspace(1) %[[O]], i64 8
; CHECK-NEXT: store i8 %x, ptr addrspace(1) %[[F]]
; CHECK: call void @use(ptr addrspace(1) {{.*}}%[[F]])
; CHECK-NOT: alloc
; CHECK: ret
define i8 @inner(i1 %c, i8 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @bytes, i64 40)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i8 %x, ptr addrspace(1) %f
  br i1 %c, label %yes, label %end
yes:
  call void @use(ptr addrspace(1) %f)
  ret i8 0
end:
  %v = load i8, ptr addrspace(1) %f
  ret i8 %v
}

; ---- values that wait for the object

; A builder: what the object leads to is made first, then the object, in the same block. The stores need no barrier.
; SAID: in function 'builder': {{.*}} is allocated where it escapes [object-sunk]
; CHECK-LABEL: @builder(
; CHECK-NEXT: %[[K:.*]] = call ptr addrspace(1) @make(
; CHECK-NEXT: %[[O:.*]] = call {{.*}}@cairn_alloc(
; CHECK-NEXT: store i64 %x, ptr addrspace(1) %[[O]]
; CHECK: store ptr addrspace(1) %[[K]]
; CHECK-NEXT: ret ptr addrspace(1) %[[O]]
define ptr addrspace(1) @builder(i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store i64 %x, ptr addrspace(1) %o
  %k = call ptr addrspace(1) @make(i64 %x)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %k, ptr addrspace(1) %f
  ret ptr addrspace(1) %o
}

; The same where paths meet, one of which has a safepoint. It is not made less often.
; CHECK-LABEL: @tree(
; CHECK-NEXT: icmp
; CHECK-NOT: alloc
; CHECK: end:
; CHECK-NEXT: phi
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK-NOT: alloc
; CHECK: ret
define ptr addrspace(1) @tree(i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %more = icmp sgt i64 %x, 0
  br i1 %more, label %yes, label %end
yes:
  %less = sub i64 %x, 1
  %k = call ptr addrspace(1) @tree(i64 %less)
  br label %end
end:
  %p = phi ptr addrspace(1) [ null, %0 ], [ %k, %yes ]
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %p, ptr addrspace(1) %f
  ret ptr addrspace(1) %o
}

; What comes after it in the same block is of the new object, what comes before of the values.
; CHECK-LABEL: @between(
; CHECK-NEXT: %[[K:.*]] = call ptr addrspace(1) @make(
; CHECK-NEXT: %[[L:.*]] = call ptr addrspace(1) @make(i64 %x)
; CHECK-NEXT: %[[O:.*]] = call {{.*}}@cairn_alloc(
; CHECK: store i64 %x, ptr addrspace(1) %[[O]]
; CHECK: store ptr addrspace(1) %[[L]]
; CHECK: call void @use(ptr addrspace(1) {{.*}}%[[O]])
; CHECK-NEXT: %[[V:.*]] = load i64, ptr addrspace(1) %[[O]]
; CHECK: store ptr addrspace(1) %[[K]]
; CHECK: ret i64
define i64 @between(i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store i64 %x, ptr addrspace(1) %o
  %k = call ptr addrspace(1) @make(i64 7)
  store ptr addrspace(1) %k, ptr addrspace(1) %f
  %v = load i64, ptr addrspace(1) %o
  %l = call ptr addrspace(1) @make(i64 %v)
  store ptr addrspace(1) %l, ptr addrspace(1) %f
  call void @use(ptr addrspace(1) %o)
  %w = load i64, ptr addrspace(1) %o
  store ptr addrspace(1) %k, ptr addrspace(1) %f
  %r = add i64 %v, %w
  ret i64 %r
}

; Where no safepoint comes before the store, nothing is saved: it stays.
; CHECK-LABEL: @at_once(
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK: ret
define ptr addrspace(1) @at_once(ptr addrspace(1) %k, i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %k, ptr addrspace(1) %f
  %m = call ptr addrspace(1) @make(i64 %x)
  store ptr addrspace(1) %m, ptr @global
  ret ptr addrspace(1) %o
}

; Nor if somebody knows it before the safepoint.
; CHECK-LABEL: @known(
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK: ret
define ptr addrspace(1) @known(i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store ptr addrspace(1) %o, ptr @global
  %k = call ptr addrspace(1) @make(i64 %x)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %k, ptr addrspace(1) %f
  ret ptr addrspace(1) %o
}

; Four values wait, more do not: the object is one.
; CHECK-LABEL: @four(
; CHECK-NOT: alloc
; CHECK: call ptr addrspace(1) @make(i64 4)
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK: ret
define ptr addrspace(1) @four() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @five, i64 40)
  %o1 = getelementptr i8, ptr addrspace(1) %o, i64 8
  %o2 = getelementptr i8, ptr addrspace(1) %o, i64 16
  %o3 = getelementptr i8, ptr addrspace(1) %o, i64 24
  %a = call ptr addrspace(1) @make(i64 1)
  store ptr addrspace(1) %a, ptr addrspace(1) %o
  %b = call ptr addrspace(1) @make(i64 2)
  store ptr addrspace(1) %b, ptr addrspace(1) %o1
  %c = call ptr addrspace(1) @make(i64 3)
  store ptr addrspace(1) %c, ptr addrspace(1) %o2
  %d = call ptr addrspace(1) @make(i64 4)
  store ptr addrspace(1) %d, ptr addrspace(1) %o3
  ret ptr addrspace(1) %o
}
; CHECK-LABEL: @five_values(
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK-NOT: alloc
; CHECK: ret
define ptr addrspace(1) @five_values() gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @five, i64 40)
  %o1 = getelementptr i8, ptr addrspace(1) %o, i64 8
  %o2 = getelementptr i8, ptr addrspace(1) %o, i64 16
  %o3 = getelementptr i8, ptr addrspace(1) %o, i64 24
  %o4 = getelementptr i8, ptr addrspace(1) %o, i64 32
  %a = call ptr addrspace(1) @make(i64 1)
  store ptr addrspace(1) %a, ptr addrspace(1) %o
  %b = call ptr addrspace(1) @make(i64 2)
  store ptr addrspace(1) %b, ptr addrspace(1) %o1
  %c = call ptr addrspace(1) @make(i64 3)
  store ptr addrspace(1) %c, ptr addrspace(1) %o2
  %d = call ptr addrspace(1) @make(i64 4)
  store ptr addrspace(1) %d, ptr addrspace(1) %o3
  %e = call ptr addrspace(1) @make(i64 5)
  store ptr addrspace(1) %e, ptr addrspace(1) %o4
  ret ptr addrspace(1) %o
}

; In a region without safepoints it cannot be made.
; CHECK-LABEL: @late_region(
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK-NOT: alloc
; CHECK: ret
define void @late_region(i64 %x) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %k = call ptr addrspace(1) @make(i64 %x)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %k, ptr addrspace(1) %f
  call void @cairn.nopoll.begin()
  store ptr addrspace(1) %o, ptr @global
  call void @cairn.nopoll.end()
  ret void
}

; On each pass of a loop, in one block: a phi needs it at the block's end.
; CHECK-LABEL: @passes(
; CHECK: loop:
; CHECK: %[[K:.*]] = call ptr addrspace(1) @make(
; CHECK-NEXT: %[[A:.*]] = call i1 @ask()
; CHECK-NEXT: call {{.*}}@cairn_alloc(
; CHECK: br i1 %[[A]]
; CHECK-NOT: alloc
; CHECK: ret
define ptr addrspace(1) @passes(i64 %x) gc "statepoint-example" {
  br label %loop
loop:
  %last = phi ptr addrspace(1) [ null, %0 ], [ %o, %loop ]
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  call void @use(ptr addrspace(1) %last)
  %k = call ptr addrspace(1) @make(i64 %x)
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  store ptr addrspace(1) %k, ptr addrspace(1) %f
  %again = call i1 @ask()
  br i1 %again, label %loop, label %end
end:
  ret ptr addrspace(1) null
}
