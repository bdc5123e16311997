; Long calls in odd places: results that are used again, in phis and after constants; in loops, in blocks that
; nothing reaches, with derived references, beside somebody else's function of the name. What would go wrong: a broken module, or one
; that the verifier refuses.
; RUN: %cairn opt -p place-safepoints -S %s -o %t.1.ll
; RUN: %cairn opt -p rewrite-statepoints -S %t.1.ll -o %t.2.ll
; RUN: %cairn verify %t.2.ll
; RUN: %cairn verify --time-to-safepoint %t.2.ll | FileCheck %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints --poll=stack %s -o - | %cairn verify -
; CHECK: @first: enter 0.00 us
; CHECK: @cairn.long.memset: enter 0.00 us ({{[0-9]+}}), between 16.{{.*}} leave 0.00 us
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memmove.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare ptr @memset(ptr, i32, i64)
declare i32 @memcmp(ptr, ptr, i64)
declare void @cairn.long.memcmp(i8)
define ptr @first(ptr %p, i64 %n) gc "statepoint-example" {
  %r = call ptr @memset(ptr %p, i32 3, i64 %n)
  %s = call ptr @memset(ptr %r, i32 3, i64 10000000)
  ret ptr %s
}
define i32 @phi(ptr %p, i64 %n, i1 %c) gc "statepoint-example" {
entry:
  br label %l
l:
  %i = phi i64 [ 0, %entry ], [ %j, %l ]
  %x = call i32 @memcmp(ptr %p, ptr %p, i64 %n)
  %y = call i32 @memcmp(ptr %p, ptr %p, i64 %i)
  %j = add i64 %i, 1
  %d = icmp eq i32 %x, %y
  br i1 %d, label %l, label %e
e:
  %z = phi i32 [ %x, %l ]
  ret i32 %z
}
define void @dead(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  ret void
x:
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %n, i1 false)
  br label %x
}
define ptr addrspace(1) @derived(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) gc "statepoint-example" {
  %a = getelementptr i8, ptr addrspace(1) %p, i64 %n
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %a, ptr addrspace(1) %q, i64 %n, i1 false)
  call void @llvm.memmove.p1.p1.i64(ptr addrspace(1) %q, ptr addrspace(1) %a, i64 %n, i1 false)
  ret ptr addrspace(1) %a
}
define void @forever(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  br label %l
l:
  call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 0, i64 %n, i1 false)
  br label %l
}
