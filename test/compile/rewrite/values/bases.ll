; Base pointers through GEP, phi, select, freeze (statepoints-later, "Base & Derived Pointers";
; slides, "What about PHIs?"). Wrong: a wrong base moves the derived pointer to another object; a
; needless base phi costs a register.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
; RUN: %cairn opt -p verify --print=bases %s | FileCheck %s --check-prefix=PRINT
declare void @foo()
declare ptr addrspace(1) @bar()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)
@global = external addrspace(1) global [8 x i64]

; The slides' example: p walks down from end + 3, or comes from elsewhere.
; CHECK-LABEL: define i64 @slides
; CHECK: head:
; CHECK: %p.base = phi ptr addrspace(1) [ %end, %entry ], [ [[NEXT:%.*]], %latch ]
; CHECK: "gc-live"({{.*}}ptr addrspace(1) %p, {{.*}}ptr addrspace(1) %p.base) ]
; CHECK: %p.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token {{.*}}, i32 2, i32 1)
; CHECK: latch:
; CHECK: [[NEXT]] = phi ptr addrspace(1) [ %p.base.relocated, %body ], [ %f, %t ]
; PRINT-LABEL: bases of @slides
; PRINT-DAG: %begin: %begin
; PRINT-DAG: %p: merge beside %p
define i64 @slides(ptr addrspace(1) %begin, ptr addrspace(1) %end, i1 %c) gc "statepoint-example" {
entry:
  %e3 = getelementptr i64, ptr addrspace(1) %end, i64 3
  br label %head
head:
  %p = phi ptr addrspace(1) [%e3, %entry], [%n, %latch]
  %cmp = icmp ugt ptr addrspace(1) %p, %begin
  call void @foo()
  br i1 %cmp, label %body, label %exit
body:
  br i1 %c, label %t, label %latch
t:
  %f = call ptr addrspace(1) @bar()
  br label %latch
latch:
  %m = phi ptr addrspace(1) [%p, %body], [%f, %t]
  %n = getelementptr i8, ptr addrspace(1) %m, i64 -8
  br label %head
exit:
  %x = load i64, ptr addrspace(1) %p
  ret i64 %x
}

; The slides' second: only one base can come, so no base phi.
; CHECK-LABEL: define i64 @single
; CHECK-NOT: .base
; CHECK: "gc-live"(ptr addrspace(1) [[B:%.*]], ptr addrspace(1) %n) ]
; CHECK: ret
; PRINT-LABEL: bases of @single
; PRINT: %n: %begin
define i64 @single(ptr addrspace(1) %begin, i64 %k) gc "statepoint-example" {
entry:
  %e3 = getelementptr i64, ptr addrspace(1) %begin, i64 %k
  br label %head
head:
  %p = phi ptr addrspace(1) [%e3, %entry], [%n, %head]
  %n = getelementptr i8, ptr addrspace(1) %p, i64 -8
  %cmp = icmp ugt ptr addrspace(1) %n, %begin
  call void @foo()
  br i1 %cmp, label %head, label %exit
exit:
  ret i64 0
}

; Phis of phis of one base, around two loops.
; CHECK-LABEL: define void @cycle
; CHECK-NOT: .base
; CHECK: ret void
define void @cycle(ptr addrspace(1) %a, i64 %k, ptr %flag) gc "statepoint-example" {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %k
  br label %outer
outer:
  %p = phi ptr addrspace(1) [%d, %entry], [%q, %inner]
  br label %inner
inner:
  %q = phi ptr addrspace(1) [%p, %outer], [%r, %inner], [%q, %again]
  %r = getelementptr i8, ptr addrspace(1) %q, i64 8
  call void @foo()
  %c = load i8, ptr %flag
  switch i8 %c, label %exit [ i8 0, label %inner
                              i8 1, label %outer
                              i8 2, label %again ]
again:
  call void @foo()
  br label %inner
exit:
  call void @use(ptr addrspace(1) %q)
  ret void
}

; Selects among bases are bases; with a derived input a base select is made; a constant's base is
; null.
; CHECK-LABEL: define void @selects
; CHECK: %s.base = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) %b
; CHECK: %k.base = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) null
; CHECK-NOT: .base = select
; CHECK: "gc-live"
define void @selects(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c, i64 %i) gc "statepoint-example" {
  %d = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %s = select i1 %c, ptr addrspace(1) %d, ptr addrspace(1) %b
  %s2 = select i1 %c, ptr addrspace(1) %b, ptr addrspace(1) %a
  %s3 = select i1 %c, ptr addrspace(1) null, ptr addrspace(1) %a
  %k = select i1 %c, ptr addrspace(1) %d, ptr addrspace(1) @global
  call void @foo()
  call void @use(ptr addrspace(1) %s)
  call void @use(ptr addrspace(1) %s2)
  call void @use(ptr addrspace(1) %s3)
  call void @use(ptr addrspace(1) %k)
  ret void
}

; Look through what only adjusts; a reference loaded from the heap is a base.
; CHECK-LABEL: define void @through
; CHECK: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %m, ptr addrspace(1) %l) ]
; CHECK-DAG: %m.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %{{.*}}, i32 0, i32 1)
; CHECK-DAG: %l.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %{{.*}}, i32 2, i32 2)
; CHECK-NOT: %a.relocated
define void @through(ptr addrspace(1) %a, i64 %i) gc "statepoint-example" {
  %d = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %f = freeze ptr addrspace(1) %d
  %m = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %f, i64 -8)
  %l = load ptr addrspace(1), ptr addrspace(1) %m
  call void @foo()
  call void @use(ptr addrspace(1) %m)
  call void @use(ptr addrspace(1) %l)
  ret void
}
