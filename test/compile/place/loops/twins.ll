; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; A small loop that chunks would slow down gets a copy without polls, for few trips. A wrong guard
; would let the copy run without a poll for ever; a use after the loop that is fed from one of the
; two loops only would be a broken module.

; Products: the original polls on each trip. What is used after the loop is merged.
; CHECK-LABEL: define i64 @products
; CHECK: {{^}}twin:
; CHECK-NEXT: %twin.start = phi i64 [ 0, %entry ]
; CHECK: %chunk.left = sub i64 %n, %twin.start
; CHECK: load volatile i64
; CHECK: %chunk.far = icmp ugt i64 %chunk.left, 4096
; CHECK-NEXT: br i1 %chunk.far, label %loop, label %[[LOOP:loop[0-9]+]], !prof
; CHECK: {{^}}[[LOOP]]:
; CHECK-NEXT: %i{{[0-9]+}} = phi i64 [ %twin.start{{[0-9]*}}, %[[PRE:[a-z.0-9]+]] ], [ %[[INEXT:i.next[0-9]+]], %[[LOOP]] ]
; CHECK-NEXT: %s{{[0-9]+}} = phi i64 [ %twin.start{{[0-9]*}}, %[[PRE]] ], [ %[[SNEXT:s.next[0-9]+]], %[[LOOP]] ]
; CHECK-NOT: load volatile
; CHECK: br i1 %c{{[0-9]+}}, label %done, label %[[LOOP]]
; CHECK: {{^}}loop:
; CHECK-NEXT: %i = phi i64 [ %twin.start{{[0-9]*}}, %[[PRE]] ], [ %i.next, %poll.done{{[0-9]*}} ]
; CHECK: load volatile i64
; CHECK: {{^}}done:
; CHECK-NEXT: %s.next.lcssa = phi i64 [ %s.next, %poll.done{{[0-9]*}} ], [ %[[SNEXT]], %[[LOOP]] ]
; CHECK-NEXT: %r = add i64 %s.next.lcssa, 1
define i64 @products(ptr addrspace(1) %a, i64 %n, i64 %m) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %s = phi i64 [ 0, %entry ], [ %s.next, %loop ]
  %at = mul i64 %i, %m
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %at
  %v = load i64, ptr addrspace(1) %p
  %s.next = add i64 %s, %v
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %done, label %loop
done:
  %r = add i64 %s.next, 1
  ret i64 %r
}

; Several exits, and a product. The original polls.
; The bound may be undefined where the loop ends before it is looked at.
; CHECK-LABEL: define i64 @find
; CHECK: %twin.far = freeze i1 %chunk.far
; CHECK-NEXT: br i1 %twin.far, label %loop, label %[[LOOP:loop[0-9]+]]
; CHECK: {{^}}latch[[COPY:[0-9]+]]:
; CHECK-NOT: load volatile
; CHECK: {{^}}loop:
; CHECK: {{^}}latch:
; CHECK: load volatile i64
; CHECK: {{^}}done:
; CHECK-NEXT: %r = phi i64 [ %i, %loop ], [ -1, %poll.done{{[0-9]*}} ], [ %i{{[0-9]+}}, %[[LOOP]] ], [ -1, %latch[[COPY]] ]
define i64 @find(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %at = mul i64 %i, %n
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %at
  %v = load i8, ptr addrspace(1) %p
  %found = icmp eq i8 %v, 0
  br i1 %found, label %done, label %latch
latch:
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %done, label %loop
done:
  %r = phi i64 [ %i, %loop ], [ -1, %latch ]
  ret i64 %r
}

; Several exits, and small: the copy is as it was, and the original is unrolled. Not so that the copy
; would be; and no poll on entry, since the copy is for few trips.
; CHECK-LABEL: define i64 @scan
; CHECK: {{^}}twin:
; CHECK-NOT: load volatile
; CHECK: icmp uge i64 %chunk.before, 128
; CHECK: br i1 %twin.far, label %loop, label %[[LOOP:loop[0-9]+]]
; CHECK: {{^}}[[LOOP]]:
; CHECK: br i1 %found{{[0-9]+}}, label %done, label %latch[[COPY:[0-9]+]]
; CHECK: {{^}}latch[[COPY]]:
; CHECK-NOT: load volatile
; CHECK: br i1 %c{{[0-9]+}}, label %done, label %[[LOOP]], !cairn.bounded
; CHECK: {{^}}loop:
; CHECK-NOT: load volatile
; CHECK-COUNT-3: %found{{[0-9]+}} = icmp
; CHECK: load volatile i64
; CHECK: ret i64
define i64 @scan(ptr addrspace(1) %a, i64 %n, i8 %wanted) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %i
  %v = load i8, ptr addrspace(1) %p
  %found = icmp eq i8 %v, %wanted
  br i1 %found, label %done, label %latch
latch:
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %done, label %loop
done:
  %r = phi i64 [ %i, %loop ], [ -1, %latch ]
  ret i64 %r
}

; Several exits, and a use after them that no phi feeds: LLVM makes one.
; CHECK-LABEL: define i64 @used
; CHECK: {{^}}twin:
; CHECK: %[[USED:i.lcssa[0-9]*]] = phi i64 [ %i, {{.*}} ], [ %i, {{.*}} ], [ %i{{[0-9]+}}, {{.*}} ], [ %i{{[0-9]+}}, {{.*}} ]
; CHECK: ret i64 %[[USED]]
define i64 @used(ptr addrspace(1) %a, i64 %n) gc "statepoint-example" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %at = mul i64 %i, %n
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %at
  %v = load i8, ptr addrspace(1) %p
  %found = icmp eq i8 %v, 0
  br i1 %found, label %done, label %latch
latch:
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %done, label %loop
done:
  ret i64 %i
}

; In a chunk of another loop the guard polls: else each trip of that could do a copy's work.
; CHECK-LABEL: define void @inner
; CHECK: {{^}}chunk:
; CHECK: {{^}}twin:
; CHECK: load volatile i64
; CHECK: %chunk.left
; CHECK: {{^}}outer.latch:
; CHECK-NOT: load volatile
; CHECK: {{^}}chunk.check:
define void @inner(ptr addrspace(1) %a, i64 %n, i64 %m) gc "statepoint-example" {
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %outer.latch ]
  %q = getelementptr i8, ptr addrspace(1) %a, i64 %j
  %v = load i8, ptr addrspace(1) %q
  %zero = icmp eq i8 %v, 0
  br i1 %zero, label %loop, label %outer.latch
loop:
  %i = phi i64 [ 0, %outer ], [ %i.next, %loop ]
  %at = mul i64 %i, %m
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %at
  store i8 1, ptr addrspace(1) %p
  %i.next = add nuw i64 %i, 1
  %c = icmp eq i64 %i.next, %n
  br i1 %c, label %outer.latch, label %loop
outer.latch:
  %j.next = add nuw i64 %j, 1
  %d = icmp eq i64 %j.next, %n
  br i1 %d, label %done, label %outer
done:
  ret void
}

; The debugger hears of variables in the copy, too.
; CHECK-LABEL: define void @debugged
; CHECK: {{^}}loop{{[0-9]+}}:
; CHECK-NEXT: %[[I:i[0-9]+]] = phi
; CHECK: #dbg_value(i64 %[[I]], ![[VAR:[0-9]+]], !DIExpression(), ![[AT:[0-9]+]])
; CHECK-NEXT: #dbg_value(i1 poison, ![[VAR]], !DIExpression(), ![[AT]])
; CHECK: {{^}}loop:
; CHECK: #dbg_value(i64 %i, ![[VAR]], !DIExpression(), ![[AT]])
define void @debugged(ptr addrspace(1) %a, i64 %n, i64 %m) gc "statepoint-example" !dbg !4 {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
    #dbg_value(i64 %i, !6, !DIExpression(), !7)
    #dbg_value(!DIArgList(i64 %i, i64 %m), !6, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !7)
  %at = mul i64 %i, %m, !dbg !7
  %p = getelementptr i8, ptr addrspace(1) %a, i64 %at, !dbg !7
  store i8 1, ptr addrspace(1) %p, !dbg !7
  %i.next = add nuw i64 %i, 1, !dbg !7
  %c = icmp eq i64 %i.next, %n, !dbg !7
  br i1 %c, label %done, label %loop, !dbg !7
done:
  ret void, !dbg !7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "debugged", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocalVariable(name: "i", scope: !4, file: !1, line: 1, type: !2)
!7 = !DILocation(line: 1, scope: !4)
