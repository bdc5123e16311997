; Immediates become arithmetic when all is verified: of words themselves where integers are added and compared. Wrong: a
; shift too many; a sum of what are no integers that looks like a reference.
; RUN: %cairn opt -p prepare,rewrite-statepoints,verify-safepoints,lower-tags --words=0:1 -S %s | FileCheck %s --check-prefixes=ALL,ML
; RUN: %cairn opt -p prepare,rewrite-statepoints,verify-safepoints,lower-tags --words=1:0 -S %s | FileCheck %s --check-prefixes=ALL,V8
; RUN: %cairn opt -p prepare,rewrite-statepoints,verify-safepoints,lower-tags --words=000:10 -S %s | FileCheck %s --check-prefixes=ALL,SCHEME
; RUN: %cairn opt -p prepare,rewrite-statepoints,lower-tags --words=0:1 -S %s -o %t.ll && not %cairn verify %t.ll 2>&1 | FileCheck %s --check-prefix=LOWERED
; LOWERED: error: the integers of its words look like addresses: verify the module as it was before lower-tags [lowered-words]
; ALL-NOT: cairn.tag

declare ptr addrspace(1) @cairn.tag.from(i64)
declare i1 @cairn.tag.is(ptr addrspace(1))
declare i64 @cairn.tag.value(ptr addrspace(1))
declare void @collects(ptr addrspace(1))

; ALL-LABEL: define ptr addrspace(1) @seven
; ML-NEXT: ret ptr addrspace(1) inttoptr (i64 15 to ptr addrspace(1))
; V8-NEXT: ret ptr addrspace(1) inttoptr (i64 14 to ptr addrspace(1))
; SCHEME-NEXT: ret ptr addrspace(1) inttoptr (i64 30 to ptr addrspace(1))
define ptr addrspace(1) @seven() gc "statepoint-example" {
  %v = call ptr addrspace(1) @cairn.tag.from(i64 7)
  ret ptr addrspace(1) %v
}

; ALL-LABEL: define i1 @is
; ALL-NEXT: [[P:%.*]] = ptrtoint ptr addrspace(1) %v to i64
; ML-NEXT: [[A:%.*]] = and i64 [[P]], 1
; ML-NEXT: icmp ne i64 [[A]], 0
; V8-NEXT: [[A:%.*]] = and i64 [[P]], 1
; V8-NEXT: icmp ne i64 [[A]], 1
; SCHEME-NEXT: [[A:%.*]] = and i64 [[P]], 7
; SCHEME-NEXT: icmp ne i64 [[A]], 0
define i1 @is(ptr addrspace(1) %v) gc "statepoint-example" {
  %i = call i1 @cairn.tag.is(ptr addrspace(1) %v)
  ret i1 %i
}

; ALL-LABEL: define ptr addrspace(1) @add
; ALL: [[A:%.*]] = ptrtoint ptr addrspace(1) %a to i64
; ALL: [[B:%.*]] = ptrtoint ptr addrspace(1) %b to i64
; ML: [[X:%.*]] = sub i64 [[A]], 1
; ML-NEXT: [[Y:%.*]] = sub i64 [[B]], 1
; ML-NEXT: [[S:%.*]] = add i64 [[X]], [[Y]]
; ML-NEXT: [[O:%.*]] = add i64 [[S]], 1
; ML-NEXT: or i64 [[O]], 1
; V8: [[M:%.*]] = and i64 {{.*}}, -2
; SCHEME: [[M:%.*]] = and i64 {{.*}}, -4
; SCHEME-NEXT: or i64 [[M]], 2
define ptr addrspace(1) @add(ptr addrspace(1) %a, ptr addrspace(1) %b) gc "statepoint-example" {
  %x = call i64 @cairn.tag.value(ptr addrspace(1) %a)
  %y = call i64 @cairn.tag.value(ptr addrspace(1) %b)
  %sum = add i64 %x, %y
  %v = call ptr addrspace(1) @cairn.tag.from(i64 %sum)
  ret ptr addrspace(1) %v
}

; ALL-LABEL: define i1 @less
; ML: icmp slt i64 {{%.*}}, 5
; V8: icmp slt i64 {{%.*}}, 4
; SCHEME: icmp slt i64 {{%.*}}, 10
define i1 @less(ptr addrspace(1) %a) gc "statepoint-example" {
  %x = call i64 @cairn.tag.value(ptr addrspace(1) %a)
  %c = icmp slt i64 %x, 2
  ret i1 %c
}

; The number is no immediate's: the integers are compared.
; ALL-LABEL: define i1 @beyond
; ALL: icmp slt i64 {{%.*}}, 4611686018427387904
define i1 @beyond(ptr addrspace(1) %a) gc "statepoint-example" {
  %x = call i64 @cairn.tag.value(ptr addrspace(1) %a)
  %c = icmp slt i64 %x, 4611686018427387904
  ret i1 %c
}

; What is made as an immediate need not be asked; what may come from elsewhere must.
; ALL-LABEL: define i1 @made
; ALL: ret i1 true
define i1 @made(i64 %n, i1 %c) gc "statepoint-example" {
entry:
  %a = call ptr addrspace(1) @cairn.tag.from(i64 0)
  br label %loop
loop:
  %v = phi ptr addrspace(1) [ %a, %entry ], [ %s, %loop ]
  %b = call ptr addrspace(1) @cairn.tag.from(i64 %n)
  %s = select i1 %c, ptr addrspace(1) %v, ptr addrspace(1) %b
  br i1 %c, label %loop, label %done
done:
  %i = call i1 @cairn.tag.is(ptr addrspace(1) %s)
  ret i1 %i
}
; ALL-LABEL: define i1 @chosen
; ALL: icmp ne i64
define i1 @chosen(ptr addrspace(1) %p, i64 %n, i1 %c) gc "statepoint-example" {
  %b = call ptr addrspace(1) @cairn.tag.from(i64 %n)
  %s = select i1 %c, ptr addrspace(1) %p, ptr addrspace(1) %b
  %i = call i1 @cairn.tag.is(ptr addrspace(1) %s)
  ret i1 %i
}

; An immediate does not move, and what it is chosen from does.
; ALL-LABEL: define ptr addrspace(1) @live
; ALL: statepoint{{.*}} [ "gc-live"(ptr addrspace(1) %p) ]
; ALL: [[R:%.*]] = call {{.*}} @llvm.experimental.gc.relocate
; ALL: select i1 %c, ptr addrspace(1) {{%[0-9]+}}, ptr addrspace(1) [[R]]
define ptr addrspace(1) @live(ptr addrspace(1) %p, i64 %n, i1 %c) gc "statepoint-example" {
  %v = call ptr addrspace(1) @cairn.tag.from(i64 %n)
  call void @collects(ptr addrspace(1) null)
  %s = select i1 %c, ptr addrspace(1) %v, ptr addrspace(1) %p
  ret ptr addrspace(1) %s
}
