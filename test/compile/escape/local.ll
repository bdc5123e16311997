; Objects that become locals. What could go wrong: the object is not zero, on each pass of a loop; a comparison with
; another object, or with null, is answered wrongly; an access is lost; the statics of types stay.
; RUN: %cairn opt -p escape -S %s | FileCheck %s --implicit-check-not='call{{.*}}@cairn_alloc' --implicit-check-not='internal constant'
; RUN: %cairn opt -p escape --report --disable-output %s 2>&1 | FileCheck %s --check-prefix=SAID
; RUN: %cairn opt -p escape,layouts,allocate,place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
%pair = type { i64, ptr addrspace(1) }
@pair = internal constant %pair zeroinitializer
@number = internal constant i64 0
@wide = internal constant { i64, i128 } zeroinitializer, align 8
@flex = internal constant { i64, [0 x i64] } zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array_uninit(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)
declare i64 @cairn.ptrdiff(ptr addrspace(1), ptr addrspace(1))
declare void @llvm.assume(i1)
declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)
declare void @llvm.memcpy.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)
declare void @other()

; Paths meet between the stores and the load: LLVM alone keeps the object.
; SAID: in function 'meet': an object of type 'pair' becomes a local [object-local]
; CHECK-LABEL: @meet(
; CHECK: %[[R:.*]] = select i1 %c, i64 7, i64 0
; CHECK: call void @other()
; CHECK-NEXT: ret i64 %[[R]]
define i64 @meet(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  br i1 %c, label %yes, label %end
yes:
  store i64 7, ptr addrspace(1) %o
  br label %end
end:
  call void @other()
  %v = load i64, ptr addrspace(1) %o
  ret i64 %v
}

; The reference that is stored lives on as a value, which is a root.
; CHECK-LABEL: @reference(
; CHECK: call void @other()
; CHECK-NEXT: ret ptr addrspace(1) %p
define ptr addrspace(1) @reference(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %f = getelementptr %pair, ptr addrspace(1) %o, i64 0, i32 1
  store ptr addrspace(1) %p, ptr addrspace(1) %f
  call void @other()
  %v = load ptr addrspace(1), ptr addrspace(1) %f
  ret ptr addrspace(1) %v
}

; An object that another local alone led to goes in the next round.
; CHECK-LABEL: @chain(
; CHECK: select i1 %c, i64 5, i64 0
define i64 @chain(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %in = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  %f = getelementptr %pair, ptr addrspace(1) %o, i64 0, i32 1
  store ptr addrspace(1) %in, ptr addrspace(1) %f
  br i1 %c, label %yes, label %end
yes:
  store i64 5, ptr addrspace(1) %in
  br label %end
end:
  call void @other()
  %again = load ptr addrspace(1), ptr addrspace(1) %f
  %v = load i64, ptr addrspace(1) %again
  ret i64 %v
}

; A new object on each pass is zero again: the sum is the number of passes, or 0.
; CHECK-LABEL: @pass(
; CHECK: %[[N:.*]] = call i64 @llvm.umax.i64(i64 %n, i64 1)
; CHECK: %[[S:.*]] = select i1 %c, i64 %[[N]], i64 0
; CHECK: ret i64 %[[S]]
define i64 @pass(i64 %n, i1 %c) gc "statepoint-example" {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %latch ]
  %sum = phi i64 [ 0, %0 ], [ %more, %latch ]
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  call void @other()
  br i1 %c, label %yes, label %latch
yes:
  %old = load i64, ptr addrspace(1) %o
  %new = add i64 %old, 1
  store i64 %new, ptr addrspace(1) %o
  br label %latch
latch:
  %v = load i64, ptr addrspace(1) %o
  %more = add i64 %sum, %v
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i64 %more
}

; Not null, not another object, and itself.
; CHECK-LABEL: @compares(
; CHECK: ret i64 15
define i64 @compares(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @pair, i64 16)
  store i64 1, ptr addrspace(1) %o
  %f = getelementptr i8, ptr addrspace(1) %o, i64 8
  %a = icmp ne ptr addrspace(1) %o, null
  %b = icmp ne ptr addrspace(1) %p, %o
  %d = icmp ugt ptr addrspace(1) %f, %o
  %e = icmp eq ptr addrspace(1) %p, %f
  %s = select i1 %a, i64 1, i64 0
  %t = select i1 %b, i64 2, i64 0
  %u = select i1 %d, i64 4, i64 0
  %w = select i1 %e, i64 0, i64 8
  %x = add i64 %s, %t
  %y = add i64 %u, %w
  %z = add i64 %x, %y
  ret i64 %z
}

; Blocks of bytes, where the object has no references; promises; distances.
; CHECK-LABEL: @blocks(
; CHECK: ret i64 16
define i64 @blocks(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array(ptr @number, i64 4)
  call void @llvm.memset.p1.i64(ptr addrspace(1) %o, i8 1, i64 32, i1 false)
  %f = getelementptr i64, ptr addrspace(1) %o, i64 2
  call void @llvm.memcpy.p1.p1.i64(ptr addrspace(1) %o, ptr addrspace(1) %f, i64 16, i1 false)
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %o, i64 8) ]
  %d = call i64 @cairn.ptrdiff(ptr addrspace(1) %f, ptr addrspace(1) %o)
  ret i64 %d
}

; An array at a place that is not constant stays in memory, on the stack.
; CHECK-LABEL: @floating(
; CHECK: %[[A:.*]] = alloca [8 x i64], align 8
; CHECK: call void @llvm.memset.p0.i64(ptr {{.*}}%[[A]], i8 0, i64 64, i1 false)
; CHECK: getelementptr {{.*}}ptr %[[A]], i64 %i
define i64 @floating(i64 %i, i64 %j) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array(ptr @number, i64 8)
  %f = getelementptr i64, ptr addrspace(1) %o, i64 %i
  store i64 3, ptr addrspace(1) %f
  %g = getelementptr i64, ptr addrspace(1) %o, i64 %j
  %v = load i64, ptr addrspace(1) %g
  ret i64 %v
}

; A pointer that runs through an array.
; CHECK-LABEL: @cursor(
; CHECK: %[[A:.*]] = alloca [50 x i64], align 8
; CHECK-NOT: addrspace
; CHECK: ret i64
define i64 @cursor(ptr %from) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array(ptr @number, i64 50)
  %end = getelementptr i64, ptr addrspace(1) %o, i64 50
  %first = load i64, ptr %from
  %at = getelementptr i64, ptr addrspace(1) %o, i64 %first
  store i64 1, ptr addrspace(1) %at
  br label %loop
loop:
  %p = phi ptr addrspace(1) [ %o, %0 ], [ %next, %loop ]
  %sum = phi i64 [ 0, %0 ], [ %more, %loop ]
  %v = load i64, ptr addrspace(1) %p
  %more = add i64 %sum, %v
  %next = getelementptr i64, ptr addrspace(1) %p, i64 1
  %again = icmp ne ptr addrspace(1) %next, %end
  br i1 %again, label %loop, label %done
done:
  ret i64 %more
}

; Not cleared: nothing is.
; CHECK-LABEL: @uninit(
; CHECK-NOT: memset
; CHECK: ret i64
define i64 @uninit(i64 %i, i64 %j) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_array_uninit(ptr @number, i64 8)
  %f = getelementptr i64, ptr addrspace(1) %o, i64 %i
  store i64 3, ptr addrspace(1) %f
  %g = getelementptr i64, ptr addrspace(1) %o, i64 %j
  %v = load i64, ptr addrspace(1) %g
  ret i64 %v
}

; The fixed part and the elements.
; CHECK-LABEL: @flexible(
; CHECK: %[[F:.*]] = select i1 %c, i64 9, i64 0
; CHECK: ret i64 %[[F]]
define i64 @flexible(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc_flex(ptr @flex, i64 3)
  %e = getelementptr i8, ptr addrspace(1) %o, i64 24
  br i1 %c, label %yes, label %end
yes:
  store i64 9, ptr addrspace(1) %e
  br label %end
end:
  call void @other()
  %v = load i64, ptr addrspace(1) %e
  ret i64 %v
}

; The static asks for less alignment than LLVM's type.
; CHECK-LABEL: @aligned_less(
; CHECK: %[[W:.*]] = select i1 %c, i128 9, i128 0
; CHECK: ret i128 %[[W]]
define i128 @aligned_less(i1 %c) gc "statepoint-example" {
  %o = call ptr addrspace(1) @cairn_alloc(ptr @wide, i64 32)
  %e = getelementptr i8, ptr addrspace(1) %o, i64 16
  br i1 %c, label %yes, label %end
yes:
  store i128 9, ptr addrspace(1) %e, align 8
  br label %end
end:
  call void @other()
  %v = load i128, ptr addrspace(1) %e, align 8
  ret i128 %v
}
