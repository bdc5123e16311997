; RUN: split-file %s %t
; RUN: not %cairn opt -p transitions -S %t/twice.ll 2>&1 | FileCheck --check-prefix=TWICE %s
; RUN: not %cairn opt -p transitions -S %t/leaf.ll 2>&1 | FileCheck --check-prefix=LEAF %s
; RUN: not %cairn opt -p transitions -S %t/variadic.ll 2>&1 | FileCheck --check-prefix=VARIADIC %s
; RUN: not %cairn opt -p transitions -S %t/vector.ll 2>&1 | FileCheck --check-prefix=VECTOR %s
; RUN: not %cairn opt -p transitions -S %t/convention.ll 2>&1 \
; RUN:   | FileCheck --check-prefix=CONVENTION %s
; RUN: not %cairn opt -p transitions -S %t/musttail.ll 2>&1 | FileCheck --check-prefix=MUSTTAIL %s
; What the stubs cannot carry is refused, never passed on silently.

;--- twice.ll
; TWICE: error: in function 'f': {{.*}}returns twice{{.*}}[returns-twice]
declare i32 @setjmp(ptr) returns_twice
define i32 @f(ptr %p) gc "statepoint-example" {
  %r = call i32 @setjmp(ptr %p)
  ret i32 %r
}

;--- leaf.ll
; Other units call strlen as a leaf: a poll in this one would find frames without a record.
; LEAF: error: {{.*}}@strlen{{.*}}[leaf-name-defined]
define i64 @strlen(ptr %p) gc "statepoint-example" {
  ret i64 0
}

;--- variadic.ll
; VARIADIC: error: {{.*}}argument 2 is a reference{{.*}}[variadic-reference]
declare i32 @printf(ptr, ...)
define void @f(ptr %p, ptr addrspace(1) %r) gc "statepoint-example" {
  %x = call i32 (ptr, ...) @printf(ptr %p, ptr addrspace(1) %r)
  ret void
}

;--- vector.ll
; In registers as a named argument, in memory as a variable one.
; VECTOR: error: {{.*}}argument 2 is a vector{{.*}}[variadic-vector]
declare i32 @printf(ptr, ...)
define void @f(ptr %p, <8 x float> %v) gc "statepoint-example" {
  %x = call i32 (ptr, ...) @printf(ptr %p, <8 x float> %v)
  ret void
}

;--- convention.ll
; CONVENTION: error: {{.*}}calling convention 10{{.*}}[transition-convention]
declare ghccc void @native()
define void @f() gc "statepoint-example" {
  call ghccc void @native()
  ret void
}

;--- musttail.ll
; MUSTTAIL: in function 'passes': a musttail call {{.*}}passes a nest argument{{.*}}[transition-convention]
; MUSTTAIL: in function 'has': a musttail call {{.*}}nest parameter{{.*}}[transition-convention]
; MUSTTAIL: in function 'blocks': a musttail call {{.*}}addresses are taken{{.*}}[transition-convention]
define void @passes(ptr nest %c) gc "statepoint-example" {
  %f = load ptr, ptr %c
  musttail call void %f(ptr nest %c)
  ret void
}
define void @has(ptr nest %c) gc "statepoint-example" {
  %f = load ptr, ptr %c
  musttail call void %f(ptr %c)
  ret void
}
@block = global ptr blockaddress(@blocks, %next)
define void @blocks(ptr %f) gc "statepoint-example" {
  br label %next
next:
  musttail call void %f(ptr null)
  ret void
}
