/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of a byte-code interpreter with computed jumps: a stack machine of integers finds how
 * many steps some numbers take to one, halved if they are even, else tripled and increased.
 */
#include "../programs/kernel.h"

enum operation { PUSH, COPY, DROP, SWAP, ADD, MULTIPLY, HALVE, ODD, EQUAL, IF_ZERO, JUMP, LOAD, STORE, STOP };

enum { COUNT, NUMBER, LAST };

/* Operations, each with its argument after it if it has one: a number, a variable, a target. */
static const short program[] = {
    LOAD, NUMBER, PUSH, 1, EQUAL, IF_ZERO, 9, JUMP, 35, /* 0: is it one? */
    LOAD, COUNT, PUSH, 1, ADD, STORE, COUNT,            /* 9: one step more */
    LOAD, NUMBER, COPY, ODD, IF_ZERO, 30,               /* 16 */
    PUSH, 3, MULTIPLY, PUSH, 1, ADD, JUMP, 31,          /* 22: it was odd */
    HALVE,                                              /* 30: it was even */
    STORE, NUMBER, JUMP, 0,                             /* 31 */
    LOAD, LAST, PUSH, -1, ADD, COPY, STORE, LAST,       /* 35: the next number */
    COPY, STORE, NUMBER, PUSH, 1, EQUAL, IF_ZERO, 0,    /* 43 */
    LOAD, COUNT, STOP,
};

enum { LENGTH = sizeof program / sizeof *program };

static short managed *code;
static long managed *values;
static long managed *variables;
static const volatile long last = 600;

void setup_threaded_code(void)
{
  code = bench_array(short, LENGTH);
  for (int i = 0; i < LENGTH; i++)
    code[i] = program[i];
  values = bench_array(long, 16);
  variables = bench_array(long, 3);
}

NOINLINE static long interpret(const short managed *first, long managed *top, long managed *variable)
{
  static void *const labels[] = {&&push,  &&copy, &&drop,    &&swap, &&add,  &&multiply, &&halve,
                                 &&odd,   &&equal, &&if_zero, &&jump, &&load, &&store,    &&stop};
  const short managed *pc = first;
  long other;

#define NEXT goto *labels[*pc++]
  NEXT;
push: *++top = *pc++; NEXT;
copy: top[1] = top[0], top++; NEXT;
drop: top--; NEXT;
swap: other = top[0], top[0] = top[-1], top[-1] = other; NEXT;
add: top--, top[0] += top[1]; NEXT;
multiply: top--, top[0] *= top[1]; NEXT;
halve: top[0] >>= 1; NEXT;
odd: top[0] &= 1; NEXT;
equal: top--, top[0] = top[0] == top[1]; NEXT;
if_zero: pc = *top-- ? pc + 1 : first + *pc; NEXT;
jump: pc = first + *pc; NEXT;
load: *++top = variable[*pc++]; NEXT;
store: variable[*pc++] = *top--; NEXT;
stop: return *top;
#undef NEXT
}

long kernel_threaded_code(void)
{
  variables[COUNT] = 0;
  variables[NUMBER] = variables[LAST] = last;
  return interpret(code, values, variables);
}
