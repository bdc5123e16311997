/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls: of the function, class or native that the interpreter met there, in line if the function is small, else by its
 * entry; other calls go through the program. A result TINY_THROWN goes to the handler of the call or out of the
 * function. A call of an entry tests for it only if a handler is there, or if an exception has passed the call before.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "tiny/core/object.h"

enum { THROWN_NUMBER = 4, INLINE_DEPTH = 4, INLINE_WORDS = 60, INLINE_TOTAL = 300, RECURSIONS = 1 };

/* A call: the callee or receiver and the arguments are registers from `first` on. */
struct call {
  unsigned a, first, count; /* `count` with the receiver, if it is a method's call */
  const struct tiny_function *function;
  LLVMValueRef self;        /* the closure */
  struct tj_var this_value; /* of a constructor's call; else rep is TJ_NONE */
};

/* ---- exceptions ---- */

static void go_to_handler(struct tj_unit *u, struct tj_instance *in, const struct tiny_try *handler)
{
  struct tj_var kept = in->regs[handler->target];

  in->regs[handler->target] = tj_word(tj_call_runtime(u, TJ_jit_take_thrown, NULL));
  tj_go(u, in, handler->handler);
  in->regs[handler->target] = kept;
}

/* The current instruction has thrown. Ends the block. */
static void unwind(struct tj_unit *u, struct tj_instance *in)
{
  uint32_t at = in->at;

  for (;; at = in->parent_at, in = in->parent) {
    const struct tiny_try *handler = tj_handler_at(in->body, at);
    LLVMValueRef arguments[] = {tj_native_address(u, in->body->function), tj_i32(u, at)};
    tj_call_runtime(u, TJ_jit_note, arguments);
    if (handler) {
      go_to_handler(u, in, handler);
      return;
    }
    if (!in->parent) {
      LLVMValueRef address = tj_return_address(u);
      LLVMBuildRet(u->b, tj_call_runtime(u, TJ_jit_unwind, &address));
      return;
    }
  }
}

LLVMValueRef tj_check_thrown(struct tj_unit *u, struct tj_instance *in, LLVMValueRef result)
{
  LLVMBasicBlockRef fine = tj_block(u, "fine"), thrown = tj_block(u, "thrown");

  tj_branch_likely(u, LLVMBuildICmp(u->b, LLVMIntNE, result, tj_special(u, THROWN_NUMBER), ""), fine, thrown);
  tj_at(u, thrown);
  unwind(u, in);
  tj_at(u, fine);
  return result;
}

/* ---- functions in line ---- */

static struct tj_body *body_of(struct tj_unit *u, const struct tiny_function *function)
{
  struct tj_body *body = u->bodies;

  while (body && (body->function != function || body->entry != 0))
    body = body->next;
  if (!body) {
    body = tj_body_new(u->host, u->request->tables, function, 0);
    body->next = u->bodies;
    u->bodies = body;
  }
  return body;
}

static bool is_inlined(struct tj_unit *u, struct tj_instance *in, const struct tiny_function *function)
{
  unsigned recursions = 0;

  for (const struct tj_instance *i = in; i; i = i->parent)
    recursions += i->body->function == function;
  return function->words <= INLINE_WORDS && in->depth < INLINE_DEPTH && recursions <= RECURSIONS &&
         u->inlined_words + function->words <= INLINE_TOTAL;
}

static struct tj_instance *instance_of_call(struct tj_unit *u, struct tj_instance *in, const struct call *call)
{
  struct tj_instance *inner = tj_instance_new(body_of(u, call->function), in);
  unsigned into = 0;

  inner->parent_at = in->at;
  inner->path = in->path * 1000003 + in->at * 31 + call->function->number + 1;
  inner->self = tj_word(call->self);
  if (call->this_value.rep != TJ_NONE)
    inner->regs[into++] = call->this_value;
  for (unsigned i = 0; i < call->count; i++)
    inner->regs[into++] = in->regs[call->first + i];
  return inner;
}

/* The value of the joined returns. */
static struct tj_var join_returns(struct tj_unit *u, struct tj_instance *inner)
{
  LLVMBasicBlockRef join = tj_block(u, "returned");
  enum tj_rep rep = inner->returns->regs[0].rep;

  for (const struct tj_edge *e = inner->returns; e; e = e->next)
    if (e->regs[0].rep != rep || rep == TJ_NONE)
      rep = TJ_WORD;
  for (struct tj_edge *e = inner->returns; e; e = e->next) {
    tj_at(u, e->from);
    if (rep == TJ_WORD)
      e->regs[0] = tj_word(tj_box(u, e->regs[0]));
    e->from = tj_here(u);
    LLVMBuildBr(u->b, join);
  }
  tj_at(u, join);
  LLVMValueRef phi = LLVMBuildPhi(u->b, LLVMTypeOf(inner->returns->regs[0].v), "");
  for (struct tj_edge *e = inner->returns; e; e = e->next)
    LLVMAddIncoming(phi, &e->regs[0].v, &e->from, 1);
  return (struct tj_var){.rep = rep, .v = phi};
}

static struct tj_var emit_inline(struct tj_unit *u, struct tj_instance *in, const struct call *call)
{
  struct tj_instance *inner = instance_of_call(u, in, call);
  struct tj_var result = {.rep = TJ_NONE};

  u->inlined_words += call->function->words;
  tj_emit_instance(u, inner);
  if (inner->returns)
    result = join_returns(u, inner);
  else
    in->dead = true;
  tj_instance_free(inner);
  return result;
}

/* ---- calls of entries ---- */

/* The call tests for THROWN (compiled_unwind.c). */
static void add_span(struct tj_unit *u, LLVMValueRef call)
{
  LLVMMetadataRef pair[] = {
      LLVMValueAsMetadata(tj_i64(u, TINY_CATCHES)),
      LLVMValueAsMetadata(LLVMConstIntToPtr(tj_i64(u, (int64_t)(uintptr_t)TINY_CATCHES_VALUE), u->ptr))};
  LLVMMetadataRef node = LLVMMDNodeInContext2(u->llvm, pair, 2);

  LLVMSetMetadata(call, LLVMGetMDKindIDInContext(u->llvm, "cairn.span", 10), LLVMMetadataAsValue(u->llvm, node));
}

/* A handler of the function gets an exception of the current call. */
static bool is_caught(const struct tj_instance *in)
{
  uint32_t at = in->at;

  for (; in; at = in->parent_at, in = in->parent)
    if (tj_handler_at(in->body, at))
      return true;
  return false;
}

static LLVMValueRef call_entry(struct tj_unit *u, struct tj_instance *in, const struct call *call)
{
  struct tj_function *data = tj_data_of((struct tiny_function *)call->function, u->host);
  LLVMValueRef entry = tj_load_at(u, u->ptr, tj_native_address(u, &data->entry), TJ_NATIVE), values[16];
  LLVMTypeRef types[16];
  unsigned count = 0;

  values[count++] = call->self;
  if (call->this_value.rep != TJ_NONE)
    values[count++] = call->this_value.v;
  for (unsigned i = 0; i < call->count; i++)
    values[count++] = tj_reg_word(u, in, call->first + i);
  for (unsigned i = 0; i < count; i++)
    types[i] = u->ref;
  LLVMTypeRef type = LLVMFunctionType(u->ref, types, count, false);
  LLVMOperandBundleRef bundle = tj_records(u, in, true);
  LLVMValueRef result = LLVMBuildCallWithOperandBundles(u->b, type, entry, values, count, &bundle, 1, "");
  LLVMDisposeOperandBundle(bundle);
  tj_attribute(u, result, "cairn-managed-callee");
  if (!is_caught(in) && tj_speculates(u, in, TJ_EXCEPTION))
    return result;
  add_span(u, result);
  return tj_check_thrown(u, in, result);
}

/* Calls a function whose closure the code has checked. */
static struct tj_var emit_known(struct tj_unit *u, struct tj_instance *in, const struct call *call)
{
  if (is_inlined(u, in, call->function))
    return emit_inline(u, in, call);
  return tj_word(call_entry(u, in, call));
}

static bool fits(const struct call *call)
{
  unsigned given = call->count + (call->this_value.rep != TJ_NONE);

  return given == call->function->parameters && given <= TINY_MAX_COMPILED_PARAMETERS;
}

/* ---- through the program ---- */

static bool emit_generic(struct tj_unit *u, struct tj_instance *in, unsigned a, LLVMValueRef symbol, unsigned count)
{
  LLVMValueRef values[16];
  unsigned into = 0;

  if (count > (symbol ? TJ_MAX_ARGUMENTS - 1 : TJ_MAX_ARGUMENTS)) {
    values[0] = tj_reg_word(u, in, a + 2);
    values[1] = symbol;
    if (symbol)
      values[0] = tj_check_thrown(u, in, tj_call_runtime(u, TJ_get_field, values));
    values[1] = tj_new_array(u, in, a + 3, count);
    in->regs[a] = tj_word(tj_check_thrown(u, in, tj_call_program(u, in, TJ_jit_call_many, values)));
    return true;
  }
  values[into++] = tj_reg_word(u, in, a + 2);
  if (symbol)
    values[into++] = symbol;
  for (unsigned i = 0; i < count; i++)
    values[into++] = tj_reg_word(u, in, a + 3 + i);
  enum tj_runtime name = symbol ? TJ_jit_invoke_0 + count : TJ_jit_call_0 + count;
  in->regs[a] = tj_word(tj_check_thrown(u, in, tj_call_program(u, in, name, values)));
  return true;
}

/* The closure in the register, which is one of the function. */
static LLVMValueRef guard_closure(struct tj_unit *u, struct tj_instance *in, LLVMValueRef closure,
                                  const struct tiny_function *function)
{
  LLVMValueRef found = tj_load(u, u->ptr, closure, offsetof(struct tiny_closure, function), TJ_FIXED);

  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, found, tj_native_address(u, function), ""), TJ_TARGET);
  return closure;
}

static uint32_t target_of_method(const struct tj_body *body, uint32_t number)
{
  return ((const struct tiny_method_row *)tiny_table_at(&body->tables->methods, number))->target;
}

/* The closure of a method, which is constant once its class has instances. */
static LLVMValueRef load_method(struct tj_unit *u, uint32_t number)
{
  return tj_load(u, u->ref, tj_load_thread_local(u, u->ref, u->host->methods_offset), 8 * (int64_t)number, TJ_CELL);
}

static const struct tiny_function *function_of_method(const struct tj_body *body, uint32_t number)
{
  uint32_t target = target_of_method(body, number);

  if (target == 0 || target >> 30 != TINY_TARGET_FUNCTION)
    return NULL;
  return tiny_function_at(body->tables, (target & 0x3fffffff) - 1);
}

/* ---- constructors ---- */

static bool emit_construct(struct tj_unit *u, struct tj_instance *in, uint32_t number, unsigned a, unsigned count)
{
  const struct tiny_class_row *row = tiny_class_at(in->body->tables, number);
  struct call call = {.a = a, .first = a + 3, .count = count};

  if (row->shape == 0 || (row->init == 0 && count > 0))
    return false;
  if (row->init) {
    call.function = function_of_method(in->body, row->init);
    call.this_value.rep = TJ_WORD;
    if (!call.function || !fits(&call))
      return false;
  }
  if (!in->regs[a + 2].is_constant) {
    LLVMValueRef class = tj_guard_kind(u, in, a + 2, TINY_CLASS, TJ_TARGET);
    LLVMValueRef found = tj_load(u, u->i32, class, offsetof(struct tiny_class, number), TJ_FIXED);
    tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, found, tj_i32(u, number), ""), TJ_TARGET);
  }
  if (row->init)
    call.self = load_method(u, row->init);
  LLVMValueRef object = tj_new_instance(u, in->body, row->shape);
  if (row->init) {
    call.this_value = tj_object(object, TINY_INSTANCE);
    in->constructed = object;
    emit_known(u, in, &call);
    in->constructed = NULL;
  }
  in->regs[a] = tj_object(object, TINY_INSTANCE);
  return true;
}

/* ---- natives ---- */

static const struct tiny_native_row *find_native(struct tj_unit *u, uint32_t number)
{
  return tiny_table_at(&u->request->tables->natives, number);
}

static bool is_named(struct tj_unit *u, const struct tiny_native_row *native, const char *name)
{
  const struct tiny_symbol *symbol = tiny_table_at(&u->request->tables->symbols, native->name);

  return strcmp(symbol->bytes, name) == 0;
}

/* Calls the native, which may call the program, with `count` registers from `first` on, `this` included. */
static bool call_native(struct tj_unit *u, struct tj_instance *in, const struct tiny_native_row *row,
                        LLVMValueRef native, unsigned a, unsigned first, unsigned count)
{
  unsigned given = count - row->is_method;
  LLVMValueRef values[TJ_MAX_NATIVE_ARGUMENTS + 1] = {native};

  if (count > TJ_MAX_NATIVE_ARGUMENTS || given < row->minimum || given > row->maximum)
    return false;
  for (unsigned i = 0; i < count; i++)
    values[i + 1] = tj_reg_word(u, in, first + i);
  in->regs[a] = tj_word(tj_check_thrown(u, in, tj_call_program(u, in, TJ_jit_native_0 + count, values)));
  return true;
}

static LLVMValueRef guard_native(struct tj_unit *u, struct tj_instance *in, unsigned reg, uint32_t number)
{
  if (in->regs[reg].is_constant)
    return in->regs[reg].v;
  LLVMValueRef native = tj_guard_kind(u, in, reg, TINY_NATIVE, TJ_TARGET);
  LLVMValueRef found = tj_load(u, u->i32, native, offsetof(struct tiny_native, number), TJ_FIXED);

  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, found, tj_i32(u, number), ""), TJ_TARGET);
  return native;
}

/* Natives of the library that have code in line. False: the call goes through the program. */
static bool emit_native(struct tj_unit *u, struct tj_instance *in, uint32_t number, unsigned a, unsigned count)
{
  const struct tiny_native_row *row = find_native(u, number);
  LLVMValueRef integer;

  LLVMValueRef native = guard_native(u, in, a + 2, number);
  if (count == 1 && is_named(u, row, "sqrt") && tj_speculates(u, in, TJ_TYPE)) {
    LLVMValueRef x = tj_reg_number(u, in, a + 3, &integer);
    in->regs[a] = tj_float(tj_intrinsic(u, "llvm.sqrt", u->f64, &x, 1));
    return true;
  }
  return call_native(u, in, row, native, a, a + 3, count);
}

/* Appends to an array that has room; else the program does. */
static void emit_push(struct tj_unit *u, struct tj_instance *in, LLVMValueRef array, unsigned a)
{
  LLVMBasicBlockRef room = tj_block(u, "room"), full = tj_block(u, "full"), join = tj_block(u, "pushed");
  LLVMValueRef v = tj_reg_word(u, in, a + 3);
  LLVMValueRef length = tj_load(u, u->i64, array, offsetof(struct tiny_array, length), TJ_LENGTH);
  LLVMValueRef limit = tj_load(u, u->i64, array, offsetof(struct tiny_array, room), TJ_LENGTH);

  tj_branch_likely(u, LLVMBuildICmp(u->b, LLVMIntSLT, length, limit, ""), room, full);
  tj_at(u, room);
  LLVMValueRef items = tj_load(u, u->ref, array, offsetof(struct tiny_array, items), TJ_ITEMS);
  tj_store_at(u, v, LLVMBuildInBoundsGEP2(u->b, u->ref, items, &length, 1, ""), TJ_ELEMENT);
  tj_store(u, LLVMBuildAdd(u->b, length, tj_i64(u, 1), ""), array, offsetof(struct tiny_array, length), TJ_LENGTH);
  LLVMBuildBr(u->b, join);
  tj_at(u, full);
  LLVMValueRef arguments[] = {array, v};
  tj_check_thrown(u, in, tj_call_runtime(u, TJ_array_push, arguments));
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
  in->regs[a] = tj_word(tj_nil(u));
}

/* The byte of a string, within its bounds. */
static void emit_byte(struct tj_unit *u, struct tj_instance *in, LLVMValueRef string, unsigned a)
{
  LLVMValueRef index = LLVMBuildAShr(u->b, tj_reg_int(u, in, a + 3), tj_i64(u, 3), "");
  LLVMValueRef length = tj_load(u, u->i32, string, offsetof(struct tiny_string, length), TJ_FIXED);

  length = LLVMBuildZExt(u->b, length, u->i64, "");
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntULT, index, length, ""), TJ_RANGE);
  LLVMValueRef bytes = tj_offset(u, string, offsetof(struct tiny_string, bytes));
  LLVMValueRef byte = tj_load_at(u, u->i8, LLVMBuildInBoundsGEP2(u->b, u->i8, bytes, &index, 1, ""), TJ_FIXED);
  in->regs[a] = tj_int(LLVMBuildShl(u->b, LLVMBuildZExt(u->b, byte, u->i64, ""), tj_i64(u, 3), ""));
}

static LLVMValueRef load_method(struct tj_unit *u, uint32_t number);

/* A method of the library, of receivers of one shape. False: no code was emitted. */
static bool emit_native_method(struct tj_unit *u, struct tj_instance *in, const uint32_t *entry, unsigned a,
                               unsigned count)
{
  uint32_t method = tiny_place_number(entry[1]);
  uint32_t target = target_of_method(in->body, method);

  if (target == 0 || target >> 30 != TINY_TARGET_NATIVE || !tj_speculates(u, in, TJ_SHAPE))
    return false;
  const struct tiny_native_row *row = find_native(u, (target & 0x3fffffff) - 1);
  if (count + 1 > TJ_MAX_NATIVE_ARGUMENTS || count < row->minimum || count > row->maximum)
    return false;
  LLVMValueRef object = tj_guard_reference(u, in, a + 2, TJ_SHAPE);
  LLVMValueRef shape = tj_load(u, u->i32, object, offsetof(struct tiny_object, shape), TJ_HEADER);
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, shape, tj_i32(u, entry[0]), ""), TJ_SHAPE);
  tj_note_kind(in, a + 2, tj_kind_of_shape(entry[0]));
  bool safe = tj_speculates(u, in, TJ_TYPE) && tj_speculates(u, in, TJ_RANGE);
  if (entry[0] == TINY_ARRAY && is_named(u, row, "push"))
    emit_push(u, in, object, a);
  else if (entry[0] == TINY_STRING && is_named(u, row, "byte") && safe)
    emit_byte(u, in, object, a);
  else
    call_native(u, in, row, load_method(u, method), a, a + 2, count + 1);
  return true;
}

/* ---- instructions ---- */

static bool emit_call(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned a = TINY_A(word), count = TINY_B(word);
  uint32_t target = in->body->feedback[in->body->code[in->at + 1]], number = (target & 0x3fffffff) - 1;

  if (target == 0) {
    tj_leave(u, in, TJ_COLD);
    in->dead = true;
    return true;
  }
  if (target == TINY_TARGET_MANY || !tj_speculates(u, in, TJ_TARGET))
    return emit_generic(u, in, a, NULL, count);
  if (target >> 30 == TINY_TARGET_CLASS && emit_construct(u, in, number, a, count))
    return true;
  if (target >> 30 == TINY_TARGET_NATIVE && emit_native(u, in, number, a, count))
    return true;
  if (target >> 30 != TINY_TARGET_FUNCTION)
    return emit_generic(u, in, a, NULL, count);
  struct call call = {.a = a, .first = a + 3, .count = count, .function = tiny_function_at(in->body->tables, number)};
  if (call.function->is_method || !fits(&call))
    return emit_generic(u, in, a, NULL, count);
  if (in->regs[a + 2].function == call.function)
    call.self = in->regs[a + 2].v;
  else
    call.self = guard_closure(u, in, tj_guard_kind(u, in, a + 2, TINY_CLOSURE, TJ_TARGET), call.function);
  in->regs[a] = emit_known(u, in, &call);
  return true;
}

/* All entries of the site have methods with functions. */
static bool has_methods(struct tj_unit *u, struct tj_instance *in, const uint32_t *site, unsigned count)
{
  if (site[0] > TINY_SITE_ENTRIES || !tj_speculates(u, in, TJ_SHAPE) || !tj_speculates(u, in, TJ_TARGET))
    return false;
  for (uint32_t i = 0; i < site[0]; i++) {
    uint32_t place = site[2 + 3 * i];
    struct call call = {.count = count + 1};
    if (tiny_place_kind(place) != TINY_PLACE_METHOD)
      return false;
    call.function = function_of_method(in->body, tiny_place_number(place));
    if (!call.function || !fits(&call))
      return false;
  }
  return true;
}

/* The case of one shape: its result goes to the join. */
static void emit_invoke_case(struct tj_unit *u, struct tj_instance *in, uint32_t word, uint32_t place,
                             struct tj_instance *join)
{
  unsigned a = TINY_A(word);
  struct call call = {.a = a, .first = a + 2, .count = TINY_B(word) + 1};
  size_t size = (in->body->function->registers + 1u) * sizeof *in->regs;
  struct tj_var *kept = memcpy(malloc(size), in->regs, size);

  call.function = function_of_method(in->body, tiny_place_number(place));
  call.self = load_method(u, tiny_place_number(place));
  struct tj_var result = emit_known(u, in, &call);
  if (!in->dead)
    tj_return(u, join, result);
  in->dead = false;
  memcpy(in->regs, kept, size);
  free(kept);
}

static bool emit_invoke(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  const uint32_t *site = in->body->feedback + in->body->code[in->at + 2];
  unsigned a = TINY_A(word), count = TINY_B(word);
  struct tj_instance join = {.body = NULL};

  if (site[0] == 0) {
    tj_leave(u, in, TJ_COLD);
    in->dead = true;
    return true;
  }
  if (site[0] == 1 && tiny_place_kind(site[2]) == TINY_PLACE_METHOD && emit_native_method(u, in, site + 1, a, count))
    return true;
  if (!has_methods(u, in, site, count))
    return emit_generic(u, in, a, tj_i32(u, in->body->code[in->at + 1]), count);
  LLVMValueRef object = tj_guard_reference(u, in, a + 2, TJ_SHAPE);
  LLVMValueRef shape = tj_load(u, u->i32, object, offsetof(struct tiny_object, shape), TJ_HEADER);
  for (uint32_t i = 0; i + 1 < site[0]; i++) {
    LLVMBasicBlockRef match = tj_block(u, "shape"), other = tj_block(u, "other");
    LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntEQ, shape, tj_i32(u, site[1 + 3 * i]), ""), match, other);
    tj_at(u, match);
    emit_invoke_case(u, in, word, site[2 + 3 * i], &join);
    tj_at(u, other);
  }
  const uint32_t *last = &site[1 + 3 * (site[0] - 1)];
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, shape, tj_i32(u, last[0]), ""), TJ_SHAPE);
  if (site[0] == 1)
    tj_note_kind(in, a + 2, tj_kind_of_shape(last[0]));
  emit_invoke_case(u, in, word, last[1], &join);
  if (join.returns)
    in->regs[a] = join_returns(u, &join);
  else
    in->dead = true;
  tj_free_edges(join.returns);
  return true;
}

/* The method of the superclass, whatever it is. The interpreter throws if there is none. */
static bool emit_any_super(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned a = TINY_A(word);
  LLVMValueRef arguments[] = {tj_reg_word(u, in, TINY_C(word)), tj_i32(u, in->body->code[in->at + 1])};
  LLVMValueRef values[2] = {tj_call_runtime(u, TJ_jit_super_method, arguments)};

  tj_guard(u, in, tj_is_reference(u, values[0]), TJ_SHAPE);
  values[1] = tj_new_array(u, in, a + 2, TINY_B(word) + 1);
  in->regs[a] = tj_word(tj_check_thrown(u, in, tj_call_program(u, in, TJ_jit_call_many, values)));
  return true;
}

static bool emit_invoke_super(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  uint32_t method = in->body->feedback[in->body->code[in->at + 2]];
  unsigned a = TINY_A(word), c = TINY_C(word);
  struct call call = {.a = a, .first = a + 2, .count = TINY_B(word) + 1};

  if (method == 0) {
    tj_leave(u, in, TJ_COLD);
    in->dead = true;
    return true;
  }
  call.function = function_of_method(in->body, method);
  if (!call.function || !fits(&call) || !tj_speculates(u, in, TJ_TARGET))
    return emit_any_super(u, in, word);
  if (in->regs[c].is_constant) {
    call.self = load_method(u, method);
  } else {
    LLVMValueRef arguments[] = {tj_reg_word(u, in, c), tj_i32(u, in->body->code[in->at + 1])};
    call.self = tj_call_runtime(u, TJ_jit_super_method, arguments);
    tj_guard(u, in, tj_is_reference(u, call.self), TJ_TARGET);
    guard_closure(u, in, call.self, call.function);
  }
  in->regs[a] = emit_known(u, in, &call);
  return true;
}

/* A return in line is an edge; the value is its only register. */
void tj_return(struct tj_unit *u, struct tj_instance *in, struct tj_var v)
{
  struct tj_edge *edge = malloc(sizeof *edge);

  edge->regs = malloc(sizeof *edge->regs);
  edge->regs[0] = v;
  edge->from = tj_here(u);
  edge->next = in->returns;
  in->returns = edge;
}

static void emit_return(struct tj_unit *u, struct tj_instance *in, struct tj_var v)
{
  if (in->parent)
    tj_return(u, in, v);
  else
    LLVMBuildRet(u->b, tj_box(u, v));
  in->dead = true;
}

static void emit_throw(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  LLVMValueRef v = tj_reg_word(u, in, TINY_A(word));

  tj_call_runtime(u, TJ_throw_value, &v);
  unwind(u, in);
  in->dead = true;
}

bool tj_emit_call(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  switch (word & 255) {
  case TINY_OP_CALL:
    return emit_call(u, in, word);
  case TINY_OP_INVOKE:
    return emit_invoke(u, in, word);
  case TINY_OP_INVOKE_SUPER:
    return emit_invoke_super(u, in, word);
  case TINY_OP_RETURN:
    emit_return(u, in, in->regs[TINY_A(word)]);
    return true;
  case TINY_OP_RETURN_NIL:
    emit_return(u, in, tj_word(tj_nil(u)));
    return true;
  case TINY_OP_THROW:
    emit_throw(u, in, word);
    return true;
  default:
    return false;
  }
}
