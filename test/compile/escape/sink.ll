; Objects that escape on some paths only. What could go wrong: an object is made twice, or not at all; it lacks what was
; stored before, or what is stored later; two names of it lead to two objects; an allocation comes where none may be, or
; one that ran once runs on each pass of a loop.
; RUN: %cairn opt -p prepare,escape -S %s | FileCheck %s
; RUN: %cairn opt -p prepare,escape --report --disable-output %s 2>&1 | FileCheck %s --check-prefix=SAID
; RUN: %cairn opt -p prepare,escape,layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i64, ptr addrspace(1) }
@pair = internal constant %pair zeroinitializer
@bytes = internal constant [40 x i8] zeroinitializer
@global = global ptr addrspace(1) null
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()
declare void @use(ptr addrspace(1))
declare i1 @ask()

; What was stored before is stored again; what nobody stored is not.
; SAID: in function 'rare': an object of type 'pair' is allocated only where it escapes [object-sunk]
; CHECK-LABEL: @rare(
; CHECK-NEXT: br i1 %c
; CHECK: yes:
; CHECK-NEXT: %[[O:.*]] = call {{.*}}@cairn_alloc(
; CHECK-NEXT: store i64 %x, ptr addrspace(1) %[[O]]
; CHECK-NEXT: call void @use(ptr addrspace(1) {{.*}}%[[O]])
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
; CHECK-NEXT: %[[F:.*]] = getelementptr {{.*}}ptr addrspace(1) %[[O]], i64 8
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
