; A module that fails is made small, so that it still fails in the same way: the rest of
; this one goes. Without that, nobody looks at what a random module of a thousand lines found.

; A script, to which sanitizers of the compiler add nothing:
; UNSUPPORTED: sanitize

; RUN: rm -rf %t && mkdir %t && cd %t
; RUN: %root/test/random/reduce %build --opt %s 2>&1 | FileCheck --check-prefix=SAID %s
; RUN: FileCheck --implicit-check-not=@other --implicit-check-not=gep %s < %t/reduced.ll

; SAID: fails: [integer-to-reference]
; SAID: lines in reduced.ll
; CHECK: inttoptr

declare void @foo()

define void @other(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  %gep = getelementptr i8, ptr addrspace(1) %p, i64 8
  store i8 0, ptr addrspace(1) %gep
  ret void
}

define ptr addrspace(1) @made(i64 %n) gc "statepoint-example" {
  %p = inttoptr i64 %n to ptr addrspace(1)
  call void @foo()
  ret ptr addrspace(1) %p
}
