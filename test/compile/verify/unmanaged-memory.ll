; A reference that is stored where the collector does not look is stale after the next safepoint,
; whoever loads it. What is provably such a place is a finding.
; RUN: not %cairn verify %s 2>&1 | FileCheck %s
@word = global i64 0
@bytes = internal global [4 x { i32, i64 }] zeroinitializer
@root = global ptr addrspace(1) null
@mine = thread_local global ptr addrspace(1) null
@number = thread_local global i64 0
declare ptr @llvm.threadlocal.address.p0(ptr)
declare void @foo()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)

; CHECK: in function 'stores': a reference is stored in 'word', whose type has no reference{{.*}}[unmanaged-store]
; CHECK: in function 'stores': a reference is stored in 'bytes'{{.*}}[unmanaged-store]
; CHECK: in function 'stores': a reference is stored in 'number', whose type has no reference{{.*}}[unmanaged-store]
; CHECK: in function 'through': a reference is stored in 'word', whose type has no reference{{.*}}[unmanaged-store]
; CHECK: in function 'through': a reference is stored in 'bytes'{{.*}}[unmanaged-store]
; CHECK-NOT: error
define void @stores(ptr addrspace(1) %p, ptr addrspace(1) "cairn-immovable" %fixed, ptr %anywhere, i64 %n) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr @word
  %in = getelementptr [4 x { i32, i64 }], ptr @bytes, i64 0, i64 %n, i32 1
  store ptr addrspace(1) %p, ptr %in
  %tls = call ptr @llvm.threadlocal.address.p0(ptr @mine)
  store ptr addrspace(1) %p, ptr %tls
  %wrong = call ptr @llvm.threadlocal.address.p0(ptr @number)
  store ptr addrspace(1) %p, ptr %wrong
  store ptr addrspace(1) %p, ptr @root
  store ptr addrspace(1) %fixed, ptr @word
  store ptr addrspace(1) null, ptr @word
  store ptr addrspace(1) %p, ptr %anywhere
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}

; Through a pointer to the pointer, where it is the same each time.
@constant = internal constant ptr @bytes
@variable = internal global ptr @bytes
define void @through(ptr addrspace(1) %p, ptr %other) gc "statepoint-example" {
  %one = alloca ptr
  %two = alloca ptr
  store ptr @word, ptr %one
  store ptr @word, ptr %two
  store ptr %other, ptr %two
  %a = load ptr, ptr %one
  store ptr addrspace(1) %p, ptr %a
  %b = load ptr, ptr @constant
  store ptr addrspace(1) %p, ptr %b
  %c = load ptr, ptr %two
  store ptr addrspace(1) %p, ptr %c
  %d = load ptr, ptr @variable
  store ptr addrspace(1) %p, ptr %d
  ret void
}
