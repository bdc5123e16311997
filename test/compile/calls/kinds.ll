; RUN: %cairn opt --print=calls %s | FileCheck %s
; What is a leaf and why. A leaf that is none loses roots, so each needs a reason of its own; a name
; is none but for the table, which asks for a declaration without references.

; CHECK: calls of @f
define void @f(ptr %t, ptr addrspace(1) %r, ptr %p, ptr %q) gc "statepoint-example" {
; CHECK-NEXT: parse: call to @external (external function, may reach a safepoint)
  call void @external()
; CHECK-NEXT: leaf: call to @attributed (attribute gc-leaf-function)
  call void @attributed()
; CHECK-NEXT: leaf: call to @external (attribute gc-leaf-function)
  call void @external() "gc-leaf-function"
; CHECK-NEXT: leaf: call to @no_callback (attribute nocallback)
  call void @no_callback()
; LLVM infers nocallback for whatever is named and typed like the C library's strchr, references or
; not.
; CHECK-NEXT: parse: call to @strchr (external function, may reach a safepoint)
  %s = call ptr addrspace(1) @strchr(ptr addrspace(1) %r, i32 0)
; CHECK-NEXT: leaf: call to @external (attribute nocallback)
  call void @external() nocallback
; CHECK-NEXT: leaf: call to @strlen (table: reads and writes the given memory only)
  %n = call i64 @strlen(ptr %p)
; CHECK-NEXT: parse: call to @malloc (unmanaged function)
  %m = call ptr @malloc(i64 8)
; CHECK-NEXT: parse: call to @free (external function, may reach a safepoint)
  call void @free(ptr addrspace(1) %r)
; CHECK-NEXT: parse: call to @qsort
  call void @qsort(ptr %p, i64 1, i64 1, ptr %t)
; CHECK-NEXT: parse: call to @exit
  call void @exit(i32 0)
; CHECK-NEXT: parse: call to @printf
  %x = call i32 (ptr, ...) @printf(ptr %p)
; CHECK-NEXT: parse: indirect call (indirect call)
  call void %t()
; CHECK-NEXT: leaf: inline assembly (inline assembly)
  call void asm sideeffect "", ""()
; CHECK-NEXT: leaf: call to @llvm.memset.p1.i64 (intrinsic expanded in line)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %r, i8 0, i64 8, i1 false)
; A long copy may be interrupted by a collection, and then relocates its arguments.
; CHECK-NEXT: parse: call to @llvm.memcpy.element.unordered.atomic.p1.p1.i64 (element-wise atomic copy of managed memory)
  call void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1) align 8 %r, ptr addrspace(1) align 8 %r, i64 8, i32 8)
; CHECK-NEXT: leaf: call to @llvm.memcpy.element.unordered.atomic.p0.p0.i64 (intrinsic expanded in line)
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 8 %p, ptr align 8 %q, i64 8, i32 8)
; A managed function with a body polls, whatever its attributes say.
; CHECK-NEXT: parse: call to @managed (managed function)
  call void @managed()
; CHECK-NEXT: statepoint: call to @llvm.experimental.gc.statepoint.p0 (statepoint)
  %k = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @external, i32 0, i32 0, i32 0, i32 0)
; CHECK-NEXT: parse: call to @cairn_poll_slow
  call preserve_allcc void @cairn_poll_slow()
; CHECK-NEXT: musttail: call to @f
  musttail call void @f(ptr %t, ptr addrspace(1) %r, ptr %p, ptr %q)
  ret void
}

define void @managed() nocallback gc "statepoint-example" {
  ret void
}
; The program's own allocator under the library's name: unmanaged, but not the library's.
define ptr @malloc(i64 %n) {
  ret ptr null
}
declare void @external()
declare void @attributed() "gc-leaf-function"
declare void @no_callback() nocallback
declare ptr addrspace(1) @strchr(ptr addrspace(1), i32) nocallback
declare i64 @strlen(ptr)
declare void @free(ptr addrspace(1))
declare void @qsort(ptr, i64, i64, ptr)
declare void @exit(i32)
declare i32 @printf(ptr, ...)
declare preserve_allcc void @cairn_poll_slow()
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i32)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)
