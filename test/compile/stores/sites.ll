; From -O1 on a store to an unknown place is tested in line: the runtime gives its site the places of the last slot. A
; variable index into a known object needs a comparison with the ends of its run of references.
; RUN: %cairn opt -p check-stores -S %s | FileCheck %s
; RUN: %cairn opt --without=store-tests -p check-stores -S %s | FileCheck %s --check-prefix=CALLS
; CALLS-NOT: cairn.site
; CALLS-COUNT-3: call void @cairn_check_store(
; CALLS-NOT: cairn.site
%machine = type { i64, [64 x ptr addrspace(1)], ptr }
@machine = global %machine zeroinitializer

; CHECK: [[SITE:@cairn.site[0-9.]*]] = internal global { ptr, ptr } { ptr [[NONE:@cairn.site.no.places]], ptr [[NONE]] }

; CHECK-LABEL: define void @loaded
; CHECK: load atomic ptr, ptr getelementptr {{.*}}[[SITE]], i64 8) unordered
; CHECK-NOT: addressofreturnaddress
; CHECK: llvm.fshl.i64
; CHECK: icmp ult i64
; CHECK: place.check:
; CHECK-NEXT: call void @cairn_check_store_at(ptr %top, ptr @cairn.slot, ptr [[SITE]])
; CHECK-NEXT: br label %place.known
define void @loaded(ptr addrspace(1) %p) gc "statepoint-example" {
  %top = load ptr, ptr getelementptr inbounds (%machine, ptr @machine, i64 0, i32 2)
  store ptr addrspace(1) %p, ptr %top
  ret void
}

; CHECK-LABEL: define void @parameter
; CHECK: call ptr @llvm.addressofreturnaddress.p0()
; CHECK: call void @cairn_check_store_at(ptr %out,
define void @parameter(ptr %out, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %out
  ret void
}

; CHECK-LABEL: define void @indexed
; CHECK: [[DISTANCE:%.*]] = sub i64 %{{.*}}, ptrtoint (ptr getelementptr {{.*}}@machine, i64 8) to i64)
; CHECK: icmp ule i64 [[DISTANCE]], 504
; CHECK: call void @cairn_check_store(ptr %slot,
define void @indexed(i64 %i, ptr addrspace(1) %p) gc "statepoint-example" {
  %slot = getelementptr %machine, ptr @machine, i64 0, i32 1, i64 %i
  store ptr addrspace(1) %p, ptr %slot
  ret void
}
