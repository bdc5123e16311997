; RUN: not %cairn verify %s 2>&1 | FileCheck %s
; An address that goes as a number where nobody follows it: it is right when it goes, and wrong when it
; comes back after a collection.
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
declare void @take(i64)
declare void @llvm.masked.store.v2i64.p0(<2 x i64>, ptr, i32, <2 x i1>)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
@global = global i64 0
@array = global [4 x i64] zeroinitializer

; CHECK: in function 'reloaded_global': {{.*}}[integer-of-reference]
define i64 @reloaded_global(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  store i64 %i, ptr @global
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %r = load i64, ptr @global
  ret i64 %r
}

; CHECK: in function 'stored_heap': {{.*}}[integer-of-reference]
define void @stored_heap(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  store i64 %i, ptr addrspace(1) %o
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}

; CHECK: in function 'stored_array_local': {{.*}}[integer-of-reference]
define i64 @stored_array_local(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %l = alloca [2 x i64]
  %i = ptrtoint ptr addrspace(1) %p to i64
  %e = getelementptr [2 x i64], ptr %l, i64 0, i64 1
  store i64 %i, ptr %e
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %r = load i64, ptr %e
  ret i64 %r
}

; CHECK: in function 'stored_struct_local': {{.*}}[integer-of-reference]
define i64 @stored_struct_local(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %l = alloca {i64, i64}
  %i = ptrtoint ptr addrspace(1) %p to i64
  store i64 %i, ptr %l
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %r = load i64, ptr %l
  ret i64 %r
}

; CHECK: in function 'stored_volatile': {{.*}}[integer-of-reference]
define void @stored_volatile(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  store volatile i64 %i, ptr @global
  ret void
}

; CHECK: in function 'atomic_stored': {{.*}}[integer-of-reference]
define void @atomic_stored(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %x = atomicrmw xchg ptr @global, i64 %i seq_cst
  ret void
}

; CHECK: in function 'cas_stored': {{.*}}[integer-of-reference]
define void @cas_stored(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %x = cmpxchg ptr @global, i64 0, i64 %i seq_cst seq_cst
  ret void
}

; CHECK: in function 'vector_stored': {{.*}}[integer-of-reference]
define void @vector_stored(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %v0 = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %p, i32 0
  %v = insertelement <2 x ptr addrspace(1)> %v0, ptr addrspace(1) %o, i32 1
  %w = ptrtoint <2 x ptr addrspace(1)> %v to <2 x i64>
  store <2 x i64> %w, ptr @array
  ret void
}

; CHECK: in function 'vector_masked': {{.*}}[integer-of-reference]
define void @vector_masked(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %v0 = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %p, i32 0
  %v = insertelement <2 x ptr addrspace(1)> %v0, ptr addrspace(1) %o, i32 1
  %w = ptrtoint <2 x ptr addrspace(1)> %v to <2 x i64>
  call void @llvm.masked.store.v2i64.p0(<2 x i64> %w, ptr @array, i32 8, <2 x i1> <i1 true, i1 true>)
  ret void
}

; CHECK: in function 'memset_value': {{.*}}[integer-of-reference]
define void @memset_value(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %b = trunc i64 %i to i8
  call void @llvm.memset.p0.i64(ptr @array, i8 %b, i64 8, i1 false)
  ret void
}

; CHECK: in function 'raw_stored': {{.*}}[integer-of-reference]
define void @raw_stored(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %q = addrspacecast ptr addrspace(1) %p to ptr
  store ptr %q, ptr @global
  ret void
}

; CHECK: in function 'returned': {{.*}}[integer-of-reference]
define i64 @returned(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  ret i64 %i
}

; CHECK: in function 'returned_residue': {{.*}}[integer-of-reference]
define i64 @returned_residue(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %h = lshr i64 %i, 4
  ret i64 %h
}

; CHECK: in function 'returned_struct': {{.*}}[integer-of-reference]
define { i64, i1 } @returned_struct(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %h = insertvalue { i64, i1 } zeroinitializer, i64 %i, 0
  ret { i64, i1 } %h
}

; CHECK: in function 'raw_returned': {{.*}}[integer-of-reference]
define ptr @raw_returned(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %q = addrspacecast ptr addrspace(1) %p to ptr
  ret ptr %q
}

; CHECK: in function 'passed': {{.*}}[integer-of-reference]
define void @passed(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void (i64)) @take, i32 1, i32 0, i64 %i, i32 0, i32 0)
  ret void
}

; CHECK: in function 'passed_deopt': {{.*}}[integer-of-reference]
define void @passed_deopt(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %i = ptrtoint ptr addrspace(1) %p to i64
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 %i) ]
  ret void
}
