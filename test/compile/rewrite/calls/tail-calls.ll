; RUN: %cairn opt -p rewrite-statepoints -S %s -o %t.ll && FileCheck %s < %t.ll
; RUN: opt -passes='verify,verify<safepoint-ir>' -disable-output %t.ll
; RUN: llc -O0 -verify-machineinstrs %t.ll -o - | FileCheck --check-prefix=ASM %s
; RUN: llc -O2 -verify-machineinstrs %t.ll -o - | FileCheck --check-prefix=ASM %s
; A tail call that is wrapped in a statepoint keeps its caller's frame: recursion through it, which
; runs for ever in plain C, overflows the stack. One that is made musttail where something of the
; frame is needed, or where registers do not agree, calls with wrong arguments.

declare i64 @g(i64, ptr addrspace(1))
declare i64 @one(i64)
declare i64 @three(i64, i64, i64)
declare double @mixed(double, ptr addrspace(1))
declare void @nothing()
declare zeroext i8 @small(i8 signext)
declare i64 @many(i64, i64, i64, i64, i64, i64, i64, i64)
declare void @by_value(ptr byval(i64))
declare x86_fp80 @extended()
declare void @result(ptr sret(i64))
declare void @any(i32, ...)

; CHECK-LABEL: define i64 @same
; CHECK: %r = musttail call i64 @g(i64 %n, ptr addrspace(1) %p)
; CHECK-NEXT: ret i64 %r
; ASM-LABEL: same:
; ASM: jmp g
define i64 @same(i64 %n, ptr addrspace(1) %p) gc "statepoint-example" {
  %r = tail call i64 @g(i64 %n, ptr addrspace(1) %p)
  ret i64 %r
}

; The callee has fewer parameters.
; CHECK-LABEL: define i64 @fewer
; CHECK: musttail call i64 @one(i64 %n, ptr addrspace(1) poison)
; ASM-LABEL: fewer:
; ASM: jmp one
define i64 @fewer(i64 %n, ptr addrspace(1) %p) gc "statepoint-example" {
  %r = tail call i64 @one(i64 %n)
  ret i64 %r
}

; Integers and floating point have registers of their own, in which they count alone.
; CHECK-LABEL: define double @classes
; CHECK: musttail call double @mixed(ptr addrspace(1) %p, double %d)
; ASM-LABEL: classes:
; ASM-NOT: xmm
; ASM: jmp mixed
define double @classes(ptr addrspace(1) %p, double %d) gc "statepoint-example" {
  %r = tail call double @mixed(double %d, ptr addrspace(1) %p)
  ret double %r
}

; A result that nobody wants.
; CHECK-LABEL: define void @ignored
; CHECK: musttail call void @one(i64 %n)
; CHECK-NEXT: ret void
; ASM-LABEL: ignored:
; ASM: jmp one
define void @ignored(i64 %n) gc "statepoint-example" {
  %r = tail call i64 @one(i64 %n)
  ret void
}

; A narrow argument in a wide parameter is extended as the callee expects it.
; CHECK-LABEL: define zeroext i8 @extended_argument
; CHECK: [[WIDE:%.*]] = sext i8 %b to i64
; CHECK: musttail call zeroext i8 @small(i64 signext [[WIDE]], i8 poison)
; ASM-LABEL: extended_argument:
; ASM: movsbq {{.*}}, %rdi
; ASM: jmp small
define zeroext i8 @extended_argument(i64 %n, i8 %b) gc "statepoint-example" {
  %r = tail call zeroext i8 @small(i8 signext %b)
  ret i8 %r
}

; The callee does not promise the extension that the caller does.
; CHECK-LABEL: define zeroext i8 @unextended_result
; CHECK: statepoint
define zeroext i8 @unextended_result(i8 %b) gc "statepoint-example" {
  %r = tail call i8 @small(i8 signext %b)
  ret i8 %r
}

; Returns that were joined are parted again.
; CHECK-LABEL: define i64 @joined
; CHECK: left:
; CHECK-NEXT: %a = musttail call i64 @one(i64 %n)
; CHECK-NEXT: ret i64 %a
; CHECK: right:
; CHECK-NEXT: %b = musttail call i64 @one(i64 1)
; CHECK-NEXT: ret i64 %b
; CHECK: out:
; CHECK-NEXT: %r = phi i64 [ 0, %entry ]
; CHECK-NEXT: ret i64 %r
define i64 @joined(i64 %n) gc "statepoint-example" {
entry:
  switch i64 %n, label %out [ i64 1, label %left
                              i64 2, label %right ]
left:
  %a = tail call i64 @one(i64 %n)
  br label %out
right:
  %b = tail call i64 @one(i64 1)
  br label %out
out:
  %r = phi i64 [ 0, %entry ], [ %a, %left ], [ %b, %right ]
  ret i64 %r
}

; CHECK-LABEL: define void @joined_all
; CHECK: left:
; CHECK-NEXT: musttail call
; CHECK-NEXT: ret void
; CHECK: right:
; CHECK-NEXT: musttail call
; CHECK-NEXT: ret void
; CHECK-NOT: ret void
define void @joined_all(i1 %c) gc "statepoint-example" {
  br i1 %c, label %left, label %right
left:
  tail call void @nothing()
  br label %out
right:
  tail call void @nothing()
  br label %out
out:
  ret void
}

; A local dies before the call: the callee of a tail call does not know it.
; CHECK-LABEL: define void @local
; CHECK: call void @llvm.lifetime.end
; CHECK-NEXT: musttail call void @nothing()
; CHECK-NEXT: ret void
define void @local() gc "statepoint-example" {
  %a = alloca i64
  call void @llvm.lifetime.start(ptr %a)
  store volatile i64 1, ptr %a
  tail call void @nothing()
  call void @llvm.lifetime.end(ptr %a)
  ret void
}

; CHECK-LABEL: define i64 @through_pointer
; CHECK: musttail call i64 %f(ptr %f, i64 %n)
define i64 @through_pointer(ptr %f, i64 %n) gc "statepoint-example" {
  %r = tail call i64 %f(ptr %f, i64 %n)
  ret i64 %r
}

; Arguments on the stack lie where the caller found its own: exchanged, they must not overwrite each
; other.
; CHECK-LABEL: define i64 @on_the_stack
; CHECK: musttail call
; ASM-LABEL: on_the_stack:
; ASM: movq [[AT:.*]](%rsp), [[A:%r[a-z0-9]+]]
; ASM: movq {{.*}}(%rsp), [[B:%r[a-z0-9]+]]
; ASM-DAG: movq [[B]], [[AT]](%rsp)
; ASM-DAG: movq [[A]], {{[0-9]+}}(%rsp)
; ASM: jmp many
define i64 @on_the_stack(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) gc "statepoint-example" {
  %r = tail call i64 @many(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %h, i64 %g)
  ret i64 %r
}

; ---- what stays a statepoint ----

; CHECK-LABEL: define i64 @not_marked
; CHECK: = call token {{.*}}statepoint
define i64 @not_marked(i64 %n) gc "statepoint-example" {
  %r = call i64 @one(i64 %n)
  ret i64 %r
}
; CHECK-LABEL: define i64 @forbidden
; CHECK: = call token {{.*}}statepoint
define i64 @forbidden(i64 %n) gc "statepoint-example" {
  %r = notail call i64 @one(i64 %n)
  ret i64 %r
}
; CHECK-LABEL: define i64 @disabled
; CHECK: = call token {{.*}}statepoint
define i64 @disabled(i64 %n) "disable-tail-calls"="true" gc "statepoint-example" {
  %r = tail call i64 @one(i64 %n)
  ret i64 %r
}
; CHECK-LABEL: define i64 @used_before
; CHECK: = call token {{.*}}statepoint
define i64 @used_before(i64 %n) gc "statepoint-example" {
  %r = tail call i64 @one(i64 %n)
  %s = add i64 %r, 1
  ret i64 %s
}
; Its caller's state is asked for: the frame must be there.
; CHECK-LABEL: define i64 @deopt
; CHECK: = call token {{.*}}statepoint{{.*}}"deopt"
define i64 @deopt(i64 %n) gc "statepoint-example" {
  %r = tail call i64 @one(i64 %n) [ "deopt"(i64 %n) ]
  ret i64 %r
}
; CHECK-LABEL: define i64 @wanted_record
; CHECK: = call token {{.*}}statepoint.p0(i64 7,
define i64 @wanted_record(i64 %n) gc "statepoint-example" {
  %r = tail call i64 @one(i64 %n) "statepoint-id"="7"
  ret i64 %r
}
; The callee has more parameters: pass tail-calls does it, so the mark stays.
; CHECK-LABEL: define i64 @more
; CHECK: = tail call token {{.*}}statepoint
define i64 @more(i64 %n) gc "statepoint-example" {
  %r = tail call i64 @three(i64 %n, i64 1, i64 2)
  ret i64 %r
}
; CHECK-LABEL: define void @copied
; CHECK: token {{.*}}statepoint
define void @copied(ptr byval(i64) %p) gc "statepoint-example" {
  tail call void @by_value(ptr byval(i64) %p)
  ret void
}
; The address that a function with sret returns is that of its own result.
; CHECK-LABEL: define void @other_place
; CHECK: token {{.*}}statepoint
define void @other_place(ptr sret(i64) %p, ptr %q) gc "statepoint-example" {
  tail call void @result(ptr sret(i64) %q)
  ret void
}
; CHECK-LABEL: define void @own_place
; CHECK: musttail call void @result(ptr sret(i64) %p)
define void @own_place(ptr sret(i64) %p) gc "statepoint-example" {
  tail call void @result(ptr sret(i64) %p)
  ret void
}
; CHECK-LABEL: define i64 @variadic_caller
; CHECK: token {{.*}}statepoint
define i64 @variadic_caller(i64 %n, ...) gc "statepoint-example" {
  %r = tail call i64 @one(i64 %n)
  ret i64 %r
}
; Another convention saves other registers.
; CHECK-LABEL: define i64 @other_convention
; CHECK: token {{.*}}statepoint
define i64 @other_convention(i64 %n) gc "statepoint-example" {
  %r = tail call fastcc i64 @one(i64 %n)
  ret i64 %r
}

; A user's own musttail stays, in any convention.
; CHECK-LABEL: define tailcc i64 @own
; CHECK: musttail call tailcc i64 @own(i64 %n)
define tailcc i64 @own(i64 %n) gc "statepoint-example" {
  %r = musttail call tailcc i64 @own(i64 %n)
  ret i64 %r
}
; CHECK-LABEL: define swifttailcc void @own_swift
; CHECK: musttail call swifttailcc void @own_swift(i64 1)
define swifttailcc void @own_swift(i64 %n) gc "statepoint-example" {
  musttail call swifttailcc void @own_swift(i64 1)
  ret void
}
