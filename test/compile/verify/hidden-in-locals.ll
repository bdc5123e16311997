; RUN: not %cairn verify %s 2>&1 | FileCheck %s
; Unoptimised code keeps an address in a local, as an integer or an unmanaged pointer, over a call: the
; loads yield what was stored, as old as it is.
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
declare void @escape(ptr)

; CHECK: in function 'integer': %j {{.*}}[integer-of-reference]
; CHECK-NEXT: path: %entry
define i64 @integer(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  %local = alloca i64
  %i = ptrtoint ptr addrspace(1) %p to i64
  store i64 %i, ptr %local
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  %j = load i64, ptr %local
  ret i64 %j
}

; CHECK: in function 'pointer': %r {{.*}}[integer-of-reference]
define i64 @pointer(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
entry:
  %local = alloca ptr
  %q = addrspacecast ptr addrspace(1) %p to ptr
  store ptr %q, ptr %local
  br i1 %c, label %a, label %b
a:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %b
b:
  %r = load ptr, ptr %local
  %x = load i64, ptr %r
  ret i64 %x
}

; Round a loop.
; CHECK: in function 'loop': %j {{.*}}[integer-of-reference]
define void @loop(ptr addrspace(1) %p, ptr %out) gc "statepoint-example" {
entry:
  %local = alloca i64
  store i64 0, ptr %local
  br label %l
l:
  %j = load i64, ptr %local
  store i64 %j, ptr %out
  %i = ptrtoint ptr addrspace(1) %p to i64
  store i64 %i, ptr %local
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %l
}

; Made an unmanaged pointer by way of an integer; through a vector, and a floating-point number.
; CHECK: in function 'casts': %q{{.*}}[integer-of-reference]
; CHECK: in function 'casts': %d{{.*}}[integer-of-reference]
; CHECK: in function 'casts': %f{{.*}}[integer-of-reference]
define double @casts(ptr addrspace(1) %p) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %q = inttoptr i64 %i to ptr
  %v = bitcast i64 %i to <2 x i32>
  %d = extractelement <2 x i32> %v, i32 1
  %e = uitofp i64 %i to double
  %f = fadd double %e, 1.0
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  store i64 0, ptr %q
  store i32 %d, ptr null
  ret double %f
}

; An integer beside a reference in a struct; the reference is fresh again, the integer is not.
; CHECK: in function 'member': %n{{.*}}[integer-of-reference]
; CHECK-NOT: error
define i64 @member(ptr addrspace(1) %p) gc "statepoint-example" {
  %i = ptrtoint ptr addrspace(1) %p to i64
  %s0 = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) %p, 0
  %s1 = insertvalue { ptr addrspace(1), i64 } %s0, i64 %i, 1
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %s2 = insertvalue { ptr addrspace(1), i64 } %s1, ptr addrspace(1) %r, 0
  %q = extractvalue { ptr addrspace(1), i64 } %s2, 0
  store i64 0, ptr addrspace(1) %q
  %n = extractvalue { ptr addrspace(1), i64 } %s2, 1
  ret i64 %n
}
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)

; Read while it is fresh, or made anew: fine.
define void @right(ptr addrspace(1) %p, ptr addrspace(1) %o, i1 %c) gc "statepoint-example" {
entry:
  %local = alloca i64
  %i = ptrtoint ptr addrspace(1) %p to i64
  store i64 %i, ptr %local
  %j = load i64, ptr %local
  %low = and i64 %j, 7
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %o) ]
  br i1 %c, label %a, label %b
a:
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %t, i32 0, i32 0)
  %k = ptrtoint ptr addrspace(1) %r to i64
  store i64 %k, ptr %local
  br label %join
b:
  store i64 %low, ptr %local
  br label %join
join:
  %m = load i64, ptr %local
  call void @print(i64 %m)
  ret void
}
declare void @print(i64) "gc-leaf-function"
