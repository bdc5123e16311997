; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,call-targets -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -O2 -mattr=+avx2 %t.ll -o - | FileCheck --check-prefix=ASM %s
; RUN: llc-22 -O2 -mattr=+avx2 -filetype=obj %t.ll -o %t.o
; RUN: %cairn frames --rewrite %t.o -o %t.2.o && %cairn frames %t.2.o | FileCheck --check-prefix=MAPS %s
; Callers of unknown callees of tailcc, which may move their return addresses. Wrong: places in the frame are given by
; the stack pointer, which then does not follow from the callee's frame.

declare void @use(<8 x i32>)
declare void @foo(ptr)

; CHECK: define i64 @plain({{.*}}) #[[PLAIN:[0-9]+]]
; CHECK-NOT: alloca
; CHECK: }
; MAPS: function plain
; MAPS: cfa rbp + 16
; MAPS: root [rbp -
; ASM-LABEL: plain:
; ASM: movq %rsp, %rbp
define i64 @plain(ptr %code, ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %a = call tailcc i64 %code(i64 1) "cairn-managed-callee"
  call void asm sideeffect "", "~{rbx},~{r12},~{r13},~{r14},~{r15}"()
  %b = call tailcc i64 %code(i64 1) "cairn-managed-callee"
  %x = load i64, ptr addrspace(1) %p
  %y = load i64, ptr addrspace(1) %q
  %s = add i64 %x, %y
  ret i64 %s
}
; A vector that would be spilled to an aligned slot: the stack is not realigned for it.
; MAPS: function vector
; MAPS: cfa rbp + 16
; MAPS: root [rbp -
; ASM-LABEL: vector:
; ASM-NOT: andq
; ASM: vmovups %ymm0, {{.*}}(%rbp)
; ASM: retq
define i64 @vector(ptr %code, ptr addrspace(1) %p, ptr %from) gc "statepoint-example" {
  %v = load <8 x i32>, ptr %from
  %a = call tailcc i64 %code(i64 1) "cairn-managed-callee"
  call void asm sideeffect "", "~{rbx},~{r12},~{r13},~{r14},~{r15}"()
  %b = call tailcc i64 %code(i64 1) "cairn-managed-callee"
  call void @use(<8 x i32> %v) "gc-leaf-function"
  %x = load i64, ptr addrspace(1) %p
  ret i64 %x
}
; A local that needs it.
; CHECK-LABEL: define i64 @aligned(
; CHECK: alloca i8, i64 %
; MAPS: function aligned
; MAPS: cfa rbp + 16
; MAPS: root [rbx +
define i64 @aligned(ptr %code, ptr addrspace(1) %p) gc "statepoint-example" {
  %local = alloca i64, align 32
  call void @foo(ptr %local) "gc-leaf-function"
  call void asm sideeffect "", "~{r12},~{r13},~{r14},~{r15}"()
  %a = call tailcc i64 %code(i64 1) "cairn-managed-callee"
  call void asm sideeffect "", "~{r12},~{r13},~{r14},~{r15}"()
  %x = load i64, ptr addrspace(1) %p
  ret i64 %x
}
; A function that asks for it.
; CHECK-LABEL: define i64 @asks(
; CHECK: alloca i8, i64 %
define i64 @asks(ptr %code) "stackrealign" gc "statepoint-example" {
  %a = call tailcc i64 %code(i64 1) "cairn-managed-callee"
  ret i64 %a
}
; Callees that move nothing.
; CHECK: define i64 @known(i64 %n) align 16 gc
define i64 @known(i64 %n) gc "statepoint-example" {
  %a = call tailcc i64 @still(i64 %n)
  ret i64 %a
}
define tailcc i64 @still(i64 %n) gc "statepoint-example" {
  ret i64 %n
}
; CHECK: attributes #[[PLAIN]] = {{.*}}"frame-pointer"="all" "no-realign-stack"
