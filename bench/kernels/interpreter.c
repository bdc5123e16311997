/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a byte-code interpreter with a switch: a register machine with tagged values sums up a
 * polynomial over a rectangle.
 */
#include "../programs/kernel.h"

enum { SET, MOVE, ADD, SUBTRACT, MULTIPLY, SHIFT, JUMP_IF_LESS, JUMP, STOP };
enum tag { NOTHING, INTEGER };

struct instruction {
  unsigned char operation, a, b, c;
};

struct value {
  long tag, integer;
};

enum { X, Y, WIDTH, HEIGHT, ONE, SUM, T, REGISTERS };

/* A jump's target is in the word after it. */
static const struct instruction program[] = {
    {SET, SUM, 0, 0},
    {SET, Y, 0, 0},
    {JUMP, 0, 0, 0},
    {0, 14, 0, 0},
    {SET, X, 0, 0},                                 /* 4: for each x */
    {MULTIPLY, T, X, X},                            /* 5:   t = (x * x - y) * x / 4 + y */
    {SUBTRACT, T, T, Y},
    {MULTIPLY, T, T, X},
    {SHIFT, T, T, 2},
    {ADD, T, T, Y},
    {ADD, SUM, SUM, T},                             /* 10:  sum += t */
    {ADD, X, X, ONE},
    {JUMP_IF_LESS, X, WIDTH, 0},
    {0, 5, 0, 0},
    {ADD, Y, Y, ONE},                               /* 14: for each y from 1 on */
    {JUMP_IF_LESS, Y, HEIGHT, 0},
    {0, 4, 0, 0},
    {MOVE, T, SUM, 0},
    {STOP, T, 0, 0},
};

static struct instruction managed *code;
static struct value managed *registers;
static const volatile long height = 1200;

void setup_interpreter(void)
{
  code = bench_array(struct instruction, (long)(sizeof program / sizeof *program));
  for (unsigned long i = 0; i < sizeof program / sizeof *program; i++)
    code[i] = program[i];
  registers = bench_array(struct value, REGISTERS);
}

/* The value of a register, which must be an integer; nothing else is. */
static long integer(const struct value managed *r, unsigned i)
{
  return r[i].tag == INTEGER ? r[i].integer : 0;
}

static void set(struct value managed *r, unsigned i, long integer)
{
  r[i].tag = INTEGER;
  r[i].integer = integer;
}

NOINLINE static long interpret(const struct instruction managed *first, struct value managed *r)
{
  const struct instruction managed *pc = first;

  for (;;) {
    struct instruction i = *pc++;
    switch (i.operation) {
    case SET: set(r, i.a, i.b); break;
    case MOVE: r[i.a] = r[i.b]; break;
    case ADD: set(r, i.a, integer(r, i.b) + integer(r, i.c)); break;
    case SUBTRACT: set(r, i.a, integer(r, i.b) - integer(r, i.c)); break;
    case MULTIPLY: set(r, i.a, integer(r, i.b) * integer(r, i.c)); break;
    case SHIFT: set(r, i.a, integer(r, i.b) >> i.c); break;
    case JUMP_IF_LESS: pc = integer(r, i.a) < integer(r, i.b) ? first + pc->a : pc + 1; break;
    case JUMP: pc = first + pc->a; break;
    default: return integer(r, i.a);
    }
  }
}

long kernel_interpreter(void)
{
  set(registers, WIDTH, 40);
  set(registers, HEIGHT, height);
  set(registers, ONE, 1);
  return interpret(code, registers);
}
