; The marker of C becomes a patchpoint of convention anyregcc, before the optimiser runs.
; RUN: %cairn opt -p prepare -S %s -o - | FileCheck %s
; RUN: sed 's/declare i64 @cairn.patchpoint(i64, i32, ptr, i32, ...)/declare i64 @cairn.patchpoint(i64, ...)/' %s > %t.ll && \
; RUN:   not %cairn opt -p prepare -S %t.ll -o - 2>&1 | FileCheck --check-prefix=BAD %s
; CHECK: define i64 @find(
; CHECK: call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 7, i32 144, ptr null, i32 1, i64 %key)
; CHECK-NOT: cairn.patchpoint
; BAD: error: {{.*}}@cairn.patchpoint is not declared as in <cairn/patched_cache.h> [patch-point]
declare i64 @cairn.patchpoint(i64, i32, ptr, i32, ...)

define i64 @find(i64 %key) gc "statepoint-example" {
  %found = call i64 (i64, i32, ptr, i32, ...) @cairn.patchpoint(i64 7, i32 144, ptr null, i32 1, i64 %key)
  ret i64 %found
}
