; A reference that is undefined on some path would be whatever a register held before: it is null at
; the parse point.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
declare void @use(ptr addrspace(1))
declare void @poll()

define void @f(i1 %c, ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br i1 %c, label %one, label %two
one:
  br label %two
two:
  %q = phi ptr addrspace(1) [ undef, %entry ], [ %p, %one ]
  %r = select i1 %c, ptr addrspace(1) poison, ptr addrspace(1) %p
  call void @poll()
  call void @use(ptr addrspace(1) %q)
  call void @use(ptr addrspace(1) %r)
  call void @use(ptr addrspace(1) undef)
  ret void
}
; CHECK-LABEL: define void @f
; CHECK: %q = phi ptr addrspace(1) [ null, %entry ], [ %p, %one ]
; CHECK: select i1 %c, ptr addrspace(1) null, ptr addrspace(1) %p
; CHECK: "gc-live"(ptr addrspace(1) %q, ptr addrspace(1) %r)
; CHECK: @use, i32 1, i32 0, ptr addrspace(1) null,
; CHECK-NOT: undef
