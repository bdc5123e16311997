/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of an activation of the interpreter, and the forms of instructions. Managed C; an
 * activation belongs to its thread.
 *
 * INSTRUCTION(NAME) { ... } is the code of an instruction of bytecode.def, which run() of interpret.c contains. Its
 * result tells how to go on. The operands are the registers A, B, C, and the fields of s->word.
 */
#ifndef TINY_INTERPRETER_ACTIVATION_H
#define TINY_INTERPRETER_ACTIVATION_H

#include "tiny/core/object.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Of helpers of instructions: part of run(), or a function that run() calls in rare cases. */
#define INLINE static inline __attribute__((always_inline))
#define RARE static __attribute__((noinline))

enum step {
  NEXT,          /* the next instruction */
  NEXT_RARE,     /* the same, after a call: rare paths share one jump, and the others have each their own */
  AGAIN,         /* the instruction has another opcode now */
  COUNT_LOOP,    /* a jump back */
  CALL_CLOSURE,  /* calls of `callee`: the arguments begin at the register window + 2 + flag */
  CALL_METHOD,   /* a closure or a native */
  CALL_VALUE,    /* anything */
  CALL_DONE,     /* `result` is that of the call at `window` */
  RETURN_RESULT, /* from the current function */
  THROW_RESULT,  /* the same, with the exception that is on its way */
  THROWN,        /* the instruction threw */
  BROKEN,        /* a register has a value that the compiler never puts there */
  LEAVE,         /* the activation ends with `result` */
};

struct activation {
  value *registers; /* of the current function */
  value *limit;     /* of the array of registers */
  uint32_t *pc;     /* behind the word of the instruction */
  uint32_t word;    /* of the instruction */
  uint32_t *feedback;
  value managed *constants;
  /* A call. The flag: the callee is no method. */
  value callee, result;
  unsigned window, given, flag;
};

#define INSTRUCTION(name) INLINE enum step run_##name(struct activation *s)
/* An instruction whose code is one expression. */
#define SHORT_INSTRUCTION(name, step) \
  INSTRUCTION(name) \
  { \
    return (step); \
  }

#define R (s->registers)
#define A R[TINY_A(s->word)]
#define B R[TINY_B(s->word)]
#define C R[TINY_C(s->word)]

/* Goes on with the next instruction; this one has `words` extension words. */
INLINE enum step next(struct activation *s, uint32_t words)
{
  s->pc += words;
  return NEXT;
}

INLINE enum step next_rare(struct activation *s, uint32_t words)
{
  s->pc += words;
  return NEXT_RARE;
}

/* a = v; TINY_THROWN is an exception. */
INLINE enum step set(struct activation *s, value v, uint32_t words)
{
  if (unlikely(tiny_is_thrown(v)))
    return THROWN;
  A = v;
  return next_rare(s, words);
}

/* The end of an instruction with a jump word. */
INLINE enum step jump_if(struct activation *s, bool condition)
{
  if (condition)
    s->pc += (int32_t)*s->pc;
  return next(s, 1);
}

INLINE enum step rewrite(struct activation *s, enum tiny_op op)
{
  s->pc[-1] = s->word = (s->word & ~(uint32_t)255) | op;
  return AGAIN;
}

INLINE void enter_function(struct activation *s, value closure)
{
  struct tiny_closure managed *entered = tiny_closure_of(closure);

  s->constants = entered->constants;
  s->feedback = entered->function->feedback;
}

#endif
