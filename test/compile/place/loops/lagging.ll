; Variables that lag behind others, swap or rotate in a loop that is unrolled: the next value of one phi is another phi.
; In each copy all of them change at once. If the phis of the header were replaced one after the other, one
; would go on with what another has become, or with a value of another type. The program prints what the loops compute, as they are here
; and unrolled.
; RUN: %cairn opt --polls=entry,backedge -p place-safepoints -S %s -o %t.ll
; RUN: opt -passes=verify -disable-output %t.ll
; RUN: FileCheck --input-file=%t.ll %s
; RUN: llc -O1 -filetype=obj -relocation-model=pic %s -o %t.plain.o && clang %t.plain.o -o %t.plain
; RUN: llc -O1 -filetype=obj -relocation-model=pic %t.ll -o %t.o && clang %t.o -o %t.unrolled
; RUN: %t.plain > %t.expected && %t.unrolled > %t.computed && diff %t.expected %t.computed
; RUN: FileCheck --check-prefix=SAYS --input-file=%t.expected %s
target triple = "x86_64-pc-linux-gnu"

@cairn_mutator = thread_local global [192 x i8] zeroinitializer, align 16
@text = constant [32 x i8] c"abcdefghijklmnopqrstuvwxyz01234\00"
@format = constant [12 x i8] c"%ld %ld %g\0A\00"
declare i32 @printf(ptr, ...)

define preserve_allcc void @cairn_poll_slow() {
  ret void
}

; prev = cur: what it says is the place before the one that was looked for.
; CHECK-LABEL: define i64 @lags(
; CHECK: {{^}}loop:
; CHECK-NEXT: %i = phi i64 [ 0, %poll.done ], [ %i.next[[LAST:[0-9]+]], %poll.done{{[0-9]+}} ]
; CHECK-NEXT: %prev = phi i64 [ -1, %poll.done ], [ %i.next[[BEFORE:[0-9]+]], %poll.done{{[0-9]+}} ]
; CHECK: %i.next[[BEFORE]] = add i64 %i, 7
; CHECK: %i.next[[LAST]] = add i64 %i, 8
define i64 @lags(i8 %what) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %prev = phi i64 [ -1, %entry ], [ %i, %loop ]
  %p = getelementptr i8, ptr @text, i64 %i
  %v = load i8, ptr %p
  %i.next = add i64 %i, 1
  %c = icmp eq i8 %v, %what
  br i1 %c, label %done, label %loop
done:
  %r = shl i64 %prev, 8
  %s = or i64 %r, %i
  ret i64 %s
}

; while (++s < end) and the old s: a pointer, a reference and an integer lag, over two trips and three.
define i64 @lags_far(i8 %what, ptr addrspace(1) %ref) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %before = phi ptr [ @text, %entry ], [ %old, %loop ]
  %old = phi ptr [ @text, %entry ], [ %at, %loop ]
  %number = phi i64 [ 7, %entry ], [ %distance, %loop ]
  %first = phi i64 [ 0, %entry ], [ %number, %loop ]
  %r2 = phi ptr addrspace(1) [ %ref, %entry ], [ %r1, %loop ]
  %r1 = phi ptr addrspace(1) [ %ref, %entry ], [ %r, %loop ]
  %at = phi ptr [ @text, %entry ], [ %next, %loop ]
  %r = phi ptr addrspace(1) [ %ref, %entry ], [ %r.next, %loop ]
  %v = load i8, ptr %at
  %distance = zext i8 %v to i64
  %next = getelementptr i8, ptr %at, i64 1
  %r.next = getelementptr i8, ptr addrspace(1) %r, i64 2
  %c = icmp eq i8 %v, %what
  br i1 %c, label %done, label %loop
done:
  %b = ptrtoint ptr %before to i64
  %o = ptrtoint ptr %old to i64
  %d = sub i64 %o, %b
  %e = ptrtoint ptr addrspace(1) %r2 to i64
  %f = ptrtoint ptr addrspace(1) %r1 to i64
  %g = mul i64 %e, %f
  %h = shl i64 %first, 9
  %i = xor i64 %number, %h
  %j = add i64 %g, %i
  %k = add i64 %j, %d
  ret i64 %k
}

; Two that swap and three that rotate, of each kind; two exits, with values of their own.
define i64 @swaps(i8 %what, i8 %other) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %a = phi i64 [ 3, %entry ], [ %b, %latch ]
  %b = phi i64 [ 5, %entry ], [ %a, %latch ]
  %x = phi i64 [ 100, %entry ], [ %y, %latch ]
  %y = phi i64 [ 200, %entry ], [ %z, %latch ]
  %z = phi i64 [ 400, %entry ], [ %x, %latch ]
  %p = getelementptr i8, ptr @text, i64 %i
  %v = load i8, ptr %p
  %i.next = add i64 %i, 1
  %c = icmp eq i8 %v, %what
  br i1 %c, label %done, label %latch
latch:
  %d = icmp eq i8 %v, %other
  br i1 %d, label %done, label %loop
done:
  %one = phi i64 [ %a, %loop ], [ %b, %latch ]
  %two = phi i64 [ %x, %loop ], [ %z, %latch ]
  %r = shl i64 %one, 32
  %s = add i64 %r, %two
  ret i64 %s
}

; Floating-point numbers and vectors, over two latches and a switch with edges that meet.
define double @vectors(i8 %what) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %left ], [ %i.next, %right ], [ %i.next, %right ]
  %f = phi double [ 1.5, %entry ], [ %g, %left ], [ %g, %right ], [ %g, %right ]
  %g = phi double [ 2.5, %entry ], [ %f, %left ], [ %h, %right ], [ %h, %right ]
  %h = phi double [ 4.25, %entry ], [ %h, %left ], [ %f, %right ], [ %f, %right ]
  %m = phi <2 x double> [ <double 1.0, double 3.0>, %entry ], [ %n, %left ], [ %n, %right ], [ %n, %right ]
  %n = phi <2 x double> [ <double 8.0, double 9.0>, %entry ], [ %m, %left ], [ %m, %right ], [ %m, %right ]
  %p = getelementptr i8, ptr @text, i64 %i
  %v = load i8, ptr %p
  %i.next = add i64 %i, 1
  %c = icmp eq i8 %v, %what
  br i1 %c, label %done, label %on
on:
  %odd = and i8 %v, 3
  %is = icmp eq i8 %odd, 1
  br i1 %is, label %left, label %right
left:
  br label %loop
right:
  switch i8 %v, label %done [ i8 99, label %loop
                              i8 100, label %loop
                              i8 98, label %more
                              i8 102, label %more ]
more:
  br label %loop.again
loop.again:
  br label %done
done:
  %e = extractelement <2 x double> %m, i32 1
  %s = fmul double %g, %e
  %t = fadd double %s, %f
  ret double %t
}

; SAYS: 0 {{.*}}
; SAYS-COUNT-31: {{^[0-9]+ -?[0-9]+ }}
define i32 @main() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr i8, ptr @text, i64 %i
  %v = load i8, ptr %p
  %w = xor i8 %v, 3
  %ref = inttoptr i64 4096 to ptr addrspace(1)
  %a = call i64 @lags(i8 %v)
  %b = call i64 @lags_far(i8 %v, ptr addrspace(1) %ref)
  %c = call i64 @swaps(i8 %v, i8 %w)
  %d = call double @vectors(i8 %v)
  %ab = mul i64 %a, 1048576
  %abc = add i64 %ab, %b
  %abcd = mul i64 %abc, 31
  %all = xor i64 %abcd, %c
  %said = call i32 (ptr, ...) @printf(ptr @format, i64 %i, i64 %all, double %d)
  %i.next = add i64 %i, 1
  %more = icmp ult i64 %i.next, 32
  br i1 %more, label %loop, label %done
done:
  ret i32 0
}
