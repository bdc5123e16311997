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
  call void @safepoint()
  store ptr addrspace(1) %0, ptr %local, align 8
  %4 = getelementptr i8, ptr %local, i64 8
  store ptr addrspace(1) %1, ptr %4, align 8
  %5 = insertvalue { ptr addrspace(1), i64 } zeroinitializer, ptr addrspace(1) %1, 0
  %6 = insertvalue { ptr addrspace(1), i64 } zeroinitializer, ptr addrspace(1) %0, 0
  %7 = getelementptr i8, ptr %local, i64 8
  store ptr addrspace(1) %1, ptr %7, align 8
  %8 = call i64 @flag()
  %9 = trunc i64 %8 to i1
  %10 = select i1 %9, ptr addrspace(1) %0, ptr addrspace(1) %0
  %11 = icmp eq ptr addrspace(1) %10, %10
  %12 = zext i1 %11 to i64
  call void @note(i64 %12)
  call void @safepoint()
  %13 = call i64 @flag()
  %14 = trunc i64 %13 to i1
  br i1 %14, label %39, label %36

15:                                               ; preds = %40, %40, %40, %15
  %.0 = phi ptr addrspace(1) [ %.2, %40 ], [ %.2, %40 ], [ %.2, %40 ], [ %20, %15 ]
  %16 = call i64 @flag()
  %17 = trunc i64 %16 to i1
  %18 = select i1 %17, ptr addrspace(1) %42, ptr addrspace(1) %.0
  %19 = load ptr addrspace(1), ptr %local, align 8
  %20 = getelementptr i8, ptr addrspace(1) %41, i64 8
  call void @use(ptr addrspace(1) %18)
  %21 = call i64 @flag()
  %22 = trunc i64 %21 to i1
  br i1 %22, label %15, label %36

23:                                               ; preds = %45, %45, %45
  %24 = call i64 @flag()
  %25 = trunc i64 %24 to i1
  %26 = select i1 %25, ptr addrspace(1) %48, ptr addrspace(1) %.15
  %27 = call i64 @flag()
  %28 = trunc i64 %27 to i1
  br i1 %28, label %40, label %40

29:                                               ; preds = %39, %36
  %.09 = phi { ptr addrspace(1), i64 } [ %6, %39 ], [ %.110, %36 ]
  %.06 = phi <2 x ptr addrspace(1)> [ zeroinitializer, %39 ], [ %.17, %36 ]
  %.02 = phi ptr addrspace(1) [ %2, %39 ], [ %.13, %36 ]
  %.01 = phi ptr addrspace(1) [ %1, %39 ], [ %.1, %36 ]
  %30 = load ptr addrspace(1), ptr %local, align 8
  %31 = load ptr addrspace(1), ptr addrspace(1) %.01, align 8
  %32 = call i64 @flag()
  %33 = getelementptr i8, ptr addrspace(1) %.02, i64 %32
  %34 = insertelement <2 x ptr addrspace(1)> %.06, ptr addrspace(1) %31, i64 1
  %35 = call i64 @flag()
  switch i64 %35, label %45 [
    i64 1, label %36
    i64 2, label %36
  ]

36:                                               ; preds = %29, %29, %15, %3
  %.110 = phi { ptr addrspace(1), i64 } [ %46, %15 ], [ %.09, %29 ], [ %.09, %29 ], [ %6, %3 ]
  %.17 = phi <2 x ptr addrspace(1)> [ %.28, %15 ], [ %34, %29 ], [ %34, %29 ], [ zeroinitializer, %3 ]
  %.04 = phi ptr addrspace(1) [ %18, %15 ], [ %30, %29 ], [ %30, %29 ], [ %1, %3 ]
  %.13 = phi ptr addrspace(1) [ %19, %15 ], [ %.02, %29 ], [ %.02, %29 ], [ %2, %3 ]
  %.1 = phi ptr addrspace(1) [ %42, %15 ], [ %.01, %29 ], [ %.01, %29 ], [ %1, %3 ]
  %37 = call i64 @flag()
  %38 = trunc i64 %37 to i1
  br i1 %38, label %45, label %29

39:                                               ; preds = %3
  call void @use(ptr addrspace(1) %1)
  br label %29

40:                                               ; preds = %23, %23
  %41 = getelementptr i8, ptr addrspace(1) %26, i64 0
  %42 = call ptr addrspace(1) @make(ptr addrspace(1) %.15, ptr addrspace(1) %.2)
  %43 = extractvalue { ptr addrspace(1), i64 } %5, 0
  %44 = call i64 @flag()
  switch i64 %44, label %15 [
    i64 1, label %15
    i64 2, label %15
  ]

45:                                               ; preds = %36, %29
  %.211 = phi { ptr addrspace(1), i64 } [ %.09, %29 ], [ %.110, %36 ]
  %.28 = phi <2 x ptr addrspace(1)> [ %34, %29 ], [ %.17, %36 ]
  %.15 = phi ptr addrspace(1) [ %30, %29 ], [ %.04, %36 ]
  %.2 = phi ptr addrspace(1) [ %.01, %29 ], [ %.1, %36 ]
  %46 = insertvalue { ptr addrspace(1), i64 } %.211, ptr addrspace(1) %.15, 0
  %47 = call i64 @flag()
  %48 = getelementptr i8, ptr addrspace(1) %.2, i64 %47
  %49 = call i64 @flag()
  switch i64 %49, label %23 [
    i64 1, label %23
    i64 2, label %23
  ]
}

attributes #0 = { "gc-leaf-function" }
