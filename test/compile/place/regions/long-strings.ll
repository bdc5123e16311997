; Functions of strings (docs/placement.md, "Long calls"): a scan of megabytes must not hold up a
; collection, and a short one costs little. Only what may be long is asked for its length.
; RUN: %cairn opt -p place-safepoints -S %s | FileCheck %s
; RUN: %cairn opt -p place-safepoints --poll-budget=1 -S %s | FileCheck %s --check-prefix=SMALL
; RUN: %cairn opt -p place-safepoints --without=long-calls -S %s | FileCheck %s --check-prefix=NONE
; RUN: %cairn opt -p place-safepoints -S %s | %cairn opt -p rewrite-statepoints -S - -o %t.ll
; RUN: %cairn verify %t.ll
; RUN: (%cairn verify --time-to-safepoint %t.ll; true) | FileCheck %s --check-prefix=TIME
; Where memchr may not be called, each call is a transition: it is something else, of another type or the
; module's own, or the C library is the program's (-fno-builtin, -ffreestanding, and for one name).
; RUN: sed 's/^target.*/&\ndeclare i32 @memchr(ptr)/' %s | %cairn opt -p place-safepoints -S - | \
; RUN:   FileCheck %s --check-prefix=OWN
; RUN: sed 's/^target.*/&\n@memchr = external global i8/' %s | %cairn opt -p place-safepoints -S - | \
; RUN:   FileCheck %s --check-prefix=OWN
; RUN: sed 's/^target.*/&\ndefine ptr @memchr(ptr %%p, i32, i64) { %%r = call i64 @strlen(ptr %%p) ret ptr null }/' \
; RUN:   %s | %cairn opt -p place-safepoints -S - | FileCheck %s --check-prefixes=OWN,DEFINED
; RUN: sed 's/^\(define.*\) gc/\1 "no-builtins" gc/' %s | %cairn opt -p place-safepoints -S - | \
; RUN:   FileCheck %s --check-prefix=OWN
; RUN: sed 's/^\(define.*\) gc/\1 "no-builtin-memchr" gc/' %s | %cairn opt -p place-safepoints -S - | \
; RUN:   FileCheck %s --check-prefix=OWN
; RUN: sed 's/\(call.*@st[^)]*)\)/\1 nobuiltin/' %s | %cairn opt -p place-safepoints -S - | \
; RUN:   FileCheck %s --check-prefix=OWN
; RUN: sed 's/^\(define.*\) gc/\1 "no-builtin-strncmp" gc/' %s | %cairn opt -p place-safepoints -S - | \
; RUN:   FileCheck %s --check-prefix=ONE
; RUN: (cat %s; echo 'define void @gc.safepoint_poll() { call void @arrive() ret void } declare void @arrive()') | \
; RUN:   %cairn opt -p place-safepoints -S - | FileCheck %s --check-prefix=NONE
target triple = "x86_64-unknown-linux-gnu"

; NONE-NOT: cairn.call.str
; A definition in native code that calls another of these is as it was.
; DEFINED: define ptr @memchr(
; DEFINED-NEXT: call i64 @strlen(ptr %p)
; OWN-LABEL: define i64 @length(
; OWN-NOT: call ptr @memchr(
; OWN: call i64 @cairn.call.strlen(ptr %p)
; OWN-LABEL: define i32 @compare(
; OWN: call i32 @cairn.call.strcmp(ptr %p, ptr %q)
; OWN-LABEL: define void @short(
; OWN-NOT: cairn.call
; OWN-LABEL: define ptr @both(
; OWN-LABEL: define ptr @copies(
; OWN: call ptr @cairn.call.strcpy(ptr %p, ptr %q)
; OWN-NOT: call ptr @memchr(
; ONE: call ptr @memchr(
; ONE-LABEL: define i32 @compare(
; ONE: call i32 @cairn.call.strcmp(ptr %p, ptr %q)
; ONE-NOT: call i32 @strncmp(
; ONE: call ptr @memchr(
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
declare ptr @stpcpy(ptr, ptr)
declare ptr @strtok(ptr, ptr)
declare ptr @strtok_r(ptr, ptr, ptr)
declare ptr @strsep(ptr, ptr)
declare ptr @rawmemchr(ptr, i32)
declare i64 @wcslen(ptr)
declare ptr @wcscpy(ptr, ptr)
declare i64 @mbstowcs(ptr, ptr, i64)
declare void @bzero(ptr, i64)
declare ptr @memccpy(ptr, ptr, i32, i64)
declare ptr @memmem(ptr, i64, ptr, i64)
declare ptr @wmemset(ptr, i32, i64)
declare void @explicit_bzero(ptr addrspace(1), i64)

; The answer is the result. A reference is kept where it is but in the cold block.
define i64 @length(ptr %p, ptr addrspace(1) %o) gc "statepoint-example" {
; CHECK-LABEL: define i64 @length(
; CHECK: [[END:%.*]] = call ptr @memchr(ptr %p, i32 0, i64 16384)
; CHECK-NEXT: [[LONG:%.*]] = icmp eq ptr [[END]], null
; CHECK-NEXT: br i1 [[LONG]], label %[[NATIVE:.*]], label %[[SHORT:.*]], !prof
; CHECK: [[SHORT]]:
; CHECK-DAG: [[FROM:%.*]] = ptrtoint ptr %p to i64
; CHECK-DAG: [[TO:%.*]] = ptrtoint ptr [[END]] to i64
; CHECK: [[N:%.*]] = sub i64 [[TO]], [[FROM]]
; CHECK-NEXT: br label %[[DONE:.*]]
; CHECK: [[DONE]]:
; CHECK-NEXT: [[R:%.*]] = phi i64 [ [[L:%.*]], %[[NATIVE]] ], [ [[N]], %[[SHORT]] ]
; CHECK: [[NATIVE]]:
; CHECK-NEXT: [[L]] = call i64 @cairn.call.strlen(ptr %p)
; CHECK-NEXT: br label %[[DONE]]
; SMALL-LABEL: define i64 @length(
; SMALL: call ptr @memchr(ptr %p, i32 0, i64 2048)
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
; CHECK-NEXT: call ptr @memchr(ptr %p, i32 0, i64 16384)
; CHECK: [[DONE]]:
; CHECK-NEXT: phi i32 [ %{{.*}}, %long.native ], [ [[R]], %{{.*}} ], [ [[R]], %[[ASK]] ]
  %r = call i32 @strcmp(ptr %p, ptr %q)
  ret i32 %r
}

; What fits into memory of known size is short.
define void @short(ptr %p) gc "statepoint-example" {
; CHECK-LABEL: define void @short(
; CHECK-NOT: memchr
; CHECK: call i32 @strcmp(ptr %p, ptr @word) [[WORK:#[0-9]+]]
; CHECK-NOT: memchr
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
; CHECK: [[END:%.*]] = call ptr @memchr(ptr %p, i32 0, i64 16384)
; CHECK: call ptr @memchr(ptr %q, i32 0, i64 16384)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 1 [[END]], ptr align 1 %q, i64 %{{.*}}, i1 false) [[WORK]]
; CHECK: call ptr @memchr(ptr %p, i32 0, i64 2048)
; CHECK-NOT: memchr
; CHECK: call i64 @strspn(ptr %p, ptr @word) [[WORK]]
  %a = call ptr @strcat(ptr %p, ptr %q)
  %b = call i64 @strspn(ptr %p, ptr @word)
  ret ptr %a
}

; What is short is copied as memory is; without a result that is used, too. stpcpy returns the end.
define ptr @copies(ptr %p, ptr %q) gc "statepoint-example" {
; CHECK-LABEL: define ptr @copies(
; CHECK: call ptr @memchr(ptr %q, i32 0, i64 16384)
; CHECK: [[N:%.*]] = sub i64
; CHECK-NEXT: [[ALL:%.*]] = add i64 [[N]], 1
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr align 1 %p, ptr align 1 %q, i64 [[ALL]], i1 false) [[WORK]]
; CHECK: [[N:%.*]] = sub i64
; CHECK: call void @llvm.memcpy.p0.p0.i64(
; CHECK-NEXT: [[END:%.*]] = getelementptr i8, ptr %p, i64 [[N]]
; CHECK: phi ptr [ %{{.*}}, %{{.*}} ], [ [[END]], %{{.*}} ]
; CHECK: ret ptr
  %a = call ptr @strcpy(ptr %p, ptr %q)
  %b = call ptr @stpcpy(ptr %p, ptr %q)
  ret ptr %b
}

; What has no end that memchr finds, or may get a null pointer, is a transition each time; unless it lies in memory of
; known size.
define void @others(ptr %p, ptr %q, ptr %r) gc "statepoint-example" {
; CHECK-LABEL: define void @others(
; CHECK-NOT: memchr
; CHECK: call ptr @cairn.call.strtok(ptr %p, ptr %q)
; CHECK: call ptr @cairn.call.strtok_r(ptr %p, ptr %q, ptr %r)
; CHECK: call ptr @cairn.call.strsep(ptr %local, ptr %q)
; CHECK: call ptr @cairn.call.rawmemchr(ptr %p, i32 0)
; CHECK: call i64 @cairn.call.wcslen(ptr %p)
; CHECK: call ptr @cairn.call.wcscpy(ptr %p, ptr %q)
; CHECK: call ptr @wcscpy(ptr %local, ptr %q) [[WORK]]
; CHECK: call i64 @cairn.call.mbstowcs(ptr null, ptr %q, i64 0)
; CHECK: ret void
  %local = alloca [25 x i32]
  %a = call ptr @strtok(ptr %p, ptr %q)
  %b = call ptr @strtok_r(ptr %p, ptr %q, ptr %r)
  %c = call ptr @strsep(ptr %local, ptr %q)
  %d = call ptr @rawmemchr(ptr %p, i32 0)
  %e = call i64 @wcslen(ptr %p)
  %f = call ptr @wcscpy(ptr %p, ptr %q)
  %g = call ptr @wcscpy(ptr %local, ptr %q)
  %h = call i64 @mbstowcs(ptr null, ptr %q, i64 0)
  ret void
}

; Memory and wide characters, as many as an argument says.
define void @sized(ptr %p, ptr %q, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @sized(
; CHECK: icmp ugt i64 %n, 16384
; CHECK: call void @bzero(ptr %p, i64 %n) [[WORK]]
; CHECK: icmp ugt i64 %n, 16384
; CHECK: call ptr @memccpy(ptr %p, ptr %q, i32 1, i64 %n) [[WORK]]
; CHECK: icmp ugt i64 %n, 2048
; CHECK: call ptr @memmem(ptr %p, i64 %n, ptr %q, i64 1) [[WORK]]
; CHECK: icmp ugt i64 %n, 2048
; CHECK: call ptr @wmemset(ptr %p, i32 0, i64 %n) [[WORK]]
; CHECK: call void @cairn.call.bzero(ptr %p, i64 %n)
; CHECK: call ptr @cairn.call.wmemset(ptr %p, i32 0, i64 %n)
  call void @bzero(ptr %p, i64 %n)
  %a = call ptr @memccpy(ptr %p, ptr %q, i32 1, i64 %n)
  %b = call ptr @memmem(ptr %p, i64 %n, ptr %q, i64 1)
  %c = call ptr @wmemset(ptr %p, i32 0, i64 %n)
  ret void
}

; With a reference each of these is native code, and no leaf.
define void @managed(ptr addrspace(1) %o, i64 %n) gc "statepoint-example" {
; CHECK-LABEL: define void @managed(
; CHECK-NOT: icmp ugt
; CHECK-NOT: cairn.call
; CHECK: call void @explicit_bzero(ptr addrspace(1) %o, i64 %n)
  call void @explicit_bzero(ptr addrspace(1) %o, i64 %n)
  ret void
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
; CHECK-NOT: memchr
; CHECK: call i64 @strlen(ptr %p)
  %r = call i64 @strlen(ptr %p)
  ret i64 %r
}

; CHECK: attributes [[WORK]] = { "cairn-work"="8212" }
