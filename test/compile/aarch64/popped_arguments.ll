; Calls of tailcc with arguments in memory, on AArch64. LLVM 22 may read the frame after such a call before it restores
; the stack pointer, at -O0. Wrong: the call is compiled, and a value is read beside its place.
; RUN: not %cairn-cc --target=aarch64-linux-gnu -O2 -c %s -o %t.o 2>&1 | FileCheck %s
; RUN: sed 's/, i64 9, i64 10)/)/;s/, i64 %i, i64 %j)/)/' %s > %t.ll && %cairn-cc --target=aarch64-linux-gnu -O2 -c %t.ll -o %t.o
; RUN: sed 's/aarch64-/x86_64-/' %s > %t.ll && %cairn-cc -O2 -c %t.ll -o %t.o
; CHECK: popped_arguments.ll:[[@LINE+9]]:{{[0-9]+}}: error: in function 'caller': {{.*}}arguments in memory{{.*}} [calling-convention]
; CHECK: error: in function 'other': {{.*}}arguments in memory{{.*}} [calling-convention]
; CHECK: error: in function 'invoker': {{.*}}arguments in memory{{.*}} [calling-convention]
; CHECK-NOT: error:
target triple = "aarch64-unknown-linux-gnu"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare tailcc i64 @callee(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, i64 %j)

define i64 @caller(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = call tailcc i64 @callee(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10)
  %v = load i64, ptr addrspace(1) %p
  %s = add i64 %r, %v
  ret i64 %s
}

; No error: the callee of a tail call returns to the caller's caller.
define tailcc i64 @tail(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = tail call tailcc i64 @callee(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10)
  ret i64 %r
}

; A function of another convention makes a call, although the call is marked `tail`.
define swifttailcc i64 @other(ptr addrspace(1) %p) gc "statepoint-example" {
  %r = tail call tailcc i64 @callee(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10)
  ret i64 %r
}

declare i32 @personality(...)
define i64 @invoker(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  %r = invoke tailcc i64 @callee(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10) to label %on unwind label %pad
on:
  %v = load i64, ptr addrspace(1) %p
  %s = add i64 %r, %v
  ret i64 %s
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
