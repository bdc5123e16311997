; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints --polls=entry,backedge -S %s | FileCheck --check-prefix=ALL %s
; A function polls on entry if a path from there closes a cycle of calls, or does more than a microsecond of work and may
; return. A poll too few would let a recursion run without a safepoint.

; CHECK-LABEL: define i64 @fib
; CHECK: load volatile
; CHECK: {{^}}more:
; CHECK-NOT: load volatile
; CHECK: call i64 @fib(i64 %m)
; CHECK-NOT: load volatile
; CHECK: call i64 @fib(i64 %k)
; CHECK: load volatile
; CHECK: {{^}}small:
; CHECK-NOT: load volatile
; CHECK: ret i64
; ALL-LABEL: define i64 @fib
; ALL: load volatile
; ALL: {{^}}more:
; ALL-NOT: load volatile
; ALL: call i64 @fib
define i64 @fib(i64 %n) gc "statepoint-example" {
  %c = icmp slt i64 %n, 2
  br i1 %c, label %small, label %more
more:
  %m = sub i64 %n, 1
  %a = call i64 @fib(i64 %m)
  %k = sub i64 %n, 2
  %b = call i64 @fib(i64 %k)
  %s = add i64 %a, %b
  ret i64 %s
small:
  ret i64 %n
}

; The poll comes before an address is held in an integer.
; CHECK-LABEL: define i64 @held
; CHECK: load volatile
; CHECK: %a = ptrtoint
; CHECK-NOT: load volatile
; CHECK: call i64 @held
; CHECK: load volatile
; CHECK: ret i64 0
define i64 @held(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) gc "statepoint-example" {
  %a = ptrtoint ptr addrspace(1) %p to i64
  br i1 %c, label %more, label %out
more:
  %b = ptrtoint ptr addrspace(1) %q to i64
  %d = sub i64 %a, %b
  %r = call i64 @held(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c)
  %s = add i64 %d, %r
  ret i64 %s
out:
  ret i64 0
}

; An alloca comes after the call that needs the poll: the poll still comes before the call.
; CHECK-LABEL: define void @before_alloca
; CHECK: load volatile
; CHECK: call void @before_alloca
; ALL-LABEL: define void @before_alloca
; ALL: %y = alloca i64
; ALL: load volatile
define void @before_alloca() gc "statepoint-example" {
  call void @before_alloca()
  %y = alloca i64
  store i64 1, ptr %y
  ret void
}

; Much work on one path: the poll stands on entry, even if the other path does little.
; CHECK-LABEL: define i64 @long
; CHECK: load volatile
; CHECK: br i1 %c
; CHECK: {{^}}heavy:
; CHECK-NOT: load volatile
; CHECK: ret i64
; CHECK: {{^}}}
define i64 @long(double %x, i1 %c) gc "statepoint-example" {
  br i1 %c, label %heavy, label %out
heavy:
  %a = call double @exp(double %x)
  %b = call double @exp(double %a)
  %d = call double @exp(double %b)
  %e = call double @exp(double %d)
  %f = call double @exp(double %e)
  %g = call double @exp(double %f)
  %h = call double @exp(double %g)
  %i = call double @exp(double %h)
  %j = fptosi double %i to i64
  ret i64 %j
out:
  ret i64 0
}
declare double @exp(double)

; Little work on each path, and no cycle: no poll.
; CHECK-LABEL: define i64 @little
; CHECK-NOT: load volatile
; CHECK: {{^}}}
define i64 @little(double %x, i1 %c) gc "statepoint-example" {
  br i1 %c, label %some, label %out
some:
  %a = call double @exp(double %x)
  %j = fptosi double %a to i64
  ret i64 %j
out:
  ret i64 0
}
