; RUN: not %cairn verify --time-to-safepoint %s | FileCheck %s
; What goes rounds that nobody sees: inline assembly is bounded only if nothing in its text can go round; integers
; wider than two registers are divided bit by bit. Wrong: a bound of a few nanoseconds on any of them.
target triple = "x86_64-unknown-linux-gnu"

; CHECK: @barrier: no safepoint, through 0.00 us
define void @barrier() gc "statepoint-example" {
  call void asm sideeffect "", "~{memory}"()
  ret void
}

; CHECK: @straight: no safepoint, through 0.{{0[0-9]}} us
define void @straight(ptr %p) gc "statepoint-example" {
  call void asm sideeffect "rep; nop\0A\09testq $0, $0\0A\09jne 1f\0A\09lock incq ($0)\0A1: nop", "r,~{memory}"(ptr %p)
  ret void
}

; CHECK: @fill: no safepoint, through unbounded
; CHECK-NEXT: call inline assembly: unbounded
define void @fill(ptr %p, i64 %n) gc "statepoint-example" {
  call { ptr, i64 } asm sideeffect "rep stosb", "={rdi},={rcx},0,1,{rax},~{memory}"(ptr %p, i64 %n, i64 0)
  ret void
}

; CHECK: @round: no safepoint, through unbounded
; CHECK-NEXT: call inline assembly: unbounded
define void @round(i64 %n) gc "statepoint-example" {
  call i64 asm sideeffect "2: dec $0; jnz 2b", "=r,0"(i64 %n)
  ret void
}

; What is said of the call holds.
; CHECK: @said: no safepoint, through 0.{{1[0-9]}} us
define void @said(i64 %n) gc "statepoint-example" {
  call i64 asm sideeffect "2: dec $0; jnz 2b", "=r,0"(i64 %n) "cairn-work"="300"
  ret void
}

; CHECK: @wide: no safepoint, through {{[0-9][0-9]+}}.{{[0-9]+}} us
define i1024 @wide(i1024 %a, i1024 %b) gc "statepoint-example" {
  %c = udiv i1024 %a, %b
  ret i1024 %c
}

; CHECK: @long_remainder: no safepoint, through 12.{{[0-9]+}} us
define x86_fp80 @long_remainder(x86_fp80 %a, x86_fp80 %b) gc "statepoint-example" {
  %c = frem x86_fp80 %a, %b
  ret x86_fp80 %c
}
