; The analyses as text, stable from run to run.
; RUN: %cairn opt -p verify --print=cfg -o /dev/null %s | FileCheck %s --check-prefix=CFG
; RUN: %cairn opt -p verify --print=liveness -o /dev/null %s | FileCheck %s --check-prefix=LIVE
; RUN: %cairn opt -p verify --print=bases -o /dev/null %s | FileCheck %s --check-prefix=BASE
; RUN: %cairn opt -p verify --print=calls -o /dev/null %s | FileCheck %s --check-prefix=CALL
; RUN: not %cairn opt -p verify --print=nonsense -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: --print: no analysis 'nonsense'; there are cfg, loops,
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CFG: cfg of @nest:
; CFG-NEXT: %entry: preds idom %entry{{$}}
; CFG-NEXT: %outer: preds %entry %inner(back) idom %entry loop %outer depth 1
; CFG-NEXT: %inner: preds %outer %inner(back) idom %outer loop %inner depth 2
; CFG-NEXT: %exit: preds %inner idom %inner{{$}}
; LIVE: liveness of @nest:
; LIVE-NEXT: @foo: %a %p
; BASE: bases of @nest:
; BASE-NEXT: %a: %a
; BASE-NEXT: %p: %a
; CALL: calls of @nest:
; CALL: parse: call to @foo
; CALL: leaf: call to @use
define void @nest(ptr addrspace(1) %a, i64 %i, ptr %flag) gc "statepoint-example" {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  br label %outer
outer:
  %p = phi ptr addrspace(1) [ %d, %entry ], [ %a, %inner ]
  br label %inner
inner:
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  %n = load i8, ptr %flag
  switch i8 %n, label %exit [ i8 1, label %inner
                              i8 2, label %outer ]
exit:
  ret void
}
