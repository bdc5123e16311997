; A function with a stackmap uses no memory below its stack pointer, though it calls nothing: a call of a stub in the
; shadow pushes a return address there. Wrong: LLVM gives such functions a red zone.
; RUN: llc -O0 %s -o - | FileCheck %s
; RUN: llc -O2 %s -o - | FileCheck %s

; CHECK-LABEL: shadow:
; CHECK: subq $80, %rsp
; CHECK-LABEL: patched:
; CHECK: subq $80, %rsp
; CHECK-LABEL: plain:
; CHECK-NOT: subq {{.*}}, %rsp
; CHECK: retq
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)

define i32 @shadow(i32 %x, i64 %index) {
  %array = alloca [20 x i32]
  %place = getelementptr [20 x i32], ptr %array, i64 0, i64 %index
  store volatile i32 %x, ptr %place
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 7, i32 8, i32 %x)
  %value = load volatile i32, ptr %array
  ret i32 %value
}

define i32 @patched(i32 %x, i64 %index) {
  %array = alloca [20 x i32]
  %place = getelementptr [20 x i32], ptr %array, i64 0, i64 %index
  store volatile i32 %x, ptr %place
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 7, i32 15, ptr null, i32 0, i32 %x)
  %value = load volatile i32, ptr %array
  ret i32 %value
}

define i32 @plain(i32 %x, i64 %index) {
  %array = alloca [20 x i32]
  %place = getelementptr [20 x i32], ptr %array, i64 0, i64 %index
  store volatile i32 %x, ptr %place
  %value = load volatile i32, ptr %array
  ret i32 %value
}
