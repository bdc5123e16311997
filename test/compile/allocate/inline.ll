; Bump allocation in line. What could go wrong: memory that is not cleared or has no header when a
; collector looks; a wrong block size, after which every later object is damaged; a negative length
; that passes for a small one.
; RUN: %cairn opt -p layouts,allocate -S %s | FileCheck %s
; RUN: %cairn opt --shared -p layouts,allocate -S %s | FileCheck %s --check-prefix=SHARED
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

; CHECK: @cairn_mutator = external thread_local(localexec) global [{{[0-9]+}} x i8], align 16
; SHARED: @cairn_mutator = external thread_local(initialexec) global
@node = internal constant { ptr addrspace(1), ptr addrspace(1) } zeroinitializer
@byte = internal constant i8 0
@long = internal constant i64 0
@flex = internal constant { i64, i8, [0 x i8] } zeroinitializer
@huge = internal constant [5000 x i8] zeroinitializer
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_flex(ptr, i64)

; CHECK-LABEL: @object(
; CHECK: %free = load i64, ptr
; CHECK: %limit = load volatile i64, ptr
; CHECK: %end = add i64 %free, 24
; CHECK: %full = icmp ugt i64 %end, %limit
; CHECK: br i1 %full, label %alloc.slow, label %alloc.fast, !prof ![[RARE:[0-9]+]]
; CHECK: alloc.fast:
; CHECK: store i64 %end, ptr
; CHECK: [[P:%.*]] = add i64 %free, 8
; CHECK: %object = call ptr addrspace(1) asm "", "=r,0"(i64 [[P]])
; CHECK: [[H:%.*]] = getelementptr i8, ptr addrspace(1) %object, i64 -8
; CHECK: store ptr @cairn.layout.0, ptr addrspace(1) [[H]], align 8
; CHECK: call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %object, i8 0, i64 16, i1 false)
; CHECK: alloc.slow:
; CHECK: [[S:%.*]] = call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(ptr @cairn.layout.0)
; CHECK: allocated:
; CHECK: [[R:%.*]] = phi ptr addrspace(1) [ %object, %alloc.fast ], [ [[S]], %alloc.slow ]
; CHECK: ret ptr addrspace(1) [[R]]
define ptr addrspace(1) @object() memory(inaccessiblemem: readwrite) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  ret ptr addrspace(1) %r
}

; Five bytes take eight; the count is stored with its mark.
; CHECK-LABEL: @constant_count(
; CHECK: %end = add i64 %free, 24
; CHECK: [[C:%.*]] = getelementptr i8, ptr addrspace(1) %object, i64 -16
; CHECK: store i64 11, ptr addrspace(1) [[C]]
; CHECK: i64 8, i1 false
; CHECK: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow(ptr @cairn.layout.1, i64 5)
define ptr addrspace(1) @constant_count() gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 5)
  ret ptr addrspace(1) %r
}

; A count is compared as unsigned, so that a negative one takes the slow path, which refuses it.
; CHECK-LABEL: @variable_count(
; CHECK: [[B:%.*]] = mul i64 %n, 8
; CHECK: %large = icmp ugt i64 %n, 510
; CHECK: [[T:%.*]] = or i1 %large, %full
; CHECK: br i1 [[T]], label %alloc.slow, label %alloc.fast
define ptr addrspace(1) @variable_count(i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_array(ptr @long, i64 %n)
  ret ptr addrspace(1) %r
}

; The fixed part is 16 bytes with its padding, element 0 is at 9: few elements need no more.
; CHECK-LABEL: @flexible(
; CHECK: [[A:%.*]] = add i64 {{%.*}}, 9
; CHECK: [[L:%.*]] = icmp ult i64 [[A]], 16
; CHECK: [[M:%.*]] = select i1 [[L]], i64 16, i64 [[A]]
; CHECK: [[U:%.*]] = add i64 [[M]], 7
; CHECK: and i64 [[U]], -8
define ptr addrspace(1) @flexible(i64 %n) gc "statepoint-example" {
  %r = call ptr addrspace(1) @cairn_alloc_flex(ptr @flex, i64 %n)
  ret ptr addrspace(1) %r
}

; Too large for the fast path.
; CHECK-LABEL: @large(
; CHECK-NEXT: call preserve_allcc ptr addrspace(1) @cairn_alloc_slow(
; CHECK-NEXT: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow({{.*}}, i64 5000)
; CHECK-NEXT: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow({{.*}}, i64 -1)
; CHECK-NEXT: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow({{.*}}, i64 %n)
; CHECK-NEXT: ret void
define void @large(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc(ptr @huge, i64 5000)
  %b = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 5000)
  %c = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 -1)
  %d = call ptr addrspace(1) @cairn_alloc_array(ptr @huge, i64 %n)
  ret void
}

; The largest that is cleared in line, of 4096 bytes with its prefix, and one of 8 more: the slow path clears it.
; CHECK-LABEL: @limit(
; CHECK: memset{{.*}} i64 4080, i1 false)
; CHECK: }
; CHECK-LABEL: @beyond(
; CHECK-NEXT: call preserve_allcc ptr addrspace(1) @cairn_alloc_indexed_slow({{.*}}, i64 4081)
; CHECK-NEXT: ret void
define void @limit() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 4080)
  ret void
}
define void @beyond() gc "statepoint-example" {
  %a = call ptr addrspace(1) @cairn_alloc_array(ptr @byte, i64 4081)
  ret void
}

; Native code calls the runtime.
; CHECK-LABEL: @native(
; CHECK: call ptr addrspace(1) @cairn_alloc(ptr @cairn.layout.0, i64 16)
define void @native() {
  %r = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 16)
  ret void
}

; An inferred memory() attribute would let the code generator move loads of the allocation pointer
; over the call.
; CHECK-NOT: attributes {{.*}}memory(inaccessiblemem: readwrite)
; CHECK: ![[RARE]] = !{!"branch_weights", i32 1, i32 1048576}
