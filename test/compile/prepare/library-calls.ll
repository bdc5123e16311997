; C functions that get references stay calls of themselves. LLVM would make a bcmp() with ordinary pointers of the first
; memcmp(), which is not valid IR. A copy may become an intrinsic, which takes references.
; RUN: %cairn opt -p prepare -S -o - %s | FileCheck %s
; RUN: %cairn-cc -O2 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=CODE
; The optimiser is to blame for a call that it finds behind a constant, and not the next pass.
; RUN: sed 's/@memcmp(ptr addrspace(1) %%p/%%f(ptr addrspace(1) %%p/; s/^  ; before/  %%f = load ptr, ptr @compare/' %s > %t.ll
; RUN: not %cairn-cc -O2 -c %t.ll -o %t.o 2>&1 | FileCheck %s --check-prefix=BLAME
; BLAME: default<O> of LLVM left a broken module
target triple = "x86_64-unknown-linux-gnu"
@compare = internal constant ptr @memcmp
declare i32 @memcmp(ptr addrspace(1), ptr addrspace(1), i64) "gc-leaf-function"
declare ptr addrspace(1) @memcpy(ptr addrspace(1), ptr addrspace(1), i64) "gc-leaf-function"

; CHECK-LABEL: define i1 @same(
; CHECK: call i32 @memcmp({{.*}}) [[KEPT:#[0-9]+]]
; CODE-LABEL: define {{.*}}i1 @same(
; CODE: call i32 @memcmp(
define i1 @same(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) gc "statepoint-example" {
  ; before
  %r = call i32 @memcmp(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n)
  %s = icmp eq i32 %r, 0
  ret i1 %s
}

; CHECK-LABEL: define void @copy(
; CHECK: call ptr addrspace(1) @memcpy({{[^#]*}}){{$}}
define void @copy(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %r = call ptr addrspace(1) @memcpy(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 16)
  ret void
}
; CHECK: attributes [[KEPT]] = { {{.*}}nobuiltin
