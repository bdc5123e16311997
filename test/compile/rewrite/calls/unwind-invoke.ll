; Invokes are parse points whatever their landing pads: what is live into a pad is found in a slot of
; the frame. Wrong: a relocate of a landing pad (a broken module, but for pads of type token); a value
; of before the invoke read in the pad; a result that stands where the unwind edge is taken, too.
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
declare void @llvm.donothing()
declare void @use(ptr addrspace(1), ptr addrspace(1))
declare void @use2(<2 x ptr addrspace(1)>)

; Two invokes share a pad of the ordinary type. Stored once, after the definition; a constant offset is
; computed again in the pad.
; CHECK-LABEL: define ptr addrspace(1) @basic
; CHECK: [[S:%.*]] = alloca [2 x ptr addrspace(1)]
; CHECK: store ptr addrspace(1) %a, ptr [[S]]
; CHECK: invoke token {{.*}}@llvm.experimental.gc.statepoint{{.*}}@foo{{.*}}"deopt"({{.*}}ptr [[S]], i64 2, i64 8, i64 1, i64 0, i64 7) ]
; CHECK-NEXT: to label %ok unwind label %pad
; CHECK: landingpad { ptr, i32 }
; CHECK-NEXT: catch ptr null
; CHECK-NEXT: [[A:%.*]] = load ptr addrspace(1), ptr [[S]]
; CHECK-NEXT: [[D:%.*]] = getelementptr i8, ptr addrspace(1) [[A]], i64 16
; CHECK: @use{{.*}}ptr addrspace(1) [[A]], ptr addrspace(1) [[D]]
; CHECK: %r = call ptr addrspace(1) @llvm.experimental.gc.result
; CHECK-NEXT: br label %join
define ptr addrspace(1) @basic(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 16
  invoke void @foo(ptr addrspace(1) %b) to label %ok unwind label %pad
ok:
  %r = invoke ptr addrspace(1) @make() to label %join unwind label %pad
pad:
  %l = landingpad {ptr, i32} catch ptr null
  call void @use(ptr addrspace(1) %a, ptr addrspace(1) %d)
  br label %join
join:
  %p = phi ptr addrspace(1) [ %r, %ok ], [ %b, %pad ]
  call void @use(ptr addrspace(1) %p, ptr addrspace(1) %a)
  ret ptr addrspace(1) %p
}

; A pad of type token; derived references are computed again by their distance from the base; a result
; that is an aggregate is split where it arrives.
; CHECK-LABEL: define ptr addrspace(1) @derived
; CHECK: [[DD:%.*]] = sub i64
; CHECK: %e.base = phi
; CHECK: [[DE:%.*]] = sub i64
; CHECK: store ptr addrspace(1) %e.base
; CHECK: %pr = call { ptr addrspace(1), i32 } @llvm.experimental.gc.result
; CHECK-NEXT: extractvalue
; CHECK: landingpad token
; CHECK: [[A:%.*]] = load ptr addrspace(1)
; CHECK-NEXT: getelementptr i8, ptr addrspace(1) [[A]], i64 [[DD]]
; CHECK: [[E:%.*]] = load ptr addrspace(1)
; CHECK-NEXT: getelementptr i8, ptr addrspace(1) [[E]], i64 [[DE]]
define ptr addrspace(1) @derived(ptr addrspace(1) %a, i64 %i, i1 %c, ptr addrspace(1) %b) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  %d = getelementptr i8, ptr addrspace(1) %a, i64 %i
  br i1 %c, label %x, label %y
x:
  br label %y
y:
  %e = phi ptr addrspace(1) [%d, %entry], [%b, %x]
  %pr = invoke {ptr addrspace(1), i32} @pair() to label %ok unwind label %pad
ok:
  %r = extractvalue {ptr addrspace(1), i32} %pr, 0
  invoke void @use(ptr addrspace(1) %e, ptr addrspace(1) %r) to label %ok2 unwind label %pad
ok2:
  ret ptr addrspace(1) %r
pad:
  %l = landingpad token cleanup
  call void @use(ptr addrspace(1) %e, ptr addrspace(1) %d)
  unreachable
}

; The normal destination is the head of the loop that the invoke ends: its edge is split.
; CHECK-LABEL: define ptr addrspace(1) @loop
; CHECK: %r = call ptr addrspace(1) @llvm.experimental.gc.result
; CHECK-NEXT: br label %head
; CHECK: head:
; CHECK: store ptr addrspace(1) %c
; CHECK: landingpad
; CHECK: [[C:%.*]] = load ptr addrspace(1)
; CHECK-NEXT: load ptr addrspace(1), ptr addrspace(1) [[C]]
define ptr addrspace(1) @loop(ptr addrspace(1) %a, i32 %n) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  br label %head
head:
  %c = phi ptr addrspace(1) [ %a, %entry ], [ %r, %head ], [ %e, %pad ]
  %i = phi i32 [0, %entry], [%i1, %head], [%i1, %pad]
  %i1 = add i32 %i, 1
  %r = invoke ptr addrspace(1) @make() to label %head unwind label %pad
pad:
  %l = landingpad {ptr, i32} catch ptr null
  %e = load ptr addrspace(1), ptr addrspace(1) %c
  %z = icmp eq i32 %i1, %n
  br i1 %z, label %head, label %out
out:
  resume {ptr, i32} %l
}

; Bundles and directives, as on calls; the value in the deopt bundle is up to date in both invokes.
; CHECK-LABEL: define void @bundles
; CHECK: invoke token {{.*}}@llvm.experimental.gc.statepoint.p0(i64 77, i32 5, {{.*}} [ "deopt"(i32 1, ptr addrspace(1) %a, {{.*}}), "gc-transition"(ptr addrspace(1) %b), "gc-live"(ptr addrspace(1) %a) ]
; CHECK: landingpad
; CHECK: [[A:%.*]] = load ptr addrspace(1)
; CHECK: invoke token {{.*}}@llvm.experimental.gc.statepoint{{.*}}"deopt"(i32 1, ptr addrspace(1) [[A]],
define void @bundles(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  invoke void @foo(ptr addrspace(1) %b) #0 [ "deopt"(i32 1, ptr addrspace(1) %a), "gc-transition"(ptr addrspace(1) %b) ] to label %ok unwind label %pad
ok:
  ret void
pad:
  %l = landingpad {ptr, i32} cleanup
  invoke void @foo(ptr addrspace(1) %b) [ "deopt"(i32 1, ptr addrspace(1) %a) ] to label %ok unwind label %pad2
pad2:
  %l2 = landingpad {ptr, i32} cleanup
  resume {ptr, i32} %l
}

; An invoke of a leaf stays one; its result is stored where it arrives.
; CHECK-LABEL: define ptr addrspace(1) @leafs
; CHECK: %r = invoke ptr addrspace(1) @leafmake()
; CHECK: ok:
; CHECK: store ptr addrspace(1) %r
define ptr addrspace(1) @leafs(ptr addrspace(1) %a) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
entry:
  %r = invoke ptr addrspace(1) @leafmake() to label %ok unwind label %pad
ok:
  invoke void @foo(ptr addrspace(1) %a) to label %ok2 unwind label %pad2
ok2:
  ret ptr addrspace(1) %r
pad:
  %l = landingpad {ptr, i32} cleanup
  resume {ptr, i32} %l
pad2:
  %l2 = landingpad {ptr, i32} cleanup
  call void @use(ptr addrspace(1) %a, ptr addrspace(1) %r)
  resume {ptr, i32} %l2
}

; What is no safepoint, or not live in the pad, costs nothing.
; CHECK-LABEL: define ptr addrspace(1) @plain
; CHECK-NOT: alloca
; CHECK: invoke void @leaf(
; CHECK: invoke void @llvm.donothing
; CHECK: invoke token {{.*}}@llvm.experimental.gc.statepoint{{.*}}"gc-live"(ptr addrspace(1) %a)
; CHECK: %a.relocated = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate
define ptr addrspace(1) @plain(ptr addrspace(1) %a) gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  invoke void @leaf(ptr addrspace(1) %a) to label %one unwind label %pad
one:
  invoke void @llvm.donothing() to label %two unwind label %pad
two:
  invoke void @foo(ptr addrspace(1) null) to label %three unwind label %pad
three:
  ret ptr addrspace(1) %a
pad:
  %l = landingpad {ptr, i32} cleanup
  resume {ptr, i32} %l
}
attributes #0 = { "statepoint-id"="77" "statepoint-num-patch-bytes"="5" }
