/* SPDX-License-Identifier: Apache-2.0
 *
 * Emission of byte code: words, positions, constants, jumps, registers. Native code; the state is the caller's struct
 * tiny_compiler. Exhausted memory ends the program with a message.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny/front/compiler.h"

enum { MAX_WORDS = 1 << 22, MAX_CONSTANTS = 1 << 16 };

void tiny_fail(struct tiny_compiler *c, const struct tiny_node *node, const char *format, ...)
{
  va_list arguments;

  if (c->error->failed)
    return;
  va_start(arguments, format);
  vsnprintf(c->error->text, sizeof c->error->text, format, arguments);
  va_end(arguments);
  c->error->failed = true;
  c->error->line = node->line;
  c->error->column = node->column;
}

/* Makes room for one more element. */
static void *grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
  if (count < *room)
    return array;
  *room = *room ? 2 * *room : 16;
  return tiny_allocate(array, *room, size);
}

uint32_t tiny_here(const struct tiny_compiler *c)
{
  return c->function->words;
}

void tiny_emit_word(struct tiny_compiler *c, uint32_t word)
{
  struct tiny_function *f = c->function;

  f->code = grow(f->code, f->words, &c->code_room, sizeof *f->code);
  f->code[f->words++] = word;
}

static void note_line(struct tiny_compiler *c, const struct tiny_node *node)
{
  struct tiny_function *f = c->function;
  struct tiny_line *last = f->line_count ? &f->lines[f->line_count - 1] : NULL;

  if (last && last->line == node->line && last->column == node->column)
    return;
  f->lines = grow(f->lines, f->line_count, &c->line_room, sizeof *f->lines);
  f->lines[f->line_count++] = (struct tiny_line){f->words, node->line, node->column};
}

static uint32_t emit(struct tiny_compiler *c, const struct tiny_node *node, uint32_t word)
{
  uint32_t at = tiny_here(c);

  if (at > MAX_WORDS)
    tiny_fail(c, node, "the function is too large");
  note_line(c, node);
  tiny_emit_word(c, word);
  return at;
}

uint32_t tiny_emit(struct tiny_compiler *c, const struct tiny_node *node, enum tiny_op op, unsigned a, unsigned b,
                   unsigned third)
{
  return emit(c, node, (uint32_t)op | a << 8 | b << 16 | third << 24);
}

uint32_t tiny_emit_wide(struct tiny_compiler *c, const struct tiny_node *node, enum tiny_op op, unsigned a,
                        uint32_t wide)
{
  if (wide >= 1 << 16)
    tiny_fail(c, node, "the program has too many globals");
  return emit(c, node, (uint32_t)op | a << 8 | wide << 16);
}

static bool is_same_constant(const struct tiny_constant *a, const struct tiny_constant *b)
{
  return a->kind == b->kind && a->kind != TINY_CONSTANT_FUNCTION && a->integer == b->integer;
}

uint32_t tiny_add_constant(struct tiny_compiler *c, const struct tiny_node *node, struct tiny_constant constant)
{
  struct tiny_function *f = c->function;
  uint32_t recent = f->constant_count > 64 ? f->constant_count - 64 : 0;

  for (uint32_t i = recent; i < f->constant_count; i++)
    if (is_same_constant(&f->constants[i], &constant))
      return i;
  if (f->constant_count == MAX_CONSTANTS) {
    tiny_fail(c, node, "the function has too many constants");
    return 0;
  }
  f->constants = grow(f->constants, f->constant_count, &c->constant_room, sizeof *f->constants);
  f->constants[f->constant_count] = constant;
  return f->constant_count++;
}

void tiny_add_try(struct tiny_compiler *c, struct tiny_try made)
{
  struct tiny_function *f = c->function;

  if (made.start == made.end)
    return;
  f->tries = grow(f->tries, f->try_count, &c->try_room, sizeof *f->tries);
  f->tries[f->try_count++] = made;
}

/* ---- jumps ---- */

struct tiny_jumps *tiny_jumps_add(struct tiny_compiler *c, struct tiny_jumps *jumps, uint32_t at)
{
  struct tiny_jumps *made = tiny_arena_take(c->arena, sizeof *made);

  made->at = at;
  made->next = jumps;
  return made;
}

struct tiny_jumps *tiny_jumps_join(struct tiny_jumps *a, struct tiny_jumps *b)
{
  struct tiny_jumps **end = &a;

  while (*end)
    end = &(*end)->next;
  *end = b;
  return a;
}

struct tiny_jumps *tiny_jump(struct tiny_compiler *c, const struct tiny_node *node)
{
  return tiny_jumps_add(c, NULL, tiny_emit(c, node, TINY_OP_JUMP, 0, 0, 0));
}

struct tiny_jumps *tiny_emit_jump(struct tiny_compiler *c, const struct tiny_node *node, enum tiny_op op, unsigned a,
                                  unsigned b, unsigned third)
{
  uint32_t at = tiny_emit(c, node, op, a, b, third);

  tiny_emit_word(c, 0);
  return tiny_jumps_add(c, NULL, at);
}

static void patch_one(struct tiny_compiler *c, uint32_t at, uint32_t target)
{
  uint32_t *word = &c->function->code[at];
  bool is_short = tiny_op_rows[*word & 255].operand[0] == TINY_OPERAND_JUMP24;
  int32_t offset = (int32_t)(target - at) - (is_short ? 1 : 2);

  if (is_short)
    *word = (*word & 255) | (uint32_t)offset << 8;
  else
    word[1] = (uint32_t)offset;
}

void tiny_patch(struct tiny_compiler *c, struct tiny_jumps *jumps, uint32_t target)
{
  for (; jumps; jumps = jumps->next)
    patch_one(c, jumps->at, target);
}

void tiny_patch_here(struct tiny_compiler *c, struct tiny_jumps *jumps)
{
  tiny_patch(c, jumps, tiny_here(c));
}

void tiny_loop_to(struct tiny_compiler *c, const struct tiny_node *node, uint32_t target)
{
  patch_one(c, tiny_emit(c, node, TINY_OP_LOOP, 0, 0, 0), target);
}

/* ---- registers ---- */

unsigned tiny_take_many(struct tiny_compiler *c, const struct tiny_node *node, unsigned count)
{
  unsigned first = c->next;

  if (c->next + count > TINY_MAX_REGISTERS) {
    tiny_fail(c, node, "the function has too many variables, or an expression is too complex");
    return 0;
  }
  c->next += count;
  if (c->next > c->function->registers)
    c->function->registers = (uint8_t)c->next;
  return first;
}

unsigned tiny_take(struct tiny_compiler *c, const struct tiny_node *node)
{
  return tiny_take_many(c, node, 1);
}

void tiny_bind(struct tiny_compiler *c)
{
  c->bound = c->next;
}
