; RUN: split-file %s %t
; RUN: %cairn opt -p transitions -S %t/calls.ll -o %t.ll && FileCheck %t/calls.ll < %t.ll
; RUN: llc -O2 -filetype=obj %t.ll -o %t.o && llvm-readelf -sW %t.o | FileCheck --check-prefix=OBJ %t/calls.ll
; RUN: %cairn opt -p transitions --shared -S %t/calls.ll | FileCheck --check-prefix=SHARED %t/calls.ll
; RUN: not %cairn opt -p transitions -S %t/refused.ll 2>&1 | FileCheck %t/refused.ll
; RUN: not %cairn opt -p prepare -S %t/both.ll 2>&1 | FileCheck %t/both.ll
; What a declaration says of its definition need not be found out: no mark is looked for.

;--- calls.ll
; CHECK: module asm "\22cairn.body.managed\22:"
; CHECK: module asm "  jmpq *\22cairn.managed_code.managed\22@GOTPCREL(%rip)"
; CHECK: module asm "\22cairn.vbody.variadic\22:"
; CHECK: module asm "  movl $8, %eax"
; CHECK: module asm "  jmpq *\22cairn.managed_code.variadic\22@GOTPCREL(%rip)"
; What may be missing is looked at when it is called.
; CHECK: module asm "  .weak \22maybe\22"
; CHECK: module asm "  movq \22maybe\22@GOTPCREL(%rip), %r11"
; CHECK: module asm "  jmpq *cairn_call_body@GOTPCREL(%rip)"

; Other units call these by names that native code does not have; weak ones give way to another's.
; CHECK-DAG: @cairn.managed_code.caller = weak alias void (ptr), getelementptr (i8, ptr @caller, i64 24)
; CHECK-DAG: @cairn.body.caller = hidden alias void (ptr), getelementptr (i8, ptr @caller, i64 24)
; CHECK-DAG: @cairn.managed_code.kept = weak hidden alias
; CHECK-DAG: @cairn.managed_code.replaceable = weak alias
; CHECK-DAG: @cairn.managed_code.other_name = weak alias void (), getelementptr (i8, ptr @replaceable, i64 24)
; CHECK-DAG: @cairn.body.other_name = hidden alias
; CHECK-NOT: @cairn.body.replaceable = {{.*}}alias
; CHECK-NOT: @cairn.{{body|managed_code}}.{{static|static_name}} =
@other_name = alias void (), ptr @replaceable
@static_name = internal alias void (), ptr @replaceable

declare void @native(i64) "cairn-native"
declare i32 @native_variadic(ptr, ...) "cairn-native"
declare preserve_mostcc void @native_preserving() "cairn-native"
declare void @managed(i8 signext) "cairn-managed"
declare i32 @variadic(ptr addrspace(1), ...) "cairn-managed"
declare extern_weak void @maybe() "cairn-managed"
declare tailcc i64 @closure(i64) "cairn-managed"

define weak void @replaceable() gc "statepoint-example" {
  ret void
}
define internal void @static() gc "statepoint-example" {
  ret void
}
define hidden void @kept() gc "statepoint-example" {
  ret void
}

; CHECK-LABEL: define void @caller
; SHARED-LABEL: define void @caller
define void @caller(ptr %p) gc "statepoint-example" {
; CHECK: call void @cairn_call_native(i64 1, ptr nest @native)
; SHARED: call void @cairn_call_native(i64 1, ptr nest @native)
  call void @native(i64 1)
; CHECK: call i32 @cairn_call_native(ptr %p, double 1.000000e+00, ptr nest @native_variadic)
  %n = call i32 (ptr, ...) @native_variadic(ptr %p, double 1.0)
; CHECK: call void @cairn_call_native(ptr @native_preserving, ptr nest @cairn.native.{{[0-9a-f]+}})
  call preserve_mostcc void @native_preserving()
; CHECK: call void @cairn.body.managed(i8 %{{.*}})
; SHARED: call void @cairn.body.managed(i8 %{{.*}})
  %b = trunc i64 7 to i8
  call void @managed(i8 %b)
; CHECK: call i32 @cairn.vbody.variadic(ptr addrspace(1) null, double 1.000000e+00)
  %v = call i32 (ptr addrspace(1), ...) @variadic(ptr addrspace(1) null, double 1.0)
; CHECK: call void @cairn.body.maybe()
  call void @maybe()
; CHECK: call tailcc i64 @cairn.body.closure(i64 1)
  %c = call tailcc i64 @closure(i64 1)
  call void @static()
  ret void
}
; CHECK: declare hidden void @cairn.body.managed(i8 signext)
; OBJ-DAG: WEAK HIDDEN {{.*}} cairn.body.managed
; OBJ-DAG: GLOBAL DEFAULT UND cairn.managed_code.managed
; OBJ-DAG: WEAK DEFAULT UND maybe
; OBJ-DAG: GLOBAL HIDDEN {{.*}} cairn.body.caller
; OBJ-DAG: WEAK DEFAULT {{.*}} cairn.managed_code.caller

;--- refused.ll
; CHECK: error: {{.*}}@defined is declared to be native (cairn_native), and this definition of it is managed code [declared-native]
define void @defined() "cairn-native" gc "statepoint-example" {
  ret void
}

;--- both.ll
; CHECK: error: {{.*}}@both is declared to be native (cairn_native) and to be managed (cairn_managed_function) [declared-native]
declare void @both() "cairn-native" "cairn-managed"
