; A record before the start or the end of a local's lifetime, which is deleted: it goes to the next instruction.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
declare void @foo()
declare void @leaf(ptr addrspace(1)) "gc-leaf-function"
declare void @keep(ptr) "gc-leaf-function"
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)

; CHECK-LABEL: @ends
; CHECK: call token {{.*}}@foo
; CHECK: call void @leaf(ptr addrspace(1) %[[R:.*]])
; CHECK: #dbg_value(ptr addrspace(1) %a, ![[A:[0-9]+]],
; CHECK-NEXT: #dbg_value(ptr addrspace(1) %[[R]], ![[A]],
; CHECK-NEXT: call void @leaf
; CHECK-NEXT: #dbg_value(ptr addrspace(1) %b, ![[A]],
; CHECK-NEXT: #dbg_value(i1 poison, ![[A]],
; CHECK-NEXT: call token {{.*}}@foo
; CHECK: ret void
define void @ends(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" !dbg !4 {
entry:
  %slot = alloca ptr addrspace(1)
  call void @llvm.lifetime.start.p0(ptr %slot), !dbg !7
  store ptr addrspace(1) %b, ptr %slot, !dbg !7
  call void @keep(ptr %slot), !dbg !7
  call void @foo(), !dbg !7
  br label %next, !dbg !7
next:
  call void @leaf(ptr addrspace(1) %a), !dbg !7
    #dbg_value(ptr addrspace(1) %b, !8, !DIExpression(), !7)
    #dbg_value(ptr addrspace(1) %a, !8, !DIExpression(), !7)
  call void @llvm.lifetime.end.p0(ptr %slot), !dbg !7
  call void @leaf(ptr addrspace(1) %a), !dbg !7
    #dbg_value(ptr addrspace(1) %b, !8, !DIExpression(), !7)
  call void @llvm.lifetime.end.p0(ptr %slot), !dbg !7
  call void @foo(), !dbg !7
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "test", emissionKind: FullDebug)
!1 = !DIFile(filename: "lifetimes.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "ends", file: !1, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 2, scope: !4)
!8 = !DILocalVariable(name: "v", scope: !4, file: !1, line: 1, type: !9)
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
