; Locals whose type does not tell that they hold references: how their address is used does. Wrong:
; the collector is not told of them, and what is read from them after a safepoint is stale.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes=verify -disable-output %t.ll
; RUN: opt -passes="verify<safepoint-ir>" -disable-output %t.ll
; RUN: llc -verify-machineinstrs %t.ll -o /dev/null
; RUN: sed 's/^;;//' %s > %t.refused.ll
; RUN: not %cairn opt -p rewrite-statepoints %t.refused.ll 2>&1 | FileCheck %s --check-prefix=REFUSED
; REFUSED-DAG: function 'scattered': {{.*}}[untyped-alloca]
; REFUSED-DAG: function 'as_integer': {{.*}}[untyped-alloca]
; REFUSED-DAG: function 'in_a_vector': {{.*}}[untyped-alloca]
; REFUSED-DAG: function 'scalable': {{.*}}[untyped-alloca]
; REFUSED-DAG: function 'dynamic': {{.*}}[dynamic-alloca]
; REFUSED-DAG: function 'copied': {{.*}}[byval-reference]
; REFUSED-DAG: function 'a_copy': {{.*}}[byval-reference]
; REFUSED-NOT: function 'plain'
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare void @result(ptr sret({i64, ptr addrspace(1)}))
declare void @by_value(ptr byval([16 x i8]))

; CHECK-LABEL: define void @masked
; CHECK: @foo{{.*}}"deopt"({{i64 [0-9]+}}, i64 1, ptr %a, i64 2, i64 8, i64 1, i64 0, i64 7)
define void @masked(<2 x ptr addrspace(1)> %v, <2 x i1> %m, ptr addrspace(1) %q) gc "statepoint-example" {
  %a = alloca [24 x i8], align 8
  call void @llvm.masked.store.v2p1.p0(<2 x ptr addrspace(1)> %v, ptr align 8 %a, <2 x i1> %m)
  call void @foo()
  %w = call <2 x ptr addrspace(1)> @llvm.masked.load.v2p1.p0(ptr align 8 %a, <2 x i1> %m, <2 x ptr addrspace(1)> zeroinitializer)
  store <2 x ptr addrspace(1)> %w, ptr addrspace(1) %q
  ret void
}
; CHECK-LABEL: define i64 @returned
; CHECK: @result{{.*}}"deopt"({{i64 [0-9]+}}, i64 1, ptr %a, i64 1, i64 8, i64 1, i64 8, i64 7)
define i64 @returned() gc "statepoint-example" {
  %a = alloca [16 x i8], align 8
  call void @result(ptr sret({i64, ptr addrspace(1)}) %a)
  call void @foo()
  %l = load i64, ptr %a
  ret i64 %l
}
; CHECK-LABEL: define void @laundered
; CHECK: @foo{{.*}}"deopt"({{.*}}ptr %a
define void @laundered(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca [8 x i8], align 8
  %b = call ptr @llvm.launder.invariant.group.p0(ptr %a)
  store ptr addrspace(1) %p, ptr %b
  call void @foo()
  %l = load ptr addrspace(1), ptr %b
  call void @use(ptr addrspace(1) %l)
  ret void
}
; An index made of an address is no address.
; CHECK-LABEL: define void @plain
; CHECK: @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"
define void @plain(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %a = alloca [16 x i8], align 8
  %i = ptrtoint ptr %a to i64
  %d = getelementptr i8, ptr addrspace(1) %q, i64 %i
  store ptr addrspace(1) %p, ptr addrspace(1) %d
  call void @foo()
  store i8 1, ptr addrspace(1) %q
  ret void
}

;;define void @scattered(<2 x ptr addrspace(1)> %v, <2 x i1> %m) gc "statepoint-example" {
;;  %a = alloca [32 x i8], align 8
;;  %e = getelementptr i8, ptr %a, <2 x i64> <i64 0, i64 8>
;;  call void @llvm.masked.scatter.v2p1.v2p0(<2 x ptr addrspace(1)> %v, <2 x ptr> align 8 %e, <2 x i1> %m)
;;  call void @foo()
;;  ret void
;;}
;;define void @as_integer(ptr addrspace(1) %p) gc "statepoint-example" {
;;  %a = alloca i64
;;  %i = ptrtoint ptr %a to i64
;;  %b = inttoptr i64 %i to ptr
;;  store ptr addrspace(1) %p, ptr %b
;;  call void @foo()
;;  ret void
;;}
;;define void @in_a_vector(ptr addrspace(1) %p) gc "statepoint-example" {
;;  %a = alloca i64
;;  %v = insertelement <2 x ptr> poison, ptr %a, i64 0
;;  %b = extractelement <2 x ptr> %v, i64 0
;;  store ptr addrspace(1) %p, ptr %b
;;  call void @foo()
;;  ret void
;;}
;;define void @scalable(ptr addrspace(1) %p) gc "statepoint-example" {
;;  %a = alloca <vscale x 2 x ptr addrspace(1)>
;;  store ptr addrspace(1) %p, ptr %a
;;  call void @foo()
;;  ret void
;;}
;;define void @dynamic(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" {
;;  %a = alloca ptr addrspace(1), i64 %n
;;  store ptr addrspace(1) %p, ptr %a
;;  call void @foo()
;;  ret void
;;}
;;define void @copied(ptr byval([16 x i8]) %a) gc "statepoint-example" {
;;  call void @foo()
;;  %l = load ptr addrspace(1), ptr %a
;;  call void @use(ptr addrspace(1) %l)
;;  ret void
;;}
;;define void @a_copy(ptr addrspace(1) %p) gc "statepoint-example" {
;;  %a = alloca [16 x i8], align 8
;;  store ptr addrspace(1) %p, ptr %a
;;  call void @by_value(ptr byval([16 x i8]) %a)
;;  ret void
;;}
