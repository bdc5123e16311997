; RUN: not %cairn verify %s 2>&1 | FileCheck %s
; What is made of the bits of an address, and read after a safepoint, is not what it would be if it
; were made there: a hash that finds nothing any more, a peel count of another alignment. Whatever it is
; made by; a difference of what is no plain address, or sometimes none, is none either.
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
declare i64 @same(i64) "gc-leaf-function"

; CHECK: in function 'and31': {{.*}}[integer-of-reference]
define i64 @and31(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = and i64 %i, 31
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'xor': {{.*}}[integer-of-reference]
define i64 @xor(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = xor i64 %i, 77
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'urem': {{.*}}[integer-of-reference]
define i64 @urem(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = urem i64 %i, 10
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'shl': {{.*}}[integer-of-reference]
define i64 @shl(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = shl i64 %i, 3
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'lshr': {{.*}}[integer-of-reference]
define i64 @lshr(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = lshr i64 %i, 4
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'mul': {{.*}}[integer-of-reference]
define i64 @mul(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = mul i64 %i, 11400714819323198485
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'or': {{.*}}[integer-of-reference]
define i64 @or(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = or i64 %i, 1
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'udiv': {{.*}}[integer-of-reference]
define i64 @udiv(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = udiv i64 %i, 8
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'trunc': {{.*}}[integer-of-reference]
define i32 @trunc(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %r = trunc i64 %i to i32
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i32 %r
}

; CHECK: in function 'shift_and': {{.*}}[integer-of-reference]
define i64 @shift_and(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  %a = lshr i64 %i, 4
  %b = and i64 %a, 7
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %b
}

; CHECK: in function 'addr': {{.*}}[integer-of-reference]
define i64 @addr(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoaddr ptr addrspace(1) %p to i64
  %r = and i64 %i, 31
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %r
}

; CHECK: in function 'wide': {{.*}}[integer-of-reference]
define i128 @wide(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i128
  %r = shl i128 %i, 64
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i128 %r
}

; CHECK: in function 'address_as_float': {{.*}}[integer-of-reference]
define double @address_as_float(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %f = bitcast i64 %i to double
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret double %f
}

; CHECK: in function 'zext_difference': {{.*}}[integer-of-reference]
define i64 @zext_difference(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  %a = trunc i64 %i to i32
  %b = trunc i64 %j to i32
  %x = zext i32 %a to i64
  %y = zext i32 %b to i64
  %d = sub i64 %x, %y
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %d
}

; CHECK: in function 'compare_kept': {{.*}}[integer-of-reference]
define i1 @compare_kept(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %m = and i64 %i, 31
  %z = icmp eq i64 %m, 0
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i1 %z
}

; CHECK: in function 'compare_order': {{.*}}[integer-of-reference]
define i1 @compare_order(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %z = icmp ult i64 %i, 123456789
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i1 %z
}

; CHECK: in function 'compare_residues': {{.*}}[integer-of-reference]
define i1 @compare_residues(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  %m = and i64 %i, 31
  %n = and i64 %j, 31
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %z = icmp eq i64 %m, %n
  ret i1 %z
}

; CHECK: in function 'select_kept': {{.*}}[integer-of-reference]
define i64 @select_kept(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %m = and i64 %i, 31
  %z = icmp eq i64 %m, 0
  %s = select i1 %z, i64 1, i64 2
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %s
}

; CHECK: in function 'mixed_select': {{.*}}[integer-of-reference]
define i64 @mixed_select(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  %s = select i1 %c, i64 %i, i64 0
  %d = sub i64 %s, %j
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %d
}

; CHECK: in function 'mixed_phi': {{.*}}[integer-of-reference]
define i64 @mixed_phi(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %s = phi i64 [ %i, %a ], [ 0, %entry ]
  %d = sub i64 %s, %j
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %d
}

; CHECK: in function 'mixed_local': {{.*}}[integer-of-reference]
define i64 @mixed_local(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %l = alloca i64
  store i64 0, ptr %l
  %i = ptrtoint ptr addrspace(1) %p to i64
  %j = ptrtoint ptr addrspace(1) %o to i64
  br i1 %c, label %a, label %b
a:
  store i64 %i, ptr %l
  br label %b
b:
  %s = load i64, ptr %l
  %d = sub i64 %s, %j
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %d
}

; CHECK: in function 'leaf_returns': {{.*}}[integer-of-reference]
define i64 @leaf_returns(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %x = call i64 @same(i64 %i)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %x
}

; CHECK: in function 'asm_returns': {{.*}}[integer-of-reference]
define i64 @asm_returns(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %x = call i64 asm "mov $1,$0", "=r,r"(i64 %i)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret i64 %x
}
