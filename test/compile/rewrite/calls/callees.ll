; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.ll
; RUN: llc -O0 %t.ll -o - | FileCheck %s
; RUN: llc -O2 %t.ll -o - | FileCheck %s
; A statepoint's callee that is one of several results of an instruction: LLVM 22 calls the first of
; them (llvm/llvm-project#207508), a silent wrong call, unless something is between.

declare { ptr, ptr } @two()
declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64)
declare void @foo()

; The second of the two registers is called. -O0 moves it first.
; CHECK-LABEL: argument:
; CHECK-NOT: callq *%rdi
; CHECK: {{callq \*%rsi|movq %rsi, %rax}}
define void @argument({ ptr, ptr } %f) gc "statepoint-example" {
  %g = extractvalue { ptr, ptr } %f, 1
  call void %g()
  ret void
}
; CHECK-LABEL: cast:
; CHECK-NOT: callq *%rdi
; CHECK: {{callq \*%rsi|movq %rsi, %rax}}
define void @cast({ i64, i64 } %f) gc "statepoint-example" {
  %n = extractvalue { i64, i64 } %f, 1
  %g = inttoptr i64 %n to ptr
  call void %g()
  ret void
}
; CHECK-LABEL: no_step:
; CHECK-NOT: callq *%rdi
; CHECK: {{callq \*%rsi|movq %rsi, %rax}}
define void @no_step({ ptr, ptr } %f) gc "statepoint-example" {
  %n = extractvalue { ptr, ptr } %f, 1
  %g = getelementptr i8, ptr %n, i64 0
  call void %g()
  ret void
}
; CHECK-LABEL: nested:
; CHECK-NOT: callq *%rdi
; CHECK-NOT: callq *%rsi
; CHECK: {{callq \*%rdx|movq %rdx, %rax}}
define void @nested({ i64, { i64, ptr } } %f) gc "statepoint-example" {
  %n = extractvalue { i64, { i64, ptr } } %f, 1
  %g = extractvalue { i64, ptr } %n, 1
  call void %g()
  ret void
}
; CHECK-LABEL: loaded:
; CHECK: 8(%rdi)
; CHECK: callq *
define void @loaded(ptr %p) gc "statepoint-example" {
  %f = load { ptr, ptr }, ptr %p
  %g = extractvalue { ptr, ptr } %f, 1
  call void %g()
  ret void
}
; CHECK-LABEL: returned:
; CHECK: callq two
; CHECK: callq *%rdx
define void @returned() gc "statepoint-example" {
  %f = call { ptr, ptr } @two()
  %g = extractvalue { ptr, ptr } %f, 1
  call void %g()
  ret void
}
; CHECK-LABEL: chosen:
; CHECK-NOT: callq *%rdi
; CHECK: {{cmov.*%rsi|callq \*%r}}
define void @chosen({ ptr, ptr } %f, i1 %c) gc "statepoint-example" {
  %a = extractvalue { ptr, ptr } %f, 1
  %b = extractvalue { ptr, ptr } %f, 0
  %g = select i1 %c, ptr %a, ptr %b
  call void %g()
  ret void
}
; CHECK-LABEL: exchanged:
; CHECK: cmpxchg
; CHECK: callq *
define void @exchanged(ptr %p, ptr %a, ptr %b) gc "statepoint-example" {
  %x = cmpxchg ptr %p, ptr %a, ptr %b seq_cst seq_cst
  %g = extractvalue { ptr, i1 } %x, 0
  call void %g()
  ret void
}
