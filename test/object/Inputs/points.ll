; Records that are not statepoints, with every kind of location, live-outs and the constant pool.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
define i64 @points(i64 %x, double %d, i8 %b) uwtable {
  %a = alloca [3 x i64]
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 4, i64 %x, double %d, i8 %b, ptr %a, i64 -5, i64 1234567890123456, i64 -1234567890123456, i32 7)
  %r = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 -2, i32 16, ptr null, i32 1, i64 %x, i64 99, double %d)
  %s = call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 3, i32 16, ptr null, i32 2, i64 %x, i64 %r)
  %t = add i64 %r, %s
  ret i64 %t
}
define void @empty() uwtable {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 9, i32 0)
  ret void
}
