; A variable follows its reference over safepoints, and loses its value where the reference is dead.
; RUN: %cairn opt -p rewrite-statepoints -S %s | FileCheck %s
declare void @foo()
declare void @leaf(ptr addrspace(1)) "gc-leaf-function"

; CHECK-LABEL: @live
; CHECK: freeze ptr addrspace(1) %a
; CHECK-NEXT: #dbg_value(ptr addrspace(1) %a, [[A:![0-9]+]],
; CHECK: [[S:%.*]] = call token {{.*}}@foo
; CHECK-NEXT: %[[R:.*]] = call coldcc ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token [[S]], i32 0, i32 0)
; CHECK-NEXT: #dbg_value(ptr addrspace(1) %[[R]], [[A]], !DIExpression(),
; CHECK: call void @leaf
define void @live(ptr addrspace(1) %a) gc "statepoint-example" !dbg !4 {
    #dbg_value(ptr addrspace(1) %a, !8, !DIExpression(), !7)
  call void @foo(), !dbg !7
  call void @leaf(ptr addrspace(1) %a), !dbg !7
  ret void
}

; The second safepoint omits the reference.
; CHECK-LABEL: @dead
; CHECK: call void @leaf
; CHECK-NEXT: #dbg_value(i1 poison, {{.*}}, !DIExpression(),
; CHECK-NEXT: call token {{.*}}@foo
; CHECK-NOT: #dbg_value
; CHECK: ret void
define void @dead(ptr addrspace(1) %a) gc "statepoint-example" !dbg !10 {
    #dbg_value(ptr addrspace(1) %a, !11, !DIExpression(), !12)
  call void @foo(), !dbg !12
  call void @leaf(ptr addrspace(1) %a), !dbg !12
  call void @foo(), !dbg !12
  ret void
}

; A constant distance, and a part of a variable.
; CHECK-LABEL: @inside
; CHECK: #dbg_value(ptr addrspace(1) %a, {{.*}}, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value, DW_OP_LLVM_fragment, 0, 64),
; CHECK: call token {{.*}}@foo
; CHECK: #dbg_value(ptr addrspace(1) %{{.*}}, {{.*}}, !DIExpression(DW_OP_plus_uconst, 8, DW_OP_stack_value, DW_OP_LLVM_fragment, 0, 64),
; CHECK: ret void
define void @inside(ptr addrspace(1) %a) gc "statepoint-example" !dbg !20 {
  %g = getelementptr i8, ptr addrspace(1) %a, i64 8, !dbg !22
    #dbg_value(ptr addrspace(1) %g, !21, !DIExpression(DW_OP_LLVM_fragment, 0, 64), !22)
  call void @leaf(ptr addrspace(1) %g), !dbg !22
  call void @foo(), !dbg !22
  call void @leaf(ptr addrspace(1) %g), !dbg !22
  ret void
}

; A phi joins the relocate with the reference from before the loop. A record of several values has no successor.
; CHECK-LABEL: @loop
; CHECK: loop:
; CHECK-NEXT: %[[PHI:.*]] = phi ptr addrspace(1)
; CHECK-NEXT: #dbg_value(ptr addrspace(1) %[[PHI]], [[L:![0-9]+]], !DIExpression(),
; CHECK: call token {{.*}}@foo
; CHECK: #dbg_value(ptr addrspace(1) %{{.*}}, [[L]], !DIExpression(),
; CHECK: #dbg_value(!DIArgList(
; CHECK-NEXT: #dbg_value(i1 poison, [[L]], !DIExpression(),
define void @loop(ptr addrspace(1) %a, i1 %c) gc "statepoint-example" !dbg !30 {
    #dbg_value(ptr addrspace(1) %a, !31, !DIExpression(), !32)
  br label %loop, !dbg !32
loop:
  call void @leaf(ptr addrspace(1) %a), !dbg !32
  call void @foo(), !dbg !32
  br i1 %c, label %loop, label %end, !dbg !32
end:
  call void @leaf(ptr addrspace(1) %a), !dbg !32
    #dbg_value(!DIArgList(ptr addrspace(1) %a, i64 8), !31, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !32)
  ret void
}

; A record after the safepoint that names the reference from before it.
; CHECK-LABEL: @late
; CHECK: call token {{.*}}@foo
; CHECK: #dbg_value(ptr addrspace(1) %a, [[B:![0-9]+]],
; CHECK-NEXT: %[[R:.*]] = call {{.*}}gc.relocate
; CHECK: #dbg_value(ptr addrspace(1) %[[R]], [[B]],
; CHECK-NEXT: call void @leaf
; CHECK: ret void
define void @late(ptr addrspace(1) %a) gc "statepoint-example" !dbg !40 {
  call void @foo(), !dbg !42
    #dbg_value(ptr addrspace(1) %a, !41, !DIExpression(), !42)
  call void @leaf(ptr addrspace(1) %a), !dbg !42
  ret void
}

; A variable of an inlined call ends at the first safepoint outside of the call: the records would be as many as the
; product of inlined calls and safepoints.
; CHECK-LABEL: @inlined
; CHECK: call token {{.*}}@foo
; CHECK: #dbg_value(ptr addrspace(1) %{{.*}}, [[I:![0-9]+]],
; CHECK: #dbg_value(i1 poison, [[I]],
; CHECK-NEXT: call token {{.*}}@foo
; CHECK-NOT: [[I]]
; CHECK: ret void
define void @inlined(ptr addrspace(1) %a) gc "statepoint-example" !dbg !50 {
  call void @leaf(ptr addrspace(1) %a), !dbg !52
    #dbg_value(ptr addrspace(1) %a, !8, !DIExpression(), !53)
  call void @foo(), !dbg !53
  call void @foo(), !dbg !52
  call void @foo(), !dbg !52
  call void @leaf(ptr addrspace(1) %a), !dbg !52
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!4 = distinct !DISubprogram(name: "live", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!7 = !DILocation(line: 3, column: 5, scope: !4)
!8 = !DILocalVariable(name: "a", arg: 1, scope: !4, file: !1, line: 1, type: !9)
!10 = distinct !DISubprogram(name: "dead", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!11 = !DILocalVariable(name: "a", arg: 1, scope: !10, file: !1, line: 1, type: !9)
!12 = !DILocation(line: 3, column: 5, scope: !10)
!13 = !DICompositeType(tag: DW_TAG_structure_type, name: "pair", file: !1, line: 1, size: 128, elements: !2)
!20 = distinct !DISubprogram(name: "inside", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!21 = !DILocalVariable(name: "a", scope: !20, file: !1, line: 1, type: !13)
!22 = !DILocation(line: 3, column: 5, scope: !20)
!30 = distinct !DISubprogram(name: "loop", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!31 = !DILocalVariable(name: "a", arg: 1, scope: !30, file: !1, line: 1, type: !9)
!32 = !DILocation(line: 3, column: 5, scope: !30)
!40 = distinct !DISubprogram(name: "late", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!41 = !DILocalVariable(name: "a", scope: !40, file: !1, line: 1, type: !9)
!42 = !DILocation(line: 3, column: 5, scope: !40)
!50 = distinct !DISubprogram(name: "inlined", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!52 = !DILocation(line: 3, column: 5, scope: !50)
!53 = !DILocation(line: 3, column: 5, scope: !4, inlinedAt: !54)
!54 = distinct !DILocation(line: 4, column: 5, scope: !50)
