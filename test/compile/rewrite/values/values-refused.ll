; Values that nothing can make precise are refused with function, source line and rule, and the
; module is left as it was, the functions that could have been rewritten included. Wrong: silent
; damage, or a module of which half is rewritten.
; RUN: not %cairn opt -p rewrite-statepoints -S %s -o %t.ll 2>&1 | FileCheck %s
; RUN: not test -e %t.ll
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"

; CHECK-NOT: 'fine'
define void @fine(ptr addrspace(1) %p) gc "statepoint-example" {
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  ret void
}
; CHECK-DAG: a.c:3:7: error: in function 'located': {{.*}}[integer-to-reference]
define void @located(i64 %n) gc "statepoint-example" !dbg !4 {
  %p = inttoptr i64 %n to ptr addrspace(1), !dbg !7
  call void @foo(), !dbg !7
  ret void
}
; CHECK-DAG: function 'error_register': {{.*}}[swifterror-reference]
define void @error_register(ptr swifterror %a, ptr addrspace(1) %p) gc "statepoint-example" {
  store ptr addrspace(1) %p, ptr %a
  call void @foo()
  %l = load ptr addrspace(1), ptr %a
  call void @use(ptr addrspace(1) %l)
  ret void
}
; CHECK-DAG: function 'error_local': {{.*}}[swifterror-reference]
define void @error_local(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca swifterror ptr addrspace(1)
  store ptr addrspace(1) %p, ptr %a
  call void @foo()
  ret void
}
; CHECK-DAG: function 'naked': {{.*}}[naked-function]
define void @naked() naked gc "statepoint-example" {
  call void @foo()
  unreachable
}
; CHECK-DAG: function 'jump': {{.*}}[returns-twice]
define void @jump(ptr addrspace(1) %p, ptr %b) gc "statepoint-example" {
  %r = call i32 @llvm.eh.sjlj.setjmp(ptr %b)
  call void @foo()
  call void @use(ptr addrspace(1) %p)
  ret void
}
; CHECK-DAG: function 'wide': {{.*}}[dynamic-alloca]
define void @wide(ptr addrspace(1) %p) gc "statepoint-example" {
  %a = alloca ptr addrspace(1), i128 18446744073709551617
  store ptr addrspace(1) %p, ptr %a
  call void @foo()
  ret void
}
; CHECK-DAG: function 'scalable': {{.*}}[scalable-vector]
define void @scalable(ptr addrspace(1) %p) gc "statepoint-example" {
  %v = load {<vscale x 2 x ptr addrspace(1)>, <vscale x 2 x ptr addrspace(1)>}, ptr addrspace(1) %p
  call void @foo()
  ret void
}
; CHECK-DAG: function 'compressed': {{.*}}[unknown-intrinsic]
define void @compressed(<2 x ptr addrspace(1)> %v, <2 x i1> %m, ptr addrspace(1) %p) gc "statepoint-example" {
  %w = call <2 x ptr addrspace(1)> @llvm.experimental.vector.compress.v2p1(<2 x ptr addrspace(1)> %v, <2 x i1> %m, <2 x ptr addrspace(1)> zeroinitializer)
  call void @foo()
  store <2 x ptr addrspace(1)> %w, ptr addrspace(1) %p
  ret void
}
!llvm.module.flags = !{!0}
!llvm.dbg.cu = !{!1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2, emissionKind: FullDebug)
!2 = !DIFile(filename: "a.c", directory: "/")
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "located", file: !2, line: 1, type: !3, unit: !1, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 3, column: 7, scope: !4)
