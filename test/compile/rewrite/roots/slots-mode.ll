; Slot mode: references live in one area of the frame, told to the collector at each safepoint, and
; nothing is relocated. Wrong: a value that is read from before the last safepoint; two values in one slot
; at a time; a slot for a derived reference, which the collector would take for a base.
; RUN: %cairn opt -p rewrite-statepoints --slots=always -S %s -o %t 2>%t.remarks
; RUN: FileCheck %s <%t
; RUN: FileCheck --check-prefix=REMARK %s <%t.remarks
; RUN: opt -passes='verify,function(verify<safepoint-ir>)' -disable-output %t
; RUN: %cairn verify %t
; RUN: llc -verify-machineinstrs -o /dev/null %t
target triple = "x86_64-unknown-linux-gnu"
declare void @foo()
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)
declare void @tell() "gc-leaf-function"
declare ptr addrspace(1) @make(ptr addrspace(1))
declare void @use(ptr addrspace(1), ptr addrspace(1)) "gc-leaf-function"

; %a is read again after each safepoint, once per block and safepoint, and what does not live over one
; is not stored. The entry stores both slots before the first safepoint, so neither is zeroed. %c has the slot that %b had: %b is dead when it comes.
; REMARK: in function 'shared': 3 references live over 3 safepoints are kept in slots of the frame: asked for [slot-mode]
; CHECK-LABEL: define ptr addrspace(1) @shared
; CHECK: [[S:%.*]] = alloca [2 x ptr addrspace(1)]
; CHECK-NEXT: call void asm sideeffect "", "r,~{memory}"(ptr [[S]])
; CHECK-NEXT: store ptr addrspace(1) %a, ptr [[S]]
; CHECK-NEXT: %n = load ptr addrspace(1), ptr addrspace(1) %a
; CHECK-NEXT: %b = load ptr addrspace(1), ptr addrspace(1) %n
; CHECK-NEXT: [[P:%.*]] = getelementptr inbounds [2 x ptr addrspace(1)], ptr [[S]], i64 0, i64 1
; CHECK-NEXT: store ptr addrspace(1) %b, ptr [[P]]
; CHECK-NEXT: @llvm.experimental.gc.statepoint{{.*}} [ "deopt"(i64 4846245170083810383, i64 1, ptr [[S]], i64 2, i64 8, i64 1, i64 0, i64 7) ]
; CHECK-NEXT: [[P:%.*]] = getelementptr inbounds [2 x ptr addrspace(1)], ptr [[S]], i64 0, i64 1
; CHECK-NEXT: [[B:%.*]] = load ptr addrspace(1), ptr [[P]]
; CHECK-NEXT: @llvm.experimental.gc.statepoint{{.*}}@make{{.*}}ptr addrspace(1) [[B]], i32 0, i32 0) [ "deopt"
; CHECK-NEXT: %c = call ptr addrspace(1) @llvm.experimental.gc.result
; CHECK-NEXT: [[P:%.*]] = getelementptr inbounds [2 x ptr addrspace(1)], ptr [[S]], i64 0, i64 1
; CHECK-NEXT: store ptr addrspace(1) %c, ptr [[P]]
; CHECK-NEXT: [[A:%.*]] = load ptr addrspace(1), ptr [[S]]
; CHECK-NEXT: call void @use(ptr addrspace(1) [[A]], ptr addrspace(1) %c)
; CHECK-NEXT: call void @use(ptr addrspace(1) [[A]], ptr addrspace(1) [[A]])
; CHECK-NEXT: call void @tell()
; CHECK-NEXT: call void @use(ptr addrspace(1) %c, ptr addrspace(1) [[A]])
; CHECK-NEXT: @llvm.experimental.gc.statepoint
; CHECK-NEXT: getelementptr
; CHECK-NEXT: [[C:%.*]] = load
; CHECK-NEXT: ret ptr addrspace(1) [[C]]
define ptr addrspace(1) @shared(ptr addrspace(1) %a) gc "statepoint-example" {
  %n = load ptr addrspace(1), ptr addrspace(1) %a
  %b = load ptr addrspace(1), ptr addrspace(1) %n
  call void @foo()
  %c = call ptr addrspace(1) @make(ptr addrspace(1) %b)
  call void @use(ptr addrspace(1) %a, ptr addrspace(1) %c)
  call void @use(ptr addrspace(1) %a, ptr addrspace(1) %a)
  call void @tell()
  call void @use(ptr addrspace(1) %c, ptr addrspace(1) %a)
  call void @foo()
  ret ptr addrspace(1) %c
}

; %out is used in the loop, %in is not live round it: what looks dead in the order of the blocks is live
; until the loop ends. Phis are stored at their head, their operands read at the end of the edges.
; CHECK-LABEL: define void @loop
; CHECK: [[S:%.*]] = alloca [2 x ptr addrspace(1)]
; CHECK-NEXT: [[P:%.*]] = getelementptr inbounds i8, ptr [[S]], i64 8
; CHECK-NEXT: call void @llvm.memset.p0.i64(ptr align 8 [[P]], i8 0, i64 8, i1 false)
; CHECK: head:
; CHECK-NEXT: %p = phi ptr addrspace(1) [ %out, %entry ], [ %next, %latch ]
; CHECK: store ptr addrspace(1) %p
; CHECK: latch:
; CHECK: [[O:%.*]] = load ptr addrspace(1), ptr [[S]]
; CHECK: call void @use(ptr addrspace(1) [[O]], ptr addrspace(1) %in)
; CHECK: @llvm.experimental.gc.statepoint
; CHECK: %q = load
; CHECK-NEXT: [[P:%.*]] = getelementptr inbounds [2 x ptr addrspace(1)], ptr [[S]], i64 0, i64 1
; CHECK-NEXT: store ptr addrspace(1) %q, ptr [[P]]
; CHECK-NOT: relocate
define void @loop(ptr addrspace(1) %out, i1 %c) gc "statepoint-example" {
entry:
  br label %head
head:
  %p = phi ptr addrspace(1) [ %out, %entry ], [ %next, %latch ]
  call void @foo()
  br label %latch
latch:
  %in = load ptr addrspace(1), ptr addrspace(1) %p
  call void @use(ptr addrspace(1) %out, ptr addrspace(1) %in)
  call void @foo()
  %q = load ptr addrspace(1), ptr addrspace(1) %p
  call void @foo()
  %next = load ptr addrspace(1), ptr addrspace(1) %q
  br i1 %c, label %head, label %end
end:
  ret void
}

; A derived reference is its base and a distance; offsets are computed again.
; CHECK-LABEL: define i64 @derived
; CHECK: alloca [1 x ptr addrspace(1)]
; CHECK: %d = call ptr addrspace(1) @llvm.ptrmask
; CHECK: [[D:%.*]] = sub i64
; CHECK: @llvm.experimental.gc.statepoint
; CHECK: [[A:%.*]] = load ptr addrspace(1), ptr %slots
; CHECK-NEXT: [[E:%.*]] = getelementptr i8, ptr addrspace(1) [[A]], i64 [[D]]
; CHECK-NEXT: [[F:%.*]] = getelementptr i8, ptr addrspace(1) [[E]], i64 8
; CHECK-NEXT: load i64, ptr addrspace(1) [[F]]
define i64 @derived(ptr addrspace(1) %a, i64 %i) gc "statepoint-example" {
  %d = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %a, i64 %i)
  %e = getelementptr i8, ptr addrspace(1) %d, i64 8
  call void @foo()
  %v = load i64, ptr addrspace(1) %e
  ret i64 %v
}

; Deoptimisation state is read when the call has returned: a reference there is listed for the collector,
; and up to date.
; CHECK-LABEL: define void @deopt
; CHECK: [[A:%.*]] = load ptr addrspace(1), ptr %slots
; CHECK-NEXT: @llvm.experimental.gc.statepoint{{.*}} [ "deopt"(ptr addrspace(1) [[A]], {{.*}}), "gc-live"(ptr addrspace(1) [[A]]) ]
define void @deopt(ptr addrspace(1) %a) gc "statepoint-example" {
  call void @foo()
  call void @foo() [ "deopt"(ptr addrspace(1) %a) ]
  ret void
}

; Nothing lives over the safepoint: no area.
; CHECK-LABEL: define void @none
; CHECK-NOT: alloca
define void @none(ptr addrspace(1) %a) gc "statepoint-example" {
  call void @use(ptr addrspace(1) %a, ptr addrspace(1) %a)
  call void @foo()
  ret void
}
