/* SPDX-License-Identifier: Apache-2.0
 *
 * The program's side of compiled code: the functions that it calls (jit/runtime.def), its stubs to the interpreter, the
 * continuation of deoptimised activations, and the hooks that request compilations. Managed C. All of it runs on the
 * program's thread; the compiler's thread only stores addresses of code (jit/jit.h).
 *
 * Policy. A function is compiled when its calls or its loops reach the thresholds. A guard that fails is not made again
 * in later versions; after some failures the version is thrown away, and the counters begin anew. After MAX_VERSIONS
 * the function stays in the interpreter.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tiny/program/compiled.h"
#include "tiny/jit/jit.h"
#include "tiny/core/object.h"

#include <cairn/deopt.h>

enum { LOOP_FACTOR = 16, MAX_VERSIONS = 12, FAILURES_OF_FIRST_VERSION = 4 };

void cairn_deoptimize(uint64_t reason);

static tj_compile *compile;
static tj_finish *finish;
static tj_find_dependents *find_dependents;
static tj_find_code *find_code;
static tj_discard *discard_code;
static tj_count *count_compilations;
static struct tj_host host;
static struct tiny_jit_options options;
static _Thread_local uint32_t torture_left; /* counts down to the guard that fails */
static uint64_t failures_by_reason[TJ_REASONS];
static uint64_t discarded, invalidated, marked_activations;
static _Thread_local uint8_t *changed; /* by global: it has changed since code assumed its value */
static _Thread_local uint32_t changed_count;

static const char *const reason_names[TJ_REASONS] = {"type", "overflow", "range",     "shape",   "target",
                                                     "cold", "entry",    "exception", "invalid", "stack"};

/* ---- the interpreter from compiled code ---- */

/* The result of the caller for compiled code. */
#define LEAVE(result_) \
  do { \
    value left_ = (result_); \
    return tiny_is_thrown(left_) ? tiny_jit_unwind(__builtin_return_address(0)) : left_; \
  } while (0)

static value stub_0(value f)
{
  LEAVE(tiny_interpret(f, NULL, 0));
}

#define STUB(n, parameters, ...) \
  static value stub_##n parameters \
  { \
    value a[] = {__VA_ARGS__}; \
    LEAVE(tiny_interpret(f, a, n)); \
  }
STUB(7, (value f, value a0, value a1, value a2, value a3, value a4, value a5, value a6), a0, a1, a2, a3, a4, a5, a6)
STUB(8, (value f, value a0, value a1, value a2, value a3, value a4, value a5, value a6, value a7), a0, a1, a2, a3, a4,
     a5, a6, a7)

static value tiny_jit_call_0(value f)
{
  return tiny_call(f, NULL, 0);
}

#define CALL(n, parameters, ...) \
  static value tiny_jit_call_##n parameters \
  { \
    value a[] = {__VA_ARGS__}; \
    return tiny_call(f, a, n); \
  }
#define STUB_AND_CALL(n, parameters, ...) \
  STUB(n, parameters, __VA_ARGS__) \
  CALL(n, parameters, __VA_ARGS__)
STUB_AND_CALL(1, (value f, value a0), a0)
STUB_AND_CALL(2, (value f, value a0, value a1), a0, a1)
STUB_AND_CALL(3, (value f, value a0, value a1, value a2), a0, a1, a2)
STUB_AND_CALL(4, (value f, value a0, value a1, value a2, value a3), a0, a1, a2, a3)
STUB_AND_CALL(5, (value f, value a0, value a1, value a2, value a3, value a4), a0, a1, a2, a3, a4)
STUB_AND_CALL(6, (value f, value a0, value a1, value a2, value a3, value a4, value a5), a0, a1, a2, a3, a4, a5)

static value tiny_jit_call_many(value f, value list)
{
  value a[TINY_MAX_PARAMETERS];
  long count = tiny_array_of(list)->length;

  if (count > TINY_MAX_PARAMETERS)
    return tiny_throw("too many arguments");
  for (long i = 0; i < count; i++)
    a[i] = tiny_array_of(list)->items[i];
  return tiny_call(f, a, (unsigned)count);
}

/* Calls a method, or the value of a property; all[0] is the receiver. */
static value invoke(value *all, uint32_t symbol, unsigned count)
{
  uint32_t place = tiny_find_place(all[0], symbol, NULL);

  if (place != TINY_PLACE_NONE && tiny_place_kind(place) == TINY_PLACE_METHOD)
    return tiny_call(tiny_methods[tiny_place_number(place)], all, count + 1);
  value f = tiny_get_place(all[0], place, symbol);
  return tiny_is_thrown(f) ? f : tiny_call(f, all + 1, count);
}

#define INVOKE(n, parameters, ...) \
  static value tiny_jit_invoke_##n parameters \
  { \
    value a[] = {__VA_ARGS__}; \
    return invoke(a, s, n); \
  }
INVOKE(0, (value o, uint32_t s), o)
INVOKE(1, (value o, uint32_t s, value a0), o, a0)
INVOKE(2, (value o, uint32_t s, value a0, value a1), o, a0, a1)
INVOKE(3, (value o, uint32_t s, value a0, value a1, value a2), o, a0, a1, a2)
INVOKE(4, (value o, uint32_t s, value a0, value a1, value a2, value a3), o, a0, a1, a2, a3)
INVOKE(5, (value o, uint32_t s, value a0, value a1, value a2, value a3, value a4), o, a0, a1, a2, a3, a4)

#define NATIVE(n, parameters, ...) \
  static value tiny_jit_native_##n parameters \
  { \
    value a[] = {__VA_ARGS__}; \
    return cairn_managed_callee(tiny_native_of(f)->row->run)(a, n); \
  }
static value tiny_jit_native_0(value f)
{
  return cairn_managed_callee(tiny_native_of(f)->row->run)(NULL, 0);
}
NATIVE(1, (value f, value a0), a0)
NATIVE(2, (value f, value a0, value a1), a0, a1)
NATIVE(3, (value f, value a0, value a1, value a2), a0, a1, a2)
NATIVE(4, (value f, value a0, value a1, value a2, value a3), a0, a1, a2, a3)

/* ---- other functions of compiled code ---- */

static long tiny_jit_equal(value a, value b)
{
  return tiny_equal(a, b);
}

static value tiny_jit_take_thrown(void)
{
  value thrown = tiny_thrown;

  tiny_thrown = TINY_NIL;
  return thrown;
}

static void tiny_jit_note(const struct tiny_function *function, uint32_t at)
{
  tiny_note_frame(function, at);
}

static value tiny_jit_set_global(uint32_t number, value v)
{
  struct tiny_global *row = tiny_global_at(tiny_tables, number);

  if (row->flags & TINY_GLOBAL_ASSUMED)
    tiny_hooks.global_changes(number);
  tiny_globals[number] = v;
  return TINY_NIL;
}

static value tiny_jit_new_array(long length)
{
  value array = tiny_array_new(length);

  tiny_array_of(array)->length = length;
  return array;
}

static value tiny_jit_new_instance(uint32_t number)
{
  const struct tiny_shape *shape = tiny_shape_at(tiny_tables, number);
  struct tiny_instance managed *made = cairn_new_flex(struct tiny_instance, shape->inline_slots);

  made->kind = TINY_INSTANCE;
  made->shape = number;
  if (shape->slots > shape->inline_slots) {
    value managed *more = cairn_new_array(value, shape->slots - shape->inline_slots);
    made->more = more;
  }
  return cairn_value_of(made);
}

static value tiny_jit_new_closure(value closure, uint32_t constant)
{
  return tiny_closure_new(tiny_closure_of(closure)->constants[constant]);
}

static value tiny_jit_new_cell(value content)
{
  struct tiny_cell managed *cell = cairn_new(struct tiny_cell);

  cell->kind = cell->shape = TINY_CELL;
  cell->content = content;
  return cairn_value_of(cell);
}

static value tiny_jit_text_4(uint32_t count, value a0, value a1, value a2, value a3)
{
  value a[] = {a0, a1, a2, a3};

  return tiny_text_of(a, count);
}

/* Iterations over any collection, in three steps: the elements stay between them. */
static long tiny_jit_each_next(value collection, long position)
{
  value key = TINY_NIL, item = TINY_NIL;

  if (tiny_is(collection, TINY_ARRAY))
    return position < tiny_array_of(collection)->length ? position + 1 : -1;
  return tiny_each(collection, &position, &key, &item) ? position : -1;
}

static value tiny_jit_each_key(value collection, long position)
{
  return tiny_is(collection, TINY_MAP) ? tiny_map_of(collection)->entries[position - 1].key
                                       : tiny_from_small(position - 1);
}

static value tiny_jit_each_item(value collection, long position)
{
  if (tiny_is(collection, TINY_ARRAY))
    return tiny_array_of(collection)->items[position - 1];
  if (tiny_is(collection, TINY_MAP))
    return tiny_map_of(collection)->entries[position - 1].value;
  return tiny_byte_string((uint8_t)tiny_string_of(collection)->bytes[position - 1]);
}

/* The method of the superclass, or THROWN. */
static value tiny_jit_super_method(value class, uint32_t symbol)
{
  const struct tiny_class_row *row = tiny_class_at(tiny_tables, tiny_class_of(class)->number);
  uint32_t place;

  if (row->super == 0 || !tiny_shape_find(tiny_tables, tiny_class_at(tiny_tables, row->super)->shape, symbol, &place) ||
      tiny_place_kind(place) != TINY_PLACE_METHOD)
    return TINY_NIL;
  return tiny_methods[tiny_place_number(place)];
}

/* ---- deoptimisation ---- */

static cairn_unmanaged uint32_t failures_allowed(const struct tj_function *data)
{
  return FAILURES_OF_FIRST_VERSION << (data->versions < 16 ? data->versions : 16);
}

/* The function runs in the interpreter, until it is compiled again. */
static cairn_unmanaged void discard(struct tiny_function *function)
{
  struct tj_function *data = function->jit;

  discard_code(function);
  data->failures = 0;
  data->requested = 0;
  for (struct tj_loop *loop = data->loops; loop; loop = loop->next)
    loop->requested = 0;
  if (++data->versions >= MAX_VERSIONS)
    data->given_up = 1;
  discarded++;
}

/* Marks the activations of the code. Functions without calls have no frame maps, and no activation that waits. */
static size_t mark_activations(uintptr_t *addresses, uint32_t left)
{
  struct cairn_deopt_failure failure = {0};
  enum cairn_status status = CAIRN_OK;
  size_t marked = 0;

  while (left > 0 && (status = cairn_deopt_invalidate(addresses, left, TJ_INVALID, &marked, &failure)) != CAIRN_OK) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < left && status == CAIRN_E_UNKNOWN; i++)
      if (addresses[i] != failure.address)
        addresses[kept++] = addresses[i];
    if (status != CAIRN_E_UNKNOWN || kept == left) {
      fprintf(stderr, "tiny: compiled code cannot be invalidated: %s\n", failure.text);
      abort();
    }
    left = kept;
  }
  return marked;
}

/* The function has code that is installed, and no such code before. */
static bool is_first_of_function(const struct tj_code *codes, uint32_t at)
{
  for (uint32_t i = 0; i < at; i++)
    if (codes[i].installed && codes[i].function == codes[at].function)
      return false;
  return codes[at].installed;
}

/* The code must not go on: its functions return to the interpreter now, and its activations when their calls return. */
static void invalidate(struct tj_code *codes, uint32_t code_count)
{
  uintptr_t *addresses = calloc(code_count + 1, sizeof *addresses);

  for (uint32_t i = 0; i < code_count; i++)
    addresses[i] = codes[i].address;
  size_t marked = mark_activations(addresses, code_count);
  for (uint32_t i = 0; i < code_count; i++) {
    invalidated += codes[i].installed;
    if (is_first_of_function(codes, i))
      discard(codes[i].function);
  }
  marked_activations += marked;
  if (options.trace_deopt && code_count > 0)
    fprintf(stderr, "tiny: invalidated %u functions, %lu activations\n", code_count, (unsigned long)marked);
  free(addresses);
  free(codes);
}

static void global_changes(uint32_t global)
{
  uint32_t code_count;

  if (global >= changed_count) {
    uint32_t room = global + 256;
    changed = realloc(changed, room);
    memset(changed + changed_count, 0, room - changed_count);
    changed_count = room;
  }
  changed[global] = 1;
  tiny_global_at(tiny_tables, global)->flags &= ~(uint32_t)TINY_GLOBAL_ASSUMED;
  struct tj_code *codes = find_dependents(tiny_tables, global, &code_count);
  invalidate(codes, code_count);
}

static cairn_unmanaged struct tj_function *data_of(struct tiny_function *function)
{
  if (!function->jit) {
    struct tj_function *data = calloc(1, sizeof *data);
    data->failed = calloc(function->words + 1u, 1);
    if (function->parameters <= TINY_MAX_COMPILED_PARAMETERS)
      data->entry = host.stubs[function->parameters];
    void *none = NULL;
    __atomic_compare_exchange_n(&function->jit, &none, (void *)data, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  return function->jit;
}

/* A guard failed by chance. Now and then the function's code, or all code, is invalidated: callers may be on the stack.
 */
static void torture_now(struct tiny_function *root)
{
  uint32_t code_count;

  torture_left = 1 + (uint32_t)rand() % (2 * host.options.torture);
  int chance = rand() % 16;
  if (chance > 3)
    return;
  struct tj_code *codes = find_code(tiny_tables, chance > 1 ? NULL : root, &code_count);
  invalidate(codes, code_count);
}

static void note_failure(uint64_t reason, struct tiny_function *root)
{
  enum tj_reason kind = (enum tj_reason)(reason & ((1u << TJ_REASON_BITS) - 1));
  uint32_t at = (uint32_t)(reason >> TJ_REASON_BITS) & ((1u << TJ_AT_BITS) - 1);
  struct tiny_function *function = tiny_function_at(tiny_tables, (uint32_t)(reason >> (TJ_REASON_BITS + TJ_AT_BITS)));
  struct tj_function *data = data_of(function), *of_root = data_of(root);

  failures_by_reason[kind]++;
  if (kind == TJ_INVALID)
    return;
  if (options.trace_deopt)
    fprintf(stderr, "tiny: deoptimised: %s in %s:%u\n", reason_names[kind], function->name_text,
            tiny_line_of(function, at)->line);
  if (host.options.torture && torture_left == 0)
    torture_now(root);
  else
    data->failed[at] |= (uint8_t)(1u << (kind % 8));
  if (kind != TJ_STACK && ++of_root->failures >= failures_allowed(of_root))
    discard(root);
}

/* An exception counts as one failure of the root, however many of its activations it passes. */
cairn_unmanaged void tiny_jit_pass(uint64_t exception, struct tiny_function *root, struct tiny_function *function,
                                   uint32_t at)
{
  struct tj_function *data = data_of(function), *of_root = data_of(root);

  failures_by_reason[TJ_EXCEPTION]++;
  data->failed[at] |= 1 << TJ_EXCEPTION;
  if (of_root->exception == exception)
    return;
  of_root->exception = exception;
  if (++of_root->failures >= failures_allowed(of_root))
    discard(root);
}

static value item_value(struct cairn_deopt_state managed *state, uint32_t item)
{
  switch (cairn_deopt_state_class(state, item)) {
  case CAIRN_DEOPT_REFERENCE:
    return (value)cairn_deopt_state_reference(state, item);
  case CAIRN_DEOPT_FLOAT:
    return tiny_from_float(cairn_deopt_state_double(state, item));
  case CAIRN_DEOPT_INTEGER:
    if (cairn_deopt_state_bits(state, item) == 1)
      return tiny_from_bool(cairn_deopt_state_word(state, item) & 1);
    return tiny_from_small(cairn_deopt_state_integer(state, item) >> 3);
  default:
    return TINY_NIL;
  }
}

/* Goes on after the call at `at`, with its result. */
static value resume_after(struct tiny_function *function, value closure, uint32_t at, value managed *registers,
                          value result)
{
  if (tiny_is_thrown(result)) {
    tiny_note_frame(function, at);
    for (uint32_t i = 0; i < function->try_count; i++)
      if (at >= function->tries[i].start && at < function->tries[i].end) {
        registers[function->tries[i].target] = tiny_jit_take_thrown();
        return tiny_resume(closure, function->tries[i].handler, registers);
      }
    return result;
  }
  if (tiny_op_rows[function->code[at] & 255].operand[0] == TINY_OPERAND_WINDOW ||
      tiny_op_rows[function->code[at] & 255].operand[0] == TINY_OPERAND_WRITE)
    registers[TINY_A(function->code[at])] = result;
  return tiny_resume(closure, at + tiny_instruction_words(function, at), registers);
}

/* Frame `frame` goes on; `result` is that of its pending call, if it has one. */
static value continue_frame(struct cairn_deopt_state managed *state, uint32_t frame, value result)
{
  struct tiny_function *function = (struct tiny_function *)cairn_deopt_state_function(state, frame);
  uint32_t first = cairn_deopt_state_first(state, frame), locals = cairn_deopt_state_locals(state, frame),
           at = (uint32_t)cairn_deopt_state_index(state, frame);
  value managed *registers = cairn_new_array(value, function->registers + 1);

  for (uint32_t i = 0; i < locals; i++) {
    value v = item_value(state, first + i);
    registers[i] = v;
  }
  value closure = item_value(state, first + locals);
  if (cairn_deopt_state_result_kind(state, frame) == CAIRN_ABI_DEOPT_RESULT_NONE)
    return tiny_resume(closure, at, registers);
  if (cairn_deopt_state_stack(state, frame) > 1 && !tiny_is_thrown(result))
    result = item_value(state, first + locals + 1);
  return resume_after(function, closure, at, registers, result);
}

/* The interpreter in the place of an activation of compiled code: innermost frame first. */
static value tiny_continue(struct cairn_deopt_state managed *state)
{
  uint32_t frame = state->frames;
  value result = item_value(state, CAIRN_DEOPT_STATE_RESULT);

  note_failure(state->reason, (struct tiny_function *)cairn_deopt_state_function(state, 0));
  while (frame-- > 0)
    result = continue_frame(state, frame, result);
  LEAVE(result);
}

/* ---- the language's callbacks: native code, since they run in any phase and on any thread ---- */

static cairn_unmanaged const void *continuation_of(uint64_t function, uint64_t index)
{
  (void)function;
  (void)index;
  return (const void *)tiny_continue;
}

static cairn_unmanaged const char *text_of_reason(uint64_t reason)
{
  reason &= (1u << TJ_REASON_BITS) - 1;
  return reason < TJ_REASONS ? reason_names[reason] : "unknown";
}

/* A function lives as long as the program of its thread, and so longer than its activations. */
static cairn_unmanaged int describe(uint64_t number, uint64_t index, char *buffer, size_t size)
{
  const struct tiny_function *function = (const struct tiny_function *)number;

  return snprintf(buffer, size, "%s (%s:%u)", function->name_text, function->source->name,
                  tiny_line_of(function, (uint32_t)index)->line);
}

static const struct cairn_deopt_language language = {
    .name = "tiny", .continuation = continuation_of, .describe = describe, .reason = text_of_reason};

/* ---- requests ---- */

static bool has_compiler(void);

static bool may_compile(const struct tiny_function *function, const struct tj_function *data)
{
  return !data->given_up && function->parameters <= TINY_MAX_COMPILED_PARAMETERS && has_compiler();
}

/* The globals whose values compiled code may assume: integers, floats, truth values and functions that have not changed
 * since they were assumed. */
static void copy_globals(struct tj_request *made)
{
  uint32_t count = tiny_tables->globals.count;

  made->globals = calloc(count + 1, sizeof *made->globals);
  made->global_count = count;
  for (uint32_t i = 0; i < count; i++) {
    struct tiny_global *row = tiny_global_at(tiny_tables, i);
    value v = tiny_globals[i];
    if ((i < changed_count && changed[i]) || row->flags & TINY_GLOBAL_CONSTANT || v == TINY_HOLE || v == TINY_NIL)
      continue;
    if (tiny_is_immediate(v))
      made->globals[i] = (struct tj_global){.kind = TJ_GLOBAL_IMMEDIATE, .payload = cairn_value_integer(v)};
    else if (tiny_is(v, TINY_CLOSURE))
      made->globals[i] =
          (struct tj_global){.kind = TJ_GLOBAL_CLOSURE, .function = tiny_closure_of(v)->function->number};
    else
      continue;
    row->flags |= TINY_GLOBAL_ASSUMED;
  }
}

/* The kind of an object is seen if it is likely to stay: `this` has one, arrays and strings are seldom something else.
 */
static uint8_t seen_type(const struct tiny_function *function, uint32_t reg, value v)
{
  enum tiny_kind kind = tiny_kind(v);

  if (tiny_is_integer(v))
    return TJ_SEEN_INTEGER;
  if (tiny_is_flat(v))
    return TJ_SEEN_FLOAT;
  bool stays = kind == TINY_ARRAY || kind == TINY_STRING || (kind && reg == 0 && function->is_method);
  return stays ? (uint8_t)(TJ_SEEN_KIND + kind) : TJ_SEEN_ANY;
}

static void request(struct tiny_function *function, struct tj_function *data, struct tj_loop *loop, uint32_t entry,
                    value *registers)
{
  uint32_t count = loop ? function->registers : function->parameters;

  struct tj_request made = {.tables = tiny_tables, .function = function, .data = data, .loop = loop, .entry = entry};

  for (uint32_t i = 0; i < count; i++)
    made.seen[i] = seen_type(function, i, registers[i]);
  copy_globals(&made);
  if (torture_left == 0)
    torture_left = options.torture;
  tiny_byte_string(0); /* compiled code takes the array to be there */
  compile(&made);
}

static void called(struct tiny_function *function, value *arguments)
{
  struct tj_function *data = data_of(function);

  function->calls_left = options.threshold;
  if (!may_compile(function, data) || data->requested)
    return;
  data->requested = 1;
  request(function, data, NULL, 0, arguments);
}

static tiny_loop_code *looped(struct tiny_function *function, uint32_t target, value *registers)
{
  struct tj_function *data = data_of(function);
  struct tj_loop *loop = data->loops;

  function->loops_left = options.threshold * LOOP_FACTOR;
  while (loop && loop->target != target)
    loop = loop->next;
  if (!loop) {
    loop = calloc(1, sizeof *loop);
    loop->target = target;
    loop->next = data->loops;
    data->loops = loop;
  }
  if (!loop->requested && may_compile(function, data)) {
    loop->requested = 1;
    request(function, data, loop, target, registers);
  }
  return (tiny_loop_code *)__atomic_load_n(&loop->code, __ATOMIC_ACQUIRE);
}

/* ---- the beginning and the end ---- */

static void fill_host(void)
{
  static void *const runtime[] = {
#define RUNTIME(name, signature) (void *)tiny_##name,
#include "tiny/jit/runtime.def"
#undef RUNTIME
  };
  static void *const stubs[] = {(void *)stub_0, (void *)stub_1, (void *)stub_2, (void *)stub_3, (void *)stub_4,
                                (void *)stub_5, (void *)stub_6, (void *)stub_7, (void *)stub_8};

  memcpy(host.runtime, runtime, sizeof runtime);
  memcpy(host.stubs, stubs, sizeof stubs);
  host.deoptimize = (void *)cairn_deoptimize;
  host.rows = tiny_op_rows;
  host.globals_offset = (char *)&tiny_globals - (char *)__builtin_thread_pointer();
  host.stack_limit_offset = (char *)&tiny_stack_limit - (char *)__builtin_thread_pointer();
  host.methods_offset = (char *)&tiny_methods - (char *)__builtin_thread_pointer();
  host.torture_offset = (char *)&torture_left - (char *)__builtin_thread_pointer();
  host.byte_strings_offset = (char *)&tiny_byte_strings - (char *)__builtin_thread_pointer();
  host.epoch = &tiny_code_epoch;
  host.options = (struct tj_options){.dump_ir = options.dump_ir,
                                     .trace = options.trace,
                                     .torture = options.torture,
                                     .threads = options.at_once ? 0 : 1};
}

/* The compiler, in ../lib from the program. Null, or an error's text. */
static const char *open_library(void)
{
  enum { PATH_BYTES = 4096 };
  char path[PATH_BYTES + 32];
  ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES);

  while (length > 0 && path[length - 1] != '/')
    length--;
  strcpy(path + (length > 0 ? length : 0), "../lib/libtiny-jit.so");
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return dlerror();
  tj_open *open = (tj_open *)dlsym(library, "tiny_jit_open");
  compile = (tj_compile *)dlsym(library, "tiny_jit_compile");
  finish = (tj_finish *)dlsym(library, "tiny_jit_finish");
  count_compilations = (tj_count *)dlsym(library, "tiny_jit_count");
  find_dependents = (tj_find_dependents *)dlsym(library, "tiny_jit_find_dependents");
  find_code = (tj_find_code *)dlsym(library, "tiny_jit_find_code");
  discard_code = (tj_discard *)dlsym(library, "tiny_jit_discard");
  if (!open || !compile || !finish || !count_compilations || !find_dependents || !find_code || !discard_code)
    return "the library lacks functions of the compiler";
  return open(&host);
}

static bool is_there, is_opening;
static pthread_t opener;
static pthread_once_t opening = PTHREAD_ONCE_INIT;

static void open_compiler(void)
{
  const char *error = open_library();

  if (error)
    fprintf(stderr, "tiny: nothing is compiled: %s\n", error);
  __atomic_store_n(&is_there, !error, __ATOMIC_RELEASE);
}

/* A thread, since LLVM takes some milliseconds to load. */
static void *run_opener(void *unused)
{
  (void)unused;
  open_compiler();
  return NULL;
}

static void begin_opening(void)
{
  if (cairn_deopt_add_language(TJ_LANGUAGE, &language) != CAIRN_OK) {
    fprintf(stderr, "tiny: nothing is compiled: the language's number is taken\n");
    return;
  }
  is_opening = !options.at_once && pthread_create(&opener, NULL, run_opener, NULL) == 0;
  if (!is_opening)
    open_compiler();
}

/* True if the compiler is there: some time after the first question. */
static bool has_compiler(void)
{
  pthread_once(&opening, begin_opening);
  return __atomic_load_n(&is_there, __ATOMIC_ACQUIRE);
}

void tiny_jit_begin(const struct tiny_jit_options *given)
{
  options = *given;
  if (options.threshold == 0)
    options.threshold = 1;
  fill_host();
  tiny_hooks.calls = options.threshold;
  tiny_hooks.loops = options.threshold * LOOP_FACTOR;
  tiny_hooks.called = called;
  tiny_hooks.looped = looped;
  tiny_hooks.global_changes = global_changes;
  tiny_hooks.ends = tiny_jit_end;
}

static void print_stats(void)
{
  struct tj_counts counts;

  count_compilations(&counts);
  fprintf(stderr, "tiny: compiled %lu (%lu at loops), refused %lu, thrown away %lu, %lu ms\n", counts.compiled,
          counts.loops, counts.refused, discarded, counts.nanoseconds / 1000000);
  fprintf(stderr, "tiny: removed %lu versions of code, %lu of them still in use\n", counts.removed, counts.pending);
  if (invalidated)
    fprintf(stderr, "tiny: invalidated %lu functions, %lu activations\n", invalidated, marked_activations);
  for (unsigned i = 0; i < TJ_REASONS; i++)
    if (failures_by_reason[i])
      fprintf(stderr, "tiny: left compiled code %lu times: %s\n", failures_by_reason[i], reason_names[i]);
}

static void open_nothing(void)
{
}

static void end_compilation(void)
{
  pthread_once(&opening, open_nothing);
  if (is_opening)
    pthread_join(opener, NULL);
  if (!is_there)
    return;
  finish(options.stats);
  if (options.stats)
    print_stats();
}

void tiny_jit_end(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once(&once, end_compilation);
}
