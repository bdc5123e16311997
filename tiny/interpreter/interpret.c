/* SPDX-License-Identifier: Apache-2.0
 *
 * The interpreter. Managed C; thread-local state.
 *
 * An activation of run() executes a function and the interpreted functions that it calls, in one array of registers.
 * R points to the current function's registers. R[-1] is its closure. R[-2] is nil in run()'s first frame, and else an
 * immediate of three fields: the caller's pc, a flag, and the distance from the caller's registers. The flag tells how
 * the window of the call lies (bytecode.def): the result goes to R[-2 - flag]. When the array is full, a call
 * runs in a new activation.
 *
 * Registers hold old values until a function writes them. The checker and the tests below make that harmless.
 */
#include "tiny/core/object.h"

enum {
  STACK_REGISTERS = 1000,
  FRAME_WORDS = 3, /* of a window, before the first register */
  DISTANCE_BITS = 9,
};

struct tiny_hooks tiny_hooks;
_Thread_local char *tiny_stack_limit;

#define IS_THROWN ((uint32_t)1 << 31) /* of the word of an activation: it begins by an exception */
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

static inline value frame_word(const uint32_t *pc, unsigned flag, long distance)
{
  return cairn_value_from((long)((uintptr_t)pc >> 2 << (DISTANCE_BITS + 1)) | (long)flag << DISTANCE_BITS | distance);
}

/* A compiled function with its arguments, from registers. */
static inline value call_entry(void *entry, value closure, value *r, unsigned count)
{
  typedef value f0(value), f1(value, value), f2(value, value, value), f3(value, value, value, value);
  typedef value f4(value, value, value, value, value), f5(value, value, value, value, value, value);
  typedef value f6(value, value, value, value, value, value, value);
  typedef value f7(value, value, value, value, value, value, value, value);
  typedef value f8(value, value, value, value, value, value, value, value, value);

  switch (count) {
  case 0:
    return cairn_managed_callee((f0 *)entry)(closure);
  case 1:
    return cairn_managed_callee((f1 *)entry)(closure, r[0]);
  case 2:
    return cairn_managed_callee((f2 *)entry)(closure, r[0], r[1]);
  case 3:
    return cairn_managed_callee((f3 *)entry)(closure, r[0], r[1], r[2]);
  case 4:
    return cairn_managed_callee((f4 *)entry)(closure, r[0], r[1], r[2], r[3]);
  case 5:
    return cairn_managed_callee((f5 *)entry)(closure, r[0], r[1], r[2], r[3], r[4]);
  case 6:
    return cairn_managed_callee((f6 *)entry)(closure, r[0], r[1], r[2], r[3], r[4], r[5]);
  case 7:
    return cairn_managed_callee((f7 *)entry)(closure, r[0], r[1], r[2], r[3], r[4], r[5], r[6]);
  default:
    return cairn_managed_callee((f8 *)entry)(closure, r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
  }
}

/* A float that is flat, 0.0 or a box. */
static inline bool is_float(value v)
{
  return tiny_is_flat(v) || v == TINY_ZERO || v == TINY_MINUS_ZERO || tiny_is(v, TINY_FLOAT);
}

static __attribute__((noinline)) double to_float(value v)
{
  double number = 0;

  tiny_number(v, &number);
  return number;
}

static inline bool is_flat_or_integer(value v)
{
  return tiny_is_flat(v) || tiny_is_integer(v);
}

static inline double flat_or_integer(value v)
{
  return tiny_is_flat(v) ? tiny_flat(v) : (double)tiny_integer(v);
}

/* Throws unless a call passes the right number of arguments. */
static __attribute__((noinline)) value wrong_count(uint32_t name, unsigned minimum, unsigned maximum, unsigned count)
{
  const char *text = tiny_symbol_at(name)->bytes;

  if (minimum == maximum)
    return tiny_throw("%s() needs %u argument%s, not %u", text, minimum, minimum == 1 ? "" : "s", count);
  return tiny_throw("%s() needs %u to %u arguments, not %u", text, minimum, maximum, count);
}

static __attribute__((noinline)) value not_callable(value callee)
{
  return tiny_throw("%s cannot be called", tiny_describe(callee));
}

static __attribute__((noinline)) value undefined_global(uint32_t global)
{
  return tiny_throw("'%s' is used before its definition",
                    tiny_symbol_at(tiny_global_at(tiny_tables, global)->name)->bytes);
}

static inline value call_native(value callee, value *arguments, unsigned count)
{
  const struct tiny_native_row *row = tiny_native_of(callee)->row;
  unsigned given = count - row->is_method;

  if (unlikely(given < row->minimum || given > row->maximum))
    return wrong_count(row->name, row->minimum, row->maximum, given);
  return cairn_managed_callee(row->run)(arguments, count);
}

/* The method that a call of the property runs; TINY_HOLE if the property holds the callee. */
static __attribute__((noinline)) value find_callee(value object, uint32_t symbol, uint32_t *site)
{
  uint32_t place = tiny_find_place(object, symbol, site);

  if (place == TINY_PLACE_NONE)
    return tiny_get_field(object, symbol); /* throws */
  return tiny_place_kind(place) == TINY_PLACE_METHOD ? tiny_methods[tiny_place_number(place)] : TINY_HOLE;
}

static __attribute__((noinline)) value make_array(value *items, unsigned count);
static __attribute__((noinline)) value append(value array, value *items, unsigned count);
static __attribute__((noinline)) value make_object(uint32_t shape, value *slots, unsigned count);
static __attribute__((noinline)) value make_closure(value prototype, const uint32_t *words, value *registers,
                                                    value outer);
static __attribute__((noinline)) value make_cell(value content);
static __attribute__((noinline)) value managed *copy_registers(value *registers, unsigned count);

/* The handler of an exception at word `at`, or null. */
static const struct tiny_try *find_handler(const struct tiny_function *f, uint32_t at)
{
  for (uint32_t i = 0; i < f->try_count; i++)
    if (at >= f->tries[i].start && at < f->tries[i].end)
      return &f->tries[i];
  return NULL;
}

/* Registers by operand. */
#define A R[TINY_A(word)]
#define B R[TINY_B(word)]
#define C R[TINY_C(word)]

/* The next instruction; `words` counts the extension words of this one. */
#define NEXT(words) \
  do { \
    pc += (words); \
    word = *pc++; \
    goto *labels[word & 255]; \
  } while (0)

/* Changes the instruction to another one, and runs that. */
#define REWRITE(name) \
  do { \
    pc[-1] = word = (word & ~(uint32_t)255) | TINY_OP_##name; \
    goto op_##name; \
  } while (0)

#define SET_A(expression, words) \
  do { \
    value result_ = (expression); \
    if (unlikely(tiny_is_thrown(result_))) \
      goto thrown; \
    A = result_; \
    NEXT(words); \
  } while (0)

#define JUMP_IF(condition) \
  do { \
    if ((condition) == (TINY_A(word) != 0)) \
      pc += (int32_t)*pc; \
    NEXT(1); \
  } while (0)

#define ENTER_FUNCTION(closure_) \
  do { \
    struct tiny_closure managed *entered_ = tiny_closure_of(closure_); \
    constants = entered_->constants; \
    feedback = entered_->function->feedback; \
  } while (0)

static value run(value closure, value *arguments, unsigned count, uint32_t at)
{
  static const void *const labels[256] = {
#define OP(name, a, b, c, first, second, base) [TINY_OP_##name] = &&op_##name,
#include "tiny/code/bytecode.def"
#undef OP
  };
  value stack[STACK_REGISTERS];
  value *R = stack + FRAME_WORDS;
  value *const limit = stack + STACK_REGISTERS;
  value managed *constants;
  uint32_t *feedback, *pc, word;
  value callee, result;
  unsigned window, given, flag;

  if (unlikely((char *)stack < tiny_stack_limit))
    return tiny_throw_stack_overflow();
#ifdef CAIRN_PLAIN
  memset(stack, 0, sizeof stack); /* Cairn clears locals that hold references */
#endif
  R[-1] = closure;
  R[-2] = TINY_NIL;
  memcpy(R, arguments, count * sizeof *R);
  ENTER_FUNCTION(closure);
  pc = tiny_closure_of(closure)->function->code + (at & ~IS_THROWN);
  if (unlikely(at & IS_THROWN)) {
    pc++;
    goto thrown;
  }
  NEXT(0);

op_MOVE:
  A = B;
  NEXT(0);
op_LOAD:
  A = constants[TINY_WIDE_OF(word)];
  NEXT(0);
op_INTEGER:
  A = tiny_from_small(TINY_SIGNED_WIDE_OF(word));
  NEXT(0);
op_NIL:
  A = TINY_NIL;
  NEXT(0);
op_TRUE:
  A = TINY_TRUE;
  NEXT(0);
op_FALSE:
  A = TINY_FALSE;
  NEXT(0);
op_GET_GLOBAL: {
  value v = tiny_globals[TINY_WIDE_OF(word)];
  if (unlikely(v == TINY_HOLE)) {
    undefined_global(TINY_WIDE_OF(word));
    goto thrown;
  }
  A = v;
  NEXT(0);
}
op_SET_GLOBAL: {
  uint32_t global = TINY_WIDE_OF(word);
  if (unlikely(tiny_global_at(tiny_tables, global)->flags & TINY_GLOBAL_ASSUMED))
    tiny_hooks.global_changes(global);
  tiny_globals[global] = A;
  NEXT(0);
}
op_GET_CAPTURED:
  A = tiny_closure_of(R[-1])->captured[TINY_B(word)];
  NEXT(0);
op_GET_CAPTURED_CELL: {
  value cell = tiny_closure_of(R[-1])->captured[TINY_B(word)];
  if (unlikely(!tiny_is(cell, TINY_CELL)))
    goto broken;
  A = tiny_cell_of(cell)->content;
  NEXT(0);
}
op_SET_CAPTURED_CELL: {
  value cell = tiny_closure_of(R[-1])->captured[TINY_B(word)];
  if (unlikely(!tiny_is(cell, TINY_CELL)))
    goto broken;
  tiny_cell_of(cell)->content = A;
  NEXT(0);
}
op_NEW_CELL:
  A = make_cell(B);
  NEXT(0);
op_GET_CELL:
  if (unlikely(!tiny_is(B, TINY_CELL)))
    goto broken;
  A = tiny_cell_of(B)->content;
  NEXT(0);
op_SET_CELL:
  if (unlikely(!tiny_is(A, TINY_CELL)))
    goto broken;
  tiny_cell_of(A)->content = B;
  NEXT(0);
op_CLOSURE: {
  value made = make_closure(constants[TINY_WIDE_OF(word)], pc, R, R[-1]);
  A = made;
  NEXT(tiny_closure_of(made)->function->captures);
}

#include "tiny/interpreter/interpret_arithmetic.h"

op_JUMP:
  pc += TINY_JUMP24_OF(word);
  NEXT(0);
op_LOOP:
  pc += TINY_JUMP24_OF(word);
  goto count_loop;
op_JUMP_TRUE:
  if (tiny_is_true(A))
    pc += (int32_t)*pc;
  NEXT(1);
op_JUMP_FALSE:
  if (!tiny_is_true(A))
    pc += (int32_t)*pc;
  NEXT(1);
op_JUMP_NIL:
  JUMP_IF(B == TINY_NIL);
op_FOR_PREPARE: {
  value *pair = &A;
  if (unlikely(!tiny_are_integers(pair[0], pair[1]))) {
    tiny_throw("the bounds of a counted loop must be integers");
    goto thrown;
  }
  if (cairn_value_integer(pair[0]) >= cairn_value_integer(pair[1]))
    pc += (int32_t)*pc;
  NEXT(1);
}
op_FOR_LOOP: {
  value *pair = &A;
  if (unlikely(!tiny_are_integers(pair[0], pair[1])))
    goto broken;
  /* The counter is smaller than the bound, so that the sum fits. */
  long next = cairn_value_integer(pair[0]) + (1 << TINY_INTEGER_SHIFT);
  if (next >= cairn_value_integer(pair[1]))
    NEXT(1);
  pair[0] = cairn_value_from(next);
  pc += (int32_t)*pc + 1;
}
count_loop: {
  struct tiny_function *f = tiny_closure_of(R[-1])->function;
  if (likely(--f->loops_left))
    NEXT(0);
  tiny_loop_code *code = tiny_hooks.looped ? tiny_hooks.looped(f, (uint32_t)(pc - f->code), R) : NULL;
  if (!code)
    NEXT(0);
  result = cairn_managed_callee(code)(R[-1], copy_registers(R, f->registers));
  goto returned;
}
op_EACH_PREPARE: {
  value *each = &A;
  enum tiny_kind kind = tiny_kind(each[0]);
  if (kind != TINY_ARRAY && kind != TINY_MAP && kind != TINY_STRING) {
    tiny_throw("%s cannot be iterated", tiny_describe(each[0]));
    goto thrown;
  }
  each[1] = tiny_from_small(0);
  NEXT(0);
}
op_EACH: {
  value *each = &A;
  if (unlikely(!tiny_is_integer(each[1])))
    goto broken;
  long position = tiny_integer(each[1]);
  if (likely(tiny_is(each[0], TINY_ARRAY))) {
    struct tiny_array managed *array = tiny_array_of(each[0]);
    if (position < 0 || position >= array->length) {
      pc += (int32_t)*pc;
    } else {
      each[2] = each[1];
      each[3] = array->items[position++];
      each[1] = tiny_from_small(position);
    }
    NEXT(1);
  }
  value key = TINY_NIL, item = TINY_NIL;
  if (tiny_each(each[0], &position, &key, &item)) {
    each[1] = tiny_from_small(position);
    each[2] = key;
    each[3] = item;
  } else {
    pc += (int32_t)*pc;
  }
  NEXT(1);
}

op_NEW_ARRAY:
  A = make_array(&B, TINY_C(word));
  NEXT(0);
op_APPEND:
  result = append(A, &B, TINY_C(word));
  if (unlikely(tiny_is_thrown(result)))
    goto thrown;
  NEXT(0);
op_NEW_OBJECT:
  A = make_object(pc[0], &B, TINY_C(word));
  NEXT(1);
op_TEXT:
  SET_A(tiny_text_of(&B, TINY_C(word)), 0);
op_GET_FIELD: {
  value object = B;
  uint32_t *site = feedback + pc[1];
  if (likely(tiny_is_reference(object) && cairn_value_object(struct tiny_object, object)->shape == site[1])) {
    uint32_t place = site[2];
    if (likely(tiny_place_kind(place) == TINY_PLACE_SLOT)) {
      A = tiny_instance_of(object)->slots[place];
      NEXT(2);
    }
  }
  SET_A(tiny_get_field_at(object, pc[0], site), 2);
}
op_SET_FIELD: {
  value object = A;
  uint32_t *site = feedback + pc[1];
  if (likely(tiny_is_reference(object) && cairn_value_object(struct tiny_object, object)->shape == site[1])) {
    uint32_t place = site[2];
    if (likely(tiny_place_kind(place) == TINY_PLACE_SLOT)) {
      tiny_instance_of(object)->slots[place] = B;
      if (site[3])
        tiny_instance_of(object)->shape = site[3];
      NEXT(2);
    }
  }
  if (unlikely(tiny_is_thrown(tiny_set_field_at(object, pc[0], B, site))))
    goto thrown;
  NEXT(2);
}
op_GET_INDEX: {
  value object = B, index = C;
  if (likely(tiny_is(object, TINY_ARRAY) && tiny_is_integer(index))) {
    struct tiny_array managed *array = tiny_array_of(object);
    unsigned long i = (unsigned long)tiny_integer(index);
    if (likely(i < (unsigned long)array->length)) {
      A = array->items[i];
      NEXT(0);
    }
  }
  if (!tiny_is(object, TINY_ARRAY))
    REWRITE(GET_INDEX_X);
  SET_A(tiny_get_index(object, index), 0);
}
op_GET_INDEX_X:
  SET_A(tiny_get_index(B, C), 0);
op_SET_INDEX: {
  value object = A, index = B;
  if (likely(tiny_is(object, TINY_ARRAY) && tiny_is_integer(index))) {
    struct tiny_array managed *array = tiny_array_of(object);
    unsigned long i = (unsigned long)tiny_integer(index);
    if (likely(i < (unsigned long)array->length)) {
      array->items[i] = C;
      NEXT(0);
    }
  }
  if (!tiny_is(object, TINY_ARRAY))
    REWRITE(SET_INDEX_X);
}
op_SET_INDEX_X:
  if (unlikely(tiny_is_thrown(tiny_set_index(A, B, C))))
    goto thrown;
  NEXT(0);
op_NEW_CLASS:
  if (TINY_B(word) != TINY_NO_SUPER && !tiny_is(B, TINY_CLASS)) {
    tiny_throw("the superclass is no class, but %s", tiny_describe(B));
    goto thrown;
  }
  A = tiny_class_make(pc[0], TINY_B(word) == TINY_NO_SUPER ? TINY_NIL : B, pc[1]);
  NEXT(2);
op_METHOD:
  if (unlikely(tiny_is_thrown(tiny_class_method(A, pc[0], B))))
    goto thrown;
  NEXT(1);

op_CALL:
  window = TINY_A(word);
  given = TINY_B(word);
  callee = R[window + 2];
  if (likely(tiny_is(callee, TINY_CLOSURE))) {
    struct tiny_function *f = tiny_closure_of(callee)->function;
    uint32_t *target = &feedback[pc[0]];
    if (unlikely(*target != tiny_target_make(TINY_TARGET_FUNCTION, f->number)))
      *target = *target ? TINY_TARGET_MANY : tiny_target_make(TINY_TARGET_FUNCTION, f->number);
    flag = 1;
    pc += 1;
    goto call_closure;
  }
  goto call_other;

op_INVOKE: {
  value object = R[TINY_A(word) + 2];
  uint32_t *site = feedback + pc[1];
  window = TINY_A(word);
  given = TINY_B(word) + 1;
  if (likely(tiny_is_reference(object) && cairn_value_object(struct tiny_object, object)->shape == site[1] &&
             tiny_place_kind(site[2]) == TINY_PLACE_METHOD)) {
    callee = tiny_methods[tiny_place_number(site[2])];
  } else {
    callee = find_callee(object, pc[0], site);
    if (unlikely(tiny_is_thrown(callee)))
      goto thrown;
    if (callee == TINY_HOLE) {
      callee = tiny_get_field_at(object, pc[0], site);
      R[window + 2] = callee;
      given--;
      pc += 2;
      goto call_value;
    }
  }
  pc += 2;
}
call_method:
  R[window + 1] = callee;
  flag = 0;
  if (unlikely(!tiny_is(callee, TINY_CLOSURE))) {
    result = call_native(callee, &R[window + 2], given);
    goto call_done;
  }
call_closure: {
  struct tiny_function *f = tiny_closure_of(callee)->function;
  value *inner = R + window + 2 + flag;
  if (unlikely(f->parameters != given)) {
    wrong_count(f->name, f->parameters - f->is_method, f->parameters - f->is_method, given - f->is_method);
    goto thrown;
  }
  if (unlikely(--f->calls_left == 0) && tiny_hooks.called)
    tiny_hooks.called(f, inner);
  if (f->entry) {
    result = call_entry(f->entry, callee, inner, given);
    goto call_done;
  }
  if (unlikely(f->registers > limit - inner)) {
    result = run(callee, inner, given, 0);
    goto call_done;
  }
  inner[-2] = frame_word(pc, flag, inner - R);
  R = inner;
  ENTER_FUNCTION(callee);
  pc = f->code;
  NEXT(0);
}
call_other: {
  uint32_t *target = &feedback[pc[0]];
  uint32_t seen = tiny_is(callee, TINY_CLASS)    ? tiny_target_make(TINY_TARGET_CLASS, tiny_class_of(callee)->number)
                  : tiny_is(callee, TINY_NATIVE) ? tiny_target_make(TINY_TARGET_NATIVE, tiny_native_of(callee)->number)
                                                 : TINY_TARGET_MANY;
  if (*target != seen)
    *target = *target ? TINY_TARGET_MANY : seen;
  pc += 1;
}
call_value:
  if (tiny_is(callee, TINY_NATIVE)) {
    result = call_native(callee, &R[window + 3], given);
    goto call_done;
  }
  if (tiny_is(callee, TINY_CLASS)) {
    struct tiny_class_row *row = tiny_class_at(tiny_tables, tiny_class_of(callee)->number);
    result = tiny_instance_new(row->shape);
    if (row->init) {
      R[window + 2] = result;
      callee = tiny_methods[row->init];
      given++;
      goto call_method;
    }
    if (given)
      result = wrong_count(row->name, 0, 0, given);
    goto call_done;
  }
  if (tiny_is(callee, TINY_BOUND)) {
    struct tiny_bound managed *bound = cairn_value_object(struct tiny_bound, callee);
    R[window + 2] = bound->receiver;
    callee = bound->method;
    given++;
    goto call_method;
  }
  if (tiny_is(callee, TINY_CLOSURE)) {
    flag = 1;
    goto call_closure;
  }
  not_callable(callee);
  goto thrown;
call_done:
  if (unlikely(tiny_is_thrown(result)))
    goto thrown;
  R[window] = result;
  NEXT(0);

op_INVOKE_SUPER: {
  uint32_t method, *target = &feedback[pc[1]];
  if (!tiny_is(C, TINY_CLASS))
    goto broken;
  uint32_t super = tiny_class_at(tiny_tables, tiny_class_of(C)->number)->super;
  if (!tiny_class_find(tiny_tables, super, pc[0], &method)) {
    tiny_throw("the superclass has no method '%s'", tiny_symbol_at(pc[0])->bytes);
    goto thrown;
  }
  window = TINY_A(word);
  given = TINY_B(word) + 1;
  callee = tiny_methods[method];
  *target = method;
  pc += 2;
  goto call_method;
}

op_RETURN:
  result = A;
  goto returned;
op_RETURN_NIL:
  result = TINY_NIL;
returned: {
  value frame = R[-2];
  if (unlikely(!tiny_is_immediate(frame)))
    return result;
  if (unlikely(tiny_is_thrown(result)))
    goto unwind;
  unsigned long fields = (unsigned long)cairn_value_integer(frame);
  R[-2 - (long)(fields >> DISTANCE_BITS & 1)] = result;
  pc = (uint32_t *)(fields >> (DISTANCE_BITS + 1) << 2);
  R -= fields & ((1 << DISTANCE_BITS) - 1);
  ENTER_FUNCTION(R[-1]);
  NEXT(0);
}

broken:
  tiny_throw("the byte code is broken");
  goto thrown;
op_THROW:
  tiny_throw_value(A);
thrown: {
  struct tiny_function *f = tiny_closure_of(R[-1])->function;
  uint32_t word_at = (uint32_t)(pc - f->code) - 1;
  const struct tiny_try *handler = find_handler(f, word_at);
  tiny_note_frame(f, word_at);
  if (handler) {
    R[handler->target] = tiny_catch();
    pc = f->code + handler->handler;
    NEXT(0);
  }
}
unwind: {
  value frame = R[-2];
  if (!tiny_is_immediate(frame))
    return TINY_THROWN;
  unsigned long fields = (unsigned long)cairn_value_integer(frame);
  pc = (uint32_t *)(fields >> (DISTANCE_BITS + 1) << 2);
  R -= fields & ((1 << DISTANCE_BITS) - 1);
  ENTER_FUNCTION(R[-1]);
  goto thrown;
}
}

value tiny_interpret(value closure, value *arguments, unsigned count)
{
  return run(closure, arguments, count, 0);
}

static value resume(value closure, uint32_t at, value managed *registers)
{
  value all[TINY_MAX_REGISTERS];
  unsigned count = tiny_closure_of(closure)->function->registers;

  for (unsigned i = 0; i < count; i++)
    all[i] = registers[i];
  return run(closure, all, count, at);
}

value tiny_resume(value closure, uint32_t at, value managed *registers)
{
  return resume(closure, at, registers);
}

value tiny_resume_thrown(value closure, uint32_t at, value managed *registers)
{
  return resume(closure, at | IS_THROWN, registers);
}

/* ---- objects ---- */

static value make_array(value *items, unsigned count)
{
  value array = tiny_array_new(count);

  for (unsigned i = 0; i < count; i++)
    tiny_array_of(array)->items[i] = items[i];
  tiny_array_of(array)->length = count;
  return array;
}

static value append(value array, value *items, unsigned count)
{
  if (!tiny_is(array, TINY_ARRAY))
    return tiny_throw("the byte code is broken");
  for (unsigned i = 0; i < count; i++)
    if (tiny_is_thrown(tiny_array_push(array, items[i])))
      return TINY_THROWN;
  return array;
}

static value make_object(uint32_t shape, value *slots, unsigned count)
{
  value object = tiny_instance_new(shape);

  for (unsigned i = 0; i < count; i++)
    tiny_instance_of(object)->slots[i] = slots[i];
  return object;
}

static value make_cell(value content)
{
  struct tiny_cell managed *cell = cairn_new(struct tiny_cell);

  cell->kind = cell->shape = TINY_CELL;
  cell->content = content;
  return cairn_value_of(cell);
}

static value make_closure(value prototype, const uint32_t *words, value *registers, value outer)
{
  value closure = tiny_closure_new(prototype);
  unsigned count = tiny_closure_of(closure)->function->captures;

  for (unsigned i = 0; i < count; i++) {
    uint32_t from = words[i] >> 1;
    tiny_closure_of(closure)->captured[i] = words[i] & 1 ? tiny_closure_of(outer)->captured[from] : registers[from];
  }
  return closure;
}

static value managed *copy_registers(value *registers, unsigned count)
{
  value managed *copy = cairn_new_array(value, count);

  for (unsigned i = 0; i < count; i++)
    copy[i] = registers[i];
  return copy;
}

/* ---- calls from outside ---- */

value tiny_call(value callee, value *arguments, unsigned count)
{
  value all[TINY_MAX_PARAMETERS + 1];

  if (count > TINY_MAX_PARAMETERS - 1)
    return tiny_throw("too many arguments");
  bool has_this = tiny_is(callee, TINY_BOUND) || tiny_is(callee, TINY_CLASS);
  for (unsigned i = 0; i < count; i++)
    all[i + has_this] = arguments[i];
  if (tiny_is(callee, TINY_BOUND)) {
    all[0] = cairn_value_object(struct tiny_bound, callee)->receiver;
    callee = cairn_value_object(struct tiny_bound, callee)->method;
  } else if (tiny_is(callee, TINY_CLASS)) {
    struct tiny_class_row *row = tiny_class_at(tiny_tables, tiny_class_of(callee)->number);
    all[0] = tiny_instance_new(row->shape);
    if (!row->init)
      return count ? wrong_count(row->name, 0, 0, count) : all[0];
    callee = tiny_methods[row->init];
  }
  count += has_this;
  if (tiny_is(callee, TINY_NATIVE))
    return call_native(callee, all, count);
  if (!tiny_is(callee, TINY_CLOSURE))
    return not_callable(callee);
  struct tiny_function *f = tiny_closure_of(callee)->function;
  if (f->parameters != count)
    return wrong_count(f->name, f->parameters - f->is_method, f->parameters - f->is_method, count - f->is_method);
  return f->entry ? call_entry(f->entry, callee, all, count) : tiny_interpret(callee, all, count);
}
