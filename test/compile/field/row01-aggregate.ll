; Field row 1: a first-class aggregate that holds a reference, live over a call. LLVM 22 lists nothing
; and uses the old reference after the call; ours takes the aggregate apart and relocates what is in it.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify,verify<safepoint-ir>' -disable-output
; RUN: opt -passes=rewrite-statepoints-for-gc -S %s | FileCheck --check-prefix=LLVM %s
; RUN: opt -passes=rewrite-statepoints-for-gc %s | not %cairn verify - 2>&1 | FileCheck --check-prefix=LOST %s
; LLVM: @foo, i32 0, i32 0, i32 0, i32 0){{$}}
; LOST: [stale-reference]
declare void @foo()
; CHECK: "gc-live"(ptr addrspace(1) %
; CHECK: gc.relocate
define {ptr addrspace(1), i64} @f({ptr addrspace(1), i64} %pair) gc "statepoint-example" {
  call void @foo()
  ret {ptr addrspace(1), i64} %pair
}
