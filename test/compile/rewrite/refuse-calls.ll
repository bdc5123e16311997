; RUN: not %cairn opt -p rewrite-statepoints -S %s 2>&1 | FileCheck %s
; Calls that no statepoint can stand for. Wrapped, they would lose what their bundle, convention or
; callee asks for without a word, or end LLVM's code generator.
declare void @foo()
declare void @two(ptr addrspace(1), i64)
declare void @directed() "statepoint-id"="many"
declare void @error(ptr swifterror)
declare ptr @llvm.objc.retain(ptr)
declare ptr @llvm.objc.retainAutoreleasedReturnValue(ptr)
declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1), ptr addrspace(1), i32, i32)
declare i32 @personality(...)

; CHECK-DAG: function 'kcfi'{{.*}}kcfi [operand-bundle]
define void @kcfi(ptr %f) gc "statepoint-example" {
  call void %f() [ "kcfi"(i32 1) ]
  ret void
}
; CHECK-DAG: function 'ptrauth'{{.*}}ptrauth [operand-bundle]
define void @ptrauth(ptr %f) gc "statepoint-example" {
  call void %f() [ "ptrauth"(i32 1, i64 2) ]
  ret void
}
; CHECK-DAG: function 'attached'{{.*}}clang.arc.attachedcall [operand-bundle]
define void @attached(ptr %f) gc "statepoint-example" {
  %r = call ptr %f() [ "clang.arc.attachedcall"(ptr @llvm.objc.retainAutoreleasedReturnValue) ]
  ret void
}
; CHECK-DAG: function 'live'{{.*}}the call's gc-live bundle has a value that is not a single reference{{.*}}[live-operands]
define void @live(ptr addrspace(1) %p) gc "statepoint-example" {
  %local = alloca ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %local
  call void @foo() [ "gc-live"(ptr %local) ]
  ret void
}
; CHECK-DAG: function 'vector'{{.*}}a vector or aggregate of references that is to be listed during the call{{.*}}[live-operands]
define void @vector(<2 x ptr addrspace(1)> %v) gc "statepoint-example" {
  call void @vector(<2 x ptr addrspace(1)> %v) "cairn-live-operands"
  ret void
}
; CHECK-DAG: function 'unknown'{{.*}}: own [operand-bundle]
define void @unknown() gc "statepoint-example" {
  call void @foo() [ "own"(i32 1) ]
  ret void
}
; CHECK-DAG: function 'number'{{.*}}"statepoint-id"{{.*}}[statepoint-directive]
define void @number() gc "statepoint-example" {
  call void @directed()
  ret void
}
; CHECK-DAG: function 'lowering'{{.*}}live-through{{.*}}[statepoint-directive]
define void @lowering() gc "statepoint-example" {
  call void @foo() "deopt-lowering"="live-out"
  ret void
}
; CHECK-DAG: function 'ghc'{{.*}}convention 10 [statepoint-convention]
define void @ghc(ptr %f) gc "statepoint-example" {
  call ghccc void %f()
  ret void
}
; CHECK-DAG: function 'any_register'{{.*}}convention 13 [statepoint-convention]
define void @any_register(ptr %f) gc "statepoint-example" {
  call anyregcc void %f()
  ret void
}
; CHECK-DAG: function 'swift'{{.*}}swifterror{{.*}}[statepoint-convention]
define void @swift() gc "statepoint-example" {
  %e = alloca swifterror ptr
  store ptr null, ptr %e
  call void @error(ptr swifterror %e)
  ret void
}
; CHECK-DAG: function 'objc'{{.*}}llvm.objc.retain{{.*}}[intrinsic-statepoint]
define void @objc(ptr %p) gc "statepoint-example" {
  %q = call ptr @llvm.objc.retain(ptr %p)
  ret void
}
; CHECK-DAG: function 'copy'{{.*}}16 bytes [intrinsic-statepoint]
define void @copy(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i32(ptr addrspace(1) align 32 %p, ptr addrspace(1) align 32 %p, i32 64, i32 32)
  ret void
}
; CHECK-DAG: function 'variadic'{{.*}}argument 2 is a reference{{.*}}[variadic-reference]
define void @variadic(ptr %f, ptr addrspace(1) %p) gc "statepoint-example" {
  call void (i32, ...) %f(i32 1, ptr addrspace(1) %p)
  ret void
}
; CHECK-DAG: function 'assembly_in'{{.*}}[asm-reference]
define void @assembly_in(ptr addrspace(1) %p) gc "statepoint-example" {
  call void asm sideeffect "movq $0, x", "r"(ptr addrspace(1) %p)
  ret void
}
; CHECK-DAG: function 'assembly_out'{{.*}}[asm-reference]
define void @assembly_out() gc "statepoint-example" {
  %p = call ptr addrspace(1) asm "movq x, $0", "=r"()
  call void @two(ptr addrspace(1) %p, i64 1)
  ret void
}
; CHECK-DAG: function 'assembly_pair'{{.*}}[asm-reference]
define void @assembly_pair() gc "statepoint-example" {
  %p = call { i64, ptr addrspace(1) } asm "nop", "=r,=r"()
  ret void
}
; CHECK-DAG: function 'assembly_memory'{{.*}}[asm-reference]
define void @assembly_memory(ptr addrspace(1) %p) gc "statepoint-example" {
  call void asm sideeffect "incq $0", "=*m"(ptr addrspace(1) elementtype(i64) %p)
  ret void
}
; CHECK-DAG: function 'assembly_slot'{{.*}}[asm-reference]
define void @assembly_slot(ptr %slot) gc "statepoint-example" {
  call void asm sideeffect "incq $0", "=*m"(ptr elementtype(ptr addrspace(1)) %slot)
  ret void
}
; CHECK-DAG: function 'assembly_unwinds'{{.*}}[asm-reference]
define void @assembly_unwinds(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  invoke void asm sideeffect unwind "call f", "r"(ptr addrspace(1) %p) to label %on unwind label %off
on:
  ret void
off:
  %l = landingpad {ptr, i32} cleanup
  ret void
}
; CHECK-DAG: function 'assembly_jumps'{{.*}}[asm-reference]
define void @assembly_jumps(ptr addrspace(1) %p) gc "statepoint-example" {
  callbr void asm sideeffect "testq $0, $0; jne ${1:l}", "r,!i"(ptr addrspace(1) %p) to label %on [label %off]
on:
  ret void
off:
  ret void
}
declare {i64,i64,i64,i64} @big()
declare i8 @byte()
; CHECK-DAG: function 'large_tail'{{.*}}[musttail-result]
define {i64,i64,i64,i64} @large_tail() gc "statepoint-example" {
  %r = musttail call {i64,i64,i64,i64} @big()
  ret {i64,i64,i64,i64} %r
}
; CHECK-DAG: function 'extended_tail'{{.*}}[musttail-result]
define zeroext i8 @extended_tail() gc "statepoint-example" {
  %r = musttail call i8 @byte()
  ret i8 %r
}
; Nothing is said of what is never reached.
; CHECK-NOT: 'unreached'
define void @unreached(ptr addrspace(1) %p) gc "statepoint-example" {
  ret void
dead:
  call void asm sideeffect "movq $0, x", "r"(ptr addrspace(1) %p)
  ret void
}
