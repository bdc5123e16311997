; RUN: %cairn opt -p place-safepoints,rewrite-statepoints -S %s -o %t.ll
; RUN: %cairn verify %t.ll
; RUN: python3 %S/Inputs/mutate %build/bin/cairn %t.ll %t.mutant.ll | FileCheck %s
; CHECK: mutants, 0 missed
; The rewriter's output passes; with any one use of a relocated reference forgotten it does not.

declare void @foo()
declare ptr addrspace(1) @get(ptr addrspace(1))
declare i1 @more()

define ptr addrspace(1) @straight(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  call void @foo()
  %d = getelementptr i8, ptr addrspace(1) %p, i64 16
  call void @foo()
  store ptr addrspace(1) %q, ptr addrspace(1) %d
  %r = call ptr addrspace(1) @get(ptr addrspace(1) %p)
  store ptr addrspace(1) %p, ptr addrspace(1) %r
  ret ptr addrspace(1) %q
}

define i64 @diamond(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  call void @foo()
  br label %join
b:
  %x = call ptr addrspace(1) @get(ptr addrspace(1) %q)
  br label %join
join:
  %m = phi ptr addrspace(1) [ %p, %a ], [ %x, %b ]
  %v = load i64, ptr addrspace(1) %m
  %w = load i64, ptr addrspace(1) %q
  %s = add i64 %v, %w
  ret i64 %s
}

define void @loops(ptr addrspace(1) %list, ptr addrspace(1) %sum) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %l = phi ptr addrspace(1) [ %list, %entry ], [ %next, %after ]
  %end = getelementptr i64, ptr addrspace(1) %l, i64 10
  br label %inner
inner:
  %i = phi ptr addrspace(1) [ %l, %outer ], [ %i.next, %inner ]
  %v = load i64, ptr addrspace(1) %i
  store i64 %v, ptr addrspace(1) %sum
  call void @foo()
  %i.next = getelementptr i64, ptr addrspace(1) %i, i64 1
  %c = icmp eq ptr addrspace(1) %i.next, %end
  br i1 %c, label %after, label %inner
after:
  %next = load ptr addrspace(1), ptr addrspace(1) %l
  %m = call i1 @more()
  br i1 %m, label %outer, label %done
done:
  store ptr addrspace(1) %next, ptr addrspace(1) %sum
  ret void
}

define ptr addrspace(1) @selected(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c, i1 %d) gc "statepoint-example" {
  %s = select i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %q
  %g = getelementptr i8, ptr addrspace(1) %s, i64 8
  call void @foo()
  store i64 1, ptr addrspace(1) %g
  %t = select i1 %d, ptr addrspace(1) %s, ptr addrspace(1) %p
  call void @foo()
  ret ptr addrspace(1) %t
}
