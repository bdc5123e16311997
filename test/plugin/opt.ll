; Cairn's passes in LLVM's own opt: by name, with options, in a row; what is wrong is said with all of
; its findings, and is the tool's failure.

; UNSUPPORTED: sanitize
; DEFINE: %{opt} = opt -load-pass-plugin=%build/lib/libcairn-plugin.so -S

; RUN: %{opt} -passes='cairn-rewrite-statepoints,verify' %s -o %t.1 && FileCheck %s < %t.1
; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.2
; RUN: cmp %t.1 %t.2
; CHECK-LABEL: define ptr addrspace(1) @f(
; CHECK: gc.relocate
; RUN: %{opt} -passes='function(sroa),cairn-rewrite-statepoints<slots=never;without=sink+recompute;check-polls>,cairn-verify-safepoints' \
; RUN:   %s | FileCheck %s
; RUN: %{opt} -passes='cairn-rewrite-statepoints,cairn-strip-statepoints' %s \
; RUN:   | FileCheck --check-prefix=PLAIN %s
; PLAIN-NOT: llvm.experimental.gc
; RUN: %{opt} -passes='cairn-rewrite-statepoints,cairn-inline-statepoints,cairn-verify-safepoints' %s \
; RUN:   | FileCheck --check-prefix=INLINED %s
; INLINED-LABEL: define ptr addrspace(1) @f(
; INLINED-NOT: @callee
; INLINED: @foo
; RUN: %{opt} -passes=cairn %s | FileCheck --check-prefixes=CHECK,POLL %s
; RUN: %{opt} -passes='cairn-place-safepoints' %s | FileCheck --check-prefix=POLL %s
; POLL: cairn_poll_slow
; RUN: %{opt} -passes='default<O2>' %s | FileCheck --check-prefixes=POLL %s
; RUN: %{opt} -passes='default<O2>' -cairn=off %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: gc.statepoint

; RUN: not %{opt} -passes='cairn-rewrite-statepoints<slots=maybe>' %s 2>&1 \
; RUN:   | FileCheck --check-prefix=OPTION %s
; OPTION: slots: 'maybe' is not auto, never or always
; RUN: not %{opt} -passes='cairn-rewrite' %s 2>&1 | FileCheck --check-prefix=NAME %s
; NAME: unknown pass name 'cairn-rewrite'
; RUN: not %{opt} -passes='default<O2>' -cairn=slots %s 2>&1 | FileCheck --check-prefix=LINE %s
; LINE: error: -cairn=slots: slots needs a value

; RUN: not %{opt} -passes=cairn-rewrite-statepoints %S/Inputs/refused.ll -o %t.none 2>&1 \
; RUN:   | FileCheck --check-prefix=REFUSED %s
; REFUSED: error: cast.c:7:3: in function cast {{.*}}: %p: {{.*}} [address-space-cast]
; REFUSED: error: {{.*}} in function number {{.*}} [integer-to-reference]
; REFUSED: error: the module was refused by cairn

; A module without managed functions is left alone.
; RUN: opt -passes='default<O2>' -S %S/Inputs/native.ll -o %t.4
; RUN: %{opt} -passes='default<O2>' %S/Inputs/native.ll -o %t.5 && cmp %t.4 %t.5

declare void @foo()

define ptr addrspace(1) @f(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @callee()
  ret ptr addrspace(1) %p
}

define void @callee() gc "statepoint-example" {
  call void @foo()
  ret void
}
