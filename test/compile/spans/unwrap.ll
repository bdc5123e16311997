; Statepoints into calls and back say the same of spans: with the markers still there, with markers made of what the
; statepoints say, after optimising, and where a callee was inlined meanwhile, whose calls are in the spans that its
; call was in. Wrong: spans that are gone, or are there twice.
; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.marked.ll
; RUN: %cairn opt -p strip-statepoints,rewrite-statepoints -S %t.marked.ll -o %t.again.ll
; RUN: sed 1d %t.marked.ll > %t.1 && sed 1d %t.again.ll > %t.2 && diff %t.1 %t.2
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints,drop-markers -S %s -o %t.plain.ll
; RUN: %cairn opt -p strip-statepoints -S %t.plain.ll | FileCheck %s
; RUN: %cairn opt -p strip-statepoints,rewrite-statepoints,verify-safepoints,drop-markers -S %t.plain.ll -o %t.again.ll
; RUN: sed 1d %t.plain.ll > %t.1 && sed 1d %t.again.ll > %t.2 && diff %t.1 %t.2
; RUN: %cairn opt -p 'strip-statepoints,default<O2>,rewrite-statepoints,verify-safepoints,drop-markers' -S %t.plain.ll | FileCheck --check-prefix=OPT %s
; RUN: %cairn opt -p inline-statepoints,verify-safepoints -S %t.plain.ll | FileCheck --check-prefix=INLINE %s
; RUN: %cairn opt -p inline-statepoints,verify-safepoints,drop-markers -S %t.marked.ll | FileCheck --check-prefix=INLINE %s

@a = internal constant i64 1
@b = internal constant [4 x i32] zeroinitializer
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare void @f()
declare void @g()

define internal void @callee() alwaysinline gc "statepoint-example" {
  call void @f()
  call void @cairn.span.begin(i64 3, ptr inttoptr (i64 5 to ptr))
  call void @g() [ "deopt"(i32 8) ]
  call void @cairn.span.end(i64 3)
  ret void
}

; CHECK-LABEL: define void @two()
; CHECK-NEXT: call void @cairn.span.begin(i64 1, ptr @a)
; CHECK-NEXT: call void @cairn.span.begin(i64 2, ptr getelementptr inbounds (i8, ptr @b, i64 4))
; CHECK-NEXT: call void @f() [ "deopt"(i32 7) ]
; CHECK-NEXT: call void @cairn.span.end(i64 2)
; CHECK-NEXT: call void @cairn.span.end(i64 1)
; CHECK-NEXT: ret void
; OPT-LABEL: define void @two()
; OPT: @f, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i32 7, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5, i64 4846245170386059598, i64 2, i64 2, i64 0, i64 3, i64 0, i64 6) ]
define void @two() gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr @a)
  call void @cairn.span.begin(i64 2, ptr getelementptr (i8, ptr @b, i64 4))
  call void @f() [ "deopt"(i32 7) ]
  ret void
}

; INLINE-NOT: call void @cairn.span
; INLINE-LABEL: define void @caller()
; INLINE: @f, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170386059598, i64 1, i64 3, i64 0, i64 4) ]
; INLINE: @g, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i32 8, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5, i64 4846245170386059598, i64 2, i64 1, i64 0, i64 3, i64 0, i64 6) ]
define void @caller() gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr @a)
  call void @callee()
  call void @cairn.span.end(i64 1)
  ret void
}
