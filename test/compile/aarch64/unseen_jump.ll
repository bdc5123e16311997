; Jumps that the runtime does not see, on AArch64. Wrong: one compiles, and a later walk visits the frames that it left.
; RUN: not %cairn-cc --target=aarch64-linux-gnu -O2 -c %s -o %t.o 2>&1 | FileCheck %s
; RUN: sed 's/@llvm.eh.sjlj.longjmp(ptr @back)/@longjmp(ptr @back, i32 1)/' %s > %t.ll
; RUN: %cairn-cc --target=aarch64-linux-gnu -O2 -c %t.ll -o %t.o
; RUN: sed 's/aarch64-/x86_64-/' %s > %t.ll && %cairn-cc -O2 -c %t.ll -o %t.o
; clang refuses the builtin function.
; RUN: echo 'void f(void **at) { __builtin_longjmp(at, 1); }' > %t.c
; RUN: not %cairn-cc --target=aarch64-linux-gnu -c %t.c -o %t.o 2>&1 | FileCheck --check-prefix=C %s
; C: error: __builtin_longjmp is not supported
; CHECK: unseen_jump.ll:[[@LINE+7]]:{{[0-9]+}}: error: in function 'give_up': {{.*}}call longjmp(){{.*}} [unseen-jump]
; CHECK-NOT: error:
target triple = "aarch64-unknown-linux-gnu"
@back = internal global [64 x ptr] zeroinitializer
declare void @llvm.eh.sjlj.longjmp(ptr)
declare void @longjmp(ptr, i32)
define void @give_up() {
  call void @llvm.eh.sjlj.longjmp(ptr @back)
  unreachable
}
