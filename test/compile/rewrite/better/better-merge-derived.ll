; What has the address of another reference is that reference to relocation: it is listed once
; (slides, "Terminology: Derived Pointers"). Wrong: the same address in two slots.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=merge-derived,recompute -S %s | FileCheck %s --check-prefix=OFF
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
; RUN: %cairn opt -p rewrite-statepoints --without=merge-derived,recompute -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare ptr addrspace(1) @llvm.launder.invariant.group.p1(ptr addrspace(1))

; CHECK-LABEL: define void @same
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: call void @use(ptr addrspace(1) %a.relocated)
; CHECK-NEXT: call void @use(ptr addrspace(1) %a.relocated)
; CHECK-NEXT: call void @use(ptr addrspace(1) %a.relocated)
; CHECK-NEXT: call void @use(ptr addrspace(1) %a.relocated)
; OFF-LABEL: define void @same
; OFF: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %f, ptr addrspace(1) %z, ptr addrspace(1) %l) ]
define void @same(ptr addrspace(1) noundef %a) gc "statepoint-example" {
  %f = freeze ptr addrspace(1) %a
  %z = getelementptr i8, ptr addrspace(1) %f, i64 0
  %l = call ptr addrspace(1) @llvm.launder.invariant.group.p1(ptr addrspace(1) %z)
  call void @foo()
  call void @use(ptr addrspace(1) %a)
  call void @use(ptr addrspace(1) %f)
  call void @use(ptr addrspace(1) %z)
  call void @use(ptr addrspace(1) %l)
  ret void
}

; Not what may be poison: its freeze is one value, it is not.
; CHECK-LABEL: define void @poison
; CHECK: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %f) ]
define void @poison(ptr addrspace(1) %a) gc "statepoint-example" {
  %f = freeze ptr addrspace(1) %a
  call void @foo()
  call void @use(ptr addrspace(1) %a)
  call void @use(ptr addrspace(1) %f)
  ret void
}

; In deoptimisation state too, and as a chain's start.
; CHECK-LABEL: define void @state
; CHECK: "deopt"(ptr addrspace(1) %a), "gc-live"(ptr addrspace(1) %a) ]
; CHECK: getelementptr i8, ptr addrspace(1) %a.relocated, i64 8
define void @state(ptr addrspace(1) noundef %a) gc "statepoint-example" {
  %f = freeze ptr addrspace(1) %a
  %g = getelementptr i8, ptr addrspace(1) %f, i64 8
  call void @foo() ["deopt"(ptr addrspace(1) %f)]
  call void @use(ptr addrspace(1) %g)
  ret void
}

; A phi that chooses nothing is what comes into it: several edges of one switch, and the exit of a
; loop in LCSSA form, over which the GEP is computed again.
; CHECK-LABEL: define void @edges
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: "gc-live"(ptr addrspace(1) %a.relocated) ]
; CHECK: [[D:%.*]] = getelementptr i8, ptr addrspace(1) %a.relocated{{.*}}, i64 8
; CHECK: call void @use(ptr addrspace(1) [[D]])
; OFF-LABEL: define void @edges
; OFF: "gc-live"(ptr addrspace(1) %a.relocated, ptr addrspace(1) %q) ]
define void @edges(ptr addrspace(1) %a, i32 %n) gc "statepoint-example" {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 8
  call void @foo()
  switch i32 %n, label %x [
    i32 1, label %y
    i32 2, label %y
  ]
x:
  ret void
y:
  %q = phi ptr addrspace(1) [ %d, %entry ], [ %d, %entry ]
  call void @foo()
  call void @use(ptr addrspace(1) %q)
  ret void
}

; One that such a phi leaves with nothing to choose, too; round a loop that need not be entered at
; one place.
; CHECK-LABEL: define void @ring
; CHECK-NOT: phi
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: call void @use(ptr addrspace(1) %a.relocated)
; OFF-LABEL: define void @ring
; OFF: phi
define void @ring(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %x, label %y
x:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %p, %x ], [ %q, %y ]
  br i1 %c, label %x, label %exit
y:
  %q = phi ptr addrspace(1) [ %a, %entry ], [ %r, %z ]
  br i1 %c, label %x, label %z
z:
  %r = phi ptr addrspace(1) [ %q, %y ]
  br label %y
exit:
  %s = phi ptr addrspace(1) [ %p, %x ]
  call void @foo()
  call void @use(ptr addrspace(1) %s)
  ret void
}
