; SPDX-License-Identifier: Apache-2.0
; Compiled functions that throw and catch exceptions of the language with key 5, for throw.c.

%box = type { i64 }
@layout = internal constant %box zeroinitializer

declare void @cairn.span.begin(i64, ptr)
declare void @cairn.span.end(i64)
declare i32 @cairn_throw(i64, ptr addrspace(1))
declare ptr addrspace(1) @cairn_thrown() "gc-leaf-function"
declare ptr addrspace(1) @cairn_alloc(ptr, i64)
declare void @cairn_collect()
declare i32 @__gcc_personality_v0(...)
declare i32 @__gxx_personality_v0(...)
declare i64 @middle(i64, i64, ptr addrspace(1)) "cairn-managed"
declare void @failed(i32) "cairn-managed"
declare i64 @wrong(i64) "cairn-managed"

define ptr addrspace(1) @box(i64 %n) noinline gc "statepoint-example" {
  %b = call ptr addrspace(1) @cairn_alloc(ptr @layout, i64 8)
  store i64 %n, ptr addrspace(1) %b
  ret ptr addrspace(1) %b
}

define void @throw(ptr addrspace(1) %e) noinline gc "statepoint-example" {
  %s = call i32 @cairn_throw(i64 5, ptr addrspace(1) %e)
  call void @failed(i32 %s)
  ret void
}

; Depth 0 throws, others add to the result of the next one. What they have lives over the call.
define i64 @descend(i64 %n, i64 %kind, ptr addrspace(1) %e) noinline gc "statepoint-example" {
  %own = call ptr addrspace(1) @box(i64 %n)
  %a = mul i64 %n, 3
  %b = xor i64 %n, 5
  %last = icmp eq i64 %n, 0
  br i1 %last, label %end, label %more
end:
  %r0 = call i64 @middle(i64 %n, i64 %kind, ptr addrspace(1) %e)
  br label %join
more:
  %m = sub i64 %n, 1
  %r1 = call i64 @descend(i64 %m, i64 %kind, ptr addrspace(1) %e)
  br label %join
join:
  %r = phi i64 [%r0, %end], [%r1, %more]
  %v = load i64, ptr addrspace(1) %own
  %x = add i64 %a, %b
  %y = add i64 %x, %v
  %z = sub i64 %y, %r
  ret i64 %z
}

; What is live into the pad fills the callee-saved registers, and more: 6 integers, and 2 references. The result is that
; of the exception, plus 1000000 if something else is in them.
define i64 @catch(i64 %depth, i64 %kind, i64 %seed) noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  %own = call ptr addrspace(1) @box(i64 %seed)
  %value = add i64 %seed, 77
  %e = call ptr addrspace(1) @box(i64 %value)
  %a = mul i64 %seed, 3
  %b = mul i64 %seed, 5
  %c = mul i64 %seed, 7
  %d = mul i64 %seed, 11
  %f = mul i64 %seed, 13
  %g = mul i64 %seed, 17
  call void @cairn.span.begin(i64 5, ptr null)
  %r = invoke i64 @descend(i64 %depth, i64 %kind, ptr addrspace(1) %e) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  call void @cairn_collect()
  %pointer = extractvalue { ptr, i32 } %l, 0
  %selector = extractvalue { ptr, i32 } %l, 1
  %null = icmp eq ptr %pointer, null
  %zero = icmp eq i32 %selector, 0
  %same = icmp eq ptr addrspace(1) %thrown, %e
  %w0 = and i1 %null, %zero
  %w1 = and i1 %w0, %same
  %a2 = sdiv i64 %a, 3
  %b2 = sdiv i64 %b, 5
  %c2 = sdiv i64 %c, 7
  %d2 = sdiv i64 %d, 11
  %f2 = sdiv i64 %f, 13
  %g2 = sdiv i64 %g, 17
  %seed2 = load i64, ptr addrspace(1) %own
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
  %q2 = icmp eq i64 %n5, %seed2
  %q3 = and i1 %q1, %q2
  %q4 = and i1 %q3, %w1
  %v = load i64, ptr addrspace(1) %thrown
  %bad = call i64 @wrong(i64 %seed)
  %q5 = select i1 %q4, i64 0, i64 %bad
  %result = add i64 %v, %q5
  ret i64 %result
}

; The pad of the call of cairn_throw() itself, and one that throws again to the next activation.
define i64 @catch_own(i64 %seed) noinline gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  %e = call ptr addrspace(1) @box(i64 %seed)
  call void @cairn.span.begin(i64 5, ptr null)
  %s = invoke i32 @cairn_throw(i64 5, ptr addrspace(1) %e) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 -1
off:
  %l = landingpad { ptr, i32 } catch ptr null
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %selector = extractvalue { ptr, i32 } %l, 1
  %wide = zext i32 %selector to i64
  %v = load i64, ptr addrspace(1) %thrown
  %r = mul i64 %v, %wide
  ret i64 %r
}

define i64 @catch_again(i64 %depth, i64 %kind, ptr addrspace(1) %e) noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  %own = call ptr addrspace(1) @box(i64 1000)
  call void @cairn.span.begin(i64 5, ptr null)
  %r = invoke i64 @descend(i64 %depth, i64 %kind, ptr addrspace(1) %e) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %v = load i64, ptr addrspace(1) %thrown
  %o = load i64, ptr addrspace(1) %own
  %w = add i64 %v, %o
  store i64 %w, ptr addrspace(1) %thrown
  call void @throw(ptr addrspace(1) %thrown)
  ret i64 -1
}

; Another language's cleanup, outside of all spans of the key; and a pad for one type of exceptions of C++.
define i64 @clean_up(i64 %depth, i64 %kind, ptr addrspace(1) %e) noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  %r = invoke i64 @descend(i64 %depth, i64 %kind, ptr addrspace(1) %e) to label %on unwind label %off
on:
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %b = load i64, ptr addrspace(1) %e
  %c = add i64 %b, 10000
  store i64 %c, ptr addrspace(1) %e
  resume { ptr, i32 } %l
}

; Catches exceptions of the language, adding 5, and passes others on.
define i64 @pass_foreign(i64 %depth, i64 %kind, ptr addrspace(1) %e) noinline gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  call void @cairn.span.begin(i64 5, ptr null)
  %r = invoke i64 @descend(i64 %depth, i64 %kind, ptr addrspace(1) %e) to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %pointer = extractvalue { ptr, i32 } %l, 0
  %own = icmp eq ptr %pointer, null
  br i1 %own, label %caught, label %pass
caught:
  %v = load i64, ptr addrspace(1) %thrown
  %w = add i64 %v, 5
  ret i64 %w
pass:
  resume { ptr, i32 } %l
}

@_ZTIi = external constant ptr

define i64 @catch_int(i64 %depth, i64 %kind, ptr addrspace(1) %e) noinline gc "statepoint-example" personality ptr @__gxx_personality_v0 {
  %r = invoke i64 @descend(i64 %depth, i64 %kind, ptr addrspace(1) %e) to label %on unwind label %off
on:
  ret i64 %r
off:
  %l = landingpad { ptr, i32 } catch ptr @_ZTIi
  ret i64 -1
}

; Frames whose ends the frame pointer gives, with arguments on the stack at the call.
define i64 @many(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, ptr addrspace(1) %o) noinline gc "statepoint-example" {
  call void @throw(ptr addrspace(1) %o)
  %r = add i64 %g, %i
  ret i64 %r
}

declare void @use(ptr) "gc-leaf-function"

define i64 @catch_dynamic(i64 %n) noinline optsize gc "statepoint-example" personality ptr @__gcc_personality_v0 {
  %e = call ptr addrspace(1) @box(i64 %n)
  %room = alloca i64, i64 %n
  call void @use(ptr %room)
  store i64 %n, ptr %room
  call void @cairn.span.begin(i64 5, ptr null)
  %r = invoke i64 @many(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 %n, i64 8, i64 9, ptr addrspace(1) %e)
    to label %on unwind label %off
on:
  call void @cairn.span.end(i64 5)
  ret i64 -1
off:
  %l = landingpad { ptr, i32 } cleanup
  %thrown = call ptr addrspace(1) @cairn_thrown()
  call void @cairn.span.end(i64 5)
  %more = alloca i64, i64 %n
  call void @use(ptr %more)
  store i64 0, ptr %more
  %x = load i64, ptr %room
  %y = load i64, ptr addrspace(1) %thrown
  %z = add i64 %x, %y
  ret i64 %z
}
