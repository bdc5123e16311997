/* SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter. Managed C; thread-local state.
 *
 * An activation of run() executes a function and the interpreted functions that it calls, in one array of registers
 * (calls.h has the frames). When the array is full, a call runs in a new activation. Registers hold old values until a
 * function writes them. The checker and the tests of the instructions make that harmless.
 */
#include "tiny/core/object.h"
#include "tiny/interpreter/activation.h"

struct tiny_hooks tiny_hooks;
_Thread_local char *tiny_stack_limit;

#include "tiny/interpreter/arithmetic.h"
#include "tiny/interpreter/calls.h"
#include "tiny/interpreter/objects.h"

/* Registers of an activation: enough for the largest function. Compiled code may lie between activations, and a
 * recursion through both takes an array each time. */
enum { STACK_REGISTERS = 254 };
_Static_assert(STACK_REGISTERS > TINY_MAX_REGISTERS + FRAME_WORDS, "any function fits into an activation");

/* Of the word where an activation begins: it begins by an exception. */
#define IS_THROWN ((uint32_t)1 << 31)

/* ---- the dispatch ---- */

/* Goes on after an instruction. */
#define GO_ON(result_of_step) \
  switch (result_of_step) { \
  case NEXT: \
    s->word = *s->pc++; \
    goto *labels[s->word & 255]; \
  case NEXT_RARE: \
    goto next_rare; \
  case AGAIN: \
    goto again; \
  case COUNT_LOOP: \
    goto count_loop; \
  case CALL_CLOSURE: \
    goto call_closure; \
  case CALL_METHOD: \
    goto call_method; \
  case CALL_VALUE: \
    goto call_value; \
  case CALL_DONE: \
    goto call_done; \
  case RETURN_RESULT: \
    goto return_result; \
  case THROW_RESULT: \
    goto throw_result; \
  case THROWN: \
    goto thrown; \
  case BROKEN: \
    goto broken; \
  case LEAVE: \
    return s->result; \
  }

/* Runs a closure from word `at` on with its parameters, or with registers of the heap. */
static value run(value closure, value *arguments, value managed *registers, unsigned count, uint32_t at)
{
  static const void *const labels[256] = {
#define OP(name, a, b, c, first, second, base) [TINY_OP_##name] = &&op_##name,
#include "tiny/code/bytecode.def"
#undef OP
  };
  value stack[STACK_REGISTERS];
  struct activation activation, *s = &activation;

  if (unlikely((char *)stack < tiny_stack_limit))
    return tiny_throw_stack_overflow();
#ifdef CAIRN_PLAIN
  memset(stack, 0, sizeof stack); /* Cairn clears locals that hold references */
#endif
  s->registers = stack + FRAME_WORDS;
  s->limit = stack + STACK_REGISTERS;
  for (unsigned i = 0; i < count; i++)
    R[i] = registers ? registers[i] : arguments[i];
  R[-1] = closure;
  R[-2] = TINY_NIL;
  enter_function(s, closure);
  s->pc = tiny_closure_of(closure)->function->code + (at & ~IS_THROWN);
  if (unlikely(at & IS_THROWN)) {
    s->pc++;
    goto thrown;
  }
  GO_ON(NEXT)

#define OP(name, a, b, c, first, second, base) op_##name : GO_ON(run_##name(s))
#include "tiny/code/bytecode.def"
#undef OP
next_rare:
  GO_ON(NEXT)
again:
  goto *labels[s->word & 255];
count_loop:
  GO_ON(count_loop(s))
call_method:
  GO_ON(call_method(s))
call_value:
  GO_ON(call_value(s))
call_closure:
  GO_ON(call_closure(s))
call_done:
  GO_ON(call_done(s))
return_result:
  GO_ON(return_result(s))
throw_result:
  GO_ON(throw_result(s))
broken:
  tiny_throw("the byte code is broken");
thrown:
  GO_ON(thrown(s))
}

value tiny_interpret(value closure, value *arguments, unsigned count)
{
  struct tiny_function *f = tiny_closure_of(closure)->function;

  if (unlikely(--f->calls_left == 0) && tiny_hooks.called)
    tiny_hooks.called(f, arguments);
  return f->entry ? call_entry(f->entry, closure, arguments, count) : run(closure, arguments, NULL, count, 0);
}

value tiny_resume(value closure, uint32_t at, value managed *registers)
{
  return run(closure, NULL, registers, tiny_closure_of(closure)->function->registers, at);
}

value tiny_resume_thrown(value closure, uint32_t at, value managed *registers)
{
  return tiny_resume(closure, at | IS_THROWN, registers);
}

/* ---- calls from outside ---- */

/* Calls a native or a closure with `this`, if it is a method. */
static value call_with_all(value callee, value *all, unsigned count)
{
  if (tiny_is(callee, TINY_NATIVE))
    return call_native(callee, all, count);
  if (!tiny_is(callee, TINY_CLOSURE))
    return tiny_throw("%s cannot be called", tiny_describe(callee));
  struct tiny_function *f = tiny_closure_of(callee)->function;
  if (f->parameters != count)
    return wrong_count_of(f, count);
  return f->entry ? call_entry(f->entry, callee, all, count) : tiny_interpret(callee, all, count);
}

/* Calls a bound method or a class. The array takes time to clear, so that other calls do without it. */
static __attribute__((noinline)) value call_with_this(value callee, value *arguments, unsigned count)
{
  value all[TINY_MAX_PARAMETERS + 1];

  for (unsigned i = 0; i < count; i++)
    all[i + 1] = arguments[i];
  if (tiny_is(callee, TINY_BOUND)) {
    all[0] = cairn_value_object(struct tiny_bound, callee)->receiver;
    return call_with_all(cairn_value_object(struct tiny_bound, callee)->method, all, count + 1);
  }
  struct tiny_class_row *row = tiny_class_at(tiny_tables, tiny_class_of(callee)->number);
  all[0] = tiny_instance_new(row->shape);
  if (!row->init)
    return count ? wrong_count(row->name, 0, 0, count) : all[0];
  return call_with_all(tiny_methods[row->init], all, count + 1);
}

value tiny_call(value callee, value *arguments, unsigned count)
{
  if (count > TINY_MAX_PARAMETERS - 1)
    return tiny_throw("too many arguments");
  if (tiny_is(callee, TINY_BOUND) || tiny_is(callee, TINY_CLASS))
    return call_with_this(callee, arguments, count);
  return call_with_all(callee, arguments, count);
}
