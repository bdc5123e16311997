; With --roots=pairs, references that live into landing pads are relocated there by the pad's token: each invoke gets a
; pad of its own. Wrong: a pad that two statepoints share, a reference in a pad from before the call, a pair that the
; stack map does not have.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --roots=pairs -S %s -o %t.ll
; RUN: FileCheck %s < %t.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
; RUN: for o in 0 2; do llc -O$o -verify-machineinstrs -filetype=obj %t.ll -o %t.o && llvm-readobj --stackmap %t.o | FileCheck --check-prefix=MAP %s || exit 1; done
; RUN: %build/test/cairn-mutate %t.ll | FileCheck --check-prefix=MUTANTS %s
; RUN: for w in constants immovable recompute share-bases liveness dead-operands sink \
; RUN:     constants,immovable,recompute,share-bases,liveness,dead-operands,sink; do \
; RUN:   %cairn opt -p rewrite-statepoints,verify-safepoints --roots=pairs --without=$w -S %s -o %t.w.ll && \
; RUN:   opt -passes='verify,verify<safepoint-ir>' -disable-output %t.w.ll && \
; RUN:   llc -O2 -verify-machineinstrs %t.w.ll -o /dev/null || exit 1; done
; Optimised afterwards, the pads are what they were.
; RUN: %cairn opt -p rewrite-statepoints,'default<O2>',verify-safepoints --roots=pairs --safepoints=early -S %s -o %t.early.ll
; RUN: opt -passes='verify<safepoint-ir>' -disable-output %t.early.ll && llc -O2 -verify-machineinstrs %t.early.ll -o /dev/null
; The verifier knows pads' tokens: an index of another value, and what was not relocated.
; RUN: sed 's/\(token %%[0-9]*, i32 \)1, i32 1) ; (%%d, %%d)/\10, i32 1)/' %t.ll > %t.index.ll
; RUN: not %cairn verify %t.index.ll 2>&1 | FileCheck --check-prefix=INDEX %s
; RUN: sed 's/ret ptr addrspace(1) %%d.relocated$/ret ptr addrspace(1) %%d/' %t.ll > %t.stale.ll
; RUN: not %cairn verify %t.stale.ll 2>&1 | FileCheck --check-prefix=STALE %s
; MUTANTS: stale-use {{ *[1-9][0-9]*}} mutants
; MUTANTS: other-base {{ *[1-9][0-9]*}} mutants
; MUTANTS: other-derived {{ *[1-9][0-9]*}} mutants
; MUTANTS: all: {{[1-9][0-9][0-9]}} mutants, 0 missed
; INDEX: error: in function 'simple': {{.*}}[wrong-base]
; STALE: error: in function 'simple': %d is used after the object may have moved at the call to @foo{{.*}}[stale-reference]

declare void @foo()
declare ptr addrspace(1) @next(ptr addrspace(1))
declare i32 @personality(...)
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare void @leaf() "gc-leaf-function"

; %d is needed in the pad alone, and is a pair like the rest.
; CHECK-LABEL: define ptr addrspace(1) @simple
; CHECK: [[S:%.*]] = invoke token {{.*}} [ "gc-live"(ptr addrspace(1) %p, ptr addrspace(1) %d) ]
; CHECK-NEXT: to label %ok unwind label %[[OWN:.*]]
; CHECK: {{^}}ok:
; CHECK-NEXT: [[P:%.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[S]], i32 0, i32 0)
; CHECK-NEXT: ret ptr addrspace(1) [[P]]
; CHECK: {{^}}[[OWN]]:
; CHECK-NEXT: [[T:%.*]] = landingpad token
; CHECK-NEXT: cleanup
; CHECK-DAG: [[D:%.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T]], i32 1, i32 1)
; CHECK-DAG: [[I:%.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T]], i32 0, i32 0)
; CHECK: br label %pad
; CHECK: {{^}}pad:
; CHECK-NEXT: [[G:%.*]] = getelementptr i8, ptr addrspace(1) [[I]], i64 16
; CHECK-NEXT: call void @use(ptr addrspace(1) [[G]])
; CHECK-NEXT: ret ptr addrspace(1) [[D]]
; MAP: 7 locations:
; MAP-NEXT: Constant
; MAP-NEXT: Constant
; MAP-NEXT: Constant 0
; MAP-NEXT: Indirect
; MAP-NEXT: Indirect
; MAP-NEXT: Indirect
; MAP-NEXT: Indirect
; MAP-NEXT: 0 live-outs
define ptr addrspace(1) @simple(ptr addrspace(1) %p, ptr addrspace(1) %d) gc "statepoint-example" personality ptr @personality {
  %i = getelementptr i8, ptr addrspace(1) %p, i64 16
  invoke void @foo() to label %ok unwind label %pad
ok:
  ret ptr addrspace(1) %p
pad:
  %l = landingpad { ptr, i32 } cleanup
  call void @use(ptr addrspace(1) %i)
  ret ptr addrspace(1) %d
}

; Three invokes, one of a leaf, share a pad with phis: three pads with the clauses of the one, which go on to it.
; CHECK-LABEL: define ptr addrspace(1) @shared
; CHECK: invoke token {{.*}}
; CHECK-NEXT: to label %ok unwind label %[[ONE:.*]]
; CHECK: invoke token {{.*}}
; CHECK-NEXT: to label %out unwind label %[[TWO:.*]]
; CHECK: {{^}}out:
; CHECK: invoke void @leaf()
; CHECK-NEXT: to label %last unwind label %[[LEAF:.*]]
; CHECK: {{^}}[[LEAF]]:
; CHECK-NEXT: landingpad token
; CHECK-NEXT: cleanup
; CHECK-NEXT: catch ptr null
; CHECK-NEXT: br label %pad
; CHECK: {{^}}[[TWO]]:
; CHECK-NEXT: [[T2:%.*]] = landingpad token
; CHECK-NEXT: cleanup
; CHECK-NEXT: catch ptr null
; CHECK: [[Q2:%.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T2]], i32 1, i32 1)
; CHECK: {{^}}[[ONE]]:
; CHECK-NEXT: [[T1:%.*]] = landingpad token
; CHECK: [[P1:%.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[T1]], i32 0, i32 0)
; CHECK: {{^}}pad:
; CHECK-NOT: landingpad
; CHECK: %v = phi ptr addrspace(1) [ [[P1]], %[[ONE]] ], [ [[Q2]], %[[TWO]] ], [ null, %[[LEAF]] ]
; CHECK-NEXT: %k = phi i64 [ 1, %[[ONE]] ], [ 2, %[[TWO]] ], [ 3, %[[LEAF]] ]
define ptr addrspace(1) @shared(ptr addrspace(1) %p, ptr addrspace(1) %q, i64 %n) gc "statepoint-example" personality ptr @personality {
e:
  %d = getelementptr i8, ptr addrspace(1) %p, i64 %n
  invoke void @foo() to label %ok unwind label %pad
ok:
  invoke void @foo() to label %out unwind label %pad
out:
  invoke void @leaf() to label %last unwind label %pad
last:
  br label %join
pad:
  %v = phi ptr addrspace(1) [ %p, %e ], [ %q, %ok ], [ null, %out ]
  %k = phi i64 [ 1, %e ], [ 2, %ok ], [ 3, %out ]
  %l = landingpad { ptr, i32 } cleanup catch ptr null
  %at = getelementptr i8, ptr addrspace(1) %v, i64 %k
  call void @use(ptr addrspace(1) %at)
  call void @use(ptr addrspace(1) %d)
  br label %join
join:
  %r = phi ptr addrspace(1) [ %q, %last ], [ %v, %pad ]
  call void @foo()
  call void @use(ptr addrspace(1) %d)
  ret ptr addrspace(1) %r
}

; Of type token from the start; in a loop, and with a safepoint in the pad that has a pad itself.
; CHECK-LABEL: define ptr addrspace(1) @loop
; CHECK: landingpad token
; CHECK: landingpad token
; CHECK-NOT: landingpad
; CHECK-LABEL: define i64 @derived
define ptr addrspace(1) @loop(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @personality {
  br label %head
head:
  %q = phi ptr addrspace(1) [ %p, %0 ], [ %n, %again ]
  %n = invoke ptr addrspace(1) @next(ptr addrspace(1) %q) to label %again unwind label %pad
again:
  br label %head
pad:
  %l = landingpad token cleanup
  invoke void @foo() to label %out unwind label %pad2
out:
  ret ptr addrspace(1) %q
pad2:
  %l2 = landingpad token cleanup
  ret ptr addrspace(1) %p
}

; A derived pointer that nothing computes again has a pair of its own, with a base of its own; a vector is split.
; CHECK: %d.base = phi
; CHECK: invoke token {{.*}} "gc-live"({{.*}}ptr addrspace(1) %d, {{.*}}ptr addrspace(1) %d.base
; CHECK: landingpad token
; CHECK: landingpad token
; CHECK: gc.relocate.p1(token {{%.*}}, i32 {{[0-9]}}, i32 1) ; (%d.base, %d)
define i64 @derived(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %c, <2 x ptr addrspace(1)> %v) gc "statepoint-example" personality ptr @personality {
  %a = getelementptr i8, ptr addrspace(1) %p, i64 8
  br i1 %c, label %x, label %y
x:
  br label %y
y:
  %d = phi ptr addrspace(1) [ %a, %x ], [ %q, %0 ]
  %s = select i1 %c, ptr addrspace(1) %d, ptr addrspace(1) null
  %r = invoke ptr addrspace(1) @next(ptr addrspace(1) %d) to label %ok unwind label %pad
ok:
  %r2 = invoke ptr addrspace(1) @next(ptr addrspace(1) %r) to label %ok2 unwind label %pad
ok2:
  ret i64 0
pad:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractelement <2 x ptr addrspace(1)> %v, i32 1
  call void @use(ptr addrspace(1) %e)
  call void @foo()
  %w = load i64, ptr addrspace(1) %d
  %nn = icmp eq ptr addrspace(1) %s, null
  %z = zext i1 %nn to i64
  %t = add i64 %w, %z
  ret i64 %t
}
