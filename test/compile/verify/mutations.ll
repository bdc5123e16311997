; RUN: %cairn opt -p place-safepoints,rewrite-statepoints -S %s -o %t.ll
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints --slots=always -S %s -o %t.slots.ll
; RUN: %cairn opt -p rewrite-statepoints,'default<O2>' -S %s -o %t.early.ll
; RUN: llvm-extract-22 -delete -func=described %s -o %t.plain.bc
; RUN: opt-22 -passes=rewrite-statepoints-for-gc -S %t.plain.bc -o %t.llvm.ll
; RUN: %cairn verify %t.ll %t.slots.ll %t.early.ll %t.llvm.ll
; RUN: %build/test/cairn-mutate %t.ll | FileCheck %s
; RUN: %build/test/cairn-mutate %t.ll %t.slots.ll %t.early.ll %t.llvm.ll > %t.out || (cat %t.out; false)
; RUN: %cairn opt -p rewrite-statepoints -S %root/test/compile/spans/tails.ll -o %t.spans.ll
; RUN: %build/test/cairn-mutate %t.spans.ll | FileCheck --check-prefix=SPANS %s
; RUN: for f in $(find %root/test/compile/rewrite -name '*.ll' | sort | awk 'NR %% %if soak %{1%} %else %{4%} == 0'); do \
; RUN:   %cairn opt -p rewrite-statepoints -S $f -o %t.other.ll 2> /dev/null || continue; \
; RUN:   %build/test/cairn-mutate --limit=5 %t.other.ll > %t.out || { cat %t.out; exit 1; }; done
; CHECK: all: {{[2-9][0-9][0-9]|[0-9][0-9][0-9][0-9]+}} mutants, 0 missed
; SPANS: other-span {{ *[1-9][0-9]+}} mutants
; SPANS: other-depth {{ *[1-9][0-9]*}} mutants
; SPANS: lost-spans {{ *[1-9][0-9]*}} mutants
; SPANS: , 0 missed
; The rewriter's output passes, and LLVM's rewriter's; broken in any one place, in one of many ways, it
; does not. (LLVM's pass loses the reference in @described.) A verifier that has a blind spot would let a lost root through.

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

define i64 @described(ptr addrspace(1) %p, ptr %out) gc "statepoint-example" {
  %local = alloca { i64, ptr addrspace(1) }
  %field = getelementptr i8, ptr %local, i64 8
  store ptr addrspace(1) %p, ptr %field
  call void @take(ptr %local)
  %q = load ptr addrspace(1), ptr %field
  %v = load i64, ptr addrspace(1) %q
  call void @foo()
  %r = load ptr addrspace(1), ptr %field
  %w = load i64, ptr addrspace(1) %r
  %s = add i64 %v, %w
  ret i64 %s
}
declare void @take(ptr)

define ptr addrspace(1) @merged(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c, i64 %i) gc "statepoint-example" {
  br i1 %c, label %a, label %b
a:
  %x = getelementptr i8, ptr addrspace(1) %p, i64 %i
  br label %join
b:
  %y = getelementptr i8, ptr addrspace(1) %q, i64 %i
  br label %join
join:
  %m = phi ptr addrspace(1) [ %x, %a ], [ %y, %b ]
  call void @foo()
  store i64 1, ptr addrspace(1) %m
  call void @foo()
  ret ptr addrspace(1) %m
}
