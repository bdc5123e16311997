; Null and globals do not move: nothing lists or relocates them (slides, "When relocation isn't
; needed"). Wrong: they would take a stack map entry and a slot each. Switched off they are listed, as
; any value that is defined at the entry, and undefined references never are.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=constants -S %s | FileCheck %s --check-prefix=OFF
; RUN: %cairn opt -p rewrite-statepoints --without=constants -S %s | opt -passes='verify<safepoint-ir>' -disable-output
@global = external addrspace(1) global [8 x i64]
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare void @leaf() "gc-leaf-function"
declare i32 @__gxx_personality_v0(...)

; CHECK-LABEL: define void @direct
; CHECK-NOT: gc-live
; CHECK: call void @use(ptr addrspace(1) null)
; CHECK: call void @use(ptr addrspace(1) @global)
; OFF-LABEL: define void @direct
; OFF: "gc-live"(ptr addrspace(1) null, ptr addrspace(1) @global) ]
; OFF: [[NULL:%.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %{{.*}}, i32 0, i32 0)
; OFF: call void @use(ptr addrspace(1) [[NULL]])
; OFF: [[GLOBAL:%.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %{{.*}}, i32 1, i32 1)
; OFF: call void @use(ptr addrspace(1) [[GLOBAL]])
define void @direct() gc "statepoint-example" {
  call void @foo()
  call void @use(ptr addrspace(1) null)
  call void @use(ptr addrspace(1) @global)
  ret void
}

; What is derived from a global alone does not move either.
; CHECK-LABEL: define void @derived
; CHECK-NOT: gc-live
; CHECK: ret void
; OFF-LABEL: define void @derived
; OFF: "gc-live"(ptr addrspace(1) %moved, ptr addrspace(1) %d) ]
; OFF: gc.relocate.p1(token %{{.*}}, i32 0, i32 1)
; OFF: ret void
define void @derived(i64 %i, ptr %flag) gc "statepoint-example" {
entry:
  %e = getelementptr i64, ptr addrspace(1) @global, i64 %i
  br label %head
head:
  %d = phi ptr addrspace(1) [%e, %entry], [%n, %head]
  call void @foo()
  %n = getelementptr i8, ptr addrspace(1) %d, i64 8
  %c = load i1, ptr %flag
  br i1 %c, label %head, label %exit
exit:
  ret void
}

; Undefined references become null before anything is listed.
; OFF-LABEL: define void @undefined
; OFF-NOT: undef
; OFF-NOT: poison
; OFF: ret void
define void @undefined(i1 %c) gc "statepoint-example" {
entry:
  call void @foo()
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi ptr addrspace(1) [undef, %entry], [poison, %a]
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  ret void
}

; Nor are they where what a pad merges is kept in slots, as a base and its distance from that. Wrong:
; the distance of what is relocated from a constant, which is its address.
; OFF-LABEL: define void @pads
; OFF-NOT: gc.relocate
; OFF-NOT: ptrtoint
; OFF: pad:
; OFF-DAG: %p = phi ptr addrspace(1) [ @global, %entry ], [ %d, %ok ]
; OFF-DAG: %q = phi ptr addrspace(1) [ null, %entry ], [ %n, %ok ]
; OFF: ret void
define void @pads(i64 %i) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  call void @foo()
  invoke void @leaf() to label %ok unwind label %pad
ok:
  %d = getelementptr i8, ptr addrspace(1) @global, i64 %i
  %n = getelementptr i8, ptr addrspace(1) null, i64 %i
  call void @foo()
  invoke void @leaf() to label %done unwind label %pad
done:
  ret void
pad:
  %p = phi ptr addrspace(1) [ @global, %entry ], [ %d, %ok ]
  %q = phi ptr addrspace(1) [ null, %entry ], [ %n, %ok ]
  %l = landingpad { ptr, i32 } cleanup
  call void @use(ptr addrspace(1) %p)
  call void @use(ptr addrspace(1) %q)
  ret void
}

; Beside an object's base, a constant has none, and what is derived from it is not relocated.
; OFF-LABEL: define void @either
; OFF: ret void
define void @either(ptr addrspace(1) %o, ptr addrspace(1) %o2, i64 %i) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  %d = getelementptr i8, ptr addrspace(1) @global, i64 %i
  %n = getelementptr i8, ptr addrspace(1) null, i64 %i
  call void @foo()
  invoke void @leaf() to label %ok unwind label %pad
ok:
  %e = getelementptr i8, ptr addrspace(1) %o, i64 %i
  %e2 = getelementptr i8, ptr addrspace(1) %o2, i64 %i
  call void @foo()
  invoke void @leaf() to label %done unwind label %pad
done:
  ret void
pad:
  %p = phi ptr addrspace(1) [ %d, %entry ], [ %e, %ok ]
  %q = phi ptr addrspace(1) [ %n, %entry ], [ %e2, %ok ]
  %l = landingpad { ptr, i32 } cleanup
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  call void @use(ptr addrspace(1) %q)
  ret void
}
