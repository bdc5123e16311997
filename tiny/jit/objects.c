/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects: properties by the shapes that the interpreter met (inline caches), elements of arrays with bounds checks,
 * allocation in line, globals and captured variables. Cases without feedback leave for the interpreter and,
 * once that has happened, call the program.
 */
#include <stddef.h>
#include <string.h>
#include "unit.h"
#include "tiny/core/object.h"

enum { HOLE_NUMBER = 5, INLINE_SLOTS_MAX = 32 };

/* ---- guards ---- */

uint32_t tj_kind_of_shape(uint32_t shape)
{
  return shape < TINY_FIRST_SHAPE ? shape : TINY_INSTANCE;
}

void tj_note_kind(struct tj_instance *in, unsigned reg, uint32_t kind)
{
  if (in->regs[reg].rep == TJ_WORD)
    in->regs[reg].kind = (uint8_t)kind;
}

LLVMValueRef tj_guard_reference(struct tj_unit *u, struct tj_instance *in, unsigned reg, enum tj_reason reason)
{
  struct tj_var *var = &in->regs[reg];

  if (var->rep != TJ_WORD) {
    tj_guard(u, in, LLVMConstInt(u->i1, 0, false), reason);
    return tj_nil(u);
  }
  if (!var->kind) {
    tj_guard(u, in, tj_is_reference(u, var->v), reason);
    var->kind = TJ_ANY_KIND;
  }
  return var->v;
}

/* The register's object, which is of the kind. */
LLVMValueRef tj_guard_kind(struct tj_unit *u, struct tj_instance *in, unsigned reg, uint32_t kind,
                           enum tj_reason reason)
{
  if (in->regs[reg].kind == kind)
    return in->regs[reg].v;
  LLVMValueRef object = tj_guard_reference(u, in, reg, reason);
  LLVMValueRef found = tj_load(u, u->i32, object, offsetof(struct tiny_object, kind), TJ_HEADER);
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, found, tj_i32(u, kind), ""), reason);
  tj_note_kind(in, reg, kind);
  return object;
}

static LLVMValueRef element_address(struct tj_unit *u, LLVMValueRef items, LLVMValueRef integer)
{
  return LLVMBuildInBoundsGEP2(u->b, u->i8, items, &integer, 1, "");
}

/* ---- properties ---- */

struct tj_cases {
  struct tj_edge edges[TINY_SITE_ENTRIES + 1]; /* `regs` is unused */
  LLVMValueRef values[TINY_SITE_ENTRIES + 1];
  unsigned count;
};

static void add_case(struct tj_unit *u, struct tj_cases *cases, LLVMValueRef v, LLVMBasicBlockRef join)
{
  cases->values[cases->count] = v;
  cases->edges[cases->count++].from = tj_here(u);
  LLVMBuildBr(u->b, join);
}

/* Goes on in a new block if the object has the shape; else in `other`, which the builder gets with tj_at(). */
static LLVMBasicBlockRef test_shape(struct tj_unit *u, LLVMValueRef shape, uint32_t number)
{
  LLVMBasicBlockRef match = tj_block(u, "shape"), other = tj_block(u, "other");

  LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntEQ, shape, tj_i32(u, number), ""), match, other);
  tj_at(u, match);
  return other;
}

static bool is_known_place(const uint32_t *entry)
{
  enum tiny_place kind = tiny_place_kind(entry[1]);

  return kind == TINY_PLACE_SLOT || kind == TINY_PLACE_MORE ||
         (kind == TINY_PLACE_LENGTH && (entry[0] == TINY_ARRAY || entry[0] == TINY_STRING));
}

/* The number of entries of a site, if all are fit for code in line; 0: not run yet; else TINY_SITE_MEGAMORPHIC. */
static uint32_t usable_entries(struct tj_unit *u, struct tj_instance *in, const uint32_t *site)
{
  if (site[0] > TINY_SITE_ENTRIES || !tj_speculates(u, in, TJ_SHAPE))
    return TINY_SITE_MEGAMORPHIC;
  for (uint32_t i = 0; i < site[0]; i++)
    if (!is_known_place(&site[1 + 3 * i]))
      return TINY_SITE_MEGAMORPHIC;
  return site[0];
}

static LLVMValueRef slot_address(struct tj_unit *u, LLVMValueRef object, uint32_t place)
{
  int64_t offset = (int64_t)tiny_place_number(place) * 8;

  if (tiny_place_kind(place) == TINY_PLACE_SLOT)
    return tj_offset(u, object, (int64_t)offsetof(struct tiny_instance, slots) + offset);
  return tj_offset(u, tj_load(u, u->ref, object, offsetof(struct tiny_instance, more), TJ_ITEMS), offset);
}

static struct tj_var load_place(struct tj_unit *u, LLVMValueRef object, const uint32_t *entry)
{
  if (tiny_place_kind(entry[1]) != TINY_PLACE_LENGTH)
    return tj_word(tj_load_at(u, u->ref, slot_address(u, object, entry[1]), TJ_SLOT));
  LLVMValueRef length =
      entry[0] == TINY_ARRAY
          ? tj_load(u, u->i64, object, offsetof(struct tiny_array, length), TJ_LENGTH)
          : LLVMBuildZExt(u->b, tj_load(u, u->i32, object, offsetof(struct tiny_string, length), TJ_FIXED), u->i64, "");
  return tj_int(LLVMBuildShl(u->b, length, tj_i64(u, 3), ""));
}

static LLVMValueRef load_shape(struct tj_unit *u, LLVMValueRef object)
{
  return tj_load(u, u->i32, object, offsetof(struct tiny_object, shape), TJ_HEADER);
}

static void emit_get_field(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  const uint32_t *site = in->body->feedback + in->body->code[in->at + 2];
  uint32_t entries = usable_entries(u, in, site);
  struct tj_cases cases = {.count = 0};

  if (entries == 0) {
    tj_leave(u, in, TJ_COLD);
    in->dead = true;
    return;
  }
  if (entries > TINY_SITE_ENTRIES) {
    LLVMValueRef arguments[] = {tj_reg_word(u, in, TINY_B(word)), tj_i32(u, in->body->code[in->at + 1])};
    LLVMValueRef found = tj_check_thrown(u, in, tj_call_runtime(u, TJ_get_field, arguments));
    in->regs[TINY_A(word)] = tj_word(found);
    return;
  }
  LLVMValueRef object = tj_guard_reference(u, in, TINY_B(word), TJ_SHAPE), shape = load_shape(u, object);
  const uint32_t *last = &site[1 + 3 * (entries - 1)];
  if (entries == 1) {
    tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, shape, tj_i32(u, last[0]), ""), TJ_SHAPE);
    tj_note_kind(in, TINY_B(word), tj_kind_of_shape(last[0]));
    in->regs[TINY_A(word)] = load_place(u, object, last);
    return;
  }
  LLVMBasicBlockRef join = tj_block(u, "got");
  for (uint32_t i = 0; i + 1 < entries; i++) {
    LLVMBasicBlockRef other = test_shape(u, shape, site[1 + 3 * i]);
    add_case(u, &cases, tj_box(u, load_place(u, object, &site[1 + 3 * i])), join);
    tj_at(u, other);
  }
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, shape, tj_i32(u, last[0]), ""), TJ_SHAPE);
  add_case(u, &cases, tj_box(u, load_place(u, object, last)), join);
  tj_at(u, join);
  LLVMValueRef phi = LLVMBuildPhi(u->b, u->ref, "");
  for (unsigned i = 0; i < cases.count; i++)
    LLVMAddIncoming(phi, &cases.values[i], &cases.edges[i].from, 1);
  in->regs[TINY_A(word)] = tj_word(phi);
}

/* Stores into the slot, and gives the object its next shape if the store adds the property. */
static void store_place(struct tj_unit *u, LLVMValueRef object, const uint32_t *entry, LLVMValueRef v)
{
  tj_store_at(u, v, slot_address(u, object, entry[1]), TJ_SLOT);
  if (entry[2])
    tj_store(u, tj_i32(u, entry[2]), object, offsetof(struct tiny_object, shape), TJ_HEADER);
}

/* A property beyond the slots in line may need a larger array. */
static bool can_store(const uint32_t *site, uint32_t entries)
{
  for (uint32_t i = 0; i < entries; i++) {
    const uint32_t *entry = &site[1 + 3 * i];
    enum tiny_place kind = tiny_place_kind(entry[1]);
    if (kind == TINY_PLACE_LENGTH || (kind == TINY_PLACE_MORE && entry[2]))
      return false;
  }
  return true;
}

static void emit_set_field(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  const uint32_t *site = in->body->feedback + in->body->code[in->at + 2];
  uint32_t entries = usable_entries(u, in, site);

  if (entries == 0) {
    tj_leave(u, in, TJ_COLD);
    in->dead = true;
    return;
  }
  LLVMValueRef v = tj_reg_word(u, in, TINY_B(word));
  if (entries > TINY_SITE_ENTRIES || !can_store(site, entries)) {
    LLVMValueRef arguments[] = {tj_reg_word(u, in, TINY_A(word)), tj_i32(u, in->body->code[in->at + 1]), v};
    tj_check_thrown(u, in, tj_call_runtime(u, TJ_set_field, arguments));
    return;
  }
  LLVMValueRef object = tj_guard_reference(u, in, TINY_A(word), TJ_SHAPE), shape = load_shape(u, object);
  LLVMBasicBlockRef join = tj_block(u, "set");
  for (uint32_t i = 0; i + 1 < entries; i++) {
    LLVMBasicBlockRef other = test_shape(u, shape, site[1 + 3 * i]);
    store_place(u, object, &site[1 + 3 * i], v);
    LLVMBuildBr(u->b, join);
    tj_at(u, other);
  }
  const uint32_t *last = &site[1 + 3 * (entries - 1)];
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntEQ, shape, tj_i32(u, last[0]), ""), TJ_SHAPE);
  tj_note_kind(in, TINY_A(word), TINY_INSTANCE);
  store_place(u, object, last, v);
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
}

/* ---- elements ---- */

/* The address of an element of an array, within its bounds. */
static LLVMValueRef emit_element(struct tj_unit *u, struct tj_instance *in, unsigned array, unsigned index)
{
  LLVMValueRef object = tj_guard_kind(u, in, array, TINY_ARRAY, TJ_TYPE), integer = tj_reg_int(u, in, index);
  LLVMValueRef length = tj_load(u, u->i64, object, offsetof(struct tiny_array, length), TJ_LENGTH);
  LLVMValueRef bound = LLVMBuildShl(u->b, length, tj_i64(u, 3), "");

  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntULT, integer, bound, ""), TJ_RANGE);
  return element_address(u, tj_load(u, u->ref, object, offsetof(struct tiny_array, items), TJ_ITEMS), integer);
}

static bool is_element_access(struct tj_unit *u, struct tj_instance *in, bool quick, unsigned array, unsigned index)
{
  enum tj_rep rep = in->regs[index].rep;

  return quick && tj_speculates(u, in, TJ_TYPE) && tj_speculates(u, in, TJ_RANGE) && in->regs[array].rep == TJ_WORD &&
         (rep == TJ_INT || rep == TJ_WORD);
}

/* The byte of a string at an index, as a string. Goes to `rest` for other values and indices outside. */
static LLVMValueRef emit_byte_string(struct tj_unit *u, struct tj_instance *in, unsigned b, unsigned c,
                                     LLVMBasicBlockRef rest)
{
  LLVMBasicBlockRef string = tj_block(u, "string"), inside = tj_block(u, "inside");
  struct tj_var index = in->regs[c];
  LLVMValueRef is_string = tj_is_kind(u, in->regs[b], TINY_STRING);

  if (index.rep == TJ_WORD)
    is_string = LLVMBuildAnd(u->b, is_string, tj_is_integer(u, index.v), "");
  LLVMBuildCondBr(u->b, is_string, string, rest);
  tj_at(u, string);
  LLVMValueRef at = index.rep == TJ_INT ? LLVMBuildAShr(u->b, index.v, tj_i64(u, 3), "")
                                        : LLVMBuildAShr(u->b, tj_tag_value(u, index.v), tj_i64(u, 2), "");
  LLVMValueRef length = tj_load(u, u->i32, in->regs[b].v, offsetof(struct tiny_string, length), TJ_FIXED);
  length = LLVMBuildZExt(u->b, length, u->i64, "");
  tj_branch_likely(u, LLVMBuildICmp(u->b, LLVMIntULT, at, length, ""), inside, rest);
  tj_at(u, inside);
  LLVMValueRef bytes = tj_offset(u, in->regs[b].v, offsetof(struct tiny_string, bytes));
  LLVMValueRef byte = tj_load_at(u, u->i8, LLVMBuildInBoundsGEP2(u->b, u->i8, bytes, &at, 1, ""), TJ_FIXED);
  LLVMValueRef strings = tj_load_thread_local(u, u->ref, u->host->byte_strings_offset);
  LLVMValueRef number = LLVMBuildZExt(u->b, byte, u->i64, "");
  return tj_load_at(u, u->ref, LLVMBuildInBoundsGEP2(u->b, u->ref, strings, &number, 1, ""), TJ_FIXED);
}

/* A string, or any collection by a call. */
static LLVMValueRef emit_get_any(struct tj_unit *u, struct tj_instance *in, unsigned b, unsigned c)
{
  bool is_index = in->regs[c].rep == TJ_INT || (in->regs[c].rep == TJ_WORD && !in->regs[c].kind);
  LLVMBasicBlockRef rest = tj_block(u, "any"), join = tj_block(u, "got"), from = NULL;
  LLVMValueRef fast = NULL;

  if (is_index && in->regs[b].rep == TJ_WORD) {
    fast = emit_byte_string(u, in, b, c, rest);
    from = tj_here(u);
    LLVMBuildBr(u->b, join);
  } else {
    LLVMBuildBr(u->b, rest);
  }
  tj_at(u, rest);
  LLVMValueRef arguments[] = {tj_reg_word(u, in, b), tj_reg_word(u, in, c)};
  LLVMValueRef found = tj_check_thrown(u, in, tj_call_runtime(u, TJ_get_index, arguments));
  LLVMBasicBlockRef from_rest = tj_here(u);
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
  return fast ? tj_phi2(u, u->ref, fast, from, found, from_rest) : found;
}

static void emit_get_index(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned b = TINY_B(word), c = TINY_C(word);
  LLVMValueRef found;

  if (is_element_access(u, in, (word & 255) == TINY_OP_GET_INDEX, b, c)) {
    found = tj_load_at(u, u->ref, emit_element(u, in, b, c), TJ_ELEMENT);
  } else {
    found = emit_get_any(u, in, b, c);
  }
  in->regs[TINY_A(word)] = tj_word(found);
}

/* Stores into an element. Many arrays hold immediates, whose stores need no barrier: a test of the word saves it. The
 * store of the immediate is atomic, which costs nothing, so that LLVM does not join the two stores. */
static void store_element(struct tj_unit *u, LLVMValueRef v, LLVMValueRef address)
{
  LLVMBasicBlockRef immediate = tj_block(u, "immediate"), other = tj_block(u, "other"), join = tj_block(u, "stored");

  LLVMBuildCondBr(u->b, tj_tag_is(u, v), immediate, other);
  tj_at(u, immediate);
  LLVMValueRef store = LLVMBuildStore(u->b, tj_tag_from(u, tj_tag_value(u, v)), address);
  LLVMSetMetadata(store, u->kind_tbaa, u->tbaa[TJ_ELEMENT]);
  LLVMSetOrdering(store, LLVMAtomicOrderingUnordered);
  LLVMSetAlignment(store, 8);
  LLVMBuildBr(u->b, join);
  tj_at(u, other);
  tj_store_at(u, v, address, TJ_ELEMENT);
  LLVMBuildBr(u->b, join);
  tj_at(u, join);
}

static void emit_set_index(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned a = TINY_A(word), b = TINY_B(word);
  bool is_word = in->regs[TINY_C(word)].rep == TJ_WORD;
  LLVMValueRef v = tj_reg_word(u, in, TINY_C(word));

  if (is_element_access(u, in, (word & 255) == TINY_OP_SET_INDEX, a, b)) {
    LLVMValueRef address = emit_element(u, in, a, b);
    if (is_word)
      store_element(u, v, address);
    else
      tj_store_at(u, v, address, TJ_ELEMENT);
    return;
  }
  LLVMValueRef arguments[] = {tj_reg_word(u, in, a), tj_reg_word(u, in, b), v};
  tj_check_thrown(u, in, tj_call_runtime(u, TJ_set_index, arguments));
}

LLVMValueRef tj_new_array(struct tj_unit *u, struct tj_instance *in, unsigned first, unsigned count)
{
  LLVMValueRef values[256], length = tj_i64(u, count);

  for (unsigned i = 0; i < count; i++)
    values[i] = tj_reg_word(u, in, first + i);
  LLVMValueRef array = tj_call_runtime(u, TJ_jit_new_array, &length);
  if (count > 0) {
    LLVMValueRef items = tj_load(u, u->ref, array, offsetof(struct tiny_array, items), TJ_ITEMS);
    for (unsigned i = 0; i < count; i++)
      tj_store(u, values[i], items, 8 * (int64_t)i, TJ_ELEMENT);
  }
  return array;
}

static void emit_new_array(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  in->regs[TINY_A(word)] = tj_object(tj_new_array(u, in, TINY_B(word), TINY_C(word)), TINY_ARRAY);
}

static void emit_append(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  LLVMValueRef array = tj_reg_word(u, in, TINY_A(word)), values[256];

  for (unsigned i = 0; i < TINY_C(word); i++)
    values[i] = tj_reg_word(u, in, TINY_B(word) + i);
  for (unsigned i = 0; i < TINY_C(word); i++) {
    LLVMValueRef arguments[] = {array, values[i]};
    tj_check_thrown(u, in, tj_call_runtime(u, TJ_array_push, arguments));
  }
}

/* ---- new objects ---- */

static LLVMValueRef instance_layout(struct tj_unit *u)
{
  LLVMValueRef layout = LLVMGetNamedGlobal(u->module, "tiny.instance.layout");
  LLVMTypeRef members[] = {u->i32, u->i32, u->ref, LLVMArrayType2(u->ref, 0)};

  if (layout)
    return layout;
  LLVMTypeRef type = LLVMStructCreateNamed(u->llvm, "tiny_instance");
  LLVMStructSetBody(type, members, 4, false);
  layout = LLVMAddGlobal(u->module, type, "tiny.instance.layout");
  LLVMSetInitializer(layout, LLVMConstNull(type));
  LLVMSetGlobalConstant(layout, true);
  LLVMSetLinkage(layout, LLVMInternalLinkage);
  return layout;
}

/* A new object of the shape; its slots are nil. */
LLVMValueRef tj_new_instance(struct tj_unit *u, const struct tj_body *body, uint32_t number)
{
  const struct tiny_shape *shape = tiny_shape_at(body->tables, number);
  LLVMTypeRef parameters[] = {u->ptr, u->i64}, type = LLVMFunctionType(u->ref, parameters, 2, false);
  LLVMValueRef function = LLVMGetNamedFunction(u->module, "cairn_alloc_flex"), shape_number = tj_i32(u, number);

  if (shape->slots > shape->inline_slots || shape->inline_slots > INLINE_SLOTS_MAX)
    return tj_call_runtime(u, TJ_jit_new_instance, &shape_number);
  if (!function)
    function = LLVMAddFunction(u->module, "cairn_alloc_flex", type);
  LLVMValueRef arguments[] = {instance_layout(u), tj_i64(u, shape->inline_slots)};
  LLVMValueRef object = LLVMBuildCall2(u->b, type, function, arguments, 2, "");
  tj_store(u, tj_i32(u, TINY_INSTANCE), object, offsetof(struct tiny_object, kind), TJ_HEADER);
  tj_store(u, shape_number, object, offsetof(struct tiny_object, shape), TJ_HEADER);
  return object;
}

static void emit_new_object(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  uint32_t number = in->body->code[in->at + 1];
  const struct tiny_shape *shape = tiny_shape_at(in->body->tables, number);
  LLVMValueRef values[256];

  for (unsigned i = 0; i < TINY_C(word); i++)
    values[i] = tj_reg_word(u, in, TINY_B(word) + i);
  LLVMValueRef object = tj_new_instance(u, in->body, number);
  for (unsigned i = 0; i < TINY_C(word); i++) {
    bool inside = i < shape->inline_slots;
    uint32_t place = tiny_place_make(inside ? TINY_PLACE_SLOT : TINY_PLACE_MORE, inside ? i : i - shape->inline_slots);
    tj_store_at(u, values[i], slot_address(u, object, place), TJ_SLOT);
  }
  in->regs[TINY_A(word)] = tj_object(object, TINY_INSTANCE);
}

static void emit_closure(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  uint32_t captures = tj_words_at(in->body, in->at) - 1;
  LLVMValueRef arguments[] = {in->self.v, tj_i32(u, TINY_WIDE_OF(word))};
  LLVMValueRef made = tj_call_runtime(u, TJ_jit_new_closure, arguments);

  for (uint32_t i = 0; i < captures; i++) {
    uint32_t from = in->body->code[in->at + 1 + i];
    int64_t offset = (int64_t)offsetof(struct tiny_closure, captured);
    LLVMValueRef v = from & 1 ? tj_load(u, u->ref, in->self.v, offset + 8 * (int64_t)(from >> 1), TJ_FIXED)
                              : tj_reg_word(u, in, from >> 1);
    tj_store(u, v, made, offset + 8 * (int64_t)i, TJ_FIXED);
  }
  in->regs[TINY_A(word)] = tj_word(made);
}

/* ---- variables ---- */

static LLVMValueRef captured(struct tj_unit *u, struct tj_instance *in, unsigned index)
{
  return tj_load(u, u->ref, in->self.v, (int64_t)offsetof(struct tiny_closure, captured) + 8 * (int64_t)index,
                 TJ_FIXED);
}

static LLVMValueRef load_constant(struct tj_unit *u, struct tj_instance *in, uint32_t index)
{
  LLVMValueRef constants = tj_load(u, u->ref, in->self.v, offsetof(struct tiny_closure, constants), TJ_FIXED);

  return tj_load(u, u->ref, constants, 8 * (int64_t)index, TJ_FIXED);
}

static void emit_load(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  uint32_t index = TINY_WIDE_OF(word);
  const struct tiny_constant *constant = &in->body->function->constants[index];
  struct tj_var *to = &in->regs[TINY_A(word)];

  if (constant->kind == TINY_CONSTANT_INTEGER && constant->integer >= -(INT64_C(1) << 60) &&
      constant->integer < INT64_C(1) << 60)
    *to = tj_int(tj_i64(u, (int64_t)((uint64_t)constant->integer << 3)));
  else if (constant->kind == TINY_CONSTANT_FLOAT)
    *to = tj_float(LLVMConstReal(u->f64, constant->number));
  else if (constant->kind == TINY_CONSTANT_STRING) {
    *to = tj_object(load_constant(u, in, index), TINY_STRING);
    to->symbol = constant->symbol;
  } else
    *to = tj_word(load_constant(u, in, index));
}

static bool sets_global(const struct tj_body *body, uint32_t global)
{
  for (uint32_t at = 0; at < body->words; at += tj_words_at(body, at))
    if ((body->code[at] & 255) == TINY_OP_SET_GLOBAL && TINY_WIDE_OF(body->code[at]) == global)
      return true;
  return false;
}

/* A global that keeps its value, by assumption: a store of another value invalidates the code. */
static bool emit_assumed_global(struct tj_unit *u, struct tj_instance *in, uint32_t global, struct tj_var *to)
{
  const struct tj_global *known = &u->request->globals[global];
  double number;

  if (global >= u->request->global_count || known->kind == TJ_GLOBAL_VARIES || sets_global(in->body, global))
    return false;
  if (known->kind == TJ_GLOBAL_CLOSURE) {
    *to = tj_word(
        tj_load(u, u->ref, tj_load_thread_local(u, u->ref, u->host->globals_offset), 8 * (int64_t)global, TJ_CELL));
    to->function = tiny_function_at(in->body->tables, known->function);
  } else if ((known->payload & 3) == 0) {
    *to = tj_int(tj_i64(u, (int64_t)((uint64_t)known->payload << 1)));
  } else if (known->payload & 1) {
    uint64_t bits = (uint64_t)known->payload << 1 | 1;
    bits = (bits >> 3 | bits << 61) - (UINT64_C(3) << 60);
    memcpy(&number, &bits, sizeof number);
    *to = tj_float(LLVMConstReal(u->f64, number));
  } else {
    *to = tj_word(tj_tag_from(u, tj_i64(u, known->payload)));
  }
  u->assumed[global] = 1;
  return true;
}

static void emit_get_global(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  if (emit_assumed_global(u, in, TINY_WIDE_OF(word), &in->regs[TINY_A(word)]))
    return;
  LLVMValueRef globals = tj_load_thread_local(u, u->ref, u->host->globals_offset);
  LLVMValueRef v = tj_load(u, u->ref, globals, 8 * (int64_t)TINY_WIDE_OF(word), TJ_CELL);

  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntNE, v, tj_special(u, HOLE_NUMBER), ""), TJ_RANGE);
  in->regs[TINY_A(word)] = tj_word(v);
  in->regs[TINY_A(word)].is_constant =
      tiny_global_at(in->body->tables, TINY_WIDE_OF(word))->flags & TINY_GLOBAL_CONSTANT;
}

static void emit_set_global(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  LLVMValueRef arguments[] = {tj_i32(u, TINY_WIDE_OF(word)), tj_reg_word(u, in, TINY_A(word))};

  tj_call_program(u, in, TJ_jit_set_global, arguments);
}

static bool emit_variable(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  int64_t content = offsetof(struct tiny_cell, content);
  unsigned a = TINY_A(word), b = TINY_B(word);

  switch (word & 255) {
  case TINY_OP_GET_GLOBAL:
    emit_get_global(u, in, word);
    return true;
  case TINY_OP_SET_GLOBAL:
    emit_set_global(u, in, word);
    return true;
  case TINY_OP_GET_CAPTURED:
    in->regs[a] = tj_word(captured(u, in, b));
    return true;
  case TINY_OP_GET_CAPTURED_CELL:
    in->regs[a] = tj_word(tj_load(u, u->ref, captured(u, in, b), content, TJ_CELL));
    return true;
  case TINY_OP_SET_CAPTURED_CELL:
    tj_store(u, tj_reg_word(u, in, a), captured(u, in, b), content, TJ_CELL);
    return true;
  case TINY_OP_NEW_CELL: {
    LLVMValueRef v = tj_reg_word(u, in, b);
    in->regs[a] = tj_word(tj_call_runtime(u, TJ_jit_new_cell, &v));
    return true;
  }
  case TINY_OP_GET_CELL:
    in->regs[a] = tj_word(tj_load(u, u->ref, tj_reg_word(u, in, b), content, TJ_CELL));
    return true;
  case TINY_OP_SET_CELL:
    tj_store(u, tj_reg_word(u, in, b), tj_reg_word(u, in, a), content, TJ_CELL);
    return true;
  default:
    return false;
  }
}

/* ---- iterations ---- */

/* The register has a value that can be iterated; the interpreter throws for others. */
static void guard_collection(struct tj_unit *u, struct tj_instance *in, unsigned reg)
{
  LLVMValueRef object = tj_guard_reference(u, in, reg, TJ_SHAPE);
  LLVMValueRef kind = tj_load(u, u->i32, object, offsetof(struct tiny_object, kind), TJ_HEADER);
  LLVMValueRef bit = LLVMBuildShl(u->b, tj_i32(u, 1), kind, "");
  uint32_t kinds = 1u << TINY_ARRAY | 1u << TINY_MAP | 1u << TINY_STRING;

  bit = LLVMBuildAnd(u->b, bit, tj_i32(u, kinds), "");
  tj_guard(u, in, LLVMBuildICmp(u->b, LLVMIntNE, bit, tj_i32(u, 0), ""), TJ_SHAPE);
}

static bool is_array_or_unknown(struct tj_var var)
{
  return var.kind == 0 || var.kind == TJ_ANY_KIND || var.kind == TINY_ARRAY;
}

static void emit_each_prepare(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  if (tj_speculates(u, in, TJ_TYPE))
    tj_guard_kind(u, in, TINY_A(word), TINY_ARRAY, TJ_TYPE);
  else
    guard_collection(u, in, TINY_A(word));
  in->regs[TINY_A(word) + 1] = tj_int(tj_i64(u, 0));
}

/* The next element of any collection, by calls. */
static void emit_each_by_calls(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned a = TINY_A(word);
  uint32_t end = tj_jump_target(in->body, in->at), body = in->at + tj_words_at(in->body, in->at);
  LLVMBasicBlockRef more = tj_block(u, "each"), over = tj_block(u, "over");
  LLVMValueRef position = LLVMBuildAShr(u->b, tj_reg_int(u, in, a + 1), tj_i64(u, 3), "");
  LLVMValueRef arguments[] = {tj_reg_word(u, in, a), position};

  arguments[1] = tj_call_runtime(u, TJ_jit_each_next, arguments);
  LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntSGE, arguments[1], tj_i64(u, 0), ""), more, over);
  tj_at(u, over);
  tj_go(u, in, end);
  tj_at(u, more);
  in->regs[a + 1] = tj_int(LLVMBuildShl(u->b, arguments[1], tj_i64(u, 3), ""));
  in->regs[a + 2] = tj_word(tj_call_runtime(u, TJ_jit_each_key, arguments));
  in->regs[a + 3] = tj_word(tj_call_runtime(u, TJ_jit_each_item, arguments));
  tj_go(u, in, body);
}

static void emit_each(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  unsigned a = TINY_A(word);
  uint32_t end = tj_jump_target(in->body, in->at), body = in->at + tj_words_at(in->body, in->at);

  if (!tj_speculates(u, in, TJ_TYPE) || !is_array_or_unknown(in->regs[a])) {
    emit_each_by_calls(u, in, word);
    return;
  }
  LLVMBasicBlockRef more = tj_block(u, "each"), over = tj_block(u, "over");
  LLVMValueRef object = tj_guard_kind(u, in, a, TINY_ARRAY, TJ_TYPE), position = tj_reg_int(u, in, a + 1);
  LLVMValueRef length = tj_load(u, u->i64, object, offsetof(struct tiny_array, length), TJ_LENGTH);
  LLVMValueRef bound = LLVMBuildShl(u->b, length, tj_i64(u, 3), "");
  LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, LLVMIntSLT, position, bound, ""), more, over);
  tj_at(u, over);
  tj_go(u, in, end);
  tj_at(u, more);
  LLVMValueRef items = tj_load(u, u->ref, object, offsetof(struct tiny_array, items), TJ_ITEMS);
  in->regs[a + 2] = tj_int(position);
  in->regs[a + 3] = tj_word(tj_load_at(u, u->ref, element_address(u, items, position), TJ_ELEMENT));
  in->regs[a + 1] = tj_int(LLVMBuildNSWAdd(u->b, position, tj_i64(u, 8), ""));
  tj_go(u, in, body);
}

bool tj_emit_object(struct tj_unit *u, struct tj_instance *in, uint32_t word)
{
  static void (*const emitters[TINY_OPS])(struct tj_unit *, struct tj_instance *,
                                          uint32_t) = {[TINY_OP_LOAD] = emit_load,
                                                       [TINY_OP_GET_FIELD] = emit_get_field,
                                                       [TINY_OP_SET_FIELD] = emit_set_field,
                                                       [TINY_OP_GET_INDEX] = emit_get_index,
                                                       [TINY_OP_GET_INDEX_X] = emit_get_index,
                                                       [TINY_OP_SET_INDEX] = emit_set_index,
                                                       [TINY_OP_SET_INDEX_X] = emit_set_index,
                                                       [TINY_OP_NEW_ARRAY] = emit_new_array,
                                                       [TINY_OP_APPEND] = emit_append,
                                                       [TINY_OP_NEW_OBJECT] = emit_new_object,
                                                       [TINY_OP_CLOSURE] = emit_closure,
                                                       [TINY_OP_EACH_PREPARE] = emit_each_prepare,
                                                       [TINY_OP_EACH] = emit_each};
  uint32_t op = word & 255;

  if (emitters[op]) {
    emitters[op](u, in, word);
    return true;
  }
  return emit_variable(u, in, word);
}
