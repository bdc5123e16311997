; A copy does not tell what it copies: from managed memory, and between ordinary memory if it has a constant size as the assignment
; of a struct has, the runtime looks through it, unless it provably goes to a local or a global that holds references.
; RUN: %cairn opt --without=store-tests -p check-stores -S %s | FileCheck %s
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)
declare void @llvm.memcpy.p0.p1.i32(ptr, ptr addrspace(1), i32, i1)
declare void @llvm.memcpy.inline.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.element.unordered.atomic.p0.p1.i64(ptr, ptr addrspace(1), i64, i32)
declare void @llvm.memmove.element.unordered.atomic.p0.p1.i32(ptr, ptr addrspace(1), i32, i32)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare void @later()
@data = constant [16 x i8] zeroinitializer
@global = global { ptr addrspace(1), i64 } zeroinitializer

; CHECK-LABEL: define void @checked
; CHECK-NEXT: call void @cairn_check_copy(ptr %to, ptr addrspace(1) %object, i64 24)
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: call void @cairn_check_copy(ptr %to, ptr addrspace(1) %object, i64 %n)
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: call void @cairn_check_native_copy(ptr %to, ptr %from, i64 24)
; CHECK-NEXT: @llvm.memcpy.p0.p0
; CHECK-NEXT: call void @cairn_check_native_copy(ptr %to, ptr %from, i64 24)
; CHECK-NEXT: @llvm.memmove.p0.p0
; CHECK-NEXT: ret void
define void @checked(ptr %to, ptr %from, ptr addrspace(1) %object, i64 %n) gc "statepoint-example" {
  call void @llvm.memcpy.p0.p1.i64(ptr %to, ptr addrspace(1) %object, i64 24, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %to, ptr addrspace(1) %object, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 24, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 24, i1 false)
  ret void
}

; By elements, and with a length of another width.
; CHECK-LABEL: define void @other_copies
; CHECK-NEXT: [[WIDE:%.*]] = zext i32 %m to i64
; CHECK-NEXT: call void @cairn_check_copy(ptr %to, ptr addrspace(1) %object, i64 [[WIDE]])
; CHECK-NEXT: @llvm.memcpy.p0.p1.i32
; CHECK-NEXT: call void @cairn_check_copy(ptr %to, ptr addrspace(1) %object, i64 16)
; CHECK-NEXT: @llvm.memcpy.inline.p0.p1
; CHECK-NEXT: call void @cairn_check_copy(ptr %to, ptr addrspace(1) %object, i64 64)
; CHECK-NEXT: @llvm.memcpy.element.unordered.atomic
; CHECK-NEXT: zext i32 %m to i64
; CHECK-NEXT: call void @cairn_check_copy(
; CHECK-NEXT: @llvm.memmove.element.unordered.atomic
; CHECK-NEXT: ret void
define void @other_copies(ptr %to, ptr addrspace(1) %object, i32 %m) gc "statepoint-example" {
  call void @llvm.memcpy.p0.p1.i32(ptr %to, ptr addrspace(1) %object, i32 %m, i1 false)
  call void @llvm.memcpy.inline.p0.p1.i64(ptr %to, ptr addrspace(1) %object, i64 16, i1 false)
  call void @llvm.memcpy.element.unordered.atomic.p0.p1.i64(ptr align 8 %to, ptr addrspace(1) align 8 %object, i64 64, i32 8)
  call void @llvm.memmove.element.unordered.atomic.p0.p1.i32(ptr align 8 %to, ptr addrspace(1) align 8 %object, i32 %m, i32 8)
  ret void
}

; CHECK-LABEL: define void @not_checked
; CHECK-NOT: cairn_check
; CHECK: ret void
define void @not_checked(ptr %to, ptr %from, ptr addrspace(1) %object, i64 %n) gc "statepoint-example" {
  %local = alloca { ptr addrspace(1), i64 }
  %refs = alloca [4 x ptr addrspace(1)]
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %object, i64 8, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %refs, ptr addrspace(1) %object, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr @global, ptr addrspace(1) %object, i64 8, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 4, i1 false)
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %object, ptr %from, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr @data, i64 16, i1 false)
  call void @later()
  ret void
}

; Nothing says of a local of bytes, or of the rest of one with references, that the collector is to look there.
; CHECK-LABEL: define void @bytes
; CHECK: call void @cairn_check_copy(ptr %at, ptr addrspace(1) %object, i64 16)
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: call void @cairn_check_copy(ptr %either, ptr addrspace(1) %object, i64 %n)
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: @llvm.memcpy.p0.p0
; CHECK-NEXT: call void @cairn_check_native_copy(ptr %local, ptr %from, i64 16)
; CHECK-NEXT: @llvm.memcpy.p0.p0
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: load
; CHECK-NEXT: call void @cairn_check_copy(ptr %part, ptr addrspace(1) %object, i64 16)
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: call void @cairn_check_copy(ptr @global, ptr addrspace(1) %object, i64 16)
; CHECK-NEXT: @llvm.memcpy.p0.p1
; CHECK-NEXT: call void @later()
; CHECK-NEXT: ret void
define void @bytes(ptr addrspace(1) %object, ptr %from, i64 %n, i1 %c) gc "statepoint-example" {
  %local = alloca [32 x i8]
  %other = alloca [32 x i8]
  %read = alloca [16 x i8]
  %part = alloca { ptr addrspace(1), i64 }
  %at = getelementptr i8, ptr %local, i64 8
  %either = select i1 %c, ptr %local, ptr %other
  call void @llvm.memcpy.p0.p1.i64(ptr %at, ptr addrspace(1) %object, i64 16, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %either, ptr addrspace(1) %object, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %object, i64 7, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %other, i64 16, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr %from, i64 16, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %read, ptr addrspace(1) %object, i64 8, i1 false)
  %reference = load ptr addrspace(1), ptr %read
  call void @llvm.memcpy.p0.p1.i64(ptr %part, ptr addrspace(1) %object, i64 16, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr %part, ptr addrspace(1) %object, i64 8, i1 false)
  call void @llvm.memcpy.p0.p1.i64(ptr @global, ptr addrspace(1) %object, i64 16, i1 false)
  call void @later()
  ret void
}

; There it may lie while no collection can come: until the next call, or a loop, that may have a poll.
; CHECK-LABEL: define void @swap
; CHECK-NOT: cairn_check
; CHECK: lifetime.end
; CHECK: call void @later()
define void @swap(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
  %local = alloca [32 x i8]
  call void @llvm.lifetime.start.p0(ptr %local)
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %a, i64 16, i1 false)
  br i1 %c, label %yes, label %no
yes:
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %b, ptr %local, i64 16, i1 false)
  br label %no
no:
  call void @llvm.lifetime.end.p0(ptr %local)
  call void @later()
  ret void
}

; CHECK-LABEL: define void @loop
; CHECK: cairn_check_copy
define void @loop(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" {
  %local = alloca [32 x i8]
  call void @llvm.memcpy.p0.p1.i64(ptr %local, ptr addrspace(1) %a, i64 16, i1 false)
  br label %again
again:
  br i1 %c, label %again, label %no
no:
  call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) %b, ptr %local, i64 16, i1 false)
  ret void
}
