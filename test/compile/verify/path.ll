; RUN: not %cairn verify %s 2>&1 | FileCheck %s --check-prefix=TEXT
; RUN: not %cairn verify --json %s > %t.json
; RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
; RUN: python3 -c "import json; [json.loads(line) for line in open('%t.json')]"
; RUN: not %cairn verify %s - < %s 2>&1 | FileCheck %s --check-prefix=TWICE
; A finding without the way from the safepoint to the use leaves people to guess which of many paths
; is meant: the blocks are named, through phis and GEPs, in text and for machines. A message with a
; quote in it must not break the JSON.
; TWICE-COUNT-4: [stale-reference]

; TEXT: error: in function 'f': %d, which comes from %p, is used after the object may have moved at the call to @foo: store {{.*}}[stale-reference]
; TEXT-NEXT: path: %one -> %join -> %quoted " name -> %3
; JSON: {"severity": "error", "module": "{{.*}}path.ll", "rule": "stale-reference", "function": "f", "message": "{{.*}}", "value": "%d", "other": "%p", "path": ["%one", "%join", "%quoted \" name", "%3"]}
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare void @foo()
define void @f(ptr addrspace(1) %p, i1 %c, i1) gc "statepoint-example" {
  br i1 %c, label %one, label %two
one:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %join
two:
  br label %join
join:
  %m = phi ptr addrspace(1) [ %p, %one ], [ %p, %two ]
  %d = getelementptr i8, ptr addrspace(1) %m, i64 8
  br label %"quoted \22 name"
"quoted \22 name":
  %2 = add i64 1, 2
  br label %3
3:
  store i64 %2, ptr addrspace(1) %d
  ret void
}

; Round a loop, from a safepoint after the use.
; TEXT: error: in function 'g': {{.*}}[stale-reference]
; TEXT-NEXT: path: %back -> %loop
; JSON: "path": ["%back", "%loop"]
define void @g(ptr addrspace(1) %p, i1 %c) gc "statepoint-example" {
  br label %loop
loop:
  store i64 1, ptr addrspace(1) %p
  br i1 %c, label %back, label %out
back:
  %t = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @foo, i32 0, i32 0, i32 0, i32 0)
  br label %loop
out:
  ret void
}
