; A parameter of a local function points where the arguments of all its calls point. If these are described places, no
; check is left; one call that is unknown, or one argument, keeps the check.
; RUN: %cairn opt --without=store-tests -p check-stores -S %s | FileCheck %s
@global = global ptr addrspace(1) null
@items = global [8 x { ptr addrspace(1), i64 }] zeroinitializer
@number = global i64 0
@pointer = global ptr null
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @malloc(i64)
declare void @later()

; CHECK-LABEL: define internal void @proved
; CHECK-NOT: cairn_check
; CHECK: ret void
define internal void @proved(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; CHECK-LABEL: define internal void @one_unknown
; CHECK: call void @cairn_check_store
define internal void @one_unknown(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; CHECK-LABEL: define internal void @plain_data
; CHECK: call void @cairn_check_store
define internal void @plain_data(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; The local ends before the second word.
; CHECK-LABEL: define internal void @beyond
; CHECK: call void @cairn_check_store
define internal void @beyond(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  %next = getelementptr i8, ptr %out, i64 8
  store ptr addrspace(1) %p, ptr %next
  ret void
}

; CHECK-LABEL: define internal void @address_taken
; CHECK: call void @cairn_check_store
define internal void @address_taken(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; CHECK-LABEL: define void @visible
; CHECK: call void @cairn_check_store
define void @visible(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; The callee gets the address of a copy, which no frame map describes.
; CHECK-LABEL: define internal void @copied
; CHECK: call void @cairn_check_store
define internal void @copied(ptr byval({ i64, i64 }) %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; Native code has no frame map.
; CHECK-LABEL: define internal void @native_caller
; CHECK: call void @cairn_check_store
define internal void @native_caller(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; The locals of a leaf are described nowhere.
; CHECK-LABEL: define internal void @leaf_caller
; CHECK: call void @cairn_check_store
define internal void @leaf_caller(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; An insertion sort: the pointer goes down by elements, and recursion passes later elements on.
; CHECK-LABEL: define internal void @sort
; CHECK-NOT: cairn_check
; CHECK: ret void
define internal void @sort(ptr %start, ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
entry:
  %end = getelementptr { ptr addrspace(1), i64 }, ptr %start, i64 %n
  br label %loop
loop:
  %at = phi ptr [ %end, %entry ], [ %down, %loop ]
  %down = getelementptr i8, ptr %at, i64 -16
  call void @llvm.memcpy.p0.p0.i64(ptr %at, ptr %down, i64 16, i1 false)
  %more = icmp ugt ptr %down, %start
  br i1 %more, label %loop, label %done
done:
  store ptr addrspace(1) %p, ptr %at
  %next = getelementptr i8, ptr %start, i64 16
  call void @sort(ptr %next, ptr addrspace(1) %p, i64 %n)
  ret void
}

; Elements that end in the middle of another: some word is plain data.
; CHECK-LABEL: define internal void @shifted
; CHECK: call void @cairn_check_store
define internal void @shifted(ptr %start, ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
  %at = getelementptr [8 x i8], ptr %start, i64 %n
  store ptr addrspace(1) %p, ptr %at
  ret void
}

; A copy brings references only where its source has them.
; CHECK-LABEL: define internal void @copy
; CHECK-NOT: cairn_check
; CHECK: ret void
define internal void @copy(ptr %to, ptr %from) gc "statepoint-example" {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 16, i1 false)
  ret void
}

; CHECK-LABEL: define internal void @copy_shifted
; CHECK: call void @cairn_check_{{native_copy|copy_at}}
define internal void @copy_shifted(ptr %to, ptr %from) gc "statepoint-example" {
  %at = getelementptr i8, ptr %to, i64 8
  call void @llvm.memcpy.p0.p0.i64(ptr %at, ptr %from, i64 8, i1 false)
  ret void
}

; CHECK-LABEL: define internal void @copy_unknown
; CHECK: call void @cairn_check_native_copy
define internal void @copy_unknown(ptr %to, ptr %from) gc "statepoint-example" {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 16, i1 false)
  ret void
}

define void @callers(i1 %c, i64 %i, ptr addrspace(1) %p) gc "statepoint-example" {
  %one = alloca ptr addrspace(1)
  %two = alloca [2 x ptr addrspace(1)]
  %bytes = alloca [16 x i8]
  %item = alloca { ptr addrspace(1), i64 }
  %element = getelementptr [2 x ptr addrspace(1)], ptr %two, i64 0, i64 %i
  %either = select i1 %c, ptr %one, ptr @global
  call void @proved(ptr %one, ptr addrspace(1) %p)
  call void @proved(ptr %element, ptr addrspace(1) %p)
  call void @proved(ptr %either, ptr addrspace(1) %p)
  call void @one_unknown(ptr %one, ptr addrspace(1) %p)
  %unknown = load ptr, ptr @pointer
  call void @one_unknown(ptr %unknown, ptr addrspace(1) %p)
  call void @plain_data(ptr %one, ptr addrspace(1) %p)
  call void @plain_data(ptr @number, ptr addrspace(1) %p)
  call void @beyond(ptr %two, ptr addrspace(1) %p)
  call void @beyond(ptr %one, ptr addrspace(1) %p)
  call void @address_taken(ptr %one, ptr addrspace(1) %p)
  store ptr @address_taken, ptr @pointer
  call void @visible(ptr %one, ptr addrspace(1) %p)
  call void @copied(ptr byval({ i64, i64 }) %bytes, ptr addrspace(1) %p)
  call void @native_caller(ptr %one, ptr addrspace(1) %p)
  call void @leaf_caller(ptr %one, ptr addrspace(1) %p)
  call void @sort(ptr @items, ptr addrspace(1) %p, i64 %i)
  call void @shifted(ptr @items, ptr addrspace(1) %p, i64 %i)
  call void @copy(ptr %item, ptr @items)
  %some = getelementptr [8 x { ptr addrspace(1), i64 }], ptr @items, i64 0, i64 %i
  call void @copy(ptr %some, ptr %item)
  call void @copy_shifted(ptr %item, ptr @items)
  call void @copy_unknown(ptr %item, ptr %unknown)
  call void @later()
  ret void
}

define void @native() {
  %local = alloca ptr addrspace(1)
  call void @native_caller(ptr %local, ptr addrspace(1) null)
  ret void
}

define void @leaf(ptr addrspace(1) %p) "gc-leaf-function" gc "statepoint-example" {
  %local = alloca ptr addrspace(1)
  call void @leaf_caller(ptr %local, ptr addrspace(1) %p)
  ret void
}
