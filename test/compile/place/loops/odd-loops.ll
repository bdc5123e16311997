; Cycles of every form poll: a latch that is an invoke, an unwind edge, an indirectbr, a callbr; several
; latches on critical edges; no exit; in funclets, where the poll must carry the funclet's pad or LLVM
; deletes it as unreachable; through a catchswitch, in whose block nothing else can stand. Where nothing
; can come, nothing changes. The verifier finds no cycle without a safepoint.
; RUN: %cairn opt --polls=entry,backedge -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt --check-polls -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o /dev/null
; RUN: %cairn opt --check-polls --polls=backedge,return -p place-safepoints,rewrite-statepoints,verify-safepoints -S %s -o /dev/null

declare void @foo()
declare i32 @__CxxFrameHandler3(...)
declare i32 @personality(...)

; CHECK-LABEL: define void @invoke_latch(
; CHECK: poll.asked = icmp
; CHECK: {{^}}head:
; CHECK: poll.asked{{[0-9]+}} = icmp
; CHECK: invoke void @foo()
; CHECK-NEXT: to label %head unwind
define void @invoke_latch() gc "statepoint-example" personality ptr @personality {
entry:
  br label %head
head:
  invoke void @foo() to label %head unwind label %pad
pad:
  %l = landingpad { ptr, i32 } cleanup
  ret void
}

; The pad may be the header: before its landingpad nothing can stand.
; CHECK-LABEL: define void @pad_header(
; CHECK: {{^}}pad:
; CHECK-NEXT: landingpad
; CHECK-NEXT: cleanup
; CHECK: poll.asked{{[0-9]+}} = icmp
define void @pad_header() gc "statepoint-example" personality ptr @personality {
entry:
  invoke void @foo() to label %out unwind label %pad
pad:
  %l = landingpad { ptr, i32 } cleanup
  invoke void @foo() to label %out unwind label %pad
out:
  ret void
}

; CHECK-LABEL: define void @indirect(
; CHECK: {{^}}head:
; CHECK: poll.asked{{[0-9]+}} = icmp
; CHECK: indirectbr
; CHECK: {{^}}b:
; CHECK: poll.asked{{[0-9]+}} = icmp
; CHECK: indirectbr
define void @indirect(ptr %t) gc "statepoint-example" {
entry:
  br label %head
head:
  %n = load volatile ptr, ptr %t
  indirectbr ptr %n, [label %head, label %b, label %out]
b:
  %m = load volatile ptr, ptr %t
  indirectbr ptr %m, [label %head, label %b, label %out]
out:
  ret void
}

; CHECK-LABEL: define void @callbr(
; CHECK: {{^}}head:
; CHECK: poll.asked{{[0-9]+}} = icmp
; CHECK: callbr
define void @callbr(ptr %t) gc "statepoint-example" {
entry:
  br label %head
head:
  %n = load volatile ptr, ptr %t
  callbr void asm sideeffect "", "!i"() to label %out [label %head]
out:
  ret void
}

; CHECK-LABEL: define void @forever(
; CHECK: {{^}}head:
; CHECK: poll.asked{{[0-9]+}} = icmp
define void @forever(ptr %t) gc "statepoint-example" {
entry:
  br label %head
head:
  br label %head
}

; CHECK-LABEL: define void @dead_loop(
; CHECK: poll.asked = icmp
; CHECK-NOT: poll.asked{{[0-9]+}} = icmp
; CHECK: {{^}}head:
; CHECK-NEXT: br label %next
define void @dead_loop(ptr %t) gc "statepoint-example" {
entry:
  ret void
head:
  br label %next
next:
  br label %head
}

; CHECK-LABEL: define void @critical(
; CHECK-COUNT-3: poll.asked{{[0-9]*}} = icmp
define void @critical() gc "statepoint-example" {
entry:
  br label %a
a:
  %x = load volatile i1, ptr null
  br i1 %x, label %b, label %c
b:
  %y = load volatile i1, ptr null
  br i1 %y, label %a, label %c
c:
  %z = load volatile i1, ptr null
  br i1 %z, label %a, label %out
out:
  ret void
}

; CHECK-LABEL: define void @funclet(
; CHECK: {{^}}out:
; CHECK: call preserve_allcc void @cairn_poll_slow(){{$}}
; CHECK: call preserve_allcc void @cairn_poll_slow() [ "funclet"(token %cp) ]
; CHECK: call preserve_allcc void @cairn_poll_slow(){{$}}
define void @funclet(ptr addrspace(1) %p) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @foo() to label %out unwind label %dispatch
dispatch:
  %cs = catchswitch within none [label %handler] unwind to caller
handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  br label %loop
loop:
  %x = load volatile i1, ptr null
  br i1 %x, label %loop, label %done
done:
  catchret from %cp to label %after
after:
  %y = load volatile i1, ptr null
  br i1 %y, label %after, label %out
out:
  ret void
}

; CHECK-LABEL: define void @funclet2(
; CHECK: call preserve_allcc void @cairn_poll_slow() [ "funclet"(token %cl) ]
; CHECK: call preserve_allcc void @cairn_poll_slow() [ "funclet"(token %cp) ]
define void @funclet2() gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  br label %head
head:
  invoke void @foo() to label %out unwind label %cleanup
cleanup:
  %cl = cleanuppad within none []
  br label %l2
l2:
  %x = load volatile i1, ptr null
  br i1 %x, label %l2, label %d2
d2:
  cleanupret from %cl unwind label %dispatch
dispatch:
  %cs = catchswitch within none [label %handler] unwind to caller
handler:
  %cp = catchpad within %cs [ptr null, i32 64, ptr null]
  catchret from %cp to label %head
out:
  ret void
}

; Neither of the pads of this cycle dominates the other; what leads to the catchswitch polls.
; CHECK-LABEL: define void @switch_latch(
; CHECK: {{^}}head:
; CHECK-NEXT: {{.*}}@llvm.threadlocal.address
; CHECK: invoke void @foo()
; CHECK: {{^}}inner:
; CHECK-NEXT: catchswitch
define void @switch_latch(i1 %c) gc "statepoint-example" personality ptr @__CxxFrameHandler3 {
entry:
  br i1 %c, label %e1, label %head
e1:
  invoke void @foo() to label %out unwind label %outer
outer:
  %os = catchswitch within none [label %oh] unwind to caller
oh:
  %op = catchpad within %os [ptr null, i32 64, ptr null]
  catchret from %op to label %head
head:
  invoke void @foo() to label %out unwind label %inner
inner:
  %is = catchswitch within none [label %ih] unwind label %outer
ih:
  %ip = catchpad within %is [ptr null, i32 64, ptr null]
  catchret from %ip to label %out
out:
  ret void
}

