; Interpreters with computed jumps: operations poll, not the block from which all of them are reached, which the code
; generator then copies to the end of each. Wrong: a cycle without a poll; one in the midst of an allocation, or before
; an alloca of the entry. At -Os the block polls by a call, and is copied with it.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints --disable-output %s
; RUN: %cairn-cc -O2 -fcairn-manage=all -I%root/include -S %root/bench/kernels/threaded_code.c -o - | FileCheck %s --check-prefix=FAST
; RUN: %cairn-cc -Os -fcairn-manage=all -I%root/include -S %root/bench/kernels/threaded_code.c -o - | FileCheck %s --check-prefix=SMALL
; FAST-COUNT-14: jmpq *(%{{.*}},8)
; SMALL-COUNT-14: callq cairn.slow.cairn_poll{{$}}
@cairn_mutator = external thread_local global [192 x i8]
@labels = internal constant [3 x ptr] [ptr blockaddress(@interpret, %down), ptr blockaddress(@interpret, %make), ptr blockaddress(@interpret, %stop)]
declare ptr addrspace(1) @cairn_alloc_slow(i64)

; The operation of an allocation polls where that is over.
; CHECK-LABEL: @interpret(
; CHECK: alloca
; CHECK-NEXT: getelementptr
; CHECK-NOT: cairn_mutator
; CHECK: {{^}}next:
; CHECK-NOT: cairn_mutator
; CHECK: indirectbr
; CHECK: {{^}}down:
; CHECK-NEXT: threadlocal.address
; CHECK: load volatile
; CHECK: br i1
; CHECK: %less = sub
; CHECK-NOT: load volatile
; CHECK: {{^}}make:
; CHECK: load volatile
; CHECK: {{^}}fast:
; CHECK-NEXT: store i64 %end
; CHECK: load volatile
; CHECK: br i1
; CHECK: {{^}}back:
; CHECK-NEXT: phi
; CHECK-NEXT: br label %next
define i64 @interpret(ptr %code, i64 %n, i64 %limit) gc "statepoint-example" {
  %local = alloca i64
  %first = getelementptr i8, ptr %code, i64 1
  store i64 %n, ptr %local
  br label %next
next:
  %pc = phi ptr [ %first, %0 ], [ %pc1, %back ]
  %at = phi i64 [ %n, %0 ], [ %new, %back ]
  %operation = load i8, ptr %pc
  %pc1 = getelementptr i8, ptr %pc, i64 1
  %wide = zext i8 %operation to i64
  %label = getelementptr ptr, ptr @labels, i64 %wide
  %target = load ptr, ptr %label
  indirectbr ptr %target, [label %down, label %make, label %stop]
down:
  %less = sub i64 %at, 1
  br label %back
make:
  %mutator = call ptr @llvm.threadlocal.address.p0(ptr @cairn_mutator)
  %field = getelementptr i8, ptr %mutator, i64 8
  %free = load i64, ptr %field
  %field2 = getelementptr i8, ptr %mutator, i64 16
  %most = load volatile i64, ptr %field2
  %end = add i64 %free, 24
  %full = icmp ugt i64 %end, %most
  br i1 %full, label %slow, label %fast
fast:
  store i64 %end, ptr %field
  br label %back
slow:
  %o = call ptr addrspace(1) @cairn_alloc_slow(i64 24)
  br label %back
back:
  %new = phi i64 [ %less, %down ], [ %free, %fast ], [ 0, %slow ]
  br label %next
stop:
  ret i64 %at
}
