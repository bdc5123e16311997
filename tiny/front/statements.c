/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles statements to byte code. Native code; the state is the caller's struct tiny_compiler.
 *
 * A finally block is compiled once for each way out of its try statement: at the end, for exceptions, and at every
 * break, continue and return that leaves it.
 */
#include <string.h>

#include "tiny/front/compiler.h"

/* ---- variables ---- */

/* A register for a variable whose value follows by tiny_value_to(); the variable is in scope after begin_variable(). */
static void put_variable(struct tiny_compiler *c, struct tiny_node *node, struct tiny_variable *variable,
                         struct tiny_node *initial)
{
  bool has_cell = tiny_needs_cell(variable);

  variable->reg = (uint8_t)tiny_take(c, node);
  if (has_cell && variable->is_early) {
    /* The initial value refers to the variable: the cell is there before. */
    tiny_emit(c, node, TINY_OP_NIL, variable->reg, 0, 0);
    tiny_emit(c, node, TINY_OP_NEW_CELL, variable->reg, variable->reg, 0);
    tiny_bind(c);
    unsigned reg = tiny_value_in(c, initial);
    tiny_emit(c, node, TINY_OP_SET_CELL, variable->reg, reg, 0);
    c->next = c->bound;
    return;
  }
  if (initial)
    tiny_value_to(c, initial, variable->reg);
  else
    tiny_emit(c, node, TINY_OP_NIL, variable->reg, 0, 0);
  if (has_cell)
    tiny_emit(c, node, TINY_OP_NEW_CELL, variable->reg, variable->reg, 0);
  tiny_bind(c);
}

/* A variable whose value is in `reg`: the register itself, if it needs neither a cell nor a copy. */
static void bind_variable(struct tiny_compiler *c, struct tiny_node *node, struct tiny_variable *variable, unsigned reg,
                          bool needs_copy)
{
  if (!variable)
    return;
  bool has_cell = tiny_needs_cell(variable);
  variable->reg = (uint8_t)(has_cell || needs_copy ? tiny_take(c, node) : reg);
  if (has_cell)
    tiny_emit(c, node, TINY_OP_NEW_CELL, variable->reg, reg, 0);
  else if (needs_copy)
    tiny_emit(c, node, TINY_OP_MOVE, variable->reg, reg, 0);
  tiny_bind(c);
}

static void let(struct tiny_compiler *c, struct tiny_node *node)
{
  if (node->variable) {
    put_variable(c, node, node->variable, node->a);
    return;
  }
  unsigned reg = node->a ? tiny_value_in(c, node->a) : tiny_take(c, node);
  if (!node->a)
    tiny_emit(c, node, TINY_OP_NIL, reg, 0, 0);
  tiny_set_global(c, node, node->symbol, reg, true);
}

/* ---- assignments ---- */

static void assign_name(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_node *place = node->a;
  struct tiny_variable *variable = place->variable;
  bool is_local = variable && variable->function == c->syntax && !tiny_needs_cell(variable);
  unsigned reg;

  if (node->token != TOKEN_ASSIGN) {
    unsigned left = tiny_value_in(c, place);
    reg = is_local ? left : tiny_take(c, node);
    tiny_binary(c, node, (enum tiny_token)node->token, reg, left, node->b);
  } else if (is_local) {
    tiny_value_to(c, node->b, variable->reg);
    return;
  } else {
    reg = tiny_value_in(c, node->b);
  }
  if (is_local)
    return;
  if (variable)
    tiny_set_variable(c, place, variable, reg);
  else
    tiny_set_global(c, place, place->symbol, reg, false);
}

static void assign_field(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_node *place = node->a;
  uint32_t module;

  if (tiny_is_module(c, place->a, &module)) {
    tiny_fail(c, place, "names of a module are assigned to in the module only");
    return;
  }
  unsigned object = tiny_value_in(c, place->a), reg;
  if (node->token == TOKEN_ASSIGN) {
    reg = tiny_value_in(c, node->b);
  } else {
    reg = tiny_take(c, node);
    tiny_emit_field(c, place, TINY_OP_GET_FIELD, reg, object, place->symbol);
    tiny_binary(c, node, (enum tiny_token)node->token, reg, reg, node->b);
  }
  tiny_emit_field(c, place, TINY_OP_SET_FIELD, object, reg, place->symbol);
}

static void assign_index(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_node *place = node->a;
  unsigned object = tiny_value_in(c, place->a), index = tiny_value_in(c, place->b), reg;

  if (node->token == TOKEN_ASSIGN) {
    reg = tiny_value_in(c, node->b);
  } else {
    reg = tiny_take(c, node);
    tiny_emit(c, place, TINY_OP_GET_INDEX, reg, object, index);
    tiny_binary(c, node, (enum tiny_token)node->token, reg, reg, node->b);
  }
  tiny_emit(c, place, TINY_OP_SET_INDEX, object, index, reg);
}

static void assign(struct tiny_compiler *c, struct tiny_node *node)
{
  if (node->a->kind == NODE_NAME)
    assign_name(c, node);
  else if (node->a->kind == NODE_FIELD)
    assign_field(c, node);
  else
    assign_index(c, node);
}

/* ---- guards ---- */

static void open_guard(struct tiny_compiler *c, struct tiny_guard *guard, struct tiny_node *final)
{
  *guard = (struct tiny_guard){.outer = c->guard, .final = final, .start = tiny_here(c)};
  guard->gaps_end = &guard->gaps;
  c->guard = guard;
}

/* Ends the region, whose exceptions go to a handler at this place. */
static void close_guard(struct tiny_compiler *c, struct tiny_guard *guard, uint32_t end, unsigned target)
{
  uint32_t start = guard->start;

  for (struct tiny_gap *gap = guard->gaps; gap; gap = gap->next) {
    tiny_add_try(c, (struct tiny_try){start, gap->start, tiny_here(c), target});
    start = gap->end;
  }
  tiny_add_try(c, (struct tiny_try){start, end, tiny_here(c), target});
}

/* Emits the finally blocks of the guards from the innermost to `stop`, which is not left. The caller calls
 * return_to_guards() after the jump that follows. */
static void leave_guards(struct tiny_compiler *c, struct tiny_guard *stop)
{
  unsigned next = c->next, bound = c->bound;

  while (c->guard != stop) {
    struct tiny_guard *guard = c->guard;
    struct tiny_gap *gap = tiny_arena_take(c->arena, sizeof *gap);
    gap->start = tiny_here(c);
    *guard->gaps_end = gap;
    c->guard = guard->outer;
    if (guard->final) {
      tiny_bind(c);
      tiny_statements(c, guard->final);
    }
    c->next = next;
    c->bound = bound;
  }
}

static void return_to_guards(struct tiny_compiler *c, struct tiny_guard *inner)
{
  struct tiny_guard *stop = c->guard;

  for (struct tiny_guard *guard = inner; guard != stop; guard = guard->outer) {
    (*guard->gaps_end)->end = tiny_here(c);
    guard->gaps_end = &(*guard->gaps_end)->next;
  }
  c->guard = inner;
}

static void try_catch(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_guard guard;

  if (!node->b) {
    tiny_statements(c, node->a);
    return;
  }
  unsigned next = c->next, bound = c->bound, caught = tiny_take(c, node);
  tiny_bind(c);
  open_guard(c, &guard, NULL);
  tiny_statements(c, node->a);
  uint32_t end = tiny_here(c);
  struct tiny_jumps *jumps = tiny_jump(c, node);
  c->guard = guard.outer;
  close_guard(c, &guard, end, caught);
  bind_variable(c, node, node->variable, caught, false);
  tiny_statements(c, node->b);
  tiny_patch_here(c, jumps);
  c->next = next;
  c->bound = bound;
}

static void try(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_guard guard;

  if (!node->c) {
    try_catch(c, node);
    return;
  }
  unsigned next = c->next, bound = c->bound, caught = tiny_take(c, node);
  tiny_bind(c);
  open_guard(c, &guard, node->c);
  try_catch(c, node);
  uint32_t end = tiny_here(c);
  c->guard = guard.outer;
  tiny_statements(c, node->c);
  struct tiny_jumps *jumps = tiny_jump(c, node);
  close_guard(c, &guard, end, caught);
  tiny_statements(c, node->c);
  tiny_emit(c, node, TINY_OP_THROW, caught, 0, 0);
  tiny_patch_here(c, jumps);
  c->next = next;
  c->bound = bound;
}

/* ---- loops and jumps ---- */

static void loop_jump(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_loop *loop = c->loop;
  struct tiny_guard *inner = c->guard;

  if (!loop)
    return; /* an error of the parser */
  leave_guards(c, loop->guard);
  uint32_t at = tiny_emit(c, node, TINY_OP_JUMP, 0, 0, 0);
  return_to_guards(c, inner);
  if (node->kind == NODE_BREAK)
    loop->breaks = tiny_jumps_add(c, loop->breaks, at);
  else
    loop->continues = tiny_jumps_add(c, loop->continues, at);
}

static void open_loop(struct tiny_compiler *c, struct tiny_loop *loop)
{
  *loop = (struct tiny_loop){.outer = c->loop, .guard = c->guard};
  c->loop = loop;
}

static void while_loop(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_loop loop;
  uint32_t start = tiny_here(c);
  struct tiny_jumps *exits = tiny_condition(c, node->a, false);

  open_loop(c, &loop);
  tiny_statements(c, node->b);
  tiny_patch(c, loop.continues, tiny_here(c));
  tiny_loop_to(c, node, start);
  tiny_patch_here(c, tiny_jumps_join(loop.breaks, exits));
  c->loop = loop.outer;
}

static void for_loop(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_loop loop;
  unsigned next = c->next, bound = c->bound, counter = tiny_take_many(c, node, 2);

  tiny_value_to(c, node->a, counter);
  tiny_value_to(c, node->b, counter + 1);
  tiny_bind(c);
  struct tiny_jumps *exits = tiny_emit_jump(c, node, TINY_OP_FOR_PREPARE, counter, 0, 0);
  open_loop(c, &loop);
  uint32_t start = tiny_here(c);
  bind_variable(c, node, node->variable, counter, node->variable && node->variable->is_assigned);
  tiny_statements(c, node->c);
  tiny_patch_here(c, loop.continues);
  tiny_patch(c, tiny_emit_jump(c, node, TINY_OP_FOR_LOOP, counter, 0, 0), start);
  tiny_patch_here(c, tiny_jumps_join(loop.breaks, exits));
  c->loop = loop.outer;
  c->next = next;
  c->bound = bound;
}

static void each_loop(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_loop loop;
  unsigned next = c->next, bound = c->bound, first = tiny_take_many(c, node, 4);

  tiny_value_to(c, node->a, first);
  tiny_bind(c);
  tiny_emit(c, node, TINY_OP_EACH_PREPARE, first, 0, 0);
  open_loop(c, &loop);
  uint32_t start = tiny_here(c);
  struct tiny_jumps *exits = tiny_emit_jump(c, node, TINY_OP_EACH, first, 0, 0);
  bind_variable(c, node, node->variable, first + 2, false);
  bind_variable(c, node, node->second, first + 3, false);
  tiny_statements(c, node->c);
  tiny_patch_here(c, loop.continues);
  tiny_loop_to(c, node, start);
  tiny_patch_here(c, tiny_jumps_join(loop.breaks, exits));
  c->loop = loop.outer;
  c->next = next;
  c->bound = bound;
}

static void return_value(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_guard *inner = c->guard;
  unsigned reg = 0;

  if (node->a) {
    reg = tiny_value_in(c, node->a);
    /* A finally block may assign to the variable. */
    if (inner && reg < c->bound) {
      unsigned copy = tiny_take(c, node);
      tiny_emit(c, node, TINY_OP_MOVE, copy, reg, 0);
      reg = copy;
    }
  }
  leave_guards(c, NULL);
  tiny_emit(c, node, node->a || c->syntax->is_init ? TINY_OP_RETURN : TINY_OP_RETURN_NIL, reg, 0, 0);
  return_to_guards(c, inner);
}

/* ---- other statements ---- */

static void if_chain(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_jumps *ends = NULL;

  while (node && node->kind == NODE_IF) {
    struct tiny_jumps *others = tiny_condition(c, node->a, false);
    tiny_statements(c, node->b);
    if (node->c)
      ends = tiny_jumps_join(tiny_jump(c, node), ends);
    tiny_patch_here(c, others);
    node = node->c;
  }
  if (node)
    tiny_statements(c, node);
  tiny_patch_here(c, ends);
}

static void class_body(struct tiny_compiler *c, struct tiny_node *node, unsigned reg)
{
  unsigned super = node->a ? tiny_value_in(c, node->a) : TINY_NO_SUPER;

  tiny_emit(c, node, TINY_OP_NEW_CLASS, reg, super, 0);
  tiny_emit_word(c, node->symbol);
  tiny_emit_word(c, node->fields);
  unsigned method = tiny_take(c, node);
  for (struct tiny_node *n = node->list; n; n = n->next) {
    tiny_value_to(c, n, method);
    tiny_emit(c, n, TINY_OP_METHOD, reg, method, 0);
    tiny_emit_word(c, n->symbol);
  }
}

static void class(struct tiny_compiler *c, struct tiny_node *node)
{
  struct tiny_variable *variable = node->variable;

  if (!variable) {
    unsigned reg = tiny_take(c, node);
    class_body(c, node, reg);
    tiny_set_global(c, node, node->symbol, reg, true);
    return;
  }
  variable->reg = (uint8_t)tiny_take(c, node);
  tiny_bind(c);
  if (!tiny_needs_cell(variable)) {
    class_body(c, node, variable->reg);
    return;
  }
  tiny_emit(c, node, TINY_OP_NIL, variable->reg, 0, 0);
  tiny_emit(c, node, TINY_OP_NEW_CELL, variable->reg, variable->reg, 0);
  unsigned reg = tiny_take(c, node);
  class_body(c, node, reg);
  tiny_emit(c, node, TINY_OP_SET_CELL, variable->reg, reg, 0);
}

static void expression(struct tiny_compiler *c, struct tiny_node *node)
{
  tiny_value_in(c, node->a);
}

static void throw(struct tiny_compiler *c, struct tiny_node *node)
{
  tiny_emit(c, node, TINY_OP_THROW, tiny_value_in(c, node->a), 0, 0);
}

static void (*const compilers[NODE_KINDS])(struct tiny_compiler *, struct tiny_node *) = {
    [NODE_EXPRESSION] = expression,
    [NODE_LET] = let,
    [NODE_ASSIGN] = assign,
    [NODE_BLOCK] = tiny_statements,
    [NODE_IF] = if_chain,
    [NODE_WHILE] = while_loop,
    [NODE_FOR] = for_loop,
    [NODE_EACH] = each_loop,
    [NODE_RETURN] = return_value,
    [NODE_THROW] = throw,
    [NODE_BREAK] = loop_jump,
    [NODE_CONTINUE] = loop_jump,
    [NODE_TRY] = try,
    [NODE_CLASS] = class,
};

void tiny_statements(struct tiny_compiler *c, struct tiny_node *block)
{
  unsigned next = c->next, bound = c->bound;

  for (struct tiny_node *node = block->list; node && !c->error->failed; node = node->next) {
    bool is_result = node->kind == NODE_EXPRESSION && !node->next && !c->parent && block == c->syntax->body;
    if (is_result) /* of the module; the REPL prints it */
      tiny_emit(c, node, TINY_OP_RETURN, tiny_value_in(c, node->a), 0, 0);
    else
      compilers[node->kind](c, node);
    c->next = c->bound;
  }
  c->next = next;
  c->bound = bound;
}
