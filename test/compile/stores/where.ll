; A reference may be stored in a local or a global, which are described to the collector. Through
; any other ordinary pointer it is checked at run time: memory of the C library would lose it
; without a word.
; RUN: %cairn opt --without=store-tests -p check-stores -S %s | FileCheck %s
@global = global ptr addrspace(1) null
@number = global i64 0
@mixed = global [2 x { i64, ptr addrspace(1) }] zeroinitializer
@array = global [4 x ptr addrspace(1)] zeroinitializer
@thread_number = thread_local global i64 0
@thread_own = internal thread_local global ptr addrspace(1) null
@thread_elsewhere = external thread_local global ptr addrspace(1)
@thread_mixed = thread_local global [2 x { i64, ptr addrspace(1) }] zeroinitializer
declare ptr @llvm.threadlocal.address.p0(ptr)

; CHECK-LABEL: define void @known
; CHECK-NOT: cairn_check_store
; CHECK: ret void
define void @known(i1 %c, i64 %i, ptr addrspace(1) %p, ptr addrspace(1) %object) gc "statepoint-example" {
  %local = alloca [2 x ptr addrspace(1)]
  %element = getelementptr [2 x ptr addrspace(1)], ptr %local, i64 0, i64 %i
  %other = getelementptr [4 x ptr addrspace(1)], ptr @array, i64 0, i64 %i
  %either = select i1 %c, ptr %element, ptr %other
  store ptr addrspace(1) %p, ptr %either
  store ptr addrspace(1) %p, ptr @global
  store ptr addrspace(1) %p, ptr addrspace(1) %object
  ret void
}

; A thread-local is a root of each thread, at the intrinsic's address as by its name.
; CHECK-LABEL: define void @thread
; CHECK: call void @cairn_check_store(ptr %number, ptr @cairn.slot{{[0-9.]*}})
; CHECK: call void @cairn_check_store(ptr %mixed, ptr @cairn.slot{{[0-9.]*}})
; CHECK-NOT: cairn_check_store
; CHECK: ret void
define void @thread(i1 %c, i64 %i, ptr addrspace(1) %p) gc "statepoint-example" {
  %number = call ptr @llvm.threadlocal.address.p0(ptr @thread_number)
  store ptr addrspace(1) %p, ptr %number
  %mixed = call ptr @llvm.threadlocal.address.p0(ptr @thread_mixed)
  store ptr addrspace(1) %p, ptr %mixed
  %own = call ptr @llvm.threadlocal.address.p0(ptr @thread_own)
  store ptr addrspace(1) %p, ptr %own
  store ptr addrspace(1) %p, ptr @thread_own
  %elsewhere = call ptr @llvm.threadlocal.address.p0(ptr @thread_elsewhere)
  store atomic ptr addrspace(1) %p, ptr %elsewhere unordered, align 8
  %element = getelementptr [2 x { i64, ptr addrspace(1) }], ptr %mixed, i64 0, i64 %i, i32 1
  store ptr addrspace(1) %p, ptr %element
  %either = select i1 %c, ptr %own, ptr @global
  store ptr addrspace(1) %p, ptr %either
  %old = atomicrmw xchg ptr %own, ptr addrspace(1) %p seq_cst
  store { i64, ptr addrspace(1) } zeroinitializer, ptr %mixed
  ret void
}

; Not even where a result goes: it may be anywhere.
; CHECK-LABEL: define void @result
; CHECK: call void @cairn_check_store(ptr %result,
define void @result(ptr sret({ptr addrspace(1), i64, i64}) %result, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %result
  ret void
}

; CHECK-LABEL: define void @unknown
; CHECK: call void @cairn_check_store(ptr %out, ptr @cairn.slot{{[0-9.]*}})
; CHECK-NEXT: store ptr addrspace(1) %p, ptr %out, align 8
; CHECK: call void @cairn_check_store(ptr %field, ptr @cairn.slot{{[0-9.]*}})
define void @unknown(ptr %out, ptr %where, ptr addrspace(1) %p) gc "statepoint-example" {
  store atomic ptr addrspace(1) %p, ptr %out unordered, align 8
  %struct = load ptr, ptr %where
  %field = getelementptr i8, ptr %struct, i64 16
  store ptr addrspace(1) %p, ptr %field
  store i64 1, ptr %struct
  ret void
}

; A global is a root only where its type says so.
; CHECK-LABEL: define void @elsewhere
; CHECK: call void @cairn_check_store(ptr @number, ptr @cairn.slot{{[0-9.]*}})
; CHECK: call void @cairn_check_store(ptr @mixed, ptr @cairn.slot{{[0-9.]*}})
; CHECK-NOT: cairn_check_store
; CHECK: ret void
define void @elsewhere(ptr addrspace(1) %p, i64 %i) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr @number
  store ptr addrspace(1) %p, ptr @mixed
  store ptr addrspace(1) %p, ptr getelementptr (i8, ptr @mixed, i64 24)
  %element = getelementptr [2 x { i64, ptr addrspace(1) }], ptr @mixed, i64 0, i64 %i, i32 1
  store ptr addrspace(1) %p, ptr %element
  ret void
}

; A local is described where its type, or what is stored at a known place of it, says so. Elements that lie at equal
; distances are alike.
; CHECK-LABEL: define void @locals
; CHECK: call void @cairn_check_store(ptr %any, ptr @cairn.slot{{[0-9.]*}})
; CHECK: call void @cairn_check_store(ptr %one, ptr @cairn.slot{{[0-9.]*}})
; CHECK-NOT: cairn_check_store
; CHECK: ret void
define void @locals(ptr addrspace(1) %p, i64 %i, i1 %c) gc "statepoint-example" {
  %mixed = alloca [3 x { i64, ptr addrspace(1) }]
  %other = alloca { i64, ptr addrspace(1) }
  %bytes = alloca [32 x i8]
  %scaled = shl i64 %i, 4
  %any = getelementptr i8, ptr %mixed, i64 %scaled
  store ptr addrspace(1) %p, ptr %any
  %one = select i1 %c, ptr %mixed, ptr %other
  store ptr addrspace(1) %p, ptr %one
  %element = getelementptr { i64, ptr addrspace(1) }, ptr %mixed, i64 %i
  %part = getelementptr i8, ptr %element, i64 8
  store ptr addrspace(1) %p, ptr %part
  %field = getelementptr [2 x { i64, ptr addrspace(1) }], ptr %mixed, i64 0, i64 %i, i32 1
  store ptr addrspace(1) %p, ptr %field
  %at = getelementptr i8, ptr %bytes, i64 16
  store ptr addrspace(1) %p, ptr %at
  ret void
}

; CHECK-LABEL: define void @atomic
; CHECK: call void @cairn_check_store(ptr %out, ptr @cairn.slot{{[0-9.]*}})
; CHECK-NEXT: atomicrmw
; CHECK: call void @cairn_check_store(ptr %out, ptr @cairn.slot{{[0-9.]*}})
; CHECK-NEXT: cmpxchg
define void @atomic(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  %a = atomicrmw xchg ptr %out, ptr addrspace(1) %p seq_cst
  %b = cmpxchg ptr %out, ptr addrspace(1) null, ptr addrspace(1) %p seq_cst seq_cst
  ret void
}

; Each reference of an aggregate, where it comes to lie.
; CHECK-LABEL: define void @aggregate
; CHECK: [[FIRST:%.*]] = getelementptr i8, ptr %out, i64 8
; CHECK-NEXT: call void @cairn_check_store(ptr [[FIRST]], ptr @cairn.slot{{[0-9.]*}})
; CHECK: [[SECOND:%.*]] = getelementptr i8, ptr %out, i64 16
; CHECK-NEXT: call void @cairn_check_store(ptr [[SECOND]], ptr @cairn.slot{{[0-9.]*}})
; CHECK-NOT: cairn_check_store
; CHECK: store
define void @aggregate(ptr %out, { i64, [2 x ptr addrspace(1)] } %v) gc "statepoint-example" {
  store { i64, [2 x ptr addrspace(1)] } %v, ptr %out
  ret void
}

; CHECK-LABEL: define void @unmanaged
; CHECK-NOT: call void @cairn_check_store
; CHECK: ret void
define void @unmanaged(ptr %out, ptr addrspace(1) %p) {
  store ptr addrspace(1) %p, ptr %out
  ret void
}
; CHECK: declare void @cairn_check_store(ptr, ptr) [[LEAF:#[0-9]+]]
; CHECK: attributes [[LEAF]] = { {{.*}}"gc-leaf-function"
