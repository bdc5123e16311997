; Functions of strings (docs/placement.md, "Long calls"): a scan of megabytes must not hold up a
; collection, and a short one costs little. Only what may be long is asked for its length.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints --poll-budget=1 -S %s | FileCheck %s --check-prefix=SMALL
; RUN: %cairn opt -p place-safepoints --without=long-calls -S %s | FileCheck %s --check-prefix=NONE
; RUN: %cairn opt -p place-safepoints -S %s | %cairn opt -p rewrite-statepoints -S - -o %t.ll
; RUN: %cairn verify %t.ll
; RUN: (%cairn verify --time-to-safepoint %t.ll; true) | FileCheck %s --check-prefix=TIME
; RUN: sed 's/i64 @strnlen(ptr, i64)/i32 @strnlen(ptr)/; /call.*@strnlen/d; s/ret i64 .counted/ret i64 0/' %s | \
; RUN:   %cairn opt -p place-safepoints -S - | FileCheck %s --check-prefix=NONE
; RUN: (cat %s; echo 'define void @gc.safepoint_poll() { call void @arrive() ret void } declare void @arrive()') | \
; RUN:   %cairn opt -p place-safepoints -S - | FileCheck %s --check-prefix=NONE
target triple = "x86_64-unknown-linux-gnu"

; NONE-NOT: cairn.call.str
; TIME: @length: enter {{.*}} leave 5.
; TIME: @compare: enter {{.*}} leave 9.
; TIME: @short: enter {{.*}} leave 16.
; TIME: @both: enter {{.*}} leave 16.
; TIME: @counted: enter {{.*}} leave 8.
@word = global [6 x i8] c"hello\00"

declare i64 @strlen(ptr)
declare i64 @strnlen(ptr, i64)
declare i32 @strcmp(ptr, ptr)
declare ptr @strcpy(ptr, ptr)
declare ptr @strcat(ptr, ptr)
declare i64 @strspn(ptr, ptr)

; The answer is the result. A reference is kept where it is but in the cold block.
define i64 @length(ptr %p, ptr addrspace(1) %o) gc "statepoint-example" {
; CHECK-LABEL: define i64 @length(
; CHECK: [[N:%.*]] = call i64 @strnlen(ptr %p, i64 16384)
; CHECK-NEXT: [[LONG:%.*]] = icmp eq i64 [[N]], 16384
; CHECK-NEXT: br i1 [[LONG]], label %[[NATIVE:.*]], label %[[DONE:.*]], !prof
; CHECK: [[DONE]]:
; CHECK-NEXT: [[R:%.*]] = phi i64 [ [[N]], %{{.*}} ], [ [[L:%.*]], %[[NATIVE]] ]
; CHECK: [[NATIVE]]:
; CHECK-NEXT: [[L]] = call i64 @cairn.call.strlen(ptr %p)
; CHECK-NEXT: br label %[[DONE]]
; SMALL-LABEL: define i64 @length(
; SMALL: call i64 @strnlen(ptr %p, i64 2048)
  %n = call i64 @strlen(ptr %p)
  %v = load i64, ptr addrspace(1) %o
  %r = add i64 %n, %v
  ret i64 %r
}

; Strings that differ before the limit are not asked.
define i32 @compare(ptr %p, ptr %q) gc "statepoint-example" {
; CHECK-LABEL: define i32 @compare(
; CHECK: [[R:%.*]] = call i32 @strncmp(ptr %p, ptr %q, i64 16384)
; CHECK-NEXT: [[SAME:%.*]] = icmp eq i32 [[R]], 0
; CHECK-NEXT: br i1 [[SAME]], label %[[ASK:.*]], label %[[DONE:.*]]
; CHECK: [[ASK]]:
; CHECK-NEXT: call i64 @strnlen(ptr %p, i64 16384)
; CHECK: [[DONE]]:
; CHECK-NEXT: phi i32 [ [[R]], %{{.*}} ], [ [[R]], %[[ASK]] ], [ %{{.*}}, %long.native ]
  %r = call i32 @strcmp(ptr %p, ptr %q)
  ret i32 %r
}

; What fits into memory of known size is short.
define void @short(ptr %p) gc "statepoint-example" {
; CHECK-LABEL: define void @short(
; CHECK-NOT: strnlen
; CHECK: call i32 @strcmp(ptr %p, ptr @word) [[WORK:#[0-9]+]]
; CHECK-NOT: strnlen
; CHECK: ret void
  %local = alloca [100 x i8]
  %a = call i32 @strcmp(ptr %p, ptr @word)
  %b = call ptr @strcpy(ptr %local, ptr %p)
  %c = call ptr @strcat(ptr %local, ptr @word)
  %d = call i64 @strlen(ptr %local)
  ret void
}

; Two strings, and a slow function.
define ptr @both(ptr %p, ptr %q) gc "statepoint-example" {
; CHECK-LABEL: define ptr @both(
; CHECK: call i64 @strnlen(ptr %p, i64 16384)
; CHECK: call i64 @strnlen(ptr %q, i64 16384)
; CHECK: call ptr @strcat(ptr %p, ptr %q) [[WORK]]
; CHECK: call i64 @strnlen(ptr %p, i64 2048)
; CHECK-NOT: strnlen
; CHECK: call i64 @strspn(ptr %p, ptr @word) [[WORK]]
  %a = call ptr @strcat(ptr %p, ptr %q)
  %b = call i64 @strspn(ptr %p, ptr @word)
  ret ptr %a
}

; Bounded by an argument.
define i64 @counted(ptr %p, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define i64 @counted(
; CHECK: icmp ugt i64 %n, 16384
; CHECK: call i64 @strnlen(ptr %p, i64 %n) [[WORK]]
; CHECK: call i64 @strnlen(ptr %p, i64 100)
; CHECK: ret i64
  %counted = call i64 @strnlen(ptr %p, i64 %n)
  %short = call i64 @strnlen(ptr %p, i64 100)
  ret i64 %counted
}

; Functions in which no safepoint may be are left alone.
define i64 @quiet(ptr %p) "cairn-nopoll" gc "statepoint-example" {
; CHECK-LABEL: define i64 @quiet(
; CHECK-NOT: strnlen
; CHECK: ret i64
  %r = call i64 @strlen(ptr %p)
  ret i64 %r
}

; CHECK: attributes [[WORK]] = { "cairn-work"="8212" }
