; ModuleID = 'random'
source_filename = "random"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

declare void @safepoint()

declare ptr addrspace(1) @make(ptr addrspace(1), ptr addrspace(1))

declare { ptr addrspace(1), i64 } @make_pair(ptr addrspace(1))

declare i64 @flag() #0

declare void @note(i64) #0

declare void @use(ptr addrspace(1)) #0

declare void @escape(ptr) #0

define void @f(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2) gc "statepoint-example" {
  %local = alloca [2 x ptr addrspace(1)], align 8
  call void @llvm.memset.p0.i64(ptr align 8 %local, i8 0, i64 16, i1 false)
  call void asm sideeffect "", "r,~{memory}"(ptr %local)
  %4 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 1, ptr %local, i64 2, i64 8, i64 1, i64 0, i64 7), "gc-live"(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2) ]
  %5 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %4, i32 0, i32 0) ; (%0, %0)
  store ptr addrspace(1) %5, ptr %local, align 8
  %6 = getelementptr i8, ptr %local, i64 8
  %7 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %4, i32 1, i32 1) ; (%1, %1)
  store ptr addrspace(1) %7, ptr %6, align 8
  %8 = getelementptr i8, ptr %local, i64 8
  store ptr addrspace(1) %7, ptr %8, align 8
  %9 = call i64 @flag()
  %10 = trunc i64 %9 to i1
  %11 = select i1 %10, ptr addrspace(1) %5, ptr addrspace(1) %5
  %12 = icmp eq ptr addrspace(1) %11, %11
  %13 = zext i1 %12 to i64
  call void @note(i64 %13)
  %14 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %4, i32 2, i32 2) ; (%2, %2)
  %15 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 1, ptr %local, i64 2, i64 8, i64 1, i64 0, i64 7), "gc-live"(ptr addrspace(1) %5, ptr addrspace(1) %7, ptr addrspace(1) %14) ]
  %16 = call i64 @flag()
  %17 = trunc i64 %16 to i1
  %18 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %15, i32 0, i32 0) ; (%5, %5)
  %19 = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) %18, 0
  %20 = insertvalue { ptr addrspace(1), i64 } %19, i64 0, 1
  %21 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %15, i32 1, i32 1) ; (%7, %7)
  %22 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %15, i32 2, i32 2) ; (%14, %14)
  br i1 %17, label %60, label %53

23:                                               ; preds = %63, %63, %63, %23
  %.0.base = phi ptr addrspace(1) [ %.2.relocated, %63 ], [ %.2.relocated, %63 ], [ %.2.relocated, %63 ], [ %69, %23 ]
  %.0 = phi ptr addrspace(1) [ %.2.relocated, %63 ], [ %.2.relocated, %63 ], [ %.2.relocated, %63 ], [ %29, %23 ]
  %24 = call i64 @flag()
  %25 = trunc i64 %24 to i1
  %26 = select i1 %25, ptr addrspace(1) %65, ptr addrspace(1) %.0.base
  %27 = select i1 %25, ptr addrspace(1) %65, ptr addrspace(1) %.0
  %28 = load ptr addrspace(1), ptr %local, align 8
  %29 = getelementptr i8, ptr addrspace(1) %68, i64 8
  call void @use(ptr addrspace(1) %27)
  %30 = call i64 @flag()
  %31 = trunc i64 %30 to i1
  %32 = insertelement <2 x ptr addrspace(1)> poison, ptr addrspace(1) %73, i64 0
  %33 = insertelement <2 x ptr addrspace(1)> %32, ptr addrspace(1) %67, i64 1
  %34 = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) %.15.relocated, 0
  %35 = insertvalue { ptr addrspace(1), i64 } %34, i64 %72, 1
  br i1 %31, label %23, label %53

36:                                               ; preds = %70, %70, %70
  %37 = call i64 @flag()
  %38 = trunc i64 %37 to i1
  %39 = select i1 %38, ptr addrspace(1) %.2, ptr addrspace(1) %.15.base
  %40 = select i1 %38, ptr addrspace(1) %76, ptr addrspace(1) %.15
  %41 = call i64 @flag()
  %42 = trunc i64 %41 to i1
  br i1 %42, label %63, label %63

43:                                               ; preds = %60, %53
  %44 = phi ptr addrspace(1) [ %18, %60 ], [ %54, %53 ]
  %45 = phi i64 [ 0, %60 ], [ %55, %53 ]
  %.09 = phi { ptr addrspace(1), i64 } [ %62, %60 ], [ %.110, %53 ]
  %46 = phi ptr addrspace(1) [ null, %60 ], [ %56, %53 ]
  %47 = phi ptr addrspace(1) [ null, %60 ], [ %57, %53 ]
  %.06 = phi <2 x ptr addrspace(1)> [ zeroinitializer, %60 ], [ %.17, %53 ]
  %.02 = phi ptr addrspace(1) [ %22, %60 ], [ %.13, %53 ]
  %.01 = phi ptr addrspace(1) [ %21, %60 ], [ %.1, %53 ]
  %48 = load ptr addrspace(1), ptr %local, align 8
  %49 = load ptr addrspace(1), ptr addrspace(1) %.01, align 8
  %50 = call i64 @flag()
  %51 = insertelement <2 x ptr addrspace(1)> %.06, ptr addrspace(1) %49, i64 1
  %52 = call i64 @flag()
  switch i64 %52, label %70 [
    i64 1, label %53
    i64 2, label %53
  ]

53:                                               ; preds = %43, %43, %23, %3
  %54 = phi ptr addrspace(1) [ %.15.relocated, %23 ], [ %44, %43 ], [ %44, %43 ], [ %18, %3 ]
  %55 = phi i64 [ %72, %23 ], [ %45, %43 ], [ %45, %43 ], [ 0, %3 ]
  %.110 = phi { ptr addrspace(1), i64 } [ %35, %23 ], [ %.09, %43 ], [ %.09, %43 ], [ %20, %3 ]
  %56 = phi ptr addrspace(1) [ %73, %23 ], [ %46, %43 ], [ %46, %43 ], [ null, %3 ]
  %57 = phi ptr addrspace(1) [ %67, %23 ], [ %49, %43 ], [ %49, %43 ], [ null, %3 ]
  %.17 = phi <2 x ptr addrspace(1)> [ %33, %23 ], [ %51, %43 ], [ %51, %43 ], [ zeroinitializer, %3 ]
  %.04.base = phi ptr addrspace(1) [ %26, %23 ], [ %48, %43 ], [ %48, %43 ], [ %21, %3 ]
  %.04 = phi ptr addrspace(1) [ %27, %23 ], [ %48, %43 ], [ %48, %43 ], [ %21, %3 ]
  %.13 = phi ptr addrspace(1) [ %28, %23 ], [ %.02, %43 ], [ %.02, %43 ], [ %22, %3 ]
  %.1 = phi ptr addrspace(1) [ %65, %23 ], [ %.01, %43 ], [ %.01, %43 ], [ %21, %3 ]
  %58 = call i64 @flag()
  %59 = trunc i64 %58 to i1
  br i1 %59, label %70, label %43

60:                                               ; preds = %3
  call void @use(ptr addrspace(1) %21)
  %61 = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) %18, 0
  %62 = insertvalue { ptr addrspace(1), i64 } %61, i64 0, 1
  br label %43

63:                                               ; preds = %36, %36
  %64 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(ptr addrspace(1) (ptr addrspace(1), ptr addrspace(1))) @make, i32 2, i32 0, ptr addrspace(1) %.15, ptr addrspace(1) %.2, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 1, ptr %local, i64 2, i64 8, i64 1, i64 0, i64 7), "gc-live"(ptr addrspace(1) %74, ptr addrspace(1) %.15, ptr addrspace(1) %.2, ptr addrspace(1) %40, ptr addrspace(1) %.15.base, ptr addrspace(1) %39) ]
  %65 = call ptr addrspace(1) @llvm.experimental.gc.result.p1(token %64)
  %66 = call i64 @flag()
  %67 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %64, i32 0, i32 0) ; (%74, %74)
  %.15.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %64, i32 4, i32 1) ; (%.15.base, %.15)
  %.2.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %64, i32 2, i32 2) ; (%.2, %.2)
  %68 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %64, i32 5, i32 3) ; (%39, %40)
  %69 = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %64, i32 5, i32 5) ; (%39, %39)
  switch i64 %66, label %23 [
    i64 1, label %23
    i64 2, label %23
  ]

70:                                               ; preds = %53, %43
  %71 = phi ptr addrspace(1) [ %44, %43 ], [ %54, %53 ]
  %72 = phi i64 [ %45, %43 ], [ %55, %53 ]
  %73 = phi ptr addrspace(1) [ %46, %43 ], [ %56, %53 ]
  %74 = phi ptr addrspace(1) [ %49, %43 ], [ %57, %53 ]
  %.15.base = phi ptr addrspace(1) [ %48, %43 ], [ %.04.base, %53 ]
  %.15 = phi ptr addrspace(1) [ %48, %43 ], [ %.04, %53 ]
  %.2 = phi ptr addrspace(1) [ %.01, %43 ], [ %.1, %53 ]
  %75 = call i64 @flag()
  %76 = getelementptr i8, ptr addrspace(1) %.2, i64 %75
  %77 = call i64 @flag()
  switch i64 %77, label %36 [
    i64 1, label %36
    i64 2, label %36
  ]
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32 immarg, i32 immarg) #1

declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
declare ptr addrspace(1) @llvm.experimental.gc.result.p1(token) #1

attributes #0 = { "gc-leaf-function" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(none) }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: write) }
