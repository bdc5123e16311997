; Spans that cannot be told are refused, each with its function: what would go wrong is a value that is found where it
; does not belong, or an address that is another one in the program that is loaded.
; RUN: split-file %s %t
; RUN: not %cairn opt -p rewrite-statepoints %t/nesting.ll 2>&1 | FileCheck %t/nesting.ll
; RUN: not %cairn opt -p prepare %t/nesting.ll 2>&1 | FileCheck %t/nesting.ll
; RUN: not %cairn opt -p rewrite-statepoints %t/values.ll 2>&1 | FileCheck --implicit-check-not=error: %t/values.ll
; RUN: not %cairn opt -p rewrite-statepoints --shared %t/shared.ll 2>&1 | FileCheck --implicit-check-not=error: %t/shared.ll
; RUN: %cairn opt -p rewrite-statepoints %t/shared.ll -o /dev/null
; RUN: not %cairn opt -p rewrite-statepoints %t/marker.ll 2>&1 | FileCheck %t/marker.ll
; RUN: not %cairn opt -p drop-markers %t/marker.ll 2>&1 | FileCheck %t/marker.ll
; RUN: not %cairn opt -p rewrite-statepoints %t/type.ll 2>&1 | FileCheck %t/type.ll
; RUN: not %cairn opt -p drop-markers %t/type.ll 2>&1 | FileCheck %t/type.ll
; RUN: not %cairn opt -p rewrite-statepoints %t/table.ll 2>&1 | FileCheck %t/table.ll
; RUN: not %cairn opt -p strip-statepoints %t/table.ll 2>&1 | FileCheck %t/table.ll
; RUN: not %cairn opt -p strip-statepoints %t/invoke.ll 2>&1 | FileCheck %t/invoke.ll

;--- nesting.ll
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare void @f()

; CHECK: in function 'ends': a span ends that has not begun [span-nesting]
define void @ends() gc "statepoint-example" {
  call void @f()
  call void @cairn.span.end(i64 1)
  ret void
}
; CHECK: in function 'other_key': a span ends that has not begun [span-nesting]
define void @other_key() gc "statepoint-example" {
  call void @cairn.span.begin(i64 2, ptr null)
  call void @f()
  call void @cairn.span.end(i64 1)
  ret void
}
; CHECK: in function 'join': from here on a span is open on some paths and not on others [span-nesting]
define void @join(i1 %c) gc "statepoint-example" {
  br i1 %c, label %l, label %r
l:
  call void @cairn.span.begin(i64 2, ptr null)
  br label %r
r:
  call void @f()
  ret void
}
; CHECK: in function 'loop': from here on a span is open on some paths and not on others [span-nesting]
define void @loop(i1 %c) gc "statepoint-example" {
  br label %l
l:
  call void @cairn.span.begin(i64 2, ptr null)
  call void @f()
  br i1 %c, label %l, label %r
r:
  ret void
}
; CHECK: in function 'order': from here on a span is open on some paths and not on others [span-nesting]
define void @order(i1 %c) gc "statepoint-example" {
  br i1 %c, label %l, label %r
l:
  call void @cairn.span.begin(i64 1, ptr null)
  call void @cairn.span.begin(i64 2, ptr null)
  br label %j
r:
  call void @cairn.span.begin(i64 2, ptr null)
  call void @cairn.span.begin(i64 1, ptr null)
  br label %j
j:
  call void @f()
  ret void
}

;--- values.ll
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare void @f()
@tls = thread_local global i64 0
@weak = extern_weak global i64
@there = addrspace(2) global i64 0

; CHECK: error: in function 'key': the key of a span is not a constant number [span-value]
define void @key(i64 %k) gc "statepoint-example" {
  call void @cairn.span.begin(i64 %k, ptr null)
  call void @f()
  ret void
}
; CHECK: error: in function 'value': the value of a span is not the constant address of a global, nor a number [span-value]
define void @value(ptr %p) gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr %p)
  call void @f()
  ret void
}
; CHECK: error: in function 'thread': the value of a span is thread-local: each thread has another address [span-value]
define void @thread() gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr @tls)
  ret void
}
; CHECK: error: in function 'missing': the value of a span may be missing
define void @missing() gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr @weak)
  ret void
}
; CHECK: error: in function 'cast': the value of a span is not the constant address
define void @cast() gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr addrspacecast (ptr addrspace(2) @there to ptr))
  ret void
}
; CHECK: error: in function 'odd': !cairn.span is no list of keys and values [span-value]
define void @odd() gc "statepoint-example" {
  call void @f(), !cairn.span !{i64 1, ptr null, i64 2}
  ret void
}
; CHECK: error: in function 'text': the value of a span is not the constant address
define void @text() gc "statepoint-example" {
  call void @f(), !cairn.span !{i64 1, !"text"}
  ret void
}
; CHECK: error: in function 'word': the key of a span is not a constant number [span-value]
define void @word() gc "statepoint-example" {
  call void @f(), !cairn.span !{!"text", ptr null}
  ret void
}

;--- shared.ll
; Code for a shared object: another module may define @default, and the linker would refuse the distance.
declare void @cairn.span.begin(i64, ptr)
declare void @f()
@default = global i64 0
@hidden = hidden global i64 0
@protected = protected global i64 0
@internal = internal global i64 0
; CHECK: error: in function 'one': the value of a span may be replaced by another module's when the program is loaded; make it static, hidden or protected [span-value]
define void @one() gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr @hidden)
  call void @cairn.span.begin(i64 2, ptr @protected)
  call void @cairn.span.begin(i64 3, ptr @internal)
  call void @cairn.span.begin(i64 4, ptr @default)
  call void @f()
  ret void
}

;--- marker.ll
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare i32 @personality(...)
; CHECK: in function 'native': a span in an unmanaged function, whose frames have no maps [span-marker]
define void @native() {
  call void @cairn.span.begin(i64 1, ptr null)
  ret void
}
; CHECK: in function 'invoked': @cairn.span.end is used other than by a call [span-marker]
define void @invoked() gc "statepoint-example" personality ptr @personality {
  invoke void @cairn.span.end(i64 1) to label %a unwind label %b
a:
  ret void
b:
  %e = landingpad token cleanup
  ret void
}

;--- type.ll
; CHECK: @cairn.span.begin is not declared as void (i64, ptr), without a body [span-marker]
declare void @cairn.span.begin(i32, ptr)
; CHECK: @cairn.span.end is not declared as void (i64), without a body [span-marker]
define void @cairn.span.end(i64 %key) {
  ret void
}
define void @one() gc "statepoint-example" {
  call void @cairn.span.begin(i32 1, ptr null)
  call void @cairn.span.end(i64 1)
  ret void
}

;--- table.ll
; CHECK: @cairn.spans is not a table of spans [span-table]
@cairn.spans = internal constant [2 x i64] zeroinitializer
define void @one() gc "statepoint-example" {
  ret void
}

;--- invoke.ll
; CHECK: in function 'one': an invoke in a span whose markers were dropped: the end of the span is unknown [span-unwrap]
; CHECK: in function 'two': the description of spans here is malformed [span-unwrap]
@cairn.spans = internal constant [2 x { i64, i64, i32, i32 }] [{ i64, i64, i32, i32 } { i64 4846245170386059598, i64 2, i32 0, i32 0 }, { i64, i64, i32, i32 } { i64 1, i64 0, i32 0, i32 0 }], section "cairn_spans"
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare i32 @personality(...)
declare void @f()
define void @one() gc "statepoint-example" personality ptr @personality {
  %1 = invoke token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @f, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170386059598, i64 1, i64 1, i64 0, i64 4) ]
          to label %a unwind label %b
a:
  ret void
b:
  %e = landingpad token cleanup
  ret void
}
define void @two() gc "statepoint-example" {
  %1 = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @f, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170386059598, i64 1, i64 2, i64 0, i64 4) ]
  ret void
}
