; A local does not move: listed as a reference and relocated, it puts something into the stack map that is
; no pair. Wrong: accepted here, or called a derived pointer with the wrong base, and an object whose
; frame maps cannot be made.
; RUN: not %cairn verify %s 2>&1 | FileCheck %s
; RUN: llvm-extract -func=g -S %s | llc -filetype=obj -o %t.o
; RUN: not %cairn frames --rewrite %t.o -o %t.out.o 2>&1 | FileCheck --check-prefix=OBJECT %s
; OBJECT: in function 'g' at {{.*}}: base and derived locations do not come in pairs; the address of a local that is relocated
; CHECK: in function 'f': %c is the address of a local, which does not move, but is relocated at the call to @foo{{.*}}[managed-alloca]
; CHECK: in function 'g': %d is the address of a local{{.*}}[managed-alloca]
; CHECK: in function 'h': %c is the address of a local{{.*}}[managed-alloca]
; CHECK: in function 'k': %c is the address of a local{{.*}}[managed-alloca]
declare void @foo()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg)
define i64 @f(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca i64
  %c = addrspacecast ptr %a to ptr addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %c, ptr addrspace(1) %p) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %w = load i64, ptr addrspace(1) %q, align 8
  ret i64 %w
}
define i64 @g(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca i64
  %c = addrspacecast ptr %a to ptr addrspace(1)
  %d = getelementptr i8, ptr addrspace(1) %c, i64 4
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %c, ptr addrspace(1) %d) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  %w = load i64, ptr addrspace(1) %q, align 4
  ret i64 %w
}
define i64 @h(ptr addrspace(1) %p) gc "statepoint-example" {
  %c = alloca i64, addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %c) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %w = load i64, ptr addrspace(1) %q, align 4
  ret i64 %w
}
define i64 @k(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca i64
  %c = addrspacecast ptr %a to ptr addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %c) ]
  %q = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  %w = load i64, ptr addrspace(1) %q, align 8
  ret i64 %w
}
