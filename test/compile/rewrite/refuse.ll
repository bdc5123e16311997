; What cannot be made precise is refused by name, all of it in one run, before anything is changed.
; Wrong: LLVM's release build makes silent damage of most of these (docs/llvm-22.md).
; RUN: not %cairn opt -p rewrite-statepoints -S %s 2>&1 | FileCheck %s
; RUN: not %cairn opt -p rewrite-statepoints -S %s 2>&1 | FileCheck %s --check-prefix=SOUND
; SOUND-NOT: unreachable
; SOUND-NOT: function 'three'
declare void @foo()
declare void @take(ptr)
declare void @variadic(...)
declare i32 @setjmp(ptr) returns_twice
declare i32 @personality(...)
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare <vscale x 2 x ptr addrspace(1)> @scalable()
declare void @aggregate(ptr byval({ptr addrspace(1)}))

; CHECK-DAG: function 'varargs'{{.*}}[variadic-reference]
define void @varargs(ptr addrspace(1) %a) gc "statepoint-example" {
  call void (...) @variadic(ptr addrspace(1) %a)
  ret void
}
; CHECK-DAG: function 'integer'{{.*}}[integer-to-reference]
define ptr addrspace(1) @integer(i64 %a) gc "statepoint-example" {
  %p = inttoptr i64 %a to ptr addrspace(1)
  call void @foo()
  ret ptr addrspace(1) %p
}
; CHECK-DAG: function 'spaces'{{.*}}[address-space-cast]
define ptr @spaces(ptr addrspace(1) %a) gc "statepoint-example" {
  %p = addrspacecast ptr addrspace(1) %a to ptr
  call void @foo()
  ret ptr %p
}
; CHECK-DAG: function 'twice'{{.*}}[returns-twice]
define void @twice(ptr %b) gc "statepoint-example" {
  %r = call i32 @setjmp(ptr %b) returns_twice
  ret void
}
; CHECK-DAG: function 'va'{{.*}}[va-arg-reference]
define void @va(ptr %list) gc "statepoint-example" {
  %p = va_arg ptr %list, ptr addrspace(1)
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  ret void
}
; CHECK-DAG: function 'scaled'{{.*}}[scalable-vector]
define void @scaled() gc "statepoint-example" {
  %v = call <vscale x 2 x ptr addrspace(1)> @scalable()
  ret void
}
; CHECK-DAG: function 'copied'{{.*}}[byval-reference]
define void @copied(ptr byval({ptr addrspace(1)}) %p) gc "statepoint-example" {
  call void @foo()
  ret void
}
; CHECK-DAG: function 'copies'{{.*}}[byval-reference]
define void @copies(ptr %p) gc "statepoint-example" {
  call void @aggregate(ptr byval({ptr addrspace(1)}) %p)
  ret void
}
; CHECK-DAG: function 'dynamic'{{.*}}[dynamic-alloca]
define void @dynamic(i64 %n) gc "statepoint-example" {
  %p = alloca ptr addrspace(1), i64 %n
  call void @take(ptr %p)
  ret void
}
; CHECK-DAG: function 'untyped'{{.*}}[untyped-alloca]
define void @untyped(i64 %n, ptr addrspace(1) %a) gc "statepoint-example" {
  %p = alloca [64 x i8]
  %q = getelementptr i8, ptr %p, i64 %n
  store ptr addrspace(1) %a, ptr %q
  call void @take(ptr %p)
  ret void
}
; CHECK-DAG: function 'straddling'{{.*}}[untyped-alloca]
define void @straddling(ptr addrspace(1) %a) gc "statepoint-example" {
  %p = alloca [64 x i8]
  %q = getelementptr i8, ptr %p, i64 3
  store ptr addrspace(1) %a, ptr %q
  call void @take(ptr %p)
  ret void
}
; CHECK-DAG: function 'directive'{{.*}}[statepoint-directive]
define void @directive() gc "statepoint-example" {
  call void @foo() "statepoint-id"="seven"
  ret void
}
; CHECK-DAG: function 'bundle'{{.*}}[operand-bundle]
define void @bundle() gc "statepoint-example" {
  call void @foo() [ "mystery"(i32 1) ]
  ret void
}
; CHECK-DAG: function 'x87'{{.*}}[x87-result]
define void @x87(ptr %f) gc "statepoint-example" {
  %r = call {x86_fp80, x86_fp80} %f()
  ret void
}
; Three words have a register, so that is fine.
define void @three(ptr %f) gc "statepoint-example" {
  %r = call <3 x float> %f()
  %s = call <3 x i32> %f()
  ret void
}
; CHECK-DAG: function 'large'{{.*}}[large-result]
define void @large(ptr %f) gc "statepoint-example" {
  %r = call {i64, {ptr addrspace(1), i64}, i1} %f()
  ret void
}
; What is never reached is not refused.
define void @unreachable(ptr addrspace(1) %a) gc "statepoint-example" {
  call void @foo()
  ret void
nowhere:
  %p = addrspacecast ptr addrspace(1) %a to ptr
  br label %nowhere
}
