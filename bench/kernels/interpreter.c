/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a byte-code interpreter with a switch: a stack machine counts the steps of Collatz's
 * sequences.
 */
#include "kernel.h"

enum { PUSH, LOAD, STORE, ADD, MULTIPLY, HALVE, ODD, LESS, JUMP, JUMP_IF_ZERO, STOP };

/* Variable 0 is the number, 1 the current value, 2 the steps, 3 the limit. */
static const unsigned char program[] = {
    PUSH, 1, STORE, 0,                     /*  0: number = 1 */
    LOAD, 0, LOAD, 3, LESS,                /*  4: while number < limit */
    JUMP_IF_ZERO, 60,                      /*  9 */
    LOAD, 0, STORE, 1,                     /* 11:   value = number */
    PUSH, 1, LOAD, 1, LESS,                /* 15:   while 1 < value */
    JUMP_IF_ZERO, 51,                      /* 20 */
    LOAD, 2, PUSH, 1, ADD, STORE, 2,       /* 22:     steps++ */
    LOAD, 1, ODD,                          /* 29:     if value is odd */
    JUMP_IF_ZERO, 44,                      /* 32 */
    LOAD, 1, PUSH, 3, MULTIPLY,            /* 34:       value = 3 value + 1 */
    PUSH, 1, ADD, JUMP, 47,                /* 39 */
    LOAD, 1, HALVE,                        /* 44:     else value /= 2 */
    STORE, 1, JUMP, 15,                    /* 47 */
    LOAD, 0, PUSH, 1, ADD, STORE, 0,       /* 51:   number++ */
    JUMP, 4,                               /* 58 */
    LOAD, 2, STOP,                         /* 60: the result is steps */
};

static unsigned char managed *code;
static long managed *memory;
static const volatile long limit = 600;

void setup_interpreter(void)
{
  code = bench_array(unsigned char, (long)sizeof program);
  for (unsigned long i = 0; i < sizeof program; i++)
    code[i] = program[i];
  memory = bench_array(long, 32);
}

NOINLINE static long interpret(const unsigned char managed *bytes, long managed *variables)
{
  const unsigned char managed *pc = bytes;
  long managed *top = variables + 8;

  for (;;)
    switch (*pc++) {
    case PUSH: *top++ = *pc++; break;
    case LOAD: *top++ = variables[*pc++]; break;
    case STORE: variables[*pc++] = *--top; break;
    case ADD: top--; top[-1] += *top; break;
    case MULTIPLY: top--; top[-1] *= *top; break;
    case HALVE: top[-1] /= 2; break;
    case ODD: top[-1] &= 1; break;
    case LESS: top--; top[-1] = top[-1] < *top; break;
    case JUMP: pc = bytes + *pc; break;
    case JUMP_IF_ZERO: pc = *--top ? pc + 1 : bytes + *pc; break;
    default: return top[-1];
    }
}

long kernel_interpreter(void)
{
  memory[2] = 0;
  memory[3] = limit;
  return interpret(code, memory);
}
