; RUN: clang -O1 -fexceptions -c %root/test/run/Inputs/exceptions_native.c -o %t.o
; RUN: %cairn-cc -O0 %s %t.o -o %t && %t 10 | FileCheck %s && env CAIRN_STRESS=1 %t 10 | FileCheck %s
; RUN: %cairn-cc -O2 %s %t.o -o %t && %t 10 | FileCheck %s && env CAIRN_STRESS=1 %t 10 | FileCheck %s
; RUN: %if soak %{env CAIRN_HEAP_MAX=4m %t 100000 | FileCheck --check-prefix=MANY %s%}
; The native functions are known to be so: the short way to them, which needs an unwind edge like the other.
; RUN: sed -E 's/^(declare .* @native_\w+\(.*\))$/\1 "cairn-native"/' %s > %t.known.ll && grep -c '"cairn-native"' %t.known.ll
; RUN: %cairn-cc -O0 %t.known.ll %t.o -o %t.known && env CAIRN_STRESS=1 %t.known 10 | FileCheck %s
; RUN: %cairn-cc -O2 %t.known.ll %t.o -o %t.known && env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t.known 10 | FileCheck %s
; RUN: %if aarch64 %{ true %} %else %{ llvm-nm %t.known | grep cairn_call_short >%t.short %} && env CAIRN_HEAP_MAX=4m %t.known 100000 | FileCheck --check-prefix=MANY %s
; Native code throws through managed frames, which clean up and catch. What would go wrong: the unwinder
; does not find the way past the stub between; a landing pad sees the reference from before a
; collection; anchors of frames that are gone fill their array, or are taken for live ones by a walk
; that then visits dead frames.
; CHECK: caught 1210, cleaned 55
; CHECK: passed 240
; CHECK: cancelled 120, cleaned 55
; MANY: caught
; MANY: passed
; MANY: cancelled
; The unwinder comes with a shared object, or lies in a static program.
; RUN: %cairn-cc -O2 -static %s %t.o -o %t && %t 10 | FileCheck %s
; RUN: clang -O1 -fexceptions -fPIC -shared -Dmain=elsewhere %root/test/run/Inputs/exceptions_native.c -o %t.so -lgcc_s
; RUN: echo 'int elsewhere(int, char **); int main(int c, char **v) { return elsewhere(c, v); }' > %t.c
; RUN: clang -c %t.c -o %t.o && %cairn-cc -O2 -rdynamic %s %t.o %t.so -o %t && env CAIRN_STRESS=1 %t 10 | FileCheck %s

%box = type { i64, ptr addrspace(1) }
@layout = internal constant %box zeroinitializer
@kept = internal global ptr addrspace(1) null

declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @test_personality(...)
declare void @native_raise(i64)
declare void @native_cancel(i64)
declare i64 @native_caught(ptr)
declare i64 @native_between(i64)

define ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 16)
  store i64 %n, ptr addrspace(1) %b
  ret ptr addrspace(1) %b
}

; Allocates and collects: called while exceptions are on their way, too.
define i64 @managed_count(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @box(i64 %n)
  store ptr addrspace(1) %b, ptr @kept
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %b
  ret i64 %v
}

define i64 @managed_throw(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @box(i64 %n)
  %ten = mul i64 %n, 10
  call void @native_raise(i64 %ten)
  %v = load i64, ptr addrspace(1) %b
  ret i64 %v
}

; Cleans up, with references of its own, and lets the exception go on.
define i64 @cleaning(i64 %n, ptr addrspace(1) %sum) noinline gc "statepoint-example" personality ptr @test_personality {
  %b = call ptr addrspace(1) @box(i64 %n)
  %r = invoke i64 @native_between(i64 %n) to label %on unwind label %off
on:
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %c = call ptr addrspace(1) @box(i64 0)
  call void @cairn_collect()
  %v = load i64, ptr addrspace(1) %b
  %s = load i64, ptr addrspace(1) %sum
  %t = add i64 %s, %v
  store i64 %t, ptr addrspace(1) %sum
  resume { ptr, i32 } %l
}

; Per n: 10n from the exception, n from the cleanup, n twice from its own objects.
define i64 @managed_catch(i64 %n) noinline gc "statepoint-example" personality ptr @test_personality {
  %sum = call ptr addrspace(1) @box(i64 0)
  %a = call ptr addrspace(1) @box(i64 %n)
  %field = getelementptr i8, ptr addrspace(1) %a, i64 8
  store ptr addrspace(1) %a, ptr addrspace(1) %field
  %r = invoke i64 @cleaning(i64 %n, ptr addrspace(1) %sum) to label %on unwind label %off
on:
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %ten = call i64 @native_caught(ptr %e)
  %self = load ptr addrspace(1), ptr addrspace(1) %field
  %same = icmp eq ptr addrspace(1) %self, %a
  %one = select i1 %same, i64 10, i64 1000000
  %s = load i64, ptr addrspace(1) %sum
  %v = load i64, ptr addrspace(1) %a
  %w = load i64, ptr addrspace(1) %self
  %x = add i64 %ten, %s
  %y = add i64 %x, %v
  %z = add i64 %y, %w
  %q = mul i64 %v, 9
  %p = add i64 %z, %q
  ret i64 %p
}

; Catches what its native callee throws right away, deep in a managed recursion.
define i64 @managed_pass(i64 %n) noinline gc "statepoint-example" personality ptr @test_personality {
  %a = call ptr addrspace(1) @box(i64 %n)
  %r = invoke i64 @down(i64 20, ptr addrspace(1) %a) to label %on unwind label %off
on:
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %e = extractvalue { ptr, i32 } %l, 0
  %x = call i64 @native_caught(ptr %e)
  %v = load i64, ptr addrspace(1) %a
  %y = add i64 %x, %v
  %z = mul i64 %v, 2
  %w = add i64 %y, %z
  ret i64 %w
}
define i64 @down(i64 %n, ptr addrspace(1) %a) noinline gc "statepoint-example" {
  %c = icmp eq i64 %n, 0
  br i1 %c, label %end, label %more
more:
  %b = call ptr addrspace(1) @box(i64 %n)
  %m = sub i64 %n, 1
  %r = call i64 @down(i64 %m, ptr addrspace(1) %b)
  %v = load i64, ptr addrspace(1) %a
  %s = add i64 %r, %v
  ret i64 %s
end:
  call void @cairn_collect()
  %x = load i64, ptr addrspace(1) %a
  call void @native_raise(i64 %x)
  ret i64 %x
}

; A forced unwind runs cleanups and stops in native code.
define i64 @managed_deep(i64 %n) noinline gc "statepoint-example" personality ptr @test_personality {
  %a = call ptr addrspace(1) @box(i64 %n)
  invoke void @native_cancel(i64 %n) to label %on unwind label %off
on:
  ret i64 0
off:
  %l = landingpad { ptr, i32 } cleanup
  %r = call i64 @managed_count(i64 %n)
  %v = load i64, ptr addrspace(1) %a
  resume { ptr, i32 } %l
}
