; statepoints-later, "PlaceSafepoints", in today's syntax.
; RUN: split-file %s %t
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %t/example.ll | FileCheck --check-prefix=EXAMPLE %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %t/branch.ll | FileCheck --check-prefix=BRANCH %s
; RUN: %cairn opt -p place-safepoints,rewrite-statepoints,verify-safepoints -S %t/ids.ll | FileCheck --check-prefix=IDS %s
; RUN: %cairn opt --polls=backedge -p place-safepoints,rewrite-statepoints,verify-safepoints -S %t/backedge.ll | FileCheck --check-prefix=BACKEDGE %s
; RUN: %cairn opt --polls=return -p place-safepoints,rewrite-statepoints,verify-safepoints -S %t/backedge.ll | FileCheck --check-prefix=RETURN %s

; The example: an entry poll, whose call is a statepoint, and the call, which is another, in this order, both
; with 0xABCDEF00 and no bytes to patch. That foo and test are not mutually recursive nobody knows, so the
; poll stays. Wrong: no poll; the poll's body not a statepoint; another id.
;--- example.ll
; EXAMPLE-LABEL: define void @test()
; EXAMPLE-NEXT: call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @do_safepoint, i32 0, i32 0, i32 0, i32 0)
; EXAMPLE-NEXT: call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
; EXAMPLE-NEXT: ret void
; EXAMPLE: define void @gc.safepoint_poll()
; EXAMPLE-NEXT: call void @do_safepoint()
; EXAMPLE-NEXT: ret void
define void @test() gc "statepoint-example" {
  call void @foo()
  ret void
}
declare void @foo()
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}

; "In practice, you'd probably want your poll definition to contain a conditional branch of some form."
; "Calls or invokes inside this method are transformed to gc.statepoints, recursive poll insertion is not
; performed."
;--- branch.ll
; BRANCH-LABEL: define void @test()
; BRANCH-NEXT: load volatile i1, ptr @asked
; BRANCH-NEXT: br i1
; BRANCH: gc.statepoint{{.*}}@do_safepoint
; BRANCH: gc.statepoint{{.*}}@foo
; BRANCH-NEXT: ret void
; BRANCH-LABEL: define void @gc.safepoint_poll()
; BRANCH-NEXT: load volatile i1, ptr @asked
; BRANCH-NEXT: br i1
; BRANCH: gc.statepoint{{.*}}@do_safepoint
; BRANCH-NOT: load volatile
define void @test() gc "statepoint-example" {
  call void @foo()
  ret void
}
@asked = external global i1
declare void @foo()
declare void @do_safepoint()
define void @gc.safepoint_poll() gc "statepoint-example" {
  %now = load volatile i1, ptr @asked
  br i1 %now, label %slow, label %done
slow:
  call void @do_safepoint()
  br label %done
done:
  ret void
}

; "These values can be configured on a per-callsite basis", by attributes which "are not propagated to the
; gc.statepoint call or invoke if they could be successfully parsed"; in the poll's body, too.
;--- ids.ll
; IDS-LABEL: define void @test()
; IDS-NEXT: {{.*}}gc.statepoint.p0(i64 5, i32 8, ptr elementtype(void ()) @do_safepoint, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170335664462, {{.*}}) ]{{$}}
; IDS-NEXT: {{.*}}gc.statepoint.p0(i64 237, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0){{$}}
; IDS-NEXT: {{.*}}gc.statepoint.p0(i64 2882400000, i32 13, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0) [ "deopt"(i64 4846245170335664462, {{.*}}) ]{{$}}
; IDS-NEXT: {{.*}}gc.statepoint.p0(i64 2882400000, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0){{$}}
; IDS-NEXT: ret void
define void @test() gc "statepoint-example" {
  call void @foo() "statepoint-id"="237"
  call void @foo() "statepoint-num-patch-bytes"="13"
  call void @foo()
  ret void
}
declare void @foo()
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint() "statepoint-id"="5" "statepoint-num-patch-bytes"="8"
  ret void
}

; "PlaceSafepoints can insert safepoint polls at method entry and loop backedges locations. Extending this to
; work with return polls would be straight forward": each alone.
;--- backedge.ll
; BACKEDGE-LABEL: define void @loop
; BACKEDGE-NOT: gc.statepoint
; BACKEDGE: {{^}}head:
; BACKEDGE: gc.statepoint{{.*}}@do_safepoint
; BACKEDGE: br i1 %c, label %head, label %out
; BACKEDGE: {{^}}out:
; BACKEDGE-NEXT: ret void
; RETURN-LABEL: define void @loop
; RETURN-NOT: gc.statepoint
; RETURN: {{^}}out:
; RETURN-NEXT: {{.*}}gc.statepoint{{.*}}@do_safepoint
; RETURN-NEXT: ret void
define void @loop(ptr addrspace(1) %p) gc "statepoint-example" {
entry:
  br label %head
head:
  %c = call i1 @more()
  br i1 %c, label %head, label %out
out:
  ret void
}
declare i1 @more() "gc-leaf-function"
declare void @do_safepoint()
define void @gc.safepoint_poll() {
  call void @do_safepoint()
  ret void
}
