; One base phi for all derived pointers that have the same, round loops too; a phi that is a base itself
; is that; where only one base can come there is none; and none that nothing needs (slides, "What about
; PHIs?"). Wrong: a register for each copy of the same base.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=share-bases -S %s | FileCheck %s --check-prefix=OFF
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
; RUN: %cairn opt -p rewrite-statepoints --without=share-bases -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
@global = external addrspace(1) global [8 x i64]

; %q has the bases of %p.
; CHECK-LABEL: define void @two
; CHECK: %p.base = phi ptr addrspace(1) [ %a, %entry ], [ %b, %left ]
; CHECK-NOT: .base = phi
; CHECK: "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %p.base) ]
; OFF-LABEL: define void @two
; OFF: %p.base = phi
; OFF: %q.base = phi
define void @two(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
entry:
  %a1 = getelementptr i8, ptr addrspace(1) %a, i64 8
  %b1 = getelementptr i8, ptr addrspace(1) %b, i64 8
  %a2 = getelementptr i8, ptr addrspace(1) %a, i64 16
  %b2 = getelementptr i8, ptr addrspace(1) %b, i64 24
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %p = phi ptr addrspace(1) [%a1, %entry], [%b1, %left]
  %q = phi ptr addrspace(1) [%a2, %entry], [%b2, %left]
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  call void @use(ptr addrspace(1) %q)
  ret void
}

; %o is the base of %p already.
; CHECK-LABEL: define void @there
; CHECK-NOT: .base = phi
; CHECK: "gc-live"(ptr addrspace(1) %{{[op]}}, ptr addrspace(1) %{{[op]}}) ]
; OFF-LABEL: define void @there
; OFF: .base = phi
define void @there(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
entry:
  %a1 = getelementptr i8, ptr addrspace(1) %a, i64 8
  %b1 = getelementptr i8, ptr addrspace(1) %b, i64 8
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %p = phi ptr addrspace(1) [%a1, %entry], [%b1, %left]
  %o = phi ptr addrspace(1) [%a, %entry], [%b, %left]
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  call void @use(ptr addrspace(1) %o)
  ret void
}

; Two walks over one object that changes: one base phi, which is live round the loop.
; CHECK-LABEL: define void @loop
; CHECK: head:
; CHECK: %p.base = phi
; CHECK-NOT: .base = phi
; CHECK: ret void
; OFF-LABEL: define void @loop
; OFF: %p.base = phi
; OFF: %q.base = phi
define void @loop(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c, ptr %flag) gc "statepoint-example" {
entry:
  br label %head
head:
  %p = phi ptr addrspace(1) [%a, %entry], [%p1, %head], [%b, %again]
  %q = phi ptr addrspace(1) [%a, %entry], [%q1, %head], [%b, %again]
  call void @foo()
  %p1 = getelementptr i8, ptr addrspace(1) %p, i64 8
  %q1 = getelementptr i8, ptr addrspace(1) %q, i64 16
  call void @use(ptr addrspace(1) %p1)
  call void @use(ptr addrspace(1) %q1)
  %n = load i8, ptr %flag
  switch i8 %n, label %exit [ i8 0, label %head
                              i8 1, label %again ]
again:
  br label %head
exit:
  ret void
}

; Selects: the first one's base is there for the second; not a select of a global, which has null there.
; CHECK-LABEL: define void @selects
; CHECK: %s.base = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) null
; CHECK-NOT: .base = select
; CHECK: "gc-live"
; OFF-LABEL: define void @selects
; OFF: %s.base = select
; OFF: %t.base = select
define void @selects(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
  %a1 = getelementptr i8, ptr addrspace(1) %a, i64 8
  %g = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) @global
  %s = select i1 %c, ptr addrspace(1) %a1, ptr addrspace(1) @global
  %t = select i1 %c, ptr addrspace(1) %a1, ptr addrspace(1) null
  call void @foo()
  call void @use(ptr addrspace(1) %g)
  call void @use(ptr addrspace(1) %s)
  call void @use(ptr addrspace(1) %t)
  ret void
}

; %d has the base %b, so whatever is chosen of the two has it. Wrong: a select of %b and %b, made for
; %s, or %e in place of it, which is computed again from %b and so not listed.
; CHECK-LABEL: define void @one_of_one
; CHECK-NOT: .base =
; CHECK: "gc-live"(ptr addrspace(1) %b, ptr addrspace(1) %s) ]
; OFF-LABEL: define void @one_of_one
; OFF: %s.base = select
define void @one_of_one(ptr addrspace(1) %a, i1 %c, i1 %t) gc "statepoint-example" {
entry:
  br label %head
head:
  %b = phi ptr addrspace(1) [%a, %entry], [%n, %again]
  %d = phi ptr addrspace(1) [%a, %entry], [%n8, %again]
  %e = select i1 %c, ptr addrspace(1) %b, ptr addrspace(1) %b
  %s = select i1 %c, ptr addrspace(1) %b, ptr addrspace(1) %d
  call void @foo()
  call void @use(ptr addrspace(1) %e)
  call void @use(ptr addrspace(1) %s)
  br i1 %t, label %again, label %exit
again:
  %n = load ptr addrspace(1), ptr addrspace(1) %b
  %n8 = getelementptr i8, ptr addrspace(1) %n, i64 8
  br label %head
exit:
  ret void
}

; What has one base in truth is found in steps: %d has %b, so %s has it; so %v has %u, and %w too.
; CHECK-LABEL: define void @in_steps
; CHECK-NOT: .base =
; CHECK: "gc-live"({{.*}}, ptr addrspace(1) %u, ptr addrspace(1) %w) ]
; OFF-LABEL: define void @in_steps
; OFF: %w.base = select
define void @in_steps(ptr addrspace(1) %a, ptr addrspace(1) %o, i1 %c, i1 %t) gc "statepoint-example" {
entry:
  br label %head
head:
  %b = phi ptr addrspace(1) [%a, %entry], [%n, %again]
  %d = phi ptr addrspace(1) [%a, %entry], [%n8, %again]
  %s = select i1 %c, ptr addrspace(1) %b, ptr addrspace(1) %d
  br i1 %t, label %other, label %join
other:
  br label %join
join:
  %u = phi ptr addrspace(1) [%b, %head], [%o, %other]
  %v = phi ptr addrspace(1) [%s, %head], [%o, %other]
  %w = select i1 %c, ptr addrspace(1) %u, ptr addrspace(1) %v
  call void @foo()
  call void @use(ptr addrspace(1) %w)
  br i1 %t, label %again, label %exit
again:
  %n = load ptr addrspace(1), ptr addrspace(1) %a
  %n8 = getelementptr i8, ptr addrspace(1) %n, i64 8
  br label %head
exit:
  ret void
}

; The same of a base that is made: for %p, and there are no others.
; CHECK-LABEL: define void @of_made
; CHECK: %p.base = phi
; CHECK-NOT: .base =
; CHECK: "gc-live"
; OFF-LABEL: define void @of_made
; OFF: %s.base = select
define void @of_made(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
entry:
  %a1 = getelementptr i8, ptr addrspace(1) %a, i64 8
  %b1 = getelementptr i8, ptr addrspace(1) %b, i64 8
  br i1 %c, label %left, label %right
left:
  br label %right
right:
  %p = phi ptr addrspace(1) [%a1, %entry], [%b1, %left]
  %q = phi ptr addrspace(1) [%a, %entry], [%b1, %left]
  %s = select i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %q
  call void @foo()
  call void @use(ptr addrspace(1) %s)
  ret void
}
