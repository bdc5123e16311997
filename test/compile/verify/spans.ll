; What statepoints say of spans, broken in each way, is found, whether the markers are still there or not.
; RUN: split-file %s %t
; RUN: %cairn verify %t/right.ll
; RUN: sed 's/i64 1, i64 2, i64 0, i64 4)/i64 1, i64 1, i64 0, i64 4)/' %t/right.ll > %t/other.ll
; RUN: not %cairn verify %t/other.ll 2>&1 | FileCheck --check-prefix=OTHER %s
; RUN: sed 's/i64 1, i64 2, i64 0, i64 4)/i64 1, i64 3, i64 0, i64 4)/' %t/right.ll > %t/none.ll
; RUN: not %cairn verify %t/none.ll 2>&1 | FileCheck --check-prefix=NONE %s
; RUN: sed '/@cairn.span.[be]/d' %t/none.ll > %t/none-dropped.ll
; RUN: not %cairn verify %t/none-dropped.ll 2>&1 | FileCheck --check-prefix=NONE %s
; RUN: sed 's/i64 1, i64 2, i64 0, i64 4)/i64 1, i64 2, i64 1, i64 4)/' %t/right.ll > %t/depth.ll
; RUN: not %cairn verify %t/depth.ll 2>&1 | FileCheck --check-prefix=OTHER %s
; RUN: sed 's/i64 1, i64 2, i64 0, i64 4)/i64 1, i64 2, i64 0, i64 3)/' %t/right.ll > %t/length.ll
; RUN: not %cairn verify %t/length.ll 2>&1 | FileCheck --check-prefix=MARK %s
; RUN: sed 's/i64 1, i64 2, i64 0, i64 4)/i64 2, i64 2, i64 0, i64 4)/' %t/right.ll > %t/count.ll
; RUN: not %cairn verify %t/count.ll 2>&1 | FileCheck --check-prefix=MARK %s
; RUN: sed 's/ . "deopt"(i64 4846245170386059598, i64 1, i64 2, i64 0, i64 4) .$//' %t/right.ll > %t/dropped.ll
; RUN: not %cairn verify %t/dropped.ll 2>&1 | FileCheck --check-prefix=LEFT %s
; RUN: sed '/@cairn.span.[be]/d' %t/dropped.ll > %t/fine.ll
; RUN: %cairn verify %t/fine.ll
; RUN: sed 's/i64 2, i64 78, i32 0/i64 2, i64 79, i32 0/' %t/right.ll > %t/number.ll
; RUN: not %cairn verify %t/number.ll 2>&1 | FileCheck --check-prefix=OTHER %s
; RUN: sed 's/ptrtoint (ptr @a /ptrtoint (ptr @b /' %t/right.ll > %t/address.ll
; RUN: not %cairn verify %t/address.ll 2>&1 | FileCheck --check-prefix=FIRST %s
; OTHER: in function 'one': the description of spans at the call to @g {{.*}}has another span than is open here [span-tail]
; NONE: in function 'one': the description of spans at the call to @g {{.*}}names an entry that the table has not [span-tail]
; MARK: in function 'one': the description of spans at the call to @g {{.*}}has its mark, but at another place than its length says [span-tail]
; LEFT: in function 'one': the description of spans at the call to @g {{.*}}leaves out a span [span-tail]
; FIRST: in function 'one': the description of spans at the call to @f {{.*}}has another span than is open here [span-tail]

;--- right.ll
@a = internal constant i64 1
@b = internal constant i64 1
@cairn.spans = internal constant [3 x { i64, i64, i32, i32 }] [{ i64, i64, i32, i32 } { i64 4846245170386059598, i64 3, i32 0, i32 0 }, { i64, i64, i32, i32 } { i64 1, i64 0, i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr getelementptr inbounds ([3 x { i64, i64, i32, i32 }], ptr @cairn.spans, i64 0, i64 1, i32 2) to i64)) to i32), i32 0 }, { i64, i64, i32, i32 } { i64 2, i64 78, i32 0, i32 0 }], section "cairn_spans", align 8
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare void @f()
declare void @g()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)

define void @one() gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr @a)
  %1 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @f, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170386059598, i64 1, i64 1, i64 0, i64 4)]
  call void @cairn.span.end(i64 1)
  call void @cairn.span.begin(i64 2, ptr inttoptr (i64 78 to ptr))
  %2 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @g, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170386059598, i64 1, i64 2, i64 0, i64 4) ]
  ret void
}
