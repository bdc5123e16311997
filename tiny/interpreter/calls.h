/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions of jumps, loops, calls and returns. Managed C; the state is in the activation.
 *
 * R points to the current function's registers. R[-1] is its closure. R[-2] is nil in the activation's first frame, and
 * else an immediate of three fields: the caller's pc, a flag, and the distance from the caller's registers. The flag
 * tells how the window of the call lies (bytecode.def): the result goes to R[-2 - flag].
 */
#ifndef TINY_INTERPRETER_CALLS_H
#define TINY_INTERPRETER_CALLS_H

#include "tiny/interpreter/activation.h"
#include <cairn/span.h>

enum {
  FRAME_WORDS = 3, /* of a window, before the first register */
  DISTANCE_BITS = 9,
};

/* ---- jumps and loops ---- */

INSTRUCTION(JUMP)
{
  s->pc += TINY_JUMP24_OF(s->word);
  return NEXT;
}

INSTRUCTION(LOOP)
{
  s->pc += TINY_JUMP24_OF(s->word);
  return COUNT_LOOP;
}

SHORT_INSTRUCTION(JUMP_TRUE, jump_if(s, tiny_is_true(A)))
SHORT_INSTRUCTION(JUMP_FALSE, jump_if(s, !tiny_is_true(A)))
SHORT_INSTRUCTION(JUMP_NIL, jump_if(s, (B == TINY_NIL) == (TINY_A(s->word) != 0)))

INSTRUCTION(FOR_PREPARE)
{
  value *pair = &A;

  if (unlikely(!tiny_are_integers(pair[0], pair[1])))
    return set(s, tiny_throw("the bounds of a counted loop must be integers"), 1);
  return jump_if(s, cairn_value_integer(pair[0]) >= cairn_value_integer(pair[1]));
}

INSTRUCTION(FOR_LOOP)
{
  value *pair = &A;

  if (unlikely(!tiny_are_integers(pair[0], pair[1])))
    return BROKEN;
  /* The counter is smaller than the bound, so that the sum fits. */
  long sum = cairn_value_integer(pair[0]) + (1 << TINY_INTEGER_SHIFT);
  if (sum >= cairn_value_integer(pair[1]))
    return next(s, 1);
  pair[0] = cairn_value_from(sum);
  s->pc += (int32_t)*s->pc + 1;
  return COUNT_LOOP;
}

RARE value managed *copy_registers(value *registers, unsigned count)
{
  value managed *copy = cairn_new_array(value, count);

  for (unsigned i = 0; i < count; i++)
    copy[i] = registers[i];
  return copy;
}

/* The rest of an activation, by the code of a loop. A span keeps its function from other functions, and run() checks
 * its stores if the address of `s` leaves it: so the span is here. */
RARE value run_loop(tiny_loop_code *code, value closure, value managed *registers)
{
  cairn_span_begin(TINY_CATCHES, TINY_CATCHES_VALUE);
  value result = cairn_managed_callee(code)(closure, registers);
  cairn_span_end(TINY_CATCHES);
  return result;
}

/* After a jump back: compiled code of the loop continues, if there is some. */
INLINE enum step count_loop(struct activation *s)
{
  struct tiny_function *f = tiny_closure_of(R[-1])->function;

  if (likely(--f->loops_left))
    return NEXT;
  tiny_loop_code *code = tiny_hooks.looped ? tiny_hooks.looped(f, (uint32_t)(s->pc - f->code), R) : NULL;
  if (!code)
    return NEXT;
  s->result = run_loop(code, R[-1], copy_registers(R, f->registers));
  return RETURN_RESULT;
}

INSTRUCTION(EACH_PREPARE)
{
  value *each = &A;

  if (!tiny_is(each[0], TINY_ARRAY) && !tiny_is(each[0], TINY_MAP) && !tiny_is(each[0], TINY_STRING))
    return set(s, tiny_throw("%s cannot be iterated", tiny_describe(each[0])), 0);
  each[1] = tiny_from_small(0);
  return NEXT;
}

INSTRUCTION(EACH)
{
  value *each = &A, key = TINY_NIL, item = TINY_NIL;

  if (unlikely(!tiny_is_integer(each[1])))
    return BROKEN;
  long position = tiny_integer(each[1]);
  if (likely(tiny_is(each[0], TINY_ARRAY))) {
    struct tiny_array managed *array = tiny_array_of(each[0]);
    if ((unsigned long)position >= (unsigned long)array->length)
      return jump_if(s, true);
    each[2] = each[1];
    each[3] = array->items[position];
    each[1] = tiny_from_small(position + 1);
    return next(s, 1);
  }
  if (!tiny_each(each[0], &position, &key, &item))
    return jump_if(s, true);
  each[1] = tiny_from_small(position);
  each[2] = key;
  each[3] = item;
  return next(s, 1);
}

/* ---- calls ---- */

/* Throws unless a call passes the right number of arguments. */
RARE value wrong_count(uint32_t name, unsigned minimum, unsigned maximum, unsigned count)
{
  const char *text = tiny_symbol_at(name)->bytes;

  if (minimum == maximum)
    return tiny_throw("%s() needs %u argument%s, not %u", text, minimum, minimum == 1 ? "" : "s", count);
  return tiny_throw("%s() needs %u to %u arguments, not %u", text, minimum, maximum, count);
}

RARE value wrong_count_of(const struct tiny_function *f, unsigned count)
{
  unsigned wanted = f->parameters - f->is_method;

  return wrong_count(f->name, wanted, wanted, count - f->is_method);
}

/* A compiled function with its arguments, from registers. */
INLINE value call_code(void *entry, value closure, value *r, unsigned count)
{
#define CALL(...) cairn_managed_callee((value (*)(__VA_ARGS__))entry)
#define V value
  switch (count) {
  case 0:
    return CALL(V)(closure);
  case 1:
    return CALL(V, V)(closure, r[0]);
  case 2:
    return CALL(V, V, V)(closure, r[0], r[1]);
  case 3:
    return CALL(V, V, V, V)(closure, r[0], r[1], r[2]);
  case 4:
    return CALL(V, V, V, V, V)(closure, r[0], r[1], r[2], r[3]);
  case 5:
    return CALL(V, V, V, V, V, V)(closure, r[0], r[1], r[2], r[3], r[4]);
  case 6:
    return CALL(V, V, V, V, V, V, V)(closure, r[0], r[1], r[2], r[3], r[4], r[5]);
  case 7:
    return CALL(V, V, V, V, V, V, V, V)(closure, r[0], r[1], r[2], r[3], r[4], r[5], r[6]);
  default:
    return CALL(V, V, V, V, V, V, V, V, V)(closure, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
  }
#undef V
#undef CALL
}

INLINE value call_entry(void *entry, value closure, value *r, unsigned count)
{
  cairn_span_begin(TINY_CATCHES, TINY_CATCHES_VALUE);
  value result = call_code(entry, closure, r, count);
  cairn_span_end(TINY_CATCHES);
  return result;
}

INLINE value call_native(value callee, value *arguments, unsigned count)
{
  const struct tiny_native_row *row = tiny_native_of(callee)->row;
  unsigned given = count - row->is_method;

  if (unlikely(given < row->minimum || given > row->maximum))
    return wrong_count(row->name, row->minimum, row->maximum, given);
  return cairn_managed_callee(row->run)(arguments, count);
}

INLINE void note_target(uint32_t *target, uint32_t seen)
{
  if (unlikely(*target != seen))
    *target = *target ? TINY_TARGET_MANY : seen;
}

INSTRUCTION(CALL)
{
  uint32_t *target = &s->feedback[s->pc[0]];

  s->window = TINY_A(s->word);
  s->given = TINY_B(s->word);
  s->callee = R[s->window + 2];
  s->pc += 1;
  if (likely(tiny_is(s->callee, TINY_CLOSURE))) {
    note_target(target, tiny_target_make(TINY_TARGET_FUNCTION, tiny_closure_of(s->callee)->function->number));
    s->flag = 1;
    return CALL_CLOSURE;
  }
  note_target(target, tiny_is(s->callee, TINY_CLASS)
                          ? tiny_target_make(TINY_TARGET_CLASS, tiny_class_of(s->callee)->number)
                      : tiny_is(s->callee, TINY_NATIVE)
                          ? tiny_target_make(TINY_TARGET_NATIVE, tiny_native_of(s->callee)->number)
                          : TINY_TARGET_MANY);
  return CALL_VALUE;
}

/* The method that a call of the property runs; TINY_HOLE if the property holds the callee. */
RARE value find_callee(value object, uint32_t symbol, uint32_t *site)
{
  uint32_t place = tiny_find_place(object, symbol, site);

  if (place == TINY_PLACE_NONE)
    return tiny_get_field(object, symbol); /* throws */
  return tiny_place_kind(place) == TINY_PLACE_METHOD ? tiny_methods[tiny_place_number(place)] : TINY_HOLE;
}

INSTRUCTION(INVOKE)
{
  uint32_t symbol = s->pc[0], *site = s->feedback + s->pc[1];

  s->window = TINY_A(s->word);
  s->given = TINY_B(s->word) + 1;
  value object = R[s->window + 2];
  if (likely(tiny_shape_is(object, site[1]) && tiny_place_kind(site[2]) == TINY_PLACE_METHOD)) {
    s->callee = tiny_methods[tiny_place_number(site[2])];
    s->pc += 2;
    return CALL_METHOD;
  }
  s->callee = find_callee(object, symbol, site);
  if (unlikely(tiny_is_thrown(s->callee)))
    return THROWN;
  s->pc += 2;
  if (s->callee != TINY_HOLE)
    return CALL_METHOD;
  s->callee = tiny_get_field_at(object, symbol, site);
  R[s->window + 2] = s->callee;
  s->given--;
  return CALL_VALUE;
}

INSTRUCTION(INVOKE_SUPER)
{
  uint32_t method, symbol = s->pc[0], *target = &s->feedback[s->pc[1]];

  if (!tiny_is(C, TINY_CLASS))
    return BROKEN;
  uint32_t super = tiny_class_at(tiny_tables, tiny_class_of(C)->number)->super;
  if (!tiny_class_find(tiny_tables, super, symbol, &method))
    return set(s, tiny_throw("the superclass has no method '%s'", tiny_symbol_at(symbol)->bytes), 2);
  s->window = TINY_A(s->word);
  s->given = TINY_B(s->word) + 1;
  s->callee = tiny_methods[method];
  *target = method;
  s->pc += 2;
  return CALL_METHOD;
}

INLINE enum step call_method(struct activation *s)
{
  R[s->window + 1] = s->callee;
  s->flag = 0;
  if (likely(tiny_is(s->callee, TINY_CLOSURE)))
    return CALL_CLOSURE;
  s->result = call_native(s->callee, &R[s->window + 2], s->given);
  return CALL_DONE;
}

INLINE value frame_word(const uint32_t *pc, unsigned flag, long distance)
{
  return cairn_value_from((long)((uintptr_t)pc >> 2 << (DISTANCE_BITS + 1)) | (long)flag << DISTANCE_BITS | distance);
}

INLINE enum step call_closure(struct activation *s)
{
  struct tiny_function *f = tiny_closure_of(s->callee)->function;
  value *inner = R + s->window + 2 + s->flag;

  if (unlikely(f->parameters != s->given)) {
    wrong_count_of(f, s->given);
    return THROWN;
  }
  if (unlikely(--f->calls_left == 0) && tiny_hooks.called)
    tiny_hooks.called(f, inner);
  if (f->entry) {
    s->result = call_entry(f->entry, s->callee, inner, s->given);
    return CALL_DONE;
  }
  if (unlikely(f->registers > s->limit - inner)) {
    s->result = tiny_interpret(s->callee, inner, s->given);
    return CALL_DONE;
  }
  inner[-2] = frame_word(s->pc, s->flag, inner - R);
  R = inner;
  enter_function(s, s->callee);
  s->pc = f->code;
  return NEXT;
}

/* A call of a class: makes an object, and calls `init` with it. */
INLINE enum step construct(struct activation *s)
{
  struct tiny_class_row *row = tiny_class_at(tiny_tables, tiny_class_of(s->callee)->number);

  s->result = tiny_instance_new(row->shape);
  if (row->init) {
    R[s->window + 2] = s->result;
    s->callee = tiny_methods[row->init];
    s->given++;
    return CALL_METHOD;
  }
  if (s->given)
    s->result = wrong_count(row->name, 0, 0, s->given);
  return CALL_DONE;
}

INLINE enum step call_value(struct activation *s)
{
  switch (tiny_kind(s->callee)) {
  case TINY_NATIVE:
    s->result = call_native(s->callee, &R[s->window + 3], s->given);
    return CALL_DONE;
  case TINY_CLASS:
    return construct(s);
  case TINY_BOUND:
    R[s->window + 2] = cairn_value_object(struct tiny_bound, s->callee)->receiver;
    s->callee = cairn_value_object(struct tiny_bound, s->callee)->method;
    s->given++;
    return CALL_METHOD;
  case TINY_CLOSURE:
    s->flag = 1;
    return CALL_CLOSURE;
  default:
    tiny_throw("%s cannot be called", tiny_describe(s->callee));
    return THROWN;
  }
}

INLINE enum step call_done(struct activation *s)
{
  if (unlikely(tiny_is_thrown(s->result)))
    return THROWN;
  R[s->window] = s->result;
  return NEXT;
}

/* ---- returns and exceptions ---- */

INSTRUCTION(RETURN)
{
  s->result = A;
  return RETURN_RESULT;
}

INSTRUCTION(RETURN_NIL)
{
  s->result = TINY_NIL;
  return RETURN_RESULT;
}

/* Goes back to the caller's registers, by the frame word of the callee. */
INLINE void return_to_caller(struct activation *s, value frame)
{
  unsigned long fields = (unsigned long)cairn_value_integer(frame);

  s->pc = (uint32_t *)(fields >> (DISTANCE_BITS + 1) << 2);
  R -= fields & ((1 << DISTANCE_BITS) - 1);
  enter_function(s, R[-1]);
}

INLINE enum step return_result(struct activation *s)
{
  value frame = R[-2];

  if (unlikely(!tiny_is_immediate(frame)))
    return LEAVE;
  if (unlikely(tiny_is_thrown(s->result)))
    return THROW_RESULT;
  R[-2 - (cairn_value_integer(frame) >> DISTANCE_BITS & 1)] = s->result;
  return_to_caller(s, frame);
  return NEXT;
}

INLINE enum step throw_result(struct activation *s)
{
  value frame = R[-2];

  s->result = TINY_THROWN;
  if (!tiny_is_immediate(frame))
    return LEAVE;
  return_to_caller(s, frame);
  return THROWN;
}

INSTRUCTION(THROW)
{
  tiny_throw_value(A);
  return THROWN;
}

/* The handler of an exception at word `at`, or null. */
RARE const struct tiny_try *find_handler(const struct tiny_function *f, uint32_t at)
{
  for (uint32_t i = 0; i < f->try_count; i++)
    if (at >= f->tries[i].start && at < f->tries[i].end)
      return &f->tries[i];
  return NULL;
}

INLINE enum step thrown(struct activation *s)
{
  struct tiny_function *f = tiny_closure_of(R[-1])->function;
  uint32_t at = (uint32_t)(s->pc - f->code) - 1;
  const struct tiny_try *handler = find_handler(f, at);

  tiny_note_frame(f, at);
  if (!handler)
    return THROW_RESULT;
  R[handler->target] = tiny_catch();
  s->pc = f->code + handler->handler;
  return NEXT;
}

#endif
