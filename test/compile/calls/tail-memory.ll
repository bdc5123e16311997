; LLVM 22 drops what a musttail call under tailcc or swifttailcc passes in memory: the callee found the reference
; that its caller was given, which had moved since. Marked `tail`, the call is as sure to be one, and complete.

; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,tail-calls -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: llc-22 -O0 %t.ll -o - | FileCheck --check-prefix=ASM %s
; RUN: llc-22 -O2 %t.ll -o - | FileCheck --check-prefixes=ASM,MIXED %s

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

; Beside such a call, one without arguments in memory: LLVM 22 moved the prologue behind the latter, which took off what
; the prologue reserves.
; CHECK-LABEL: define tailcc i64 @mixed(
; CHECK: %r = tail call tailcc i64 @small_too(
; CHECK: %s = tail call tailcc i64 @large(
; MIXED-LABEL: mixed:
; MIXED-NOT: {{^[[:space:]]+j}}
; MIXED: subq $[[FRAME:[0-9]+]], %rsp
; MIXED: {{j(e|ne)}}
; MIXED: addq $[[FRAME]], %rsp
; MIXED-NEXT: jmp small_too
declare tailcc i64 @small_too(i64)
declare tailcc i64 @large(i64, i64, i64, i64, i64, i64, i64, i64)
define tailcc i64 @mixed(i64 %n) gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %a, label %b
a:
  %r = musttail call tailcc i64 @small_too(i64 0)
  ret i64 %r
b:
  %s = musttail call tailcc i64 @large(i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7)
  ret i64 %s
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
