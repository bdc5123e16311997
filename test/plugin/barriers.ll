; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-insert-barriers<barriers=cards>' -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-insert-barriers<collector=generational>' -S %s | FileCheck %s
; RUN: for o in '<barriers=none>' '<collector=semispace>'; do opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes="cairn-insert-barriers$o" -S %s | FileCheck --check-prefix=NONE %s || exit 1; done
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='default<O2>' -cairn='runtime;collector=generational' -S %s | FileCheck --check-prefix=MARK %s
; RUN: not opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-insert-barriers<collector=a-b>' -S %s 2>&1 | FileCheck --check-prefix=NAME %s
; RUN: not opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='default<O2>' -cairn=collector=a-b -S %s 2>&1 | FileCheck --check-prefix=NAME %s
; NAME: collector: 'a-b' is not the name of a collector: letters, digits and _
; MARK-LABEL: define {{.*}}@one(
; MARK: lshr i64 %{{.*}}, 9
; MARK: store ptr addrspace(1) %v
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='cairn-insert-barriers' -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes=cairn-globals -S %s | FileCheck --check-prefix=NO-IMAGE %s
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes=cairn-insert-barriers,cairn-lower-barriers,cairn-globals -S %s | FileCheck --check-prefix=IMAGE %s
; RUN: opt -load-pass-plugin=%build/lib/libcairn-plugin.so -passes='default<O2>' -cairn=runtime -S %s | FileCheck --check-prefix=IMAGE %s
; The flags of the image say what was made, not what was asked for: kind 7 from bit 8 on is cards.
; IMAGE: @cairn.image.data = {{.*}} i64 67328 }
; NO-IMAGE: @cairn.image.data = {{.*}} i64 65536 }
; NO-IMAGE: @cairn.barriers.none
;
; Barriers in LLVM's own tool. Wrong: the kind, or the collector that it is for, does not come through.

; CHECK: call void @cairn.barrier.store(ptr addrspace(1) null, ptr addrspace(1) %p, ptr addrspace(1) %v)
; CHECK-NEXT: store
; NONE-NOT: barrier.store
define void @one(ptr addrspace(1) %p, ptr addrspace(1) %v) gc "statepoint-example" {
  store ptr addrspace(1) %v, ptr addrspace(1) %p
  ret void
}
