; RUN: clang -O1 -c %root/test/random/modules/support.c -o %t.1.o && clang -O1 -I%root/include -c %S/Inputs/spans_native.c -o %t.2.o
; RUN: %cairn-cc -O0 %s %t.1.o %t.2.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 %s %t.1.o %t.2.o -o %t && %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: %cairn-cc -O2 -fcairn-safepoints=early %s %t.1.o %t.2.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
; RUN: sed 's/^  call void @cairn.span.end(i64 2) ; pad$//' %s > %t.ll
; RUN: not %cairn-cc -O2 -c %t.ll -o %t.o 2>&1 | FileCheck --check-prefix=OPEN %s
; Spans that exceptions leave: of a function that is left they end, though it would be inlined; of the function that
; catches they are open in its pad, until that ends them; of the metadata of an invoke they are round the call alone.
; Wrong: a span that stays open in the caller, or one that nobody finds. Forgotten in the pad, it is an error.
; OPEN: in function 'catches': {{.*}}[span-nesting]

@before = private constant [7 x i8] c"before\00"
@inside = private constant [7 x i8] c"inside\00"
@pad = private constant [4 x i8] c"pad\00"
@after = private constant [6 x i8] c"after\00"
@single = private constant [7 x i8] c"single\00"
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare void @show(ptr)
declare void @random_throw(i64)
declare void @random_caught(ptr)
declare i32 @random_personality(...)

define internal void @throws() gc "statepoint-example" personality ptr @random_personality {
  call void @cairn.span.begin(i64 1, ptr inttoptr (i64 11 to ptr))
  call void @show(ptr @inside)
  call void @random_throw(i64 1)
  ret void
}

define internal void @cleans() gc "statepoint-example" personality ptr @random_personality {
  call void @cairn.span.begin(i64 1, ptr inttoptr (i64 12 to ptr))
  invoke void @throws() to label %none unwind label %pad
none:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  call void @show(ptr @pad)
  resume { ptr, i32 } %e
}

; CHECK: before: - 20
; CHECK-NEXT: inside: 11 21
; CHECK-NEXT: pad: 12 21
; CHECK-NEXT: pad: - 21
; CHECK-NEXT: after: - 20
define void @catches() noinline gc "statepoint-example" personality ptr @random_personality {
  call void @cairn.span.begin(i64 2, ptr inttoptr (i64 20 to ptr))
  call void @show(ptr @before)
  call void @cairn.span.begin(i64 2, ptr inttoptr (i64 21 to ptr))
  invoke void @cleans() to label %none unwind label %pad
none:
  call void @cairn.span.end(i64 2)
  br label %out
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  %x = extractvalue { ptr, i32 } %e, 0
  call void @random_caught(ptr %x)
  call void @show(ptr @pad)
  call void @cairn.span.end(i64 2) ; pad
  br label %out
out:
  call void @show(ptr @after)
  call void @cairn.span.end(i64 2)
  ret void
}

; CHECK-NEXT: single: 1 -
; CHECK-NEXT: after: - -
define void @metadata() noinline gc "statepoint-example" personality ptr @random_personality {
  invoke void @show(ptr @single) to label %out unwind label %pad, !cairn.span !{i64 1, ptr inttoptr (i64 1 to ptr)}
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  unreachable
out:
  call void @show(ptr @after)
  ret void
}

define i32 @main() gc "statepoint-example" {
  call void @catches()
  call void @metadata()
  ret i32 0
}
