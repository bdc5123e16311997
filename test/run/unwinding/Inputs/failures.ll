; SPDX-License-Identifier: Apache-2.0
; Functions that catch failures of the runtime as exceptions of the language with key 5, and functions that fail, for
; failures.c.

%box = type { i64 }
%node = type { ptr addrspace(1), [30 x i64] }
@node = internal constant %node zeroinitializer
@word = internal constant i64 0

declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare ptr addrspace(1) @cairn_alloc_array(ptr, i64)
declare i32 @__gcc_personality_v0(...)
declare i64 @fail(i64, i64) "cairn-managed"
declare i64 @wrong(i64) "cairn-managed"

; The result is the value of the exception, plus 1000000 if a register has another value than before the call.
define i64 @catch(i64 %kind, i64 %seed) noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  %a = mul i64 %seed, 3
  %b = mul i64 %seed, 5
  %c = mul i64 %seed, 7
  %d = mul i64 %seed, 11
  %f = mul i64 %seed, 13
  %g = mul i64 %seed, 17
  call void @cairn.span.begin(i64 5, ptr null)
  %r = invoke i64 @fail(i64 %kind, i64 %seed) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %a2 = sdiv i64 %a, 3
  %b2 = sdiv i64 %b, 5
  %c2 = sdiv i64 %c, 7
  %d2 = sdiv i64 %d, 11
  %f2 = sdiv i64 %f, 13
  %g2 = sdiv i64 %g, 17
  %o1 = or i64 %a2, %b2
  %o2 = or i64 %o1, %c2
  %o3 = or i64 %o2, %d2
  %o4 = or i64 %o3, %f2
  %o5 = or i64 %o4, %g2
  %n1 = and i64 %a2, %b2
  %n2 = and i64 %n1, %c2
  %n3 = and i64 %n2, %d2
  %n4 = and i64 %n3, %f2
  %n5 = and i64 %n4, %g2
  %q1 = icmp eq i64 %o5, %seed
  %q2 = icmp eq i64 %n5, %seed
  %q3 = and i1 %q1, %q2
  %v = load i64, ptr addrspace(1) %thrown
  %bad = call i64 @wrong(i64 %seed)
  %q4 = select i1 %q3, i64 0, i64 %bad
  %result = add i64 %v, %q4
  ret i64 %result
}

; A list without end. LLVM finds that @keep_all does not unwind, but for the assembly in @keep_all_throwing.
define i64 @keep_all() noinline gc "statepoint-example" {
entry:
  br label %loop
loop:
  %list = phi ptr addrspace(1) [null, %entry], [%new, %loop]
  %count = phi i64 [0, %entry], [%next, %loop]
  %new = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 248)
  store ptr addrspace(1) %list, ptr addrspace(1) %new
  %next = add i64 %count, 1
  %again = icmp ult i64 %next, 100000000
  br i1 %again, label %loop, label %end
end:
  ret i64 %count
}

define i64 @keep_all_throwing() noinline gc "statepoint-example" {
  call void asm sideeffect unwind "", ""()
  %r = call i64 @keep_all()
  ret i64 %r
}

define i64 @catch_throwing() noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  call void @cairn.span.begin(i64 5, ptr null)
  %r = invoke i64 @keep_all_throwing() to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %v = load i64, ptr addrspace(1) %thrown
  ret i64 %v
}

; The same without the assembly: the pad is lost, and the exception must not go to an outer one.
define i64 @catch_lost() noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  call void @cairn.span.begin(i64 5, ptr null)
  %r = invoke i64 @keep_all() to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  ret i64 -1
}

; Allocations that are invoked, in the function with the pad: objects of a list without end, whose first object is
; read afterwards, or an array of this many words.
define i64 @catch_own(i64 %words) noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
entry:
  %first = call ptr addrspace(1) @cairn_alloc(ptr @node, i64 248)
  %place = getelementptr %node, ptr addrspace(1) %first, i64 0, i32 1, i64 0
  store i64 %words, ptr addrspace(1) %place
  call void @cairn.span.begin(i64 5, ptr null)
  %one = icmp eq i64 %words, 0
  br i1 %one, label %loop, label %array
loop:
  %list = phi ptr addrspace(1) [%first, %entry], [%new, %more]
  %new = invoke ptr addrspace(1) @cairn_alloc(ptr @node, i64 248) to label %more unwind label %off
more:
  store ptr addrspace(1) %list, ptr addrspace(1) %new
  br label %loop
array:
  %a = invoke ptr addrspace(1) @cairn_alloc_array(ptr @word, i64 %words) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 0
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %v = load i64, ptr addrspace(1) %thrown
  %words2 = load i64, ptr addrspace(1) %place
  %bad = sub i64 %words, %words2
  %result = add i64 %v, %bad
  ret i64 %result
}
