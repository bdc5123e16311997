; A reference marked "cairn-immovable" (pinned, or in memory that is never moved), and what is derived
; from or chosen among such alone, is neither listed nor relocated, and our verifier accepts its uses
; (slides, "When relocation isn't needed"). Wrong: a stack map entry and a register for each; or, a
; merge with a reference that does move is left behind.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=immovable -S %s | FileCheck %s --check-prefix=OFF
; RUN: %cairn opt -p rewrite-statepoints --without=immovable -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare ptr addrspace(1) @pinned_result()
declare "cairn-immovable" ptr addrspace(1) @class_of()
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: define void @parameter
; CHECK: "gc-live"(ptr addrspace(1) %b) ]
; CHECK: call void @use(ptr addrspace(1) %a)
; CHECK: call void @use(ptr addrspace(1) %d)
; OFF-LABEL: define void @parameter
; OFF: "gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b
define void @parameter(ptr addrspace(1) "cairn-immovable" %a, ptr addrspace(1) %b, i64 %i) gc "statepoint-example" {
  %d = getelementptr i64, ptr addrspace(1) %a, i64 %i
  call void @foo()
  call void @use(ptr addrspace(1) %a)
  call void @use(ptr addrspace(1) %d)
  call void @use(ptr addrspace(1) %b)
  ret void
}

; The result of a statepoint still says so, for whoever verifies the module later.
; CHECK-LABEL: define void @results
; CHECK: %p = call "cairn-immovable" ptr addrspace(1) @llvm.experimental.gc.result
; CHECK: %q = call "cairn-immovable" ptr addrspace(1) @llvm.experimental.gc.result
; CHECK-NOT: gc-live
; CHECK: ret void
; OFF-LABEL: define void @results
; OFF: "gc-live"(ptr addrspace(1) %p.relocated, ptr addrspace(1) %q, ptr addrspace(1) %l) ]
define void @results(ptr %cell) gc "statepoint-example" {
  %p = call "cairn-immovable" ptr addrspace(1) @pinned_result()
  %q = call ptr addrspace(1) @class_of()
  %l = load ptr addrspace(1), ptr %cell, !cairn.immovable !{}
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  call void @use(ptr addrspace(1) %q)
  call void @use(ptr addrspace(1) %l)
  ret void
}

; A merge of immovable ones is one; with another among them it moves, and the base of an immovable
; input is null.
; CHECK-LABEL: define void @merges
; CHECK: %m.base = select i1 %c, ptr addrspace(1) null, ptr addrspace(1) %b
; CHECK: "gc-live"(ptr addrspace(1) %m, ptr addrspace(1) %m.base) ]
; CHECK: call void @use(ptr addrspace(1) %s)
; CHECK: call void @use(ptr addrspace(1) %m.relocated)
; OFF-LABEL: define void @merges
; OFF: "gc-live"({{.*}}ptr addrspace(1) %s
define void @merges(ptr addrspace(1) "cairn-immovable" %a, ptr addrspace(1) %b, ptr addrspace(1) "cairn-immovable" %x, i1 %c, i64 %i) gc "statepoint-example" {
  %d = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %s = select i1 %c, ptr addrspace(1) %d, ptr addrspace(1) %x
  %m = select i1 %c, ptr addrspace(1) %d, ptr addrspace(1) %b
  call void @foo()
  call void @use(ptr addrspace(1) %s)
  call void @use(ptr addrspace(1) %m)
  ret void
}
