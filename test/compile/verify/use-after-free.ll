; RUN: split-file %s %t
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --disable-output %t/fine.ll
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --slots=always --disable-output %t/fine.ll
; RUN: %cairn opt -p rewrite-statepoints --slots=always -S %t/fine.ll | FileCheck --check-prefix=SLOTS %t/fine.ll
; RUN: not %cairn opt -p rewrite-statepoints,verify-safepoints --disable-output %t/wrong.ll 2>&1 | FileCheck --implicit-check-not=error: %t/wrong.ll
; A freed array is other memory: it may be neither used nor listed, whichever passes come between. Each of
; the wrong functions is what a pass could make of a right one.

;--- wrong.ll
declare ptr addrspace(1) @make() gc "statepoint-example"
declare void @cairn_give_back(ptr addrspace(1)) "gc-leaf-function"
declare void @poll() gc "statepoint-example"
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; The call stands before the branch, and a poll between: the array is listed there, for the other way.
; CHECK: error: in function 'before_the_branch': %a is listed or passed at a safepoint, and may have been freed before [use-after-free]
define void @before_the_branch(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  %dead = select i1 %c, ptr addrspace(1) %a, ptr addrspace(1) null
  call void @cairn_give_back(ptr addrspace(1) %dead)
  call void @poll()
  br i1 %c, label %dies, label %lives
lives:
  store i8 1, ptr addrspace(1) %a
  br label %dies
dies:
  ret void
}

; CHECK: error: in function 'used': %a is used, and may have been freed before [use-after-free]
define i8 @used() gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  call void @cairn_give_back(ptr addrspace(1) %a)
  %l = load i8, ptr addrspace(1) %a
  ret i8 %l
}

; CHECK: error: in function 'returned': %a is used, and
define ptr addrspace(1) @returned() gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  call void @cairn_give_back(ptr addrspace(1) %a)
  ret ptr addrspace(1) %a
}

; CHECK: error: in function 'twice': %a is used, and
define void @twice() gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  call void @cairn_give_back(ptr addrspace(1) %a)
  call void @cairn_give_back(ptr addrspace(1) %a)
  ret void
}

; CHECK: error: in function 'inside': %{{[a-z0-9.]*}} is used, and
define void @inside() gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  %p = getelementptr i8, ptr addrspace(1) %a, i64 8
  call void @poll()
  call void @use(ptr addrspace(1) %p)
  call void @cairn_give_back(ptr addrspace(1) %a)
  call void @use(ptr addrspace(1) %p)
  ret void
}

; CHECK: error: in function 'state': %a is listed or passed at a safepoint, and
define void @state() gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  call void @cairn_give_back(ptr addrspace(1) %a)
  call void @poll() [ "deopt"(ptr addrspace(1) %a) ]
  ret void
}

; CHECK: error: in function 'merged': %m is used, and
define void @merged(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  br i1 %c, label %with, label %without
with:
  call void @cairn_give_back(ptr addrspace(1) %a)
  br label %end
without:
  br label %end
end:
  %m = phi ptr addrspace(1) [ %a, %with ], [ null, %without ]
  call void @use(ptr addrspace(1) %m)
  ret void
}

; CHECK: error: in function 'next_pass': %last is used, and
define void @next_pass(i1 %c) gc "statepoint-example" {
entry:
  br label %head
head:
  %last = phi ptr addrspace(1) [ null, %entry ], [ %a, %head ]
  call void @use(ptr addrspace(1) %last)
  %a = call ptr addrspace(1) @make()
  call void @cairn_give_back(ptr addrspace(1) %a)
  br i1 %c, label %head, label %end
end:
  ret void
}

; Sunk over another making of it: the first goes back twice, the second never.
; CHECK: error: in function 'moved_out': %a is {{used|listed or passed at a safepoint}}, and
define void @moved_out(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  br label %head
head:
  call void @cairn_give_back(ptr addrspace(1) %a)
  br i1 %c, label %head, label %end
end:
  ret void
}

; CHECK: error: in function 'in_a_local': %a is freed, and was stored before [use-after-free]
define void @in_a_local() gc "statepoint-example" {
  %local = alloca ptr addrspace(1)
  %a = call ptr addrspace(1) @make()
  store ptr addrspace(1) %a, ptr %local
  call void @cairn_give_back(ptr addrspace(1) %a)
  call void @poll()
  ret void
}

; CHECK: error: in function 'in_a_field': %a is freed, and was stored before
define void @in_a_field(ptr addrspace(1) %o) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  %old = atomicrmw xchg ptr addrspace(1) %o, ptr addrspace(1) %a seq_cst
  call void @cairn_give_back(ptr addrspace(1) %a)
  ret void
}

; CHECK: error: in function 'of_others': %a may be freed, and comes from elsewhere [use-after-free]
define void @of_others(ptr addrspace(1) %a) gc "statepoint-example" {
  call void @cairn_give_back(ptr addrspace(1) %a)
  ret void
}

; CHECK: error: in function 'of_memory': %a may be freed, and comes from elsewhere
define void @of_memory(ptr addrspace(1) %o) gc "statepoint-example" {
  %a = load ptr addrspace(1), ptr addrspace(1) %o
  call void @cairn_give_back(ptr addrspace(1) %a)
  ret void
}

;--- fine.ll
declare ptr addrspace(1) @make() gc "statepoint-example"
declare void @cairn_give_back(ptr addrspace(1)) "gc-leaf-function"
declare void @poll() gc "statepoint-example"
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; What is in a slot stays listed: nothing is freed.
; SLOTS-LABEL: define void @edge(
; SLOTS-NOT: call void @cairn_give_back
define void @edge(i1 %c) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  call void @poll()
  br i1 %c, label %dies, label %lives
lives:
  call void @poll()
  call void @use(ptr addrspace(1) %a)
  br label %end
dies:
  call void @cairn_give_back(ptr addrspace(1) %a)
  br label %end
end:
  call void @poll()
  ret void
}

; Each pass makes another.
define void @loop(i1 %c) gc "statepoint-example" {
entry:
  br label %head
head:
  %a = call ptr addrspace(1) @make()
  %p = getelementptr i8, ptr addrspace(1) %a, i64 8
  call void @poll()
  call void @use(ptr addrspace(1) %p)
  call void @cairn_give_back(ptr addrspace(1) %a)
  call void @poll()
  br i1 %c, label %head, label %end
end:
  ret void
}

; Another array is merged with it on another way, and lives.
define void @beside(i1 %c, i1 %d) gc "statepoint-example" {
  %b = call ptr addrspace(1) @make()
  %a = call ptr addrspace(1) @make()
  br i1 %c, label %merge, label %dies
merge:
  %m = select i1 %d, ptr addrspace(1) %a, ptr addrspace(1) %b
  call void @poll()
  call void @use(ptr addrspace(1) %m)
  br label %end
dies:
  call void @cairn_give_back(ptr addrspace(1) %a)
  br label %end
end:
  call void @poll()
  call void @use(ptr addrspace(1) %b)
  ret void
}

; It is stored on the way on which it stays.
define void @kept(i1 %c, ptr addrspace(1) %o) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make()
  br i1 %c, label %keep, label %dies
keep:
  store ptr addrspace(1) %a, ptr addrspace(1) %o
  br label %end
dies:
  call void @cairn_give_back(ptr addrspace(1) %a)
  br label %end
end:
  call void @poll()
  ret void
}
