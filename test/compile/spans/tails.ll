; What statepoints say of the spans round them, smallest first: nested, overlapping, of metadata, after the user's
; deopt operands and the description of locals; polls and allocations too; what has a smaller one of its key is left
; out. Each table entry is there once, as a distance; nothing is left of the markers, and no instruction comes of them.
; Wrong: a span that nobody finds, or that is found elsewhere.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck --check-prefix=TABLE %s
; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.1.ll
; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.2.ll
; RUN: diff %t.1.ll %t.2.ll
; RUN: %cairn opt -p transitions,place-safepoints,rewrite-statepoints,verify-safepoints,drop-markers -S --polls=entry,backedge %s | FileCheck --check-prefix=POLLS %s
; RUN: sed "/@cairn.span/d; s/, .cairn.span.*//" %s > %t.plain.ll
; RUN: %cairn-cc -O2 -S %s -o %t.s
; RUN: %cairn-cc -O2 -S %t.plain.ll -o %t.plain.s
; RUN: sed -n '/^\(nested\|described\|polls\):/,/^.Lfunc_end/{s,Ltmp[0-9]*,,;p}' %t.s > %t.code && sed -n '/^\(nested\|described\|polls\):/,/^.Lfunc_end/{s,Ltmp[0-9]*,,;p}' %t.plain.s > %t.plain.code
; RUN: diff %t.code %t.plain.code
; POLLS-NOT: cairn.span.

target triple = "x86_64-unknown-linux-gnu"

; TABLE: @cairn.spans = internal constant [6 x { i64, i64, i32, i32 }] [{ i64, i64, i32, i32 } { i64 4846245170386059598, i64 6, i32 0, i32 0 },
; TABLE-SAME: { i64 1, i64 0, i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr getelementptr inbounds (i8, ptr @cairn.spans, i64 40) to i64)) to i32), i32 0 },
; TABLE-SAME: { i64 2, i64 0, i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr inbounds (i8, ptr @b, i64 4) to i64)
; TABLE-SAME: { i64 1, i64 77, i32 0, i32 0 }
; TABLE-SAME: { i64 -1, i64 0, i32 0, i32 0 }
; TABLE-SAME: { i64 3, i64 0, i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64)
; TABLE-SAME: section "cairn_spans", align 8
; TABLE: @llvm.compiler.used = {{.*}}ptr @cairn.spans
@a = internal constant i64 1
@b = internal constant [4 x i32] zeroinitializer
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare void @f()
declare void @fill(ptr)

; CHECK-LABEL: @nested
define void @nested() gc "statepoint-example" {
  ; CHECK: @f, i32 0, i32 0, i32 0, i32 0){{$}}
  call void @f()
  call void @cairn.span.begin(i64 1, ptr @a)
  ; CHECK: @f, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170386059598, i64 1, i64 1, i64 0, i64 4) ]
  call void @f()
  call void @cairn.span.begin(i64 2, ptr getelementptr ([4 x i32], ptr @b, i64 0, i64 1))
  ; CHECK: "deopt"(i64 4846245170386059598, i64 2, i64 2, i64 0, i64 1, i64 0, i64 6)
  call void @f()
  call void @cairn.span.begin(i64 1, ptr inttoptr (i64 77 to ptr))
  ; CHECK: "deopt"(i32 5, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5, i64 4846245170386059598, i64 2, i64 3, i64 0, i64 2, i64 0, i64 6)
  call void @f() [ "deopt"(i32 5) ]
  call void @cairn.span.end(i64 2)
  ; CHECK: "deopt"(i64 4846245170386059598, i64 1, i64 3, i64 0, i64 4)
  call void @f()
  call void @cairn.span.end(i64 1)
  ; CHECK: "deopt"(i64 4846245170386059598, i64 1, i64 1, i64 0, i64 4)
  call void @f()
  call void @cairn.span.end(i64 1)
  ; CHECK: @f, i32 0, i32 0, i32 0, i32 0){{$}}
  call void @f()
  ret void
}

; CHECK-LABEL: @paths
; The same spans on both paths are the same, wherever they were opened.
define void @paths(i1 %c) gc "statepoint-example" {
  br i1 %c, label %l, label %r
l:
  call void @cairn.span.begin(i64 1, ptr @a)
  br label %join
r:
  call void @cairn.span.begin(i64 1, ptr @a)
  br label %join
join:
  ; CHECK: join:
  ; CHECK: "deopt"(i64 4846245170386059598, i64 1, i64 1, i64 0, i64 4)
  call void @f()
  br label %loop
loop:
  ; CHECK: loop:
  ; CHECK: "deopt"(i64 4846245170386059598, i64 2, i64 4, i64 0, i64 1, i64 0, i64 6)
  call void @cairn.span.begin(i64 -1, ptr null)
  call void @f()
  call void @cairn.span.end(i64 -1)
  br i1 %c, label %loop, label %out
out:
  call void @cairn.span.end(i64 1)
  ret void
}

; CHECK-LABEL: @described
; CHECK: "deopt"(i32 9, i64 4846245170335664462, i64 2, i64 0, i64 0, i64 8192, i64 5, i64 4846245170083810383, i64 1, ptr %local, i64 1, i64 8, i64 1, i64 0, i64 7, i64 4846245170386059598, i64 1, i64 5, i64 0, i64 4)
define void @described() gc "statepoint-example" {
  %local = alloca ptr addrspace(1)
  call void @cairn.span.begin(i64 3, ptr @f)
  call void @fill(ptr %local) [ "deopt"(i32 9) ]
  call void @cairn.span.end(i64 3)
  ret void
}

; CHECK-LABEL: @metadata
; CHECK: "deopt"(i64 4846245170386059598, i64 3, i64 1, i64 0, i64 2, i64 0, i64 5, i64 0, i64 8){{.*}}!cairn.span
define void @metadata() gc "statepoint-example" {
  call void @cairn.span.begin(i64 3, ptr @f)
  call void @f(), !cairn.span !{i64 1, ptr @a, i64 2, ptr getelementptr (i8, ptr @b, i64 4)}
  call void @cairn.span.end(i64 3)
  ret void
}

; Polls in a span have it.
; POLLS-LABEL: @polls
; POLLS: @cairn_poll_slow, i32 0, i32 0, i32 0, i32 0){{$}}
; POLLS: poll.slow{{.*}}:
; POLLS: @cairn_poll_slow, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170386059598, i64 1,
define void @polls(ptr %p) gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr @a)
  br label %loop
loop:
  %c = load volatile i1, ptr %p
  br i1 %c, label %loop, label %out
out:
  call void @cairn.span.end(i64 1)
  ret void
}
