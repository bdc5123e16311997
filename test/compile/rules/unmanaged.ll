; RUN: not %cairn opt -p rules -S %s 2>&1 | FileCheck %s
; A front end that forgets the strategy of one function would have its references lost without a word: the collector
; skips the frames of functions that are not its own.

declare ptr addrspace(1) @get(ptr)
declare void @foo()
declare i64 @strlen(ptr)

; CHECK-NOT: 'reads'
; CHECK: in function 'keeps': reference %a is kept over the call to @foo{{.*}} [unmanaged-function]
define ptr addrspace(1) @keeps(ptr addrspace(1) %a) {
  call void @foo()
  ret ptr addrspace(1) %a
}

; CHECK: in function 'foreign': reference %b is kept over an indirect call{{.*}} [unmanaged-function]
define ptr addrspace(1) @foreign(ptr addrspace(1) %a, ptr %p) gc "ocaml" {
  %b = load ptr addrspace(1), ptr addrspace(1) %a
  call void %p()
  ret ptr addrspace(1) %b
}

; CHECK: in function 'local': reference %l is kept over the call to @get{{.*}} [unmanaged-function]
define void @local(ptr %p) {
  %l = alloca { i64, ptr addrspace(1) }
  %r = call ptr addrspace(1) @get(ptr %l)
  ret void
}

; Nothing may move here.
; CHECK-NOT: error
define i64 @reads(ptr addrspace(1) %a, ptr %p) {
  %n = call i64 @strlen(ptr %p)
  %v = load i64, ptr addrspace(1) %a
  call void @foo()
  %s = add i64 %n, %v
  ret i64 %s
}

define ptr addrspace(1) @promised(ptr addrspace(1) %a) "gc-leaf-function" {
  call void @foo()
  ret ptr addrspace(1) %a
}

define ptr addrspace(1) @passes(ptr addrspace(1) %a, ptr %p) {
  %r = call ptr addrspace(1) %p(ptr addrspace(1) %a)
  ret ptr addrspace(1) %r
}
