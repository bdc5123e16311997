/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles expressions and functions to byte code. Native code; the state is the caller's struct tiny_compiler. After
 * an error the code is arbitrary, and unused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny/front/compiler.h"

enum { GROUP = 50 }; /* elements of literals that are in registers at a time */

/* ---- names ---- */

/* The number of a captured variable. */
static unsigned capture(struct tiny_compiler *c, struct tiny_node *node, struct tiny_variable *variable)
{
  for (unsigned i = 0; i < c->function->captures; i++)
    if (c->captures[i] == variable)
      return i;
  if (c->function->captures == 255) {
    tiny_fail(c, node, "the function uses too many variables of functions around it");
    return 0;
  }
  c->captures[c->function->captures] = variable;
  if (variable->function != c->parent->syntax)
    capture(c->parent, node, variable);
  return c->function->captures++;
}

/* The number of the global with this name + 1, or 0. */
static uint32_t find_global(const struct tiny_compiler *c, uint32_t symbol)
{
  uint32_t found = tiny_hash_find(&tiny_tables->names, (uint64_t)c->module << 32 | symbol);

  return found ? found : tiny_hash_find(&tiny_tables->names, symbol);
}

static void get_global(struct tiny_compiler *c, struct tiny_node *node, uint32_t found, unsigned target)
{
  if (!found && tiny_hash_find(&tiny_tables->aliases, (uint64_t)c->module << 32 | node->symbol))
    tiny_fail(c, node, "the module '%s' is no value: write '%s.name'", tiny_symbol_at(node->symbol)->bytes,
              tiny_symbol_at(node->symbol)->bytes);
  else if (!found)
    tiny_fail(c, node, "'%s' is not defined", tiny_symbol_at(node->symbol)->bytes);
  tiny_emit_wide(c, node, TINY_OP_GET_GLOBAL, target, found - 1);
}

static void get_name(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  struct tiny_variable *variable = node->variable;

  if (!variable)
    get_global(c, node, find_global(c, node->symbol), target);
  else if (variable->function != c->syntax)
    tiny_emit(c, node, tiny_needs_cell(variable) ? TINY_OP_GET_CAPTURED_CELL : TINY_OP_GET_CAPTURED, target,
              capture(c, node, variable), 0);
  else if (tiny_needs_cell(variable))
    tiny_emit(c, node, TINY_OP_GET_CELL, target, variable->reg, 0);
  else if (variable->reg != target)
    tiny_emit(c, node, TINY_OP_MOVE, target, variable->reg, 0);
}

void tiny_set_global(struct tiny_compiler *c, struct tiny_node *node, uint32_t symbol, unsigned reg, bool is_definition)
{
  uint32_t found = find_global(c, symbol);

  if (!found)
    tiny_fail(c, node, "'%s' is not defined: write 'let %s = ...' first", tiny_symbol_at(symbol)->bytes,
              tiny_symbol_at(symbol)->bytes);
  else if (!is_definition && (tiny_global_at(tiny_tables, found - 1)->flags & TINY_GLOBAL_CONSTANT))
    tiny_fail(c, node, "'%s' cannot be assigned to", tiny_symbol_at(symbol)->bytes);
  tiny_emit_wide(c, node, TINY_OP_SET_GLOBAL, reg, found - 1);
}

void tiny_set_variable(struct tiny_compiler *c, struct tiny_node *node, struct tiny_variable *variable, unsigned reg)
{
  if (variable->function != c->syntax)
    tiny_emit(c, node, TINY_OP_SET_CAPTURED_CELL, reg, capture(c, node, variable), 0);
  else if (tiny_needs_cell(variable))
    tiny_emit(c, node, TINY_OP_SET_CELL, variable->reg, reg, 0);
  else if (variable->reg != reg)
    tiny_emit(c, node, TINY_OP_MOVE, variable->reg, reg, 0);
}

bool tiny_is_module(const struct tiny_compiler *c, const struct tiny_node *node, uint32_t *module)
{
  if (node->kind != NODE_NAME || node->variable)
    return false;
  *module = tiny_hash_find(&tiny_tables->aliases, (uint64_t)c->module << 32 | node->symbol);
  return *module != 0 && !tiny_hash_find(&tiny_tables->names, (uint64_t)c->module << 32 | node->symbol);
}

/* ---- operators ---- */

/* True if the node is an integer that an operand of kind SMALL can hold, after `sign`. */
static bool is_small(const struct tiny_node *node, int sign)
{
  int64_t integer = node->kind == NODE_INTEGER ? sign * node->integer : 1000;

  return integer >= -128 && integer <= 127;
}

void tiny_binary(struct tiny_compiler *c, struct tiny_node *node, enum tiny_token token, unsigned target, unsigned left,
                 struct tiny_node *right)
{
  enum tiny_op op = (enum tiny_op)tiny_token_rows[token].op;
  int sign = op == TINY_OP_ADD ? 1 : -1;

  /* The sign of the operand tells the operator: messages name it, and x - 0 is x for floats, x + 0 is not. */
  if ((op == TINY_OP_ADD || op == TINY_OP_SUBTRACT) && is_small(right, sign) && right->integer >= (sign < 0)) {
    tiny_emit(c, node, TINY_OP_ADD_SMALL, target, left, (uint8_t)(sign * right->integer));
    return;
  }
  unsigned value = tiny_value_in(c, right);
  tiny_emit(c, node, op, target, left, value);
}

static bool is_comparison(enum tiny_token token)
{
  return tiny_token_rows[token].kind == TOKEN_KIND_COMPARE;
}

/* A comparison with a literal that fits into the instruction; false if the literal does not fit. */
static bool compare_small(struct tiny_compiler *c, struct tiny_node *node, enum tiny_token token, bool sense,
                          struct tiny_jumps **jumps)
{
  enum tiny_op op = TINY_OP_JUMP_NIL;
  uint8_t number = 0;

  if (token == TOKEN_EQUAL && node->b->kind == NODE_NIL)
    op = TINY_OP_JUMP_NIL;
  else if (!is_small(node->b, 1))
    return false;
  else
    op = token == TOKEN_EQUAL  ? TINY_OP_JUMP_EQUAL_SMALL
         : token == TOKEN_LESS ? TINY_OP_JUMP_LESS_SMALL
                               : TINY_OP_JUMP_GREATER_SMALL;
  if (op != TINY_OP_JUMP_NIL)
    number = (uint8_t)node->b->integer;
  unsigned left = tiny_value_in(c, node->a);
  *jumps = tiny_emit_jump(c, node, op, sense, left, number);
  return true;
}

static struct tiny_jumps *compare(struct tiny_compiler *c, struct tiny_node *node, bool sense)
{
  enum tiny_token token = (enum tiny_token)node->token;
  struct tiny_jumps *jumps = NULL;
  unsigned next = c->next;

  if (token == TOKEN_NOT_EQUAL) {
    token = TOKEN_EQUAL;
    sense = !sense;
  }
  /* a <= 5 is not the contrary of a > 5 if a is not a number: these two have registers. */
  bool has_small_form = token != TOKEN_LESS_EQUAL && token != TOKEN_GREATER_EQUAL;
  if (!has_small_form || !compare_small(c, node, token, sense, &jumps)) {
    unsigned left = tiny_value_in(c, node->a), right = tiny_value_in(c, node->b);
    bool is_swapped = token == TOKEN_GREATER || token == TOKEN_GREATER_EQUAL;
    enum tiny_op op = token == TOKEN_EQUAL                            ? TINY_OP_JUMP_EQUAL
                      : token == TOKEN_LESS || token == TOKEN_GREATER ? TINY_OP_JUMP_LESS
                                                                      : TINY_OP_JUMP_LESS_EQUAL;
    jumps = tiny_emit_jump(c, node, op, sense, is_swapped ? right : left, is_swapped ? left : right);
  }
  c->next = next;
  return jumps;
}

struct tiny_jumps *tiny_condition(struct tiny_compiler *c, struct tiny_node *node, bool sense)
{
  struct tiny_jumps *jumps, *skips;
  unsigned next = c->next;

  switch (node->kind) {
  case NODE_NOT:
    return tiny_condition(c, node->a, !sense);
  case NODE_TRUE:
  case NODE_FALSE:
  case NODE_NIL:
    return (node->kind == NODE_TRUE) == sense ? tiny_jump(c, node) : NULL;
  case NODE_AND:
  case NODE_OR:
    if ((node->kind == NODE_OR) == sense) {
      jumps = tiny_condition(c, node->a, sense);
      return tiny_jumps_join(tiny_condition(c, node->b, sense), jumps);
    }
    skips = tiny_condition(c, node->a, !sense);
    jumps = tiny_condition(c, node->b, sense);
    tiny_patch_here(c, skips);
    return jumps;
  case NODE_BINARY:
    if (is_comparison((enum tiny_token)node->token))
      return compare(c, node, sense);
    /* fallthrough */
  default: {
    unsigned reg = tiny_value_in(c, node);
    jumps = tiny_emit_jump(c, node, sense ? TINY_OP_JUMP_TRUE : TINY_OP_JUMP_FALSE, reg, 0, 0);
    c->next = next;
    return jumps;
  }
  }
}

/* true or false, of a comparison. */
static void truth_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  struct tiny_jumps *jumps = tiny_condition(c, node, true);

  tiny_emit(c, node, TINY_OP_FALSE, target, 0, 0);
  struct tiny_jumps *end = tiny_jump(c, node);
  tiny_patch_here(c, jumps);
  tiny_emit(c, node, TINY_OP_TRUE, target, 0, 0);
  tiny_patch_here(c, end);
}

/* a and b, a or b, as values. The target is a temporary, since b may read variables. */
static void choice_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  unsigned reg = target < c->bound ? tiny_take(c, node) : target;

  tiny_value_to(c, node->a, reg);
  enum tiny_op op = node->kind == NODE_AND ? TINY_OP_JUMP_FALSE : TINY_OP_JUMP_TRUE;
  struct tiny_jumps *jumps = tiny_emit_jump(c, node, op, reg, 0, 0);
  tiny_value_to(c, node->b, reg);
  tiny_patch_here(c, jumps);
  if (reg != target)
    tiny_emit(c, node, TINY_OP_MOVE, target, reg, 0);
}

/* A variable's register, or `target` if that is a temporary, or a new one: so that chains need few registers. */
static unsigned operand_in(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  struct tiny_variable *variable = node->kind == NODE_NAME ? node->variable : NULL;
  bool is_register = variable && variable->function == c->syntax && !tiny_needs_cell(variable);

  if (is_register || target < c->bound)
    return tiny_value_in(c, node);
  tiny_value_to(c, node, target);
  return target;
}

static void unary_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  enum tiny_op op = node->kind == NODE_NOT       ? TINY_OP_NOT
                    : node->token == TOKEN_MINUS ? TINY_OP_NEGATE
                                                 : TINY_OP_COMPLEMENT;
  struct tiny_node *a = node->a;

  if (op == TINY_OP_NEGATE && (a->kind == NODE_INTEGER || a->kind == NODE_FLOAT)) {
    struct tiny_node negative = *a;
    if (a->kind == NODE_INTEGER)
      negative.integer = -a->integer;
    else
      negative.number = -a->number;
    tiny_value_to(c, &negative, target);
    return;
  }
  unsigned reg = operand_in(c, a, target);
  tiny_emit(c, node, op, target, reg, 0);
}

/* ---- calls ---- */

static unsigned arguments(struct tiny_compiler *c, struct tiny_node *list)
{
  unsigned count = 0;

  for (struct tiny_node *node = list; node; node = node->next, count++) {
    unsigned reg = tiny_take(c, node);
    tiny_value_to(c, node, reg);
    c->next = reg + 1;
  }
  return count;
}

void tiny_emit_field(struct tiny_compiler *c, const struct tiny_node *node, enum tiny_op op, unsigned a, unsigned b,
                     uint32_t symbol)
{
  tiny_emit(c, node, op, a, b, 0);
  tiny_emit_word(c, symbol);
  tiny_emit_word(c, c->function->feedback_words);
  c->function->feedback_words += TINY_SITE_WORDS;
}

static uint32_t take_target(struct tiny_compiler *c)
{
  return c->function->feedback_words++;
}

/* A call in the window that begins with `window`, whose registers are taken already. */
static void call_in(struct tiny_compiler *c, struct tiny_node *node, unsigned window)
{
  struct tiny_node *callee = node->a;
  uint32_t module;
  bool is_method = callee->kind == NODE_FIELD && !tiny_is_module(c, callee->a, &module);
  unsigned class_reg = 0;

  if (callee->kind == NODE_SUPER) {
    tiny_value_to(c, callee->a, window + 2);
    class_reg = tiny_value_in(c, callee->b);
    if (class_reg >= c->bound) { /* keeps the arguments behind a + 2 */
      tiny_emit(c, node, TINY_OP_MOVE, window + 1, class_reg, 0);
      class_reg = window + 1;
    }
    c->next = window + 3;
  } else {
    tiny_value_to(c, is_method ? callee->a : callee, window + 2);
    c->next = window + 3;
  }
  unsigned count = arguments(c, node->list);
  if (callee->kind == NODE_SUPER) {
    tiny_emit(c, node, TINY_OP_INVOKE_SUPER, window, count, class_reg);
    tiny_emit_word(c, callee->symbol);
    tiny_emit_word(c, take_target(c));
  } else if (is_method) {
    tiny_emit_field(c, callee, TINY_OP_INVOKE, window, count, callee->symbol);
  } else {
    tiny_emit(c, node, TINY_OP_CALL, window, count, 0);
    tiny_emit_word(c, take_target(c));
  }
}

static void call_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  bool is_top = target >= c->bound && target + 1 == c->next;
  unsigned window = is_top ? target : tiny_take(c, node);

  tiny_take_many(c, node, 2);
  call_in(c, node, window);
  if (window != target)
    tiny_emit(c, node, TINY_OP_MOVE, target, window, 0);
}

/* ---- literals ---- */

static void constant_to(struct tiny_compiler *c, struct tiny_node *node, struct tiny_constant constant, unsigned target)
{
  tiny_emit_wide(c, node, TINY_OP_LOAD, target, tiny_add_constant(c, node, constant));
}

static void integer_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  if (node->integer >= INT16_MIN && node->integer <= INT16_MAX)
    tiny_emit_wide(c, node, TINY_OP_INTEGER, target, (uint16_t)node->integer);
  else
    constant_to(c, node, (struct tiny_constant){.kind = TINY_CONSTANT_INTEGER, .integer = node->integer}, target);
}

static void float_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  constant_to(c, node, (struct tiny_constant){.kind = TINY_CONSTANT_FLOAT, .number = node->number}, target);
}

static void string_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  struct tiny_constant constant = {.kind = TINY_CONSTANT_STRING};

  constant.integer = node->symbol;
  constant_to(c, node, constant, target);
}

/* Puts the next elements of the list, at most `most`, into new registers; returns their number. */
static unsigned some_values(struct tiny_compiler *c, struct tiny_node **list, unsigned most)
{
  unsigned count = 0;

  for (; *list && count < most; *list = (*list)->next, count++) {
    struct tiny_node *node = (*list)->kind == NODE_PAIR ? (*list)->a : *list;
    unsigned reg = tiny_take(c, node);
    tiny_value_to(c, node, reg);
    c->next = reg + 1;
  }
  return count;
}

static void array_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  struct tiny_node *list = node->list;
  unsigned array = tiny_take(c, node), first = c->next, count = some_values(c, &list, GROUP);

  tiny_emit(c, node, TINY_OP_NEW_ARRAY, list ? array : target, count ? first : array, count);
  if (!list)
    return;
  while (list) {
    c->next = first;
    count = some_values(c, &list, GROUP);
    tiny_emit(c, node, TINY_OP_APPEND, array, first, count);
  }
  tiny_emit(c, node, TINY_OP_MOVE, target, array, 0);
}

static void template_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  struct tiny_node *list = node->list;
  unsigned first = tiny_take(c, node), joined = 0;

  c->next = first;
  for (; list; joined = 1) {
    unsigned count = joined + some_values(c, &list, GROUP);
    tiny_emit(c, node, TINY_OP_TEXT, list ? first : target, first, count);
    c->next = first + 1;
  }
}

static void object_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  struct tiny_node *list = node->list;
  unsigned object = tiny_take(c, node), first = c->next, count = 0;
  uint32_t shape;

  for (struct tiny_node *pair = list; pair; pair = pair->next)
    count++;
  shape = tiny_shape_new(0, count < 4 ? 4 : count > GROUP ? GROUP : count);
  count = 0;
  for (struct tiny_node *pair = list; pair && count < GROUP; pair = pair->next, count++)
    shape = tiny_shape_with(shape, pair->symbol);
  some_values(c, &list, GROUP);
  tiny_emit(c, node, TINY_OP_NEW_OBJECT, object, count ? first : object, count);
  tiny_emit_word(c, shape);
  c->next = first;
  for (; list; list = list->next, c->next = first) {
    unsigned reg = tiny_value_in(c, list->a);
    tiny_emit_field(c, list, TINY_OP_SET_FIELD, object, reg, list->symbol);
  }
  tiny_emit(c, node, TINY_OP_MOVE, target, object, 0);
}

/* ---- functions ---- */

static struct tiny_function *new_function(struct tiny_compiler *c)
{
  struct tiny_function *f = tiny_allocate(NULL, 1, sizeof *f);
  struct tiny_function **entry = tiny_table_add(&tiny_tables->functions);

  *entry = f;
  f->number = tiny_tables->functions.count - 1;
  f->name = c->syntax->name;
  f->name_text = tiny_symbol_at(f->name)->bytes;
  f->line = c->syntax->line;
  f->column = c->syntax->column;
  f->is_method = c->syntax->is_method;
  f->parameters = (uint8_t)c->syntax->parameter_count;
  return f;
}

static void parameters(struct tiny_compiler *c, struct tiny_node *node)
{
  for (unsigned i = 0; i < c->syntax->parameter_count; i++) {
    struct tiny_variable *variable = c->syntax->parameters[i];
    variable->reg = (uint8_t)tiny_take(c, node);
    if (tiny_needs_cell(variable))
      tiny_emit(c, node, TINY_OP_NEW_CELL, variable->reg, variable->reg, 0);
  }
  tiny_bind(c);
}

void tiny_compile_body(struct tiny_compiler *c, struct tiny_node *node)
{
  c->function = new_function(c);
  c->function->source = c->parent ? c->parent->function->source : c->source;
  parameters(c, node);
  tiny_statements(c, c->syntax->body);
  if (c->syntax->is_init)
    tiny_emit(c, node, TINY_OP_RETURN, 0, 0, 0);
  else
    tiny_emit(c, node, TINY_OP_RETURN_NIL, 0, 0, 0);
  c->function->feedback = tiny_allocate(NULL, c->function->feedback_words, sizeof(uint32_t));
}

/* The closure of a function; compiles the function. */
static void function_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  struct tiny_compiler inner = {
      .parent = c, .syntax = node->function, .arena = c->arena, .error = c->error, .module = c->module};
  struct tiny_constant constant = {.kind = TINY_CONSTANT_FUNCTION};

  tiny_compile_body(&inner, node);
  constant.function = inner.function->number;
  tiny_emit_wide(c, node, TINY_OP_CLOSURE, target, tiny_add_constant(c, node, constant));
  for (unsigned i = 0; i < inner.function->captures; i++) {
    struct tiny_variable *variable = inner.captures[i];
    bool is_mine = variable->function == c->syntax;
    tiny_emit_word(c, is_mine ? (uint32_t)variable->reg << 1 : (uint32_t)capture(c, node, variable) << 1 | 1);
  }
}

/* ---- expressions ---- */

static void field_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  uint32_t module;

  if (tiny_is_module(c, node->a, &module)) {
    uint32_t found = tiny_hash_find(&tiny_tables->names, (uint64_t)module << 32 | node->symbol);
    get_global(c, node, found, target);
    return;
  }
  unsigned object = operand_in(c, node->a, target);
  tiny_emit_field(c, node, TINY_OP_GET_FIELD, target, object, node->symbol);
}

static void index_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  unsigned object = operand_in(c, node->a, target), index = tiny_value_in(c, node->b);

  tiny_emit(c, node, TINY_OP_GET_INDEX, target, object, index);
}

static void binary_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  if (is_comparison((enum tiny_token)node->token))
    truth_to(c, node, target);
  else
    tiny_binary(c, node, (enum tiny_token)node->token, target, operand_in(c, node->a, target), node->b);
}

static void singleton_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  static const uint8_t ops[] = {[NODE_NIL] = TINY_OP_NIL, [NODE_TRUE] = TINY_OP_TRUE, [NODE_FALSE] = TINY_OP_FALSE};

  tiny_emit(c, node, (enum tiny_op)ops[node->kind], target, 0, 0);
}

static void (*const compilers[NODE_KINDS])(struct tiny_compiler *, struct tiny_node *, unsigned) = {
    [NODE_NIL] = singleton_to,     [NODE_TRUE] = singleton_to, [NODE_FALSE] = singleton_to,
    [NODE_INTEGER] = integer_to,   [NODE_FLOAT] = float_to,    [NODE_STRING] = string_to,
    [NODE_NAME] = get_name,        [NODE_ARRAY] = array_to,    [NODE_OBJECT] = object_to,
    [NODE_TEMPLATE] = template_to, [NODE_UNARY] = unary_to,    [NODE_NOT] = unary_to,
    [NODE_BINARY] = binary_to,     [NODE_AND] = choice_to,     [NODE_OR] = choice_to,
    [NODE_FUNCTION] = function_to, [NODE_CALL] = call_to,      [NODE_FIELD] = field_to,
    [NODE_INDEX] = index_to,
};

void tiny_value_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target)
{
  unsigned next = c->next;

  if (c->error->failed)
    return;
  compilers[node->kind](c, node, target);
  c->next = next;
}

unsigned tiny_value_in(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_variable *variable = node->kind == NODE_NAME ? node->variable : NULL;

  if (variable && variable->function == c->syntax && !tiny_needs_cell(variable))
    return variable->reg;
  unsigned reg = tiny_take(c, node);
  tiny_value_to(c, node, reg);
  return reg;
}
