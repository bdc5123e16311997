; What is dead after a safepoint is not listed (slides, "Finding references which need relocated").
; Wrong: it keeps garbage alive and takes a slot. Switched off, a reference is listed wherever its
; definition dominates, used again or not.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints --without=liveness -S %s | FileCheck %s --check-prefix=OFF
; RUN: %cairn opt -p rewrite-statepoints --without=liveness -S %s | opt -passes='verify<safepoint-ir>' -disable-output
declare void @foo()
declare ptr addrspace(1) @make()
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: define void @dead
; CHECK: @foo, {{.*}}"gc-live"(ptr addrspace(1) %b) ]
; CHECK: @make
; CHECK-NOT: gc-live
; CHECK: ret void
; OFF-LABEL: define void @dead
; OFF: @foo, {{.*}}"gc-live"(ptr addrspace(1) %a, ptr addrspace(1) %b) ]
; OFF: @make, {{.*}}"gc-live"(ptr addrspace(1) %a.relocated, ptr addrspace(1) %b.relocated) ]
; OFF: %unused = call ptr addrspace(1) @llvm.experimental.gc.result
; OFF: @foo, {{.*}}"gc-live"({{.*}}ptr addrspace(1) %unused) ]
; OFF: ret void
define void @dead(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  call void @use(ptr addrspace(1) %a)
  call void @foo()
  call void @use(ptr addrspace(1) %b)
  %unused = call ptr addrspace(1) @make()
  call void @foo()
  ret void
}

; Live on one path only.
; CHECK-LABEL: define void @path
; CHECK: cold:
; CHECK-NOT: gc-live
; CHECK: warm:
; CHECK: "gc-live"(ptr addrspace(1) %a) ]
; OFF-LABEL: define void @path
; OFF: cold:
; OFF: "gc-live"(ptr addrspace(1) %a) ]
; OFF: warm:
define void @path(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" {
entry:
  br i1 %c, label %cold, label %warm
cold:
  call void @foo()
  ret void
warm:
  call void @foo()
  call void @use(ptr addrspace(1) %a)
  ret void
}

; The result of an invoke, of a leaf here, is not there in its pad, which its block dominates.
; OFF-LABEL: define void @pad
; OFF: normal:
; OFF: "gc-live"({{.*}}ptr addrspace(1) %x{{.*}}) ]
; OFF: pad:
; OFF-NOT: %x
; OFF: ret void
declare i32 @personality(...)
define void @pad(ptr addrspace(1) %a) gc "statepoint-example" personality ptr @personality {
entry:
  %x = invoke ptr addrspace(1) @make() "gc-leaf-function"
          to label %normal unwind label %pad
normal:
  call void @foo()
  call void @use(ptr addrspace(1) %x)
  ret void
pad:
  %l = landingpad token cleanup
  call void @foo()
  call void @use(ptr addrspace(1) %a)
  ret void
}
