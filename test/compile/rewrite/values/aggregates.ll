; Vectors of references and aggregates that hold them are split, so that only scalars are live over
; a safepoint. Wrong: an aggregate that is live as a whole is silently not relocated; a base lost
; through it moves a derived pointer away.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare {ptr addrspace(1), i64} @pair()
declare void @takes({ptr addrspace(1), i64})
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: define { ptr addrspace(1), i64 } @call
; CHECK: [[P:%.*]] = call { ptr addrspace(1), i64 } @llvm.experimental.gc.result
; CHECK-NEXT: [[R:%.*]] = extractvalue { ptr addrspace(1), i64 } [[P]], 0
; CHECK-NEXT: [[N:%.*]] = extractvalue { ptr addrspace(1), i64 } [[P]], 1
; CHECK: "gc-live"(ptr addrspace(1) [[R]]) ]
; CHECK-NEXT: [[R2:%.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate
; CHECK: [[I:%.*]] = insertvalue { ptr addrspace(1), i64 } poison, ptr addrspace(1) [[R2]], 0
; CHECK: [[J:%.*]] = insertvalue { ptr addrspace(1), i64 } [[I]], i64 [[N]], 1
; CHECK: ret { ptr addrspace(1), i64 } [[J]]
define {ptr addrspace(1), i64} @call() gc "statepoint-example" {
  %p = call {ptr addrspace(1), i64} @pair()
  call void @foo()
  ret {ptr addrspace(1), i64} %p
}

; Lanes of a loaded vector, over a loop.
; CHECK-LABEL: define <2 x ptr addrspace(1)> @vector
; CHECK: load <2 x ptr addrspace(1)>
; CHECK-NEXT: extractelement
; CHECK-NEXT: extractelement
; CHECK: phi ptr addrspace(1)
; CHECK: phi ptr addrspace(1)
; CHECK-NOT: phi <2
; CHECK: "gc-live"(ptr addrspace(1) {{.*}}, ptr addrspace(1) {{.*}}) ]
; CHECK: ret <2 x ptr addrspace(1)>
define <2 x ptr addrspace(1)> @vector(ptr addrspace(1) %a, ptr %flag) gc "statepoint-example" {
entry:
  %v = load <2 x ptr addrspace(1)>, ptr addrspace(1) %a
  br label %head
head:
  %p = phi <2 x ptr addrspace(1)> [%v, %entry], [%q, %head]
  %q = shufflevector <2 x ptr addrspace(1)> %p, <2 x ptr addrspace(1)> poison, <2 x i32> <i32 1, i32 0>
  call void @foo()
  %c = load i1, ptr %flag
  br i1 %c, label %head, label %exit
exit:
  ret <2 x ptr addrspace(1)> %q
}

; The base is found through what the aggregate was made of.
; CHECK-LABEL: define void @through
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; CHECK: [[D:%.*]] = getelementptr i8, ptr addrspace(1) %a.relocated, i64 %i
; CHECK: call void @use(ptr addrspace(1) [[D]])
define void @through(ptr addrspace(1) %a, i64 %i) gc "statepoint-example" {
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %s = insertvalue {i64, [2 x ptr addrspace(1)]} poison, ptr addrspace(1) %d, 1, 1
  %t = insertvalue {i64, [2 x ptr addrspace(1)]} %s, ptr addrspace(1) %a, 1, 0
  %x = extractvalue {i64, [2 x ptr addrspace(1)]} %t, 1, 1
  call void @foo()
  call void @use(ptr addrspace(1) %x)
  ret void
}

; A lane that is not constant.
; CHECK-LABEL: define void @lane
; CHECK: select i1
; CHECK: "gc-live"(ptr
; CHECK: call void @use
define void @lane(ptr addrspace(1) %a, <2 x i64> %i, i32 %n) gc "statepoint-example" {
  %g = getelementptr i8, ptr addrspace(1) %a, <2 x i64> %i
  %x = extractelement <2 x ptr addrspace(1)> %g, i32 %n
  call void @foo()
  call void @use(ptr addrspace(1) %x)
  ret void
}

; Used at once: left alone.
; CHECK-LABEL: define void @local
; CHECK: [[P:%.*]] = call { ptr addrspace(1), i64 } @llvm.experimental.gc.result
; CHECK-NEXT: call token {{.*}}@takes, i32 1, i32 0, { ptr addrspace(1), i64 } [[P]]
define void @local() gc "statepoint-example" {
  %p = call {ptr addrspace(1), i64} @pair()
  call void @takes({ptr addrspace(1), i64} %p)
  ret void
}

; Two edges from one block need one value.
; CHECK-LABEL: define {{.*}} @edges
; CHECK: ret
define {ptr addrspace(1), i64} @edges(i32 %n) gc "statepoint-example" {
entry:
  %p = call {ptr addrspace(1), i64} @pair()
  %r = call {ptr addrspace(1), i64} @pair()
  switch i32 %n, label %other [ i32 1, label %join
                                i32 2, label %join ]
other:
  call void @foo()
  br label %join
join:
  %q = phi {ptr addrspace(1), i64} [ %p, %entry ], [ %p, %entry ], [ %r, %other ]
  ret {ptr addrspace(1), i64} %q
}

; Undefined lanes are null where they may be live at a safepoint: undefined, they would be whatever
; a register held, and the collector would take that for a reference.
; CHECK-LABEL: define {{.*}} @undefined
; CHECK: phi ptr addrspace(1) [ {{.*}}, %entry ], [ null, %other ]
; CHECK: "gc-live"
define <2 x ptr addrspace(1)> @undefined(<2 x ptr addrspace(1)> %v, i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %join, label %other
other:
  %s = shufflevector <2 x ptr addrspace(1)> %v, <2 x ptr addrspace(1)> poison, <2 x i32> <i32 1, i32 poison>
  br label %join
join:
  %p = phi <2 x ptr addrspace(1)> [ %v, %entry ], [ %s, %other ]
  call void @foo()
  ret <2 x ptr addrspace(1)> %p
}
