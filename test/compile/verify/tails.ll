; RUN: split-file %s %t
; RUN: %cairn verify %t/right.ll
; RUN: for f in length areas part order outside; do not %cairn verify %t/$f.ll > %t/$f.out 2>&1 \
; RUN:   || exit 1; FileCheck --input-file=%t/$f.out %t/$f.ll || exit 1; done
; The description of locals at a statepoint is read from its end, without names: one number that is
; wrong, and the collector looks for references elsewhere, or not at all.

;--- right.ll
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() gc "statepoint-example" {
  %a = alloca [5 x { i64, ptr addrspace(1) }]
  %b = alloca ptr addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 7, i64 4846245170083810383, i64 2, ptr %a, i64 5, i64 16, i64 1, i64 8, ptr %b, i64 1, i64 8, i64 1, i64 0, i64 12) ]
  ret void
}
;--- length.ll
; CHECK: the description of locals at the call to @foo has its mark, but at another place than its length says [described-tail]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() gc "statepoint-example" {
  %b = alloca ptr addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 1, ptr %b, i64 1, i64 8, i64 1, i64 0, i64 6) ]
  ret void
}
;--- areas.ll
; CHECK: the description of locals at the call to @foo has another number of areas than it says [described-tail]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() gc "statepoint-example" {
  %b = alloca ptr addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 2, ptr %b, i64 1, i64 8, i64 1, i64 0, i64 7) ]
  ret void
}
;--- part.ll
; CHECK: the description of locals at the call to @foo leaves out a reference in a local [described-tail]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() gc "statepoint-example" {
  %a = alloca [5 x { i64, ptr addrspace(1) }]
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 1, ptr %a, i64 4, i64 16, i64 1, i64 8, i64 7) ]
  ret void
}
;--- order.ll
; CHECK: the description of locals at the call to @foo names a value that is not a local [described-tail]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() gc "statepoint-example" {
  %b = alloca ptr addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 1, i64 1, ptr %b, i64 8, i64 1, i64 0, i64 7) ]
  ret void
}
;--- outside.ll
; CHECK: the description of locals at the call to @foo has an area that makes no sense [described-tail]
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f() gc "statepoint-example" {
  %b = alloca ptr addrspace(1)
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170083810383, i64 1, ptr %b, i64 3, i64 8, i64 1, i64 0, i64 7) ]
  ret void
}
