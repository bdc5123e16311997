; RUN: %cairn verify %s
; What a move does not change may be kept over a safepoint: distances and the order of two addresses, the
; bits below the alignment of objects and above any address, and what is only used at once.
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
declare void @note(i64) "gc-leaf-function"

define i64 @difference(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  %d = sub i64 %i, %j
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %d
}

define i1 @is_null(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = icmp eq i64 %i, 0
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i1 %r
}

define void @leaf_noted(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  call void @note(i64 %i)
  ret void
}

define i64 @low_bits(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = and i64 %i, 7
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

define i64 @nested_walk(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  br label %o1
o1:
  %x = phi i64 [ %i, %entry ], [ %k, %o2 ]
  br label %l
l:
  %k = phi i64 [ %x, %o1 ], [ %k1, %l ]
  %k1 = add i64 %k, 8
  %z = icmp eq i64 %k1, %j
  br i1 %z, label %o2, label %l
o2:
  br i1 %c, label %o1, label %d
d:
  %n = sub i64 %k1, %i
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %n
}

define i1 @same_epoch_order(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %z = icmp ult ptr addrspace(1) %p, %o
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i1 %z
}

define i64 @tag_bits(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = lshr i64 %i, 48
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

define i64 @used_at_once(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %m = and i64 %i, 31
  %z = icmp eq i64 %m, 0
  br i1 %z, label %a, label %b
a:
  %x = load i64, ptr addrspace(1) %p
  ret i64 1
b:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 2
}

define i64 @walk(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  br label %l
l:
  %k = phi i64 [ %i, %entry ], [ %k1, %l ]
  %k1 = add i64 %k, 8
  %z = icmp eq i64 %k1, %j
  br i1 %z, label %d, label %l
d:
  %n = sub i64 %k1, %i
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %n
}
