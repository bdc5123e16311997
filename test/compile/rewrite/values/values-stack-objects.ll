; Objects in the frame, allocas in the managed address space (LLVM's pass crashes on them). They are
; never listed as roots; references in them are described like any local's; where their address would
; be taken for one in the heap they are refused. Wrong: the collector moves an object of the stack,
; or does not see the references in it.
; (LLVM's verify<safepoint-ir> takes their address for a relocatable reference: not run.)
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes=verify -disable-output %t.ll
; RUN: llc -verify-machineinstrs %t.ll -o /dev/null
; RUN: sed 's/^;;//' %s > %t.refused.ll
; RUN: not %cairn opt -p rewrite-statepoints %t.refused.ll 2>&1 | FileCheck %s --check-prefix=REFUSED
; REFUSED-DAG: function 'met': {{.*}} meet in one value{{.*}}[managed-alloca]
; REFUSED-DAG: function 'stored': {{.*}} is stored where{{.*}}[managed-alloca]
; REFUSED-DAG: function 'passed': {{.*}} may collect garbage{{.*}}[managed-alloca]
; REFUSED-DAG: function 'state': {{.*}} may collect garbage{{.*}}[managed-alloca]
; REFUSED-DAG: function 'part': {{.*}} part of a vector or struct{{.*}}[managed-alloca]
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare void @take(ptr addrspace(1))

; CHECK-LABEL: define void @plain
; CHECK: %o = alloca [4 x i64], align 8, addrspace(1)
; CHECK: gc.statepoint{{.*}}@foo, i32 0, i32 0, i32 0, i32 0){{$}}
; CHECK: call void @use(ptr addrspace(1) %d)
define void @plain(i64 %n, i1 %c) gc "statepoint-example" {
  %o = alloca [4 x i64], addrspace(1)
  %either = select i1 %c, ptr addrspace(1) %o, ptr addrspace(1) null
  %d = getelementptr i8, ptr addrspace(1) %either, i64 %n
  call void @foo()
  call void @use(ptr addrspace(1) %d)
  ret void
}

; CHECK-LABEL: define void @holding
; CHECK: %o = alloca { i64, ptr addrspace(1) }, align 8
; CHECK: memset
; CHECK: [[O:%.*]] = addrspacecast ptr %o to ptr addrspace(1)
; CHECK: gc.statepoint{{.*}}@foo{{.*}} [ "deopt"(i64 {{[0-9]+}}, i64 1, ptr %o, i64 1, i64 8, i64 1, i64 8, i64 7) ]
; CHECK: load ptr addrspace(1), ptr addrspace(1) %field
define void @holding(ptr addrspace(1) %p) gc "statepoint-example" {
  %o = alloca {i64, ptr addrspace(1)}, addrspace(1)
  %field = getelementptr {i64, ptr addrspace(1)}, ptr addrspace(1) %o, i64 0, i32 1
  store ptr addrspace(1) %p, ptr addrspace(1) %field
  call void @foo()
  %l = load ptr addrspace(1), ptr addrspace(1) %field
  call void @use(ptr addrspace(1) %l)
  ret void
}

;;define void @met(i1 %c, ptr addrspace(1) %p) gc "statepoint-example" {
;;  %o = alloca [4 x i64], addrspace(1)
;;  %x = select i1 %c, ptr addrspace(1) %o, ptr addrspace(1) %p
;;  call void @foo()
;;  call void @use(ptr addrspace(1) %x)
;;  ret void
;;}
;;define void @stored(ptr addrspace(1) %p) gc "statepoint-example" {
;;  %o = alloca [4 x i64], addrspace(1)
;;  store ptr addrspace(1) %o, ptr addrspace(1) %p
;;  call void @foo()
;;  ret void
;;}
;;define void @passed() gc "statepoint-example" {
;;  %o = alloca [4 x i64], addrspace(1)
;;  call void @take(ptr addrspace(1) %o)
;;  ret void
;;}
;;define void @state() gc "statepoint-example" {
;;  %o = alloca [4 x i64], addrspace(1)
;;  call void @foo() ["deopt"(ptr addrspace(1) %o)]
;;  ret void
;;}
;;define void @part(ptr addrspace(1) %p) gc "statepoint-example" {
;;  %o = alloca [4 x i64], addrspace(1)
;;  %v = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %o, i64 0
;;  call void @foo()
;;  ret void
;;}
