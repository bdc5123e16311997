; The code generator checks none of this: it ends the process, never ends, or records something else. Each flaw is named
; before the code generator runs.
; RUN: not %cairn opt -p describe-points --disable-output %s 2>&1 | FileCheck %s
; RUN: not %cairn opt -p describe-points --disable-output %s 2>&1 | grep -c 'patch-point' | grep -qx 32
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare i128 @llvm.experimental.patchpoint.i128(i64, i32, ptr, i32, ...)
declare {i64, i64} @llvm.experimental.patchpoint.sl_i64i64s(i64, i32, ptr, i32, ...)
declare void @target()
define void @managed() gc "statepoint-example" {
  ret void
}

; stackmaps-v2, "Stack Map Format": values whose records LLVM 22 gets wrong.
; CHECK: 'values': call to @llvm.experimental.stackmap: a live value is an integer of more than 64 bits, of which LLVM 22 records a part, or another number in each compilation: pass its words [patch-point]
; CHECK: 'values': {{.*}} a live value is a long double, which LLVM 22 leaves out of the record, so that later values take its place: pass a pointer to it [patch-point]
; CHECK: 'values': {{.*}} a live value is a bfloat, which LLVM 22 records as an integer: pass an i16, by bitcast [patch-point]
; CHECK: 'values': {{.*}} a live value is a value that is neither a number nor a pointer [patch-point]
; CHECK: 'values': {{.*}} a live value is an aggregate, of which LLVM 22 records the first field: pass the fields, by extractvalue [patch-point]
; CHECK: 'values': {{.*}} a live value is an aggregate, {{.*}} [patch-point]
; CHECK: 'values': {{.*}} a live value is a vector, whose form in the record depends on the target: pass its elements, by extractelement [patch-point]
; CHECK: 'values': {{.*}} a live value is a vector, {{.*}} [patch-point]
; CHECK: 'values': {{.*}} a live value is a vector, {{.*}} [patch-point]
; CHECK: 'values': {{.*}} a live value is an integer of more than 64 bits, {{.*}} [patch-point]
define void @values(i65 %a, x86_fp80 %b, bfloat %c, fp128 %d, {i64, i64} %e, [1 x i64] %f, <2 x i64> %g, <vscale x 2 x i64> %h, <2 x ptr addrspace(1)> %i) gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0, i65 %a, x86_fp80 %b, bfloat %c, fp128 %d, {i64, i64} %e, [1 x i64] %f, <2 x i64> %g, <vscale x 2 x i64> %h, <2 x ptr addrspace(1)> %i)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0, i128 -1)
  ret void
}

; CHECK: 'results': call to @llvm.experimental.patchpoint.i128: its result is an integer of more than 64 bits
; CHECK: 'results': {{.*}} its result is an aggregate
; CHECK: 'results': {{.*}} an argument is a vector
; CHECK: 'results': {{.*}} an argument has the attribute byval
; CHECK: 'results': {{.*}} an argument has the attribute inreg
; CHECK: 'results': {{.*}} a value is the constant by which Cairn finds the description of points
define void @results(<2 x i64> %v, ptr %p) gc "statepoint-example" {
  %a = call i128 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i128(i64 1, i32 0, ptr null, i32 0)
  %b = call {i64, i64} (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.sl_i64i64s(i64 1, i32 0, ptr null, i32 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 0, ptr null, i32 1, <2 x i64> %v)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 0, ptr null, i32 2, ptr byval([8 x i64]) %p, ptr inreg %p)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 0, ptr null, i32 0, i64 4846245170335664462, ptr %p)
  ret void
}

; stackmaps-v2, "llvm.experimental.patchpoint": "the client must ensure that <numBytes> is enough to encode a call".
; CHECK: 'sizes': call to @llvm.experimental.patchpoint.void: 12 bytes are reserved, and the call of its target takes 13 [patch-point]
; CHECK: 'sizes': {{.*}} 0 bytes are reserved, and the call of its target takes 13
; CHECK: 'sizes': {{.*}} 65536 bytes are reserved, and at most 65535 can be
; CHECK: 'sizes': {{.*}} 4294967295 bytes are reserved, and at most 65535 can be
; CHECK: 'sizes': call to @llvm.experimental.stackmap: 4097 bytes are reserved, and at most 4096 can be
define void @sizes() gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 12, ptr @target, i32 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 0, ptr inttoptr (i64 77 to ptr), i32 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 65536, ptr null, i32 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 -1, ptr null, i32 0)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 4097)
  ret void
}

; CHECK: 'targets': {{.*}} its target varies, or is not a symbol, a number or null
; CHECK: 'targets': {{.*}} its target varies
; CHECK: 'targets': {{.*}} its target is a managed function, which may collect: use a patchable statepoint ("statepoint-num-patch-bytes")
define void @targets(ptr %t, i64 %n) gc "statepoint-example" {
  %c = inttoptr i64 %n to ptr
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 16, ptr %t, i32 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 16, ptr %c, i32 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 16, ptr @managed, i32 0)
  ret void
}

; CHECK: 'counts': {{.*}} it announces 3 arguments, and has 2 values
; CHECK: 'counts': {{.*}} 14 arguments of anyregcc, and registers suffice for 13
define void @counts(i64 %a) gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 0, ptr null, i32 3, i64 1, i64 2)
  call anyregcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 0, ptr null, i32 14, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a, i64 %a)
  ret void
}

; CHECK: 'calls': {{.*}} calling convention 10; a point has ccc, fastcc, coldcc, anyregcc, preserve_mostcc or preserve_allcc
; CHECK: 'calls': {{.*}} calling convention 18;
; CHECK: 'calls': {{.*}} it has an operand bundle, which LLVM 22 loses
define void @calls() gc "statepoint-example" {
  call ghccc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 0, ptr null, i32 0)
  call tailcc void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 0, ptr null, i32 0)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0) [ "deopt"(i32 1) ]
  ret void
}

; CHECK: 'unmanaged': {{.*}} it is in an unmanaged function, whose frames Cairn does not record
define void @unmanaged() {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0)
  ret void
}

; CHECK: 'loads': {{.*}} speculative load hardening would change the code of the region
define void @loads() speculative_load_hardening gc "statepoint-example" {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0)
  ret void
}

; CHECK: 'thunks': {{.*}} its call is indirect, and would not go through the function's thunk
define void @thunks() "target-features"="+retpoline" gc "statepoint-example" {
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 13, ptr @target, i32 0)
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 1, i32 0)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 1, i32 13, ptr null, i32 0)
  ret void
}
