; Blocks that nothing reaches are deleted before anything is placed (docs/relocation.md, "The steps").
; Wrong: a phi keeps an entry of a block that is gone, or liveness meets a block that has no place in
; the order; a record of a variable, a token or a block's address in such a block ends the process.
; RUN: %cairn opt -p rewrite-statepoints,verify-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p rewrite-statepoints -S %s | opt -passes='verify,verify<safepoint-ir>' -disable-output
declare void @foo()
declare void @use(ptr addrspace(1)) "gc-leaf-function"
declare i32 @pers(...)
@address = global ptr blockaddress(@phis, %dead4)

; %p is %a alone, and goes; %q loses three entries and stays, with its name.
; CHECK-LABEL: define ptr addrspace(1) @phis
; CHECK-NEXT: entry:
; CHECK-NEXT: br i1 %c, label %loop, label %done
; CHECK: loop:
; CHECK-NOT: dead
; CHECK: %q = phi ptr addrspace(1) [ %b, %entry ], [ %{{.*}}, %loop ]
; CHECK: %r = phi ptr addrspace(1) [ %a.relocated, %loop ], [ %b, %entry ]
; CHECK-NEXT: ret
define ptr addrspace(1) @phis(ptr addrspace(1) %a, ptr addrspace(1) %b, i1 %c) gc "statepoint-example" personality ptr @pers {
entry:
  br i1 %c, label %loop, label %done
dead:
  %x = phi ptr addrspace(1) [ %y, %dead2 ], [ null, %dead3 ]
  call void @foo()
  br i1 %c, label %dead2, label %loop
dead2:
  %y = getelementptr i8, ptr addrspace(1) %x, i64 8
  invoke void @foo() to label %dead unwind label %pad
dead3:
  switch i32 0, label %dead [ i32 1, label %loop
                              i32 2, label %loop ]
pad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
loop:
  %p = phi ptr addrspace(1) [ %a, %entry ], [ %x, %dead ], [ %p, %loop ], [ %b, %dead3 ], [ %b, %dead3 ]
  %q = phi ptr addrspace(1) [ %b, %entry ], [ %a, %dead ], [ %n, %loop ], [ %a, %dead3 ], [ %a, %dead3 ]
  %n = getelementptr i8, ptr addrspace(1) %q, i64 8
  call void @foo()
  call void @use(ptr addrspace(1) %q)
  br i1 %c, label %loop, label %done
done:
  %r = phi ptr addrspace(1) [ %p, %loop ], [ %b, %entry ]
  ret ptr addrspace(1) %r
dead4:
  %s = add i32 %s, 1
  br label %dead4
}

; CHECK-LABEL: define void @records
; CHECK-NOT: dead
; CHECK: ret void
; CHECK-NEXT: }
define void @records(ptr addrspace(1) %a) gc "statepoint-example" !dbg !5 {
  call void @foo(), !dbg !8
  call void @use(ptr addrspace(1) %a), !dbg !8
  ret void, !dbg !8
dead:
  %n = getelementptr i8, ptr addrspace(1) %a, i64 8, !dbg !8
    #dbg_value(ptr addrspace(1) %n, !7, !DIExpression(), !8)
  br label %deader, !dbg !8
deader:
    #dbg_value(ptr addrspace(1) %n, !7, !DIExpression(), !8)
  ret void, !dbg !8
}

; CHECK-LABEL: define void @funclets
; CHECK-NOT: catch
; CHECK: ret void
; CHECK-NEXT: }
define void @funclets(ptr addrspace(1) %a) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
  call void @foo()
  call void @use(ptr addrspace(1) %a)
  ret void
dead:
  invoke void @foo() to label %out unwind label %pads
pads:
  %s = catchswitch within none [label %pad] unwind to caller
pad:
  %p = catchpad within %s [ptr null, i32 64, ptr null]
  catchret from %p to label %out
out:
  ret void
}
declare i32 @__CxxFrameHandler3(...)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!9}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "unreachable.c", directory: "")
!2 = !DISubroutineType(types: !{null})
!5 = distinct !DISubprogram(name: "records", file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!7 = !DILocalVariable(name: "n", scope: !5, file: !1, line: 2, type: !6)
!8 = !DILocation(line: 3, scope: !5)
!9 = !{i32 2, !"Debug Info Version", i32 3}
