; Field row 2: a cast between a reference and an ordinary pointer. LLVM 22 makes a module that its own
; verifier refuses; ours refuses the cast, with function, line and rule, and nothing else happens.
; RUN: not --crash opt -passes=rewrite-statepoints-for-gc -S %s -o /dev/null
; RUN: not %cairn opt -p rewrite-statepoints -S %s -o %t.out 2>&1 | FileCheck %s
; RUN: not ls %t.out
; CHECK: error: in function 'f': {{.*}}%raw{{.*}}[address-space-cast]
declare void @foo()
define i64 @f(ptr %p) gc "statepoint-example" {
  %raw = addrspacecast ptr %p to ptr addrspace(1)
  call void @foo()
  %v = load i64, ptr addrspace(1) %raw
  ret i64 %v
}
