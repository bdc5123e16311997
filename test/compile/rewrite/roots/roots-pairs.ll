; With --roots=pairs every root is a pair, as any reader of stack maps knows them, and the deopt operands are the
; program's own; what could be described only there is refused. Wrong: a root that a stock reader does not see.
; RUN: split-file %s %t
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --roots=pairs --slots=always -S %t/fine.ll -o %t/out.ll
; RUN: FileCheck %t/fine.ll < %t/out.ll
; RUN: opt -passes='verify<safepoint-ir>' -disable-output %t/out.ll
; RUN: for o in 0 2; do llc -O$o -filetype=obj %t/out.ll -o %t/out.o && llvm-readobj --stackmap %t/out.o | FileCheck --check-prefix=MAP %t/fine.ll || exit 1; done
; RUN: not %cairn opt -p rewrite-statepoints --roots=pairs --disable-output %t/refused.ll 2>&1 | FileCheck --implicit-check-not=error: %t/refused.ll
; RUN: not %cairn opt -p rewrite-statepoints --roots=pairs --disable-output %t/unwound.ll 2>&1 | FileCheck %t/unwound.ll
; RUN: not %cairn opt -p rewrite-statepoints --roots=pairs --disable-output %t/funclet.ll 2>&1 | FileCheck %t/funclet.ll
; RUN: not %cairn-cc -fcairn-roots=pairs -c %t/unwound.ll -o %t/no.o 2>&1 | FileCheck %t/unwound.ll
; RUN: %cairn-cc -c %t/unwound.ll -o %t/all.o
; RUN: not %cairn-cc -fcairn-roots=some -c %t/fine.ll -o %t/no.o 2>&1 | FileCheck --check-prefix=WORD %s
; RUN: not %cairn opt -p rewrite-statepoints --roots=some --disable-output %t/fine.ll 2>&1 | FileCheck --check-prefix=WORD %s
; WORD: 'some' is not all or pairs

;--- fine.ll
declare void @foo()
declare i32 @personality(...)
declare void @caught(i64)

; CHECK-LABEL: define ptr addrspace(1) @one
; CHECK: [ "deopt"(i32 7), "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %d) ]
; MAP: 8 locations:
; MAP-NEXT: Constant
; MAP-NEXT: Constant
; MAP-NEXT: Constant 1
; MAP-NEXT: Constant 7
; MAP-NEXT: Indirect
; MAP-NEXT: Indirect
; MAP-NEXT: Indirect
; MAP-NEXT: Indirect
; MAP-NEXT: 0 live-outs
define ptr addrspace(1) @one(ptr addrspace(1) %p, ptr addrspace(1) %d) gc "statepoint-example" {
  call void @foo() [ "deopt"(i32 7) ]
  store i8 0, ptr addrspace(1) %d
  ret ptr addrspace(1) %p
}

; Nothing lives into the pad: pads of any type will do.
; CHECK-LABEL: define ptr addrspace(1) @two
; CHECK: invoke token {{.*}} [ "gc-live"(ptr addrspace(1) %p) ]
; MAP: 5 locations:
define ptr addrspace(1) @two(ptr addrspace(1) %p, i64 %n) gc "statepoint-example" personality ptr @personality {
  invoke void @foo() to label %ok unwind label %pad
ok:
  ret ptr addrspace(1) %p
pad:
  %l = landingpad { ptr, i32 } cleanup
  call void @caught(i64 %n) "gc-leaf-function"
  resume { ptr, i32 } %l
}

;--- refused.ll
declare void @foo()
declare void @fill(ptr)
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare i32 @personality(...)
declare void @cairn.user.root(ptr, i32, i64)
declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
@value = internal constant i32 1

; CHECK: error: in function 'local': local %l holds references in memory, where no pair describes them: promote it (LLVM's sroa, mem2reg), or do not take its address [roots-pairs]
define void @local(ptr addrspace(1) %p) gc "statepoint-example" {
  %l = alloca ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %l
  call void @fill(ptr %l)
  %q = load ptr addrspace(1), ptr %l
  call void @use(ptr addrspace(1) %q)
  ret void
}
; CHECK: error: in function 'word': a user root is not a pair of references [roots-pairs]
define void @word() gc "statepoint-example" {
  %w = alloca i64
  call void @cairn.user.root(ptr %w, i32 3, i64 0)
  call void @foo()
  ret void
}
; CHECK: error: in function 'span': a span would be told after the program's own deoptimisation state [roots-pairs]
define void @span() gc "statepoint-example" {
  call void @cairn.span.begin(i64 1, ptr @value)
  call void @foo()
  call void @cairn.span.end(i64 1)
  ret void
}

;--- unwound.ll
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare i32 @personality(...)
; CHECK: error: in function 'pad': %p lives into the pad of the call to @{{(cairn.call.)?}}foo and needs landing pads of type token, but the function uses what a landing pad returns, {{.*}} [roots-pairs]
define void @pad(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  invoke void @foo() to label %ok unwind label %pad
ok:
  ret void
pad:
  %l = landingpad { ptr, i32 } cleanup
  call void @use(ptr addrspace(1) %p)
  resume { ptr, i32 } %l
}
; CHECK: error: in function 'phi': %v lives into the pad of the call to @{{(cairn.call.)?}}foo and needs landing pads of type token
define void @phi(ptr addrspace(1) %p, ptr addrspace(1) %q) gc "statepoint-example" personality ptr @personality {
e:
  invoke void @foo() to label %ok unwind label %pad
ok:
  invoke void @foo() to label %out unwind label %pad
out:
  ret void
pad:
  %v = phi ptr addrspace(1) [ %p, %e ], [ %q, %ok ]
  %l = landingpad { ptr, i32 } cleanup
  call void @use(ptr addrspace(1) %v)
  resume { ptr, i32 } %l
}
; A pad whose value is used elsewhere in the function counts: LLVM wants one type.
; CHECK: error: in function 'other': %p lives into the pad of the call to @{{(cairn.call.)?}}foo and needs landing pads of type token
define i32 @other(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  invoke void @foo() to label %ok unwind label %pad
ok:
  invoke void @foo() to label %out unwind label %pad2
out:
  ret i32 0
pad:
  %l = landingpad { ptr, i32 } cleanup
  call void @use(ptr addrspace(1) %p)
  ret i32 1
pad2:
  %l2 = landingpad { ptr, i32 } cleanup
  %s = extractvalue { ptr, i32 } %l2, 1
  ret i32 %s
}

;--- funclet.ll
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare i32 @__CxxFrameHandler3(...)
; CHECK: error: in function 'funclet': %p lives into the pad of the call to @foo and would need a relocation in a funclet, which LLVM forbids: keep it out of the funclet's code [roots-pairs]
define void @funclet(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
  invoke void @foo() to label %ok unwind label %pad
ok:
  ret void
pad:
  %l = cleanuppad within none []
  call void @use(ptr addrspace(1) %p) [ "funclet"(token %l) ]
  cleanupret from %l unwind to caller
}
