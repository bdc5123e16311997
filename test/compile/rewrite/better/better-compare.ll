; Comparisons that relocation cannot change, `t == null`, `t == s`, `t != s`, read the references as they
; were, and what is only compared is not listed (slides, "Safepoint Verification"). Wrong: a slot for
; each; or an old reference compared with a new one, which is unequal to the same object.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=compare -S %s | FileCheck %s --check-prefix=OFF
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify<safepoint-ir>' -disable-output
; RUN: %cairn opt -p rewrite-statepoints --without=compare -S %s | opt -passes='verify<safepoint-ir>' -disable-output
; RUN: %cairn opt -p rewrite-statepoints -S %s | llc -O2 -verify-machineinstrs -o /dev/null
declare void @foo()
declare ptr addrspace(1) @bar()
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: define i1 @null
; CHECK-NOT: gc-live
; CHECK: icmp eq ptr addrspace(1) %t, null
; OFF-LABEL: define i1 @null
; OFF: "gc-live"(ptr addrspace(1) %t) ]
; OFF: icmp eq ptr addrspace(1) %t.relocated, null
define i1 @null(ptr addrspace(1) %t) gc "statepoint-example" {
  call void @foo()
  %c = icmp eq ptr addrspace(1) %t, null
  ret i1 %c
}

; CHECK-LABEL: define i1 @pair
; CHECK-NOT: gc-live
; CHECK: icmp ne ptr addrspace(1) %t, %s
; OFF-LABEL: define i1 @pair
; OFF: "gc-live"(ptr addrspace(1) %t, ptr addrspace(1) %s) ]
; OFF: icmp ne ptr addrspace(1) %t.relocated{{[0-9]*}}, %s.relocated
define i1 @pair(ptr addrspace(1) %t, ptr addrspace(1) %s) gc "statepoint-example" {
  call void @foo()
  call void @foo()
  %c = icmp ne ptr addrspace(1) %t, %s
  ret i1 %c
}

; Of one time: %t is listed as long as %s is not there, and compared as it was when %s came.
; CHECK-LABEL: define i1 @later
; CHECK: @bar, {{.*}}"gc-live"(ptr addrspace(1) %t) ]
; CHECK: %t.relocated = call
; CHECK: @foo, i32 0, i32 0, i32 0, i32 0){{$}}
; CHECK: icmp eq ptr addrspace(1) %t.relocated, %s
; OFF-LABEL: define i1 @later
; OFF: icmp eq ptr addrspace(1) %t.relocated{{.*}}, %s.relocated
define i1 @later(ptr addrspace(1) %t) gc "statepoint-example" {
  %s = call ptr addrspace(1) @bar()
  call void @foo()
  %c = icmp eq ptr addrspace(1) %t, %s
  ret i1 %c
}

; Used after it: listed anyway, so the new one is compared.
; CHECK-LABEL: define i1 @used
; CHECK: "gc-live"(ptr addrspace(1) %t, ptr addrspace(1) %s) ]
; CHECK: icmp eq ptr addrspace(1) %t.relocated, %s.relocated
define i1 @used(ptr addrspace(1) %t, ptr addrspace(1) %s) gc "statepoint-example" {
  call void @foo()
  %c = icmp eq ptr addrspace(1) %t, %s
  call void @use(ptr addrspace(1) %s)
  ret i1 %c
}

; Its object is: %d is derived from it.
; CHECK-LABEL: define i1 @derived
; CHECK: icmp eq ptr addrspace(1) %t.relocated, null
define i1 @derived(ptr addrspace(1) %t, ptr addrspace(1) %s, i1 %k) gc "statepoint-example" {
  %d = select i1 %k, ptr addrspace(1) %t, ptr addrspace(1) %s
  call void @foo()
  %c = icmp eq ptr addrspace(1) %t, null
  call void @use(ptr addrspace(1) %d)
  call void @use(ptr addrspace(1) %t)
  ret i1 %c
}

; Order is another matter, and so is a constant that is not null.
; CHECK-LABEL: define i1 @order
; CHECK: "gc-live"(ptr addrspace(1) %t, ptr addrspace(1) %s) ]
; CHECK: icmp ult ptr addrspace(1) %t.relocated, %s.relocated
define i1 @order(ptr addrspace(1) %t, ptr addrspace(1) %s) gc "statepoint-example" {
  call void @foo()
  %c = icmp ult ptr addrspace(1) %t, %s
  ret i1 %c
}

; In a loop, with what is new on each pass.
; CHECK-LABEL: define void @loop
; CHECK: head:
; CHECK: [[T:%.*]] = phi ptr addrspace(1) [ %t, %entry ], [ %t.relocated{{[0-9]*}}, %head ]
; CHECK: @bar, {{.*}}"gc-live"(ptr addrspace(1) [[T]]) ]
; CHECK: @foo, {{.*}}"gc-live"(ptr addrspace(1) %t.relocated{{[0-9]*}}, ptr addrspace(1) %s) ]
; CHECK: icmp eq ptr addrspace(1) %t.relocated{{[0-9]*}}, %s.relocated
define void @loop(ptr addrspace(1) %t) gc "statepoint-example" {
entry:
  br label %head
head:
  %s = call ptr addrspace(1) @bar()
  call void @foo()
  %c = icmp eq ptr addrspace(1) %t, %s
  br i1 %c, label %exit, label %head
exit:
  ret void
}
