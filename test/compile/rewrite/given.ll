; Statepoints that a front end wrote are judged by the table of those that Cairn makes: by the first pass
; of every pipeline, before the optimiser; by the rewriter alone; by pass transitions. Wrong: LLVM's release build
; drops bundles and operands in silence, records a first field, or ends the process. Shapes here are harmless.
; RUN: not %cairn opt -p rules -S %s 2>&1 | FileCheck --implicit-check-not="function 'right" %s
; RUN: not %cairn opt -p rewrite-statepoints -S %s 2>&1 | FileCheck --implicit-check-not="function 'right" %s
; RUN: not %cairn opt -p transitions -S %s 2>&1 | FileCheck --implicit-check-not="function 'right" %s
; RUN: not %cairn-cc -O2 -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not="function 'right" %s
; RUN: not %cairn-cc -O2 -fcairn-safepoints=early -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not="function 'right" %s
; RUN: not %cairn-cc -O0 -fcairn-safepoints=none -c %s -o /dev/null 2>&1 | FileCheck --implicit-check-not="function 'right" %s

declare void @foo()
declare void @copy(ptr byval({ptr addrspace(1)}))
declare i32 @setjmp(ptr) returns_twice
declare {i64, i64, i64, i64} @big()
declare x86_fp80 @long_double()
declare void @llvm.experimental.guard(i1, ...)
declare i64 @llvm.experimental.deoptimize.i64(...)
declare i1 @llvm.experimental.widenable.condition()
declare token @llvm.experimental.gc.statepoint.p0(i64 immarg, i32 immarg, ptr, i32 immarg, i32 immarg, ...)
declare token @llvm.experimental.gc.statepoint.p3(i64 immarg, i32 immarg, ptr addrspace(3), i32 immarg, i32 immarg, ...)

; CHECK-DAG: function 'pair'{{.*}}[deopt-aggregate]
define void @pair({i64, i64} %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 1, {i64, i64} %v) ]
  ret void
}
; CHECK-DAG: function 'array'{{.*}}[deopt-aggregate]
define void @array([1 x i64] %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"([1 x i64] %v) ]
  ret void
}
; CHECK-DAG: function 'wide'{{.*}}[deopt-aggregate]
define void @wide(i192 %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i192 %v) ]
  ret void
}
; CHECK-DAG: function 'lanes'{{.*}}[deopt-aggregate]
define void @lanes(<8 x i32> %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(<8 x i32> %v) ]
  ret void
}
; CHECK-DAG: function 'bits'{{.*}}[deopt-aggregate]
define void @bits(<8 x i1> %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(<8 x i1> %v) ]
  ret void
}
; CHECK-DAG: function 'references'{{.*}}[deopt-aggregate]
define void @references(<2 x ptr addrspace(1)> %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(<2 x ptr addrspace(1)> %v) ]
  ret void
}
; CHECK-DAG: function 'quadruple'{{.*}}[deopt-aggregate]
define void @quadruple(fp128 %v, ppc_fp128 %w) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(fp128 %v, ppc_fp128 %w) ]
  ret void
}
; CHECK-DAG: function 'tile'{{.*}}[deopt-aggregate]
define void @tile() gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(x86_amx undef) ]
  ret void
}
; What LLVM records whole is not refused.
define void @right_types(i1 %b, i128 %i, bfloat %h, x86_fp80 %l, <4 x i32> %v, ptr addrspace(1) %p) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i1 %b, i128 %i, bfloat %h, x86_fp80 %l, <4 x i32> %v, ptr addrspace(1) %p, i64 undef, <4 x i32> poison, ptr @foo, ptr null) ]
  ret void
}

; LLVM makes a record of any call with deoptimisation state, also where nothing is managed.
; CHECK-DAG: function 'leaf'{{.*}}[deopt-aggregate]
define void @leaf({i64, i64} %v) gc "statepoint-example" {
  call void @foo() "gc-leaf-function" [ "deopt"({i64, i64} %v) ]
  ret void
}
; CHECK-DAG: function 'jump'{{.*}}[deopt-aggregate]
define void @jump({i64, i64} %v) gc "statepoint-example" {
  musttail call void @leaf({i64, i64} %v) [ "deopt"({i64, i64} %v) ]
  ret void
}
; CHECK-DAG: function 'guarded'{{.*}}[deopt-aggregate]
define void @guarded(i1 %c, {i64, i64} %v) gc "statepoint-example" {
  call void (i1, ...) @llvm.experimental.guard(i1 %c) [ "deopt"({i64, i64} %v) ]
  ret void
}
; CHECK-DAG: function 'deoptimises'{{.*}}[deopt-aggregate]
define i64 @deoptimises(i1 %c, {i64, i64} %v) gc "statepoint-example" {
  %w = call i1 @llvm.experimental.widenable.condition()
  %d = and i1 %c, %w
  br i1 %d, label %on, label %off
on:
  ret i64 0
off:
  %r = call i64 (...) @llvm.experimental.deoptimize.i64(i32 5) [ "deopt"({i64, i64} %v) ]
  ret i64 %r
}
define i64 @right_guard(i1 %c, i64 %v) gc "statepoint-example" {
  %w = call i1 @llvm.experimental.widenable.condition()
  call void (i1, ...) @llvm.experimental.guard(i1 %c) [ "deopt"(i64 %v) ]
  br i1 %w, label %on, label %off
on:
  ret i64 0
off:
  %r = call i64 (...) @llvm.experimental.deoptimize.i64(i32 5) [ "deopt"(i64 %v) ]
  ret i64 %r
}

; CHECK-DAG: function 'bundle'{{.*}}lose this one: kcfi [operand-bundle]
define void @bundle() gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "kcfi"(i32 5) ]
  ret void
}
; CHECK-DAG: function 'number'{{.*}}[live-operands]
define void @number(i64 %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(i64 %v) ]
  ret void
}
; CHECK-DAG: function 'with_number'{{.*}}[live-operands]
define void @with_number({ptr addrspace(1), i64} %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"({ptr addrspace(1), i64} %v) ]
  ret void
}
define void @right_live(ptr addrspace(1) %p, <2 x ptr addrspace(1)> %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %p, <2 x ptr addrspace(1)> %v, ptr addrspace(1) null, ptr addrspace(1) undef) ]
  ret void
}
; CHECK-DAG: function 'copies'{{.*}}[byval-reference]
define void @copies(ptr %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void (ptr)) @copy, i32 1, i32 0, ptr byval({ptr addrspace(1)}) %v, i32 0, i32 0)
  ret void
}
; CHECK-DAG: function 'registers'{{.*}}convention 10 [statepoint-convention]
define void @registers() gc "statepoint-example" {
  call cc 10 token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  ret void
}
; CHECK-DAG: function 'far'{{.*}}[callee-address-space]
define void @far(ptr addrspace(3) %f) gc "statepoint-example" {
  call token (i64, i32, ptr addrspace(3), i32, i32, ...) @llvm.experimental.gc.statepoint.p3(i64 7, i32 0, ptr addrspace(3) elementtype(void ()) %f, i32 0, i32 0, i32 0, i32 0)
  ret void
}
; CHECK-DAG: function 'twice'{{.*}}[returns-twice]
define void @twice(ptr %v) gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(i32 (ptr)) @setjmp, i32 1, i32 0, ptr %v, i32 0, i32 0)
  ret void
}
; CHECK-DAG: function 'large'{{.*}}[large-result]
define void @large() gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype({i64, i64, i64, i64} ()) @big, i32 0, i32 0, i32 0, i32 0)
  ret void
}
; CHECK-DAG: function 'x87'{{.*}}[large-result]
define void @x87() gc "statepoint-example" {
  call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 7, i32 0, ptr elementtype(x86_fp80 ()) @long_double, i32 0, i32 0, i32 0, i32 0)
  ret void
}
