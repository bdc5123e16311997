; Every kind of location and of frame that stack maps have, in code of no target in particular.
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
declare i64 @llvm.experimental.gc.result.i64(token)
declare void @g()
declare i64 @h(i64, i64)

define i64 @points(i64 %x, double %d, i8 %b, float %f) uwtable {
  %a = alloca [3 x i64]
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 8, i64 %x, double %d, i8 %b, float %f, ptr %a, i64 -5, i64 1234567890123456, i64 -1234567890123456, i32 7, i64 2147483648, i64 -2147483648, i128 5, i1 true)
  %r = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 -2, i32 32, ptr null, i32 1, i64 %x, i64 99, double %d, i64 1234567890123456)
  %s = call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 3, i32 32, ptr null, i32 2, i64 %x, i64 %r)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 4, i32 32, ptr null, i32 0, i64 %s)
  %t = add i64 %r, %s
  ret i64 %t
}

define void @empty() uwtable {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 9, i32 0)
  ret void
}

; More values than registers: spilled ones are Indirect.
define void @pressure(ptr %p) uwtable {
  %p1 = getelementptr i64, ptr %p, i64 1
  %p2 = getelementptr i64, ptr %p, i64 2
  %v0 = load volatile i64, ptr %p
  %v1 = load volatile i64, ptr %p1
  %v2 = load volatile i64, ptr %p2
  %v3 = load volatile i64, ptr %p
  %v4 = load volatile i64, ptr %p1
  %v5 = load volatile i64, ptr %p2
  %v6 = load volatile i64, ptr %p
  %v7 = load volatile i64, ptr %p1
  %v8 = load volatile i64, ptr %p2
  %v9 = load volatile double, ptr %p
  call void @g()
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 10, i32 0, i64 %v0, i64 %v1, i64 %v2, i64 %v3, i64 %v4, i64 %v5, i64 %v6, i64 %v7, i64 %v8, double %v9)
  ret void
}

; A frame of unknown size.
define void @dynamic(i64 %n, i64 %x) uwtable {
  %a = alloca i64, i64 %n
  store volatile i64 1, ptr %a
  call void @g()
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 11, i32 0, i64 %x, ptr %a)
  ret void
}

; An over-aligned frame.
define void @aligned(i64 %x) uwtable {
  %a = alloca i64, align 128
  store volatile i64 1, ptr %a
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 12, i32 0, i64 %x, ptr %a)
  ret void
}

; A large one.
define void @large(i64 %x) uwtable {
  %a = alloca [1000000 x i64]
  store volatile i64 1, ptr %a
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 13, i32 0, i64 %x, ptr %a)
  ret void
}

; Statepoints: derived references, null, deopt operands of all kinds, allocas, a result, an id, patchable
; bytes, a calling convention, flags.
define i64 @statepoints(ptr addrspace(1) %a, i64 %i, double %d) uwtable gc "statepoint-example" {
  %local = alloca [4 x i64]
  %b = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 77, i32 0, ptr elementtype(i64 (i64, i64)) @h, i32 2, i32 0, i64 %i, i64 5, i32 0, i32 0) ["deopt"(i64 %i, double %d, i64 -1, i64 1234567890123456, ptr null, ptr %local, ptr addrspace(1) %a, i32 3), "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) null, ptr %local)]
  %a2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %b2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 1)
  %n2 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 2, i32 2)
  %r = call i64 @llvm.experimental.gc.result.i64(token %t)
  %u = call fastcc token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 78, i32 32, ptr elementtype(void ()) null, i32 0, i32 2, i32 0, i32 0) ["deopt"(i64 %i, ptr addrspace(1) %b2), "gc-live"(ptr addrspace(1) %b2, ptr addrspace(1) %a2)]
  %b3 = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %u, i32 1, i32 0)
  %v = load i64, ptr addrspace(1) %b3
  %w = add i64 %v, %r
  ret i64 %w
}

; Functions elsewhere: a section of its own, COMDAT, hidden, local.
define internal void @inner(i64 %x) noinline uwtable section ".text.elsewhere" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 20, i32 0, i64 %x)
  ret void
}
$shared = comdat any
define linkonce_odr hidden void @shared(i64 %x) noinline uwtable comdat {
  call void @inner(i64 %x)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 21, i32 0, i64 %x)
  ret void
}
define void @user(i64 %x) uwtable {
  call void @shared(i64 %x)
  call void @inner(i64 %x)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 22, i32 0)
  ret void
}
