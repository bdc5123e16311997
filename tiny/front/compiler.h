/* SPDX-License-Identifier: Apache-2.0
 *
 * The compiler from syntax trees to byte code: state of a function, emission, registers. Native code.
 *
 * Registers are a stack: parameters, then variables in the order of their declaration, then temporaries. Variables keep
 * their values over calls and exceptions; only temporaries are windows of calls.
 */
#ifndef TINY_COMPILER_H
#define TINY_COMPILER_H

#include "tiny/front/syntax.h"

/* Jumps that wait for their target. */
struct tiny_jumps {
  uint32_t at; /* the jump's instruction */
  struct tiny_jumps *next;
};

/* A loop that is open. */
struct tiny_loop {
  struct tiny_loop *outer;
  struct tiny_guard *guard; /* the innermost guard outside of the loop */
  struct tiny_jumps *breaks, *continues;
};

/* Code that handlers of a try statement exclude: that of finally blocks on the ways out. */
struct tiny_gap {
  uint32_t start, end;
  struct tiny_gap *next; /* later one */
};

/* A region whose exceptions go to a handler; with a finally block if `final` is set. */
struct tiny_guard {
  struct tiny_guard *outer;
  struct tiny_node *final;
  uint32_t start;
  struct tiny_gap *gaps, **gaps_end;
};

struct tiny_compiler {
  struct tiny_compiler *parent;
  struct tiny_syntax *syntax;
  struct tiny_function *function;
  struct tiny_arena *arena;
  struct tiny_error *error;
  const struct tiny_source *source; /* of a module */
  uint32_t module;
  unsigned next, bound; /* registers in use; those of variables */
  uint32_t code_room, constant_room, line_room, try_room;
  struct tiny_variable *captures[255];
  struct tiny_loop *loop;
  struct tiny_guard *guard;
};

void tiny_fail(struct tiny_compiler *c, const struct tiny_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Emission; each function notes the node's position. */
uint32_t tiny_emit(struct tiny_compiler *c, const struct tiny_node *node, enum tiny_op op, unsigned a, unsigned b,
                   unsigned third);
/* An instruction with a name and a site of feedback. */
void tiny_emit_field(struct tiny_compiler *c, const struct tiny_node *node, enum tiny_op op, unsigned a, unsigned b,
                     uint32_t symbol);
void tiny_emit_word(struct tiny_compiler *c, uint32_t word);
uint32_t tiny_emit_wide(struct tiny_compiler *c, const struct tiny_node *node, enum tiny_op op, unsigned a,
                        uint32_t wide);
uint32_t tiny_add_constant(struct tiny_compiler *c, const struct tiny_node *node, struct tiny_constant constant);
void tiny_add_try(struct tiny_compiler *c, struct tiny_try made);
uint32_t tiny_here(const struct tiny_compiler *c);
struct tiny_jumps *tiny_jump(struct tiny_compiler *c, const struct tiny_node *node);
/* An instruction with a jump word. */
struct tiny_jumps *tiny_emit_jump(struct tiny_compiler *c, const struct tiny_node *node, enum tiny_op op, unsigned a,
                                  unsigned b, unsigned third);
void tiny_loop_to(struct tiny_compiler *c, const struct tiny_node *node, uint32_t target);
struct tiny_jumps *tiny_jumps_join(struct tiny_jumps *a, struct tiny_jumps *b);
struct tiny_jumps *tiny_jumps_add(struct tiny_compiler *c, struct tiny_jumps *jumps, uint32_t at);
void tiny_patch(struct tiny_compiler *c, struct tiny_jumps *jumps, uint32_t target);
void tiny_patch_here(struct tiny_compiler *c, struct tiny_jumps *jumps);

/* Registers. */
unsigned tiny_take(struct tiny_compiler *c, const struct tiny_node *node);
unsigned tiny_take_many(struct tiny_compiler *c, const struct tiny_node *node, unsigned count);
/* The registers up to the last one in use belong to variables from now on. */
void tiny_bind(struct tiny_compiler *c);

/* Expressions. */
void tiny_value_to(struct tiny_compiler *c, struct tiny_node *node, unsigned target);
unsigned tiny_value_in(struct tiny_compiler *c, struct tiny_node *node); /* a variable's register, or a new one */
/* Jumps if the truth of the expression is `sense`. */
struct tiny_jumps *tiny_condition(struct tiny_compiler *c, struct tiny_node *node, bool sense);
/* Makes c->function of c->syntax; `node` has its position. */
void tiny_compile_body(struct tiny_compiler *c, struct tiny_node *node);
void tiny_set_global(struct tiny_compiler *c, struct tiny_node *node, uint32_t symbol, unsigned reg,
                     bool is_definition);
void tiny_set_variable(struct tiny_compiler *c, struct tiny_node *node, struct tiny_variable *variable, unsigned reg);
void tiny_binary(struct tiny_compiler *c, struct tiny_node *node, enum tiny_token token, unsigned target, unsigned left,
                 struct tiny_node *right);
/* True if the name is of an imported module: `name.symbol` is the global. */
bool tiny_is_module(const struct tiny_compiler *c, const struct tiny_node *node, uint32_t *module);

static inline bool tiny_needs_cell(const struct tiny_variable *variable)
{
  return variable->is_captured && (variable->is_assigned || variable->is_early);
}

/* Statements. */
void tiny_statements(struct tiny_compiler *c, struct tiny_node *block);

#endif
