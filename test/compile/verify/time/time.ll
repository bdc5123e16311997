; RUN: not %cairn verify --time-to-safepoint %s | FileCheck %s
; RUN: not %cairn verify --time-to-safepoint --json %s | FileCheck %s --check-prefix=JSON
; Bounds that are too small hide a program that does not stop for a collection; each is counted by
; hand here, in units of half a nanosecond: most instructions are one, a division 20, a call of what
; is not known 2000 and 5.

declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @cairn_poll_slow()
declare void @unknown()
declare void @polls() "cairn-polls" "cairn-work"="300"
declare void @small() "gc-leaf-function" "cairn-work"="70"
@poll = external thread_local global i64

; CHECK: {{^}}@leaf: no safepoint, through 0.01 us (22)
; JSON: {"function": "leaf", "module": "{{.*}}time.ll", "units_per_us": 2000, "through": 22, "recursive": false, "nopoll": false, "regions": 0}
define i64 @leaf(i64 %a, i64 %b) gc "statepoint-example" {
  %c = add i64 %a, %b
  %d = udiv i64 %c, %b
  ret i64 %d
}

; A poll in the middle: four units to it, three of them its own; its slow path has one more from it.
; CHECK: {{^}}@middle: enter 0.00 us (4), between 0.00 us (0), leave 0.00 us (3)
; JSON: "function": "middle"{{.*}}, "enter": 4, "between": 0, "leave": 3, "recursive"
define i64 @middle(i64 %a) gc "statepoint-example" {
  %b = add i64 %a, 1
  %p = load volatile i64, ptr @poll
  %c = icmp ne i64 %p, 0
  br i1 %c, label %slow, label %done
slow:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @cairn_poll_slow, i32 0, i32 0, i32 0, i32 0)
  br label %done
done:
  %d = add i64 %b, 1
  ret i64 %d
}

; A loop of 100 passes of three units: counted.
; CHECK: {{^}}@counted: no safepoint, through 0.15 us (302)
define void @counted() gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %n, %loop ]
  %n = add i64 %i, 1
  %c = icmp eq i64 %n, 100
  br i1 %c, label %out, label %loop
out:
  ret void
}

; Of a call: what its callee's attributes say, what the module has of it, or a microsecond.
; CHECK: {{^}}@calls: enter 1.21 us (2412), between 0.00 us (0), leave 0.30 us (608)
define void @calls() gc "statepoint-example" {
  call void @small()
  call void @unknown()
  %l = call i64 @leaf(i64 1, i64 2)
  call void @polls()
  call void @counted()
  ret void
}

; Where a way without a safepoint goes round a poll, both are told.
; CHECK: {{^}}@either: enter 0.15 us (307), between 0.00 us (0), leave 0.15 us (302), through 0.00 us (4)
define void @either(i1 %c, i1 %d) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  br label %call
call:
  call void @polls()
  br label %out
b:
  br i1 %d, label %out, label %other
other:
  br label %out
out:
  ret void
}

; A loop that polls on each pass: a pass between two, from and to the poll.
; CHECK: {{^}}@each: enter 0.00 us (4), between 0.01 us (27), leave 0.01 us (25)
define void @each(i64 %n, i64 %m) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %done ]
  %p = load volatile i64, ptr @poll
  %c = icmp ne i64 %p, 0
  br i1 %c, label %slow, label %done
slow:
  call void @cairn_poll_slow()
  br label %done
done:
  %q = udiv i64 %n, %m
  %j = add i64 %i, %q
  %d = icmp eq i64 %j, %n
  br i1 %d, label %out, label %loop
out:
  ret void
}

; What place-safepoints noted of a chunk.
; CHECK: {{^}}@chunk: no safepoint, through 6.00 us (12002)
define void @chunk(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %j = add i64 %i, 1
  %d = icmp eq i64 %j, %n
  br i1 %d, label %out, label %loop, !cairn.bounded !0
out:
  ret void
}

; Memory whose size is known, also if only to be no more than that.
; CHECK: {{^}}@fills: no safepoint, through 4.09 us (8179)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @fills(ptr %p, i64 %n) gc "statepoint-example" {
  %few = icmp ult i64 %n, 4096
  %m = select i1 %few, i64 %n, i64 4096
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %m, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4096, i1 false)
  %k = and i64 %n, 4095
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %k, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 4096, i1 false) "cairn-work"="1967"
  ret void
}

; CHECK: {{^}}@forever: no safepoint{{$}}
; CHECK-NEXT: {{^}}  {{.*}}time.ll: loop %loop: unbounded: it never ends{{$}}
; JSON: "function": "forever"{{.*}}"causes": [{"kind": "loop", "where": "%loop", "why": "it never ends", "work": null}]}
define void @forever() gc "statepoint-example" {
  br label %loop
loop:
  br label %loop
}

; CHECK: {{^}}@unknown_trips: no safepoint, through unbounded
; CHECK-NEXT: loop %loop: unbounded: only the running program knows how often it goes round{{$}}
; JSON: "function": "unknown_trips"{{.*}}, "through": null,
define void @unknown_trips(i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %j = add i64 %i, 1
  %d = icmp eq i64 %j, %n
  br i1 %d, label %out, label %loop
out:
  ret void
}

; CHECK: {{^}}@scan: no safepoint, through unbounded
; CHECK-NEXT: loop %loop: unbounded: it ends when the data says so{{$}}
define ptr @scan(ptr %p) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %a = phi ptr [ %p, %entry ], [ %b, %loop ]
  %b = load ptr, ptr %a
  %d = icmp eq ptr %b, null
  br i1 %d, label %out, label %loop
out:
  ret ptr %a
}

; The unbounded part of a nest is told first, and what holds it says so.
; CHECK: {{^}}@nest:
; CHECK-NEXT: loop %inner: unbounded: it ends
; CHECK-NEXT: loop %outer: unbounded: a pass has no bound itself
define void @nest(ptr %p) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %j, %latch ]
  br label %inner
inner:
  %x = load volatile i1, ptr %p
  br i1 %x, label %inner, label %latch
latch:
  %j = add i64 %i, 1
  %d = icmp eq i64 %j, 7
  br i1 %d, label %out, label %outer
out:
  ret void
}

; CHECK: {{^}}@two_entries: no safepoint, through unbounded
; CHECK-NEXT: cycle %{{[ab]}}: unbounded: several ways lead into it
define void @two_entries(i1 %c, ptr %p) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %x = load volatile i1, ptr %p
  br i1 %x, label %a, label %out
out:
  ret void
}

; The same, but each way round calls what polls.
; CHECK: {{^}}@two_entries_polled: enter 0.15 us (308), between 0.30 us (608), leave 0.15 us (304), through 0.00 us (4)
define void @two_entries_polled(i1 %c, ptr %p) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  call void @polls()
  br label %b
b:
  %x = load volatile i1, ptr %p
  br i1 %x, label %a, label %out
out:
  ret void
}

; A string may be any length, and so may what was copied by one who did not know.
; CHECK-NEXT: {{^}}@strings: no safepoint, through unbounded
; CHECK-NEXT: call @strlen: unbounded: it takes as long as its arguments say
; CHECK-NEXT: call @llvm.memset.p0.i64: unbounded: it takes
declare i64 @strlen(ptr)
define void @strings(ptr %p) gc "statepoint-example" {
  %n = call i64 @strlen(ptr %p)
  call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 %n, i1 false)
  ret void
}

; What has no bound in a callee has none in its caller.
; CHECK: {{^}}@calls_scan: no safepoint, through unbounded
; CHECK-NEXT: call @scan: unbounded: the function may do so much without coming to a safepoint
define void @calls_scan(ptr %p) gc "statepoint-example" {
  %x = call ptr @scan(ptr %p)
  ret void
}

; CHECK: {{^}}@silent: no safepoint, through 0.00 us (1), cairn-nopoll
; JSON: "function": "silent"{{.*}} "nopoll": true
define void @silent() "cairn-nopoll" gc "statepoint-example" {
  ret void
}

; Not ours.
; CHECK-NOT: @native
define void @native() {
  br label %loop
loop:
  br label %loop
}

!0 = !{i64 12000}
