; Intrinsics that yield vectors of references: lanes change their place, a mask chooses between what
; is loaded and what is given. Wrong: the result counts as a base of its own, so that a derived
; pointer in a lane is relocated as if it were the start of an object, or lanes that were not loaded
; are live over the safepoint with whatever lay in the register.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes=verify -disable-output %t.ll
; RUN: opt -passes="verify<safepoint-ir>" -disable-output %t.ll
; RUN: llc -verify-machineinstrs %t.ll -o /dev/null
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; The lanes of %d are derived from %p: reversed, each is computed again from where %p is then.
; CHECK-LABEL: define void @reverse
; CHECK: [[A:%.*]] = extractelement <2 x i64> %i, i64 0
; CHECK: [[B:%.*]] = extractelement <2 x i64> %i, i64 1
; CHECK: call token {{.*}} @foo, {{.*}} [ "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %q) ]
; CHECK-DAG: [[MA:%.*]] = getelementptr i8, ptr addrspace(1) %p.relocated, i64 [[A]]
; CHECK-DAG: [[MB:%.*]] = getelementptr i8, ptr addrspace(1) %p.relocated, i64 [[B]]
; CHECK-DAG: [[V:%.*]] = insertelement {{.*}} ptr addrspace(1) [[MB]], i64 0
; CHECK-DAG: insertelement <2 x ptr addrspace(1)> [[V]], ptr addrspace(1) [[MA]], i64 1
define void @reverse(ptr addrspace(1) %p, <2 x i64> %i, ptr addrspace(1) %q) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %p, <2 x i64> %i
  %r = call <2 x ptr addrspace(1)> @llvm.vector.reverse.v2p1(<2 x ptr addrspace(1)> %d)
  call void @foo()
  store <2 x ptr addrspace(1)> %r, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define void @places
; CHECK-NOT: llvm.vector
; CHECK: gc.statepoint
; CHECK: ret void
define void @places(<4 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %w, ptr addrspace(1) %q) gc "statepoint-example" {
  %a = call <4 x ptr addrspace(1)> @llvm.vector.insert.v4p1.v2p1(<4 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> %w, i64 2)
  %b = call <2 x ptr addrspace(1)> @llvm.vector.extract.v2p1.v4p1(<4 x ptr addrspace(1)> %a, i64 2)
  %c = call <4 x ptr addrspace(1)> @llvm.vector.interleave2.v4p1(<2 x ptr addrspace(1)> %b, <2 x ptr addrspace(1)> %w)
  %d = call {<2 x ptr addrspace(1)>, <2 x ptr addrspace(1)>} @llvm.vector.deinterleave2.v4p1(<4 x ptr addrspace(1)> %c)
  %e = extractvalue {<2 x ptr addrspace(1)>, <2 x ptr addrspace(1)>} %d, 1
  %l = call <2 x ptr addrspace(1)> @llvm.vector.splice.v2p1(<2 x ptr addrspace(1)> %e, <2 x ptr addrspace(1)> %b, i32 1)
  %r = call <2 x ptr addrspace(1)> @llvm.vector.splice.v2p1(<2 x ptr addrspace(1)> %l, <2 x ptr addrspace(1)> %b, i32 -1)
  call void @foo()
  store <2 x ptr addrspace(1)> %r, ptr addrspace(1) %q
  ret void
}

; What is not loaded keeps its base %p.
; CHECK-LABEL: define void @passed_through
; CHECK: call <2 x ptr addrspace(1)> @llvm.masked.load{{.*}}zeroinitializer)
; CHECK-DAG: [[BASE:%.*]] = select i1 [[M:%.*]], ptr addrspace(1) [[LOADED:%.*]], ptr addrspace(1) %p
; CHECK-DAG: [[LANE:%.*]] = select i1 [[M]], ptr addrspace(1) [[LOADED]], ptr addrspace(1) %d
; CHECK: gc.statepoint
; CHECK: gc.relocate.p1({{.*}}) ; ([[BASE]], [[LANE]])
define void @passed_through(ptr addrspace(1) %p, i64 %n, <2 x i1> %m, ptr addrspace(1) %q) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %n
  %d0 = insertelement <2 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %d, i64 0
  %v = call <2 x ptr addrspace(1)> @llvm.masked.load.v2p1.p1(ptr addrspace(1) align 8 %q, <2 x i1> %m, <2 x ptr addrspace(1)> %d0)
  %lane = extractelement <2 x ptr addrspace(1)> %v, i64 0
  call void @foo()
  call void @use(ptr addrspace(1) %lane)
  ret void
}

; Lanes beyond the length are poison: null.
; CHECK-LABEL: define void @lengths
; CHECK: [[V:%.*]] = call <2 x ptr addrspace(1)> @llvm.vp.load
; CHECK: [[X:%.*]] = extractelement <2 x ptr addrspace(1)> [[V]], i64 0
; CHECK: select i1 {{.*}}, ptr addrspace(1) [[X]], ptr addrspace(1) null
; CHECK-NOT: llvm.vp.merge
; CHECK: gc.statepoint
define void @lengths(<2 x i1> %m, i32 %n, ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" {
  %v = call <2 x ptr addrspace(1)> @llvm.vp.load.v2p1.p1(ptr addrspace(1) %p, <2 x i1> %m, i32 %n)
  %w = call <2 x ptr addrspace(1)> @llvm.vp.merge.v2p1(<2 x i1> %m, <2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> zeroinitializer, i32 %n)
  call void @foo()
  store <2 x ptr addrspace(1)> %w, ptr addrspace(1) %q
  ret void
}

; A lane that the vector has not is poison, too.
; CHECK-LABEL: define void @beyond
; CHECK: gc.statepoint
; CHECK: call void @use(ptr addrspace(1) null)
define void @beyond(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load <2 x ptr addrspace(1)>, ptr addrspace(1) %p
  %x = extractelement <2 x ptr addrspace(1)> %v, i64 7
  call void @foo()
  call void @use(ptr addrspace(1) %x)
  ret void
}

; Masked pointers keep their lanes' bases; a vector of one lane is a reference.
; CHECK-LABEL: define void @masked
; CHECK: gc.statepoint
; CHECK: [[D:%.*]] = getelementptr i8, ptr addrspace(1) %p.relocated, i64 %n
; CHECK: call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) [[D]]
define void @masked(ptr addrspace(1) %p, i64 %n, <1 x ptr addrspace(1)> %w) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %n
  %v = bitcast ptr addrspace(1) %d to <1 x ptr addrspace(1)>
  %m = call <1 x ptr addrspace(1)> @llvm.ptrmask.v1p1.v1i64(<1 x ptr addrspace(1)> %v, <1 x i64> <i64 -8>)
  %x = bitcast <1 x ptr addrspace(1)> %m to ptr addrspace(1)
  %one = bitcast <1 x ptr addrspace(1)> %w to ptr addrspace(1)
  call void @foo()
  call void @use(ptr addrspace(1) %x)
  call void @use(ptr addrspace(1) %one)
  ret void
}
