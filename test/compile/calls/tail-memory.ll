; LLVM 22 drops what a musttail call under tailcc or swifttailcc passes in memory: the callee found the reference
; that its caller was given, which had moved since. Marked `tail`, the call is as sure to be one, and complete.

; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,tail-calls -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -O0 %t.ll -o - | FileCheck --check-prefix=ASM %s
; RUN: llc-22 -O2 %t.ll -o - | FileCheck --check-prefix=ASM %s

declare void @foo()

; CHECK-LABEL: define tailcc void @many(
; CHECK: statepoint
; CHECK: {{^ *}}tail call tailcc void @many(
; ASM-LABEL: many:
; ASM: callq foo
; ASM: movq %r{{[a-z0-9]+}}, {{[0-9]+}}(%rsp)
; ASM: jmp many
define tailcc void @many(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, ptr addrspace(1) %p) "disable-tail-calls"="true" gc "statepoint-example" {
  call void @foo()
  musttail call tailcc void @many(i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, ptr addrspace(1) %p)
  ret void
}

; One marked by its front end only, and no parse point either.
; CHECK-LABEL: define tailcc void @marked(
; CHECK: {{^ *}}tail call tailcc void @marked(
; CHECK-NOT: statepoint.p0
; ASM-LABEL: marked:
; ASM: movq {{.*}}, {{[0-9]+}}(%rsp)
; ASM: jmp marked
define tailcc void @marked({ ptr addrspace(1), [7 x i64] } %s, ptr addrspace(1) %p) gc "statepoint-example" {
  tail call tailcc void @marked({ ptr addrspace(1), [7 x i64] } zeroinitializer, ptr addrspace(1) %p)
  ret void
}

; What the caller was given in memory, but its callee is not, has to go: LLVM 22 leaves it on the stack.
; CHECK-LABEL: define tailcc void @shrinks(
; CHECK: {{^ *}}tail call tailcc void @small(
; ASM-LABEL: shrinks:
; ASM: addq $
; ASM: jmp small
declare tailcc void @small(i64)
define tailcc void @shrinks(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) gc "statepoint-example" {
  musttail call tailcc void @small(i64 %h)
  ret void
}

; In native functions, too, and not where all arguments have registers.
; CHECK-LABEL: define swifttailcc void @native(
; CHECK: {{^ *}}tail call swifttailcc void @native(
; ASM-LABEL: native:
; ASM: jmp native
define swifttailcc void @native(<4 x double> %a, <4 x double> %b, <4 x double> %c, <4 x double> %d, <4 x double> %e) {
  musttail call swifttailcc void @native(<4 x double> zeroinitializer, <4 x double> %b, <4 x double> %c, <4 x double> %d, <4 x double> %a)
  ret void
}

; CHECK-LABEL: define tailcc void @few(
; CHECK: musttail call tailcc void @few(
; CHECK-LABEL: define void @usual(
; CHECK: musttail call void @usual(
define tailcc void @few(i64 %a, ptr addrspace(1) %p) gc "statepoint-example" {
  musttail call tailcc void @few(i64 0, ptr addrspace(1) %p)
  ret void
}

define void @usual(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, ptr addrspace(1) %p) gc "statepoint-example" {
  musttail call void @usual(i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, ptr addrspace(1) %p)
  ret void
}
