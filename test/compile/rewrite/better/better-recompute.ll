; A cheap chain from a base is computed again from the relocated base instead of being listed
; (slides, "When relocation isn't needed"). Wrong: each takes a slot and a stack map entry; or what is
; not the same wherever the object lies (a mask of high bits, an index made of an address) is computed
; again and points into another object.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=recompute -S %s | FileCheck %s --check-prefix=OFF
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
; RUN: %cairn opt -p rewrite-statepoints --without=recompute -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare void @poll()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)

; CHECK-LABEL: define void @index
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: [[D:%.*]] = getelementptr i64, ptr addrspace(1) %a.relocated, i64 %i
; CHECK: call void @use(ptr addrspace(1) [[D]])
; OFF-LABEL: define void @index
; OFF: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %d) ]
; OFF-NOT: getelementptr i64, ptr addrspace(1) %a.relocated
; OFF: ret void
define void @index(ptr addrspace(1) %a, i64 %i) gc "statepoint-example" {
  %d = getelementptr i64, ptr addrspace(1) %a, i64 %i
  call void @foo()
  call void @use(ptr addrspace(1) %d)
  ret void
}

; Trees: select, a mask of the low bits.
; CHECK-LABEL: define void @tree
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: [[X:%.*]] = getelementptr i8, ptr addrspace(1) %a.relocated, i64 %i
; CHECK: [[S:%.*]] = select i1 %c, ptr addrspace(1) [[X]], ptr addrspace(1) %a.relocated
; CHECK: call void @use(ptr addrspace(1) [[S]])
; CHECK-LABEL: define void @mask
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %{{.*}}, i64 -8)
; OFF-LABEL: define void @tree
; OFF: "gc-live"(ptr addrspace(1) %a, {{.*}}%s) ]
define void @tree(ptr addrspace(1) %a, i64 %i, i1 %c) gc "statepoint-example" {
  %x = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %s = select i1 %c, ptr addrspace(1) %x, ptr addrspace(1) %a
  call void @foo()
  call void @use(ptr addrspace(1) %s)
  ret void
}
define void @mask(ptr addrspace(1) %a) gc "statepoint-example" {
  %x = getelementptr i8, ptr addrspace(1) %a, i64 13
  %m = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %x, i64 -8)
  call void @foo()
  call void @use(ptr addrspace(1) %m)
  ret void
}

; Not computed again: a mask of high bits, freeze of what may be poison, an index that may be an
; address, what costs too much, deoptimisation state.
; CHECK-LABEL: define void @page
; CHECK: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %m) ]
define void @page(ptr addrspace(1) %a) gc "statepoint-example" {
  %m = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %a, i64 -4096)
  call void @foo()
  call void @use(ptr addrspace(1) %m)
  ret void
}
; CHECK-LABEL: define void @frozen
; CHECK: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %f) ]
define void @frozen(ptr addrspace(1) %a, i64 %i) gc "statepoint-example" {
  %d = getelementptr inbounds i8, ptr addrspace(1) %a, i64 %i
  %f = freeze ptr addrspace(1) %d
  call void @foo()
  call void @use(ptr addrspace(1) %f)
  ret void
}
; CHECK-LABEL: define void @address
; CHECK: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %d) ]
define void @address(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  %x = ptrtoint ptr addrspace(1) %a to i64
  %y = ptrtoint ptr addrspace(1) %b to i64
  %i = sub i64 %y, %x
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  call void @foo()
  call void @use(ptr addrspace(1) %d)
  ret void
}
; CHECK-LABEL: define void @dear
; CHECK: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %d1) ]
define void @dear(ptr addrspace(1) %a, i64 %i, i64 %j, i64 %k) gc "statepoint-example" {
  %d1 = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %d2 = getelementptr i32, ptr addrspace(1) %d1, i64 %j
  %d3 = getelementptr i16, ptr addrspace(1) %d2, i64 %k
  call void @foo()
  call void @use(ptr addrspace(1) %d3)
  ret void
}
; CHECK-LABEL: define void @deopt
; CHECK: [[D:%.*]] = freeze ptr addrspace(1) %d
; CHECK: "deopt"(ptr addrspace(1) [[D]], i64 4846245170335664462, i64 2, i64 0, i64 0, i64 16387, i64 5), "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) [[D]]) ]
define void @deopt(ptr addrspace(1) %a, i64 %i) gc "statepoint-example" {
  %d = getelementptr i64, ptr addrspace(1) %a, i64 %i
  call void @foo() ["deopt"(ptr addrspace(1) %d)]
  call void @use(ptr addrspace(1) %d)
  ret void
}

; Round a cold poll, the copy is made on the cold path: the hot one is as without safepoints.
; CHECK-LABEL: define void @cold
; CHECK: head:
; CHECK-NEXT: %moved{{[0-9]*}} = phi ptr addrspace(1)
; CHECK-NEXT: %moved{{[0-9]*}} = phi ptr addrspace(1)
; CHECK-NOT: getelementptr
; CHECK: poll:
; CHECK: "gc-live"(ptr addrspace(1) %moved{{[0-9]*}}) ]
; CHECK: [[D:%.*]] = getelementptr i64, ptr addrspace(1) %a.relocated, i64 %i
; CHECK: next:
define void @cold(ptr addrspace(1) %a, i64 %i, ptr %flag) gc "statepoint-example" {
entry:
  %d = getelementptr i64, ptr addrspace(1) %a, i64 %i
  br label %head
head:
  call void @use(ptr addrspace(1) %d)
  %c = load i1, ptr %flag
  br i1 %c, label %poll, label %next
poll:
  call void @poll()
  br label %next
next:
  %again = load i1, ptr %flag
  br i1 %again, label %head, label %exit
exit:
  ret void
}

; Used once, in a loop that has another in it, which costs more: computed there, and no register
; keeps it. What is used twice is carried as above.
; CHECK-LABEL: define void @nest
; CHECK: poll:
; CHECK: "gc-live"(ptr addrspace(1) %moved{{[0-9]*}}, ptr addrspace(1) %moved{{[0-9]*}}) ]
; CHECK: getelementptr i64, ptr addrspace(1) %b.relocated, i64 %i
; CHECK-NOT: getelementptr
; CHECK: after:
; CHECK-NOT: phi ptr addrspace(1)
; CHECK: [[E:%.*]] = getelementptr i64, ptr addrspace(1) {{.*}}, i64 %i
; CHECK-NEXT: %last = load i64, ptr addrspace(1) [[E]]
define void @nest(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i, ptr %flag) gc "statepoint-example" {
entry:
  %once = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %twice = getelementptr i64, ptr addrspace(1) %b, i64 %i
  br label %head
head:
  %asked = load i1, ptr %flag
  br i1 %asked, label %poll, label %inner
poll:
  call void @poll()
  br label %inner
inner:
  call void @use(ptr addrspace(1) %twice)
  %c = load i1, ptr %flag
  br i1 %c, label %inner, label %after
after:
  %last = load i64, ptr addrspace(1) %once
  call void @use(ptr addrspace(1) %twice)
  %again = load i1, ptr %flag
  br i1 %again, label %head, label %exit
exit:
  ret void
}
