; verify-points compares the description of a point with the record. What would go wrong: a runtime takes the wrong
; number of values, of other classes, or patches another length. Each edit of the right module is one fault.
; RUN: rm -rf %t && mkdir %t && %cairn opt -p rewrite-statepoints,verify-safepoints,describe-points,verify-points -S %s -o %t/right.ll
; RUN: for o in 0 2; do %cairn-cc -O$o -S -emit-llvm %s -o %t/out.ll && %cairn opt -p verify-points --disable-output %t/out.ll || exit 1; done
; RUN: %cairn-cc -O2 -fcairn-safepoints=early -S -emit-llvm %s -o %t/out.ll && %cairn opt -p verify-points --disable-output %t/out.ll
; DEFINE: %{edit} =
; DEFINE: %{says} =
; DEFINE: %{refuse} = sed %{edit} %t/right.ll > %t/bad.ll && not cmp -s %t/right.ll %t/bad.ll && not %cairn opt -p verify-points --disable-output %t/bad.ll 2>&1 | FileCheck --check-prefix=%{says} %s
; A class, of a value or too much.
; REDEFINE: %{says} = LENGTH
; REDEFINE: %{edit} = 's/i64 0, i64 16384, i64 16387, i64 6)/i64 0, i64 16384, i64 6)/'
; RUN: %{refuse}
; LENGTH: the description of the point at {{.*}} has another length than it says [point-description]
; REDEFINE: %{says} = FEW
; REDEFINE: %{edit} = 's/i64 0, i64 16384, i64 16387, i64 6)/i64 0, i64 16384, i64 5)/'
; RUN: %{refuse}
; FEW: the description of the point at {{.*}} lacks the class of a value [point-description]
; REDEFINE: %{says} = MANY
; REDEFINE: %{edit} = 's/i64 0, i64 16384, i64 16387, i64 6)/i64 0, i64 16384, i64 16387, i64 16384, i64 7)/'
; RUN: %{refuse}
; MANY: the description of the point at {{.*}} has more classes than there are values [point-description]
; REDEFINE: %{says} = CLASS
; REDEFINE: %{edit} = 's/i64 0, i64 16384, i64 16387, i64 6)/i64 0, i64 16384, i64 16386, i64 6)/'
; RUN: %{refuse}
; REDEFINE: %{edit} = 's/i64 0, i64 16384, i64 16387, i64 6)/i64 0, i64 8192, i64 16387, i64 6)/'
; RUN: %{refuse}
; CLASS: the description of the point at {{.*}} has another class for a value [point-description]
; Lost or doubled.
; REDEFINE: %{says} = LOST
; REDEFINE: %{edit} = 's/ptr addrspace(1) %r[.0-9a-z]*, i64 4846245170335664462, i64 0, i64 8, .*/ptr addrspace(1) null)/'
; RUN: %{refuse}
; REDEFINE: %{edit} = 's/"deopt"(i64 %n, i64 4846.* i64 5)/"deopt"(i64 %n)/'
; RUN: %{refuse}
; LOST: the description of the point at {{.*}} is missing [point-description]
; REDEFINE: %{says} = TWICE
; REDEFINE: %{edit} = 's/i64 4846245170335664462, i64 0, i64 8, i64 0, i64 16384/&, i64 4846245170335664462/'
; RUN: %{refuse}
; TWICE: the description of the point at {{.*}} is there twice [point-description]
; Bytes, kind and result.
; REDEFINE: %{says} = BYTES
; REDEFINE: %{edit} = 's/i64 4846245170335664462, i64 0, i64 8, /i64 4846245170335664462, i64 0, i64 9, /'
; RUN: %{refuse}
; REDEFINE: %{edit} = 's/i64 4846245170335664462, i64 2, i64 5, /i64 4846245170335664462, i64 2, i64 6, /'
; RUN: %{refuse}
; BYTES: the description of the point at {{.*}} has another number of bytes or arguments than the call [point-description]
; REDEFINE: %{says} = KIND
; REDEFINE: %{edit} = 's/i64 4846245170335664462, i64 0, i64 8, /i64 4846245170335664462, i64 3, i64 8, /'
; RUN: %{refuse}
; KIND: the description of the point at {{.*}} is of another kind [point-description]
; REDEFINE: %{says} = RESULT
; REDEFINE: %{edit} = 's/i64 4846245170335664462, i64 4294970625, /i64 4846245170335664462, i64 3329, /'
; RUN: %{refuse}
; RESULT: the description of the point at {{.*}} disagrees with the call about a result [point-description]
; LLVM's own readers need no description of a statepoint.
; RUN: sed '/gc.statepoint/s/, i64 4846245170335664462[^)]*)/)/' %t/right.ll > %t/pairs.ll && not cmp -s %t/right.ll %t/pairs.ll && %cairn opt -p verify-points --roots=pairs --disable-output %t/pairs.ll
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare void @g()

define i64 @f(i64 %n, ptr addrspace(1) %r) gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 8, i64 %n, ptr addrspace(1) %r)
  call void @g() "statepoint-num-patch-bytes"="5" [ "deopt"(i64 %n) ]
  %v = call anyregcc i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 2, i32 15, ptr null, i32 1, ptr addrspace(1) %r, i64 undef)
  %w = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 3, i32 15, ptr null, i32 1, i64 %v)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 4, i32 0)
  ret i64 %w
}
