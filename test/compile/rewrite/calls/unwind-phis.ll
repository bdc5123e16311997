; Phis of references at the head of landing pads become slots, stored before each invoke. Wrong: their
; operands are read after the call threw and the objects moved; a derived one is in a slot itself, where
; the collector takes it for a base.
; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t
; RUN: FileCheck %s <%t
; RUN: opt -passes='verify,function(verify<safepoint-ir>)' -disable-output %t
; RUN: %cairn verify %t
; RUN: llc -verify-machineinstrs -O0 -o /dev/null %t
; RUN: llc -verify-machineinstrs -max-registers-for-gc-values=256 -fixup-allow-gcptr-in-csr -o /dev/null %t
target triple = "x86_64-unknown-linux-gnu"
declare void @foo(ptr addrspace(1))
declare void @leaf(ptr addrspace(1)) "gc-leaf-function"
declare ptr addrspace(1) @leafmake() "gc-leaf-function"
declare ptr addrspace(1) @make()
declare <2 x ptr addrspace(1)> @vec()
declare {ptr addrspace(1), i32} @pair()
declare i32 @__gxx_personality_v0(...)
declare void @use(ptr addrspace(1), ptr addrspace(1))
declare void @use2(<2 x ptr addrspace(1)>)

; CHECK-LABEL: define ptr addrspace(1) @phis
; CHECK-DAG: [[S:%.*]] = alloca [2 x ptr addrspace(1)]
; CHECK-DAG: [[D:%.*]] = alloca [2 x i64]
; CHECK: store ptr addrspace(1) %a, ptr [[S]]
; CHECK: store i64 {{%.*}}, ptr [[D]]
; CHECK: invoke token {{.*}}@llvm.experimental.gc.statepoint{{.*}}@foo
; CHECK: store ptr addrspace(1) %b.relocated, ptr [[S]]
; CHECK: store i64 0, ptr [[D]]
; CHECK: invoke token {{.*}}@llvm.experimental.gc.statepoint{{.*}}@make
; CHECK: store ptr addrspace(1) null, ptr [[S]]
; CHECK: invoke token {{.*}}@llvm.experimental.gc.statepoint{{.*}}@foo
; CHECK: invoke void @leaf(
; CHECK: pad:
; CHECK-NOT: phi
; CHECK: catch ptr null
; CHECK-NEXT: [[P:%.*]] = load ptr addrspace(1), ptr [[S]]
; CHECK: [[B:%.*]] = load ptr addrspace(1)
; CHECK-NEXT: [[N:%.*]] = load i64, ptr [[D]]
; CHECK-NEXT: [[Q:%.*]] = getelementptr i8, ptr addrspace(1) [[B]], i64 [[N]]
; CHECK: @use, {{.*}}ptr addrspace(1) [[P]], ptr addrspace(1) [[Q]],
; CHECK-LABEL: join:
define ptr addrspace(1) @phis(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %i) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  invoke void @foo(ptr addrspace(1) %b) to label %ok unwind label %pad
ok:
  %r = invoke ptr addrspace(1) @make() to label %ok2 unwind label %pad
ok2:
  %v = load ptr addrspace(1), ptr addrspace(1) %r
  invoke void @foo(ptr addrspace(1) %v) to label %ok3 unwind label %pad
ok3:
  invoke void @leaf(ptr addrspace(1) %v) to label %join unwind label %pad
pad:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %b, %ok ], [ null, %ok2 ], [%v, %ok3]
  %q = phi ptr addrspace(1) [ %d, %entry ], [ %a, %ok ], [%r, %ok2], [%v, %ok3]
  %s = phi ptr addrspace(1) [ %d, %entry ], [ %a, %ok ], [%a, %ok2], [%d, %ok3]
  %l = landingpad {ptr, i32} catch ptr null
  call void @use(ptr addrspace(1) %p, ptr addrspace(1) %q)
  call void @use(ptr addrspace(1) %p, ptr addrspace(1) %s)
  br label %join
join:
  %x = phi ptr addrspace(1) [ %v, %ok3 ], [ %q, %pad ]
  call void @use(ptr addrspace(1) %x, ptr addrspace(1) %a)
  ret ptr addrspace(1) %x
}

; Vectors are split on the way.
; CHECK-LABEL: define <2 x ptr addrspace(1)> @vectors
; CHECK: %v = call <2 x ptr addrspace(1)> @llvm.experimental.gc.result
; CHECK-NEXT: extractelement
; CHECK: pad:
; CHECK-NOT: phi
; CHECK: landingpad
; CHECK: load ptr addrspace(1)
; CHECK: load ptr addrspace(1)
define <2 x ptr addrspace(1)> @vectors(ptr addrspace(1) %a, <2 x ptr addrspace(1)> %w) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  %v = invoke <2 x ptr addrspace(1)> @vec() to label %ok unwind label %pad
ok:
  invoke void @use2(<2 x ptr addrspace(1)> %v) to label %ok2 unwind label %pad
ok2:
  %lv = invoke <2 x ptr addrspace(1)> @vec() to label %join unwind label %pad2
pad:
  %p = phi <2 x ptr addrspace(1)> [ %w, %entry ], [ %v, %ok ]
  %l = landingpad {ptr, i32} catch ptr null
  call void @foo(ptr addrspace(1) %a)
  br label %join
join:
  %x = phi <2 x ptr addrspace(1)> [ %p, %pad ], [ %lv, %ok2 ]
  call void @use2(<2 x ptr addrspace(1)> %x)
  ret <2 x ptr addrspace(1)> %x
pad2:
  %l2 = landingpad {ptr, i32} cleanup
  call void @use2(<2 x ptr addrspace(1)> %v)
  resume {ptr, i32} %l2
}
