; Each place of polls can be switched. Wrong: a switch that does nothing; a return poll after a tail
; call, which then is none and needs a stack; a poll between a musttail call and its return, which is
; broken IR.
; RUN: %cairn opt --polls=entry -p place-safepoints -S %s | FileCheck --check-prefixes=ANY,ENTRY %s
; RUN: %cairn opt --polls=backedge -p place-safepoints -S %s | FileCheck --check-prefixes=ANY,BACK %s
; RUN: %cairn opt --polls=return -p place-safepoints -S %s | FileCheck --check-prefixes=ANY,RETURN %s
; RUN: %cairn opt --polls=tail-call -p place-safepoints -S %s | FileCheck --check-prefixes=ANY,TAIL %s
; RUN: %cairn opt --polls=entry,return -p place-safepoints -S %s | FileCheck --check-prefixes=BOTH %s
; RUN: %cairn opt --polls=none -p place-safepoints -S %s | FileCheck --check-prefixes=ANY,NONE %s
; RUN: %cairn opt --polls=none -p place-safepoints -S %s | FileCheck --check-prefix=WHOLE %s
; RUN: %cairn opt --polls=entry,call,return,tail-call -p place-safepoints -S %s | FileCheck --check-prefix=WHOLE %s
; RUN: %cairn opt --polls=call -p place-safepoints -S %s | FileCheck --check-prefixes=ANY,NONE %s
; RUN: %cairn opt --polls=entry,backedge,call,return,tail-call \
; RUN:   -p place-safepoints,rewrite-statepoints,verify-safepoints,tail-calls -S %s | FileCheck --check-prefix=ALL %s

declare void @foo()
declare ptr addrspace(1) @make()
declare i1 @more()

; ANY-LABEL: define ptr addrspace(1) @loop
; ENTRY: poll.asked
; BACK-NOT: poll.asked
; RETURN-NOT: poll.asked
; TAIL-NOT: poll.asked
; NONE-NOT: poll.asked
; ANY: head:
; BACK: poll.asked
; ENTRY-NOT: poll.asked
; RETURN-NOT: poll.asked
; NONE-NOT: poll.asked
; ANY: br i1 %c, label %head
; ANY: out:
; RETURN: poll.asked
; ENTRY-NOT: poll.asked
; BACK-NOT: poll.asked
; TAIL-NOT: poll.asked
; NONE-NOT: poll.asked
; ANY: ret ptr addrspace(1) %p
define ptr addrspace(1) @loop(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  call void @foo()
  br label %head
head:
  %c = call i1 @more()
  br i1 %c, label %head, label %out
out:
  ret ptr addrspace(1) %p
}

; A call that becomes a jump: no return poll, and the poll of the switch `tail-call` before it. The other
; way to the shared return polls before that.
; ANY-LABEL: define ptr addrspace(1) @jumps
; ANY: {{^}}a:
; TAIL: poll.asked
; RETURN-NOT: poll.asked
; ANY: %v = tail call ptr addrspace(1) @make()
; RETURN-NEXT: ret ptr addrspace(1) %v
; ANY: {{^}}b:
; RETURN: {{^}}out:
; RETURN-NEXT: phi ptr addrspace(1) [ {{.*}}, %b ]
; RETURN: poll.asked
; RETURN: ret ptr addrspace(1)
; ALL-LABEL: define ptr addrspace(1) @jumps
; ALL: musttail call{{.*}} ptr addrspace(1) {{.*}}@make
; ALL-NEXT: ret
define ptr addrspace(1) @jumps(i1 %c, ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br i1 %c, label %a, label %b
a:
  %v = tail call ptr addrspace(1) @make()
  br label %out
b:
  call void @foo()
  br label %out
out:
  %r = phi ptr addrspace(1) [ %v, %a ], [ %p, %b ]
  ret ptr addrspace(1) %r
}

; Nothing but tail calls shares the return: it stays as it is.
; ANY-LABEL: define void @only_jumps
; RETURN-NOT: poll.asked
; ANY: ret void
define void @only_jumps(i1 %c, ptr %f) gc "statepoint-example" {
entry:
  br i1 %c, label %a, label %b
a:
  tail call void @foo()
  br label %out
b:
  tail call void %f()
  br label %out
out:
  ret void
}

; The same with results: a phi of nothing would be a broken module.
; ANY-LABEL: define ptr addrspace(1) @only_results
; RETURN-NOT: poll.asked
; RETURN: phi ptr addrspace(1) [ %v, %a ], [ %w, %b ]
; ANY: ret ptr addrspace(1)
define ptr addrspace(1) @only_results(i1 %c, ptr %f) gc "statepoint-example" {
entry:
  br i1 %c, label %a, label %b
a:
  %v = tail call ptr addrspace(1) @make()
  br label %out
b:
  %w = tail call ptr addrspace(1) %f()
  br label %out
out:
  %r = phi ptr addrspace(1) [ %v, %a ], [ %w, %b ]
  ret ptr addrspace(1) %r
}

; ANY-LABEL: define void @musttail
; TAIL: poll.asked
; RETURN-NOT: poll.asked
; ANY: musttail call void @foo()
; ANY-NEXT: ret void
; ALL-LABEL: define void @musttail
; ALL: musttail call void @foo()
; ALL-NEXT: ret void
define void @musttail() gc "statepoint-example" {
  musttail call void @foo()
  ret void
}

; Never before `unreachable`, which is no return.
; ANY-LABEL: define void @ends
; RETURN-NOT: poll.asked
; ANY: unreachable
define void @ends() gc "statepoint-example" {
  call void @foo()
  unreachable
}

; An entry poll and a return poll that would stand at the same place are one. A leaf has neither.
; BOTH-LABEL: define void @empty
; BOTH-COUNT-1: poll.asked =
; BOTH-NOT: poll.asked =
; BOTH: ret void
; ALL-LABEL: define void @empty
; ALL-NOT: poll.asked =
; ALL: ret void
define void @empty() gc "statepoint-example" {
  ret void
}

; Loops that do not poll stay what they were: neither cut into chunks nor copied.
; WHOLE-LABEL: define void @counted
; WHOLE: {{^}}head:
; WHOLE-NEXT: %at = phi
; WHOLE-NEXT: store
; WHOLE-NEXT: getelementptr
; WHOLE-NEXT: icmp
; WHOLE-NEXT: br i1 %c, label %head, label %out{{$}}
; WHOLE-NOT: chunk
; WHOLE: {{^}}}
define void @counted(ptr addrspace(1) %p, ptr addrspace(1) %end) gc "statepoint-example" {
entry:
  br label %head
head:
  %at = phi ptr addrspace(1) [ %p, %entry ], [ %next, %head ]
  store i8 7, ptr addrspace(1) %at
  %next = getelementptr inbounds i8, ptr addrspace(1) %at, i64 1
  %c = icmp ne ptr addrspace(1) %next, %end
  br i1 %c, label %head, label %out
out:
  ret void
}
