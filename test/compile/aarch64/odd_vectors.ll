; Deopt values that are vectors of 3 elements, on AArch64. LLVM 22 stores their elements by instructions that take no place
; of the frame. Wrong: the compiler crashes.
; RUN: not %cairn-cc --target=aarch64-linux-gnu -O2 -c %s -o %t.o 2>&1 | FileCheck %s
; RUN: sed "s/<3/<4/g" %s > %t.ll && %cairn-cc --target=aarch64-linux-gnu -O2 -c %t.ll -o %t.o
; RUN: sed s/aarch64-/x86_64-/ %s > %t.ll && %cairn-cc -O2 -c %t.ll -o %t.o
; CHECK: error: in function 'keeps'{{.*}}no power of two{{.*}} [deopt-aggregate]
target triple = "aarch64-unknown-linux-gnu"
declare void @look()
define void @keeps(<3 x float> %v) gc "statepoint-example" {
  call void @look() [ "deopt"(<3 x float> %v) ]
  ret void
}
