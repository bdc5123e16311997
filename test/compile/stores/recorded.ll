; A check of a store walks to the frame that has the place, so the calls on the way are recorded: that of the check, and
; those of leaves that make one. Up to there they are leaves like others, and may be called where no safepoint is allowed:
; nothing moves there.
; RUN: %cairn opt --without=store-tests -p check-stores,place-safepoints -S %s | FileCheck %s --check-prefixes=PLACED
; RUN: %cairn opt --without=store-tests -p check-stores,place-safepoints,rewrite-statepoints -S %s -o %t.ll
; RUN: FileCheck %s <%t.ll
; RUN: %cairn verify --check-polls %t.ll
target triple = "x86_64-unknown-linux-gnu"
declare void @cairn.nopoll.begin()
declare void @cairn.nopoll.end()

; PLACED: define internal void @leaf(ptr %to, ptr addrspace(1) %p) [[LEAF:#[0-9]+]]
; PLACED: call void @cairn_check_store(
; CHECK: define internal void @leaf(
; CHECK: @llvm.experimental.gc.statepoint{{.*}} @cairn_check_store,
define internal void @leaf(ptr %to, ptr addrspace(1) %p) noinline "cairn-nopoll" gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %to
  ret void
}

; PLACED: define internal void @above(ptr %to, ptr addrspace(1) %p) [[ABOVE:#[0-9]+]]
; CHECK: define internal void @above(
; CHECK: @llvm.experimental.gc.statepoint{{.*}} @leaf,
define internal void @above(ptr %to, ptr addrspace(1) %p) noinline "cairn-nopoll" gc "statepoint-example" {
  call void @leaf(ptr %to, ptr addrspace(1) %p)
  ret void
}

; CHECK: define ptr addrspace(1) @region(
; CHECK: @cairn.nopoll.begin
; CHECK: @llvm.experimental.gc.statepoint{{.*}} @above,
; CHECK: @cairn.nopoll.end
define ptr addrspace(1) @region(ptr addrspace(1) %p) gc "statepoint-example" {
  %local = alloca ptr addrspace(1)
  call void @cairn.nopoll.begin()
  call void @above(ptr %local, ptr addrspace(1) %p)
  call void @cairn.nopoll.end()
  %q = load ptr addrspace(1), ptr %local
  ret ptr addrspace(1) %q
}

; CHECK: define void @quiet(
; CHECK: @llvm.experimental.gc.statepoint{{.*}} @cairn_check_store,
define void @quiet(ptr %to, ptr addrspace(1) %p) "cairn-nopoll" gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %to
  ret void
}

; Of calls of a function that somebody declares a leaf there is no record, so one in it would be of no use.
; CHECK: define void @declared(
; CHECK: call void @cairn_check_store({{.*}}) [[PLAIN:#[0-9]+]]
; CHECK: call void @leaf({{.*}}) [[PLAIN]]
define void @declared(ptr %to, ptr addrspace(1) %p) "gc-leaf-function" gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %to
  call void @leaf(ptr %to, ptr addrspace(1) %p)
  ret void
}
; PLACED: attributes [[LEAF]] = { {{.*}}"cairn-still"{{.*}}"gc-leaf-function"
; PLACED: attributes [[ABOVE]] = { {{.*}}"cairn-still"{{.*}}"gc-leaf-function"
; CHECK: attributes [[PLAIN]] = { "gc-leaf-function" }
