; RUN: not %cairn verify %s 2>&1 | FileCheck %s
; Constants that tell an address by the way that control took: LLVM makes selects of such phis, and
; phis of selects.
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()

; CHECK: in function 'control_kept': {{.*}}[integer-of-reference]
define i64 @control_kept(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %m = and i64 %i, 31
  %z = icmp eq i64 %m, 0
  br i1 %z, label %a, label %b
a:
  br label %j
b:
  br label %j
j:
  %s = phi i64 [ 1, %a ], [ 2, %b ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %s
}

; CHECK: in function 'count_kept': {{.*}}[integer-of-reference]
define i64 @count_kept(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  br label %l
l:
  %n = phi i64 [ 0, %entry ], [ %n1, %l ]
  %k = phi i64 [ %i, %entry ], [ %k1, %l ]
  %n1 = add i64 %n, 1
  %k1 = add i64 %k, 1
  %m = and i64 %k1, 31
  %z = icmp eq i64 %m, 0
  br i1 %z, label %d, label %l
d:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %n1
}

; CHECK: in function 'counted_walk': {{.*}}[integer-of-reference]
define i64 @counted_walk(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  br label %l
l:
  %k = phi i64 [ %i, %entry ], [ %k1, %l ]
  %n = phi i64 [ 0, %entry ], [ %n1, %l ]
  %n1 = add i64 %n, 1
  %k1 = add i64 %k, 8
  %z = icmp ugt i64 %k1, 4096
  br i1 %z, label %d, label %l
d:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %n1
}

; CHECK: in function 'switched': {{.*}}[integer-of-reference]
define i64 @switched(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %m = and i64 %i, 48
  switch i64 %m, label %d [ i64 16, label %a
 i64 32, label %a ]
a:
  br label %d
d:
  %s = phi i64 [ 1, %a ], [ 2, %entry ]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %s
}
