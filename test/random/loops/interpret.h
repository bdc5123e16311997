/* SPDX-License-Identifier: Apache-2.0
 *
 * An interpreter of what make.h makes and what is made of that, on real memory.
 */
#ifndef CN_TEST_LOOPS_INTERPRET_H
#define CN_TEST_LOOPS_INTERPRET_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include "random/loops/make.h"

/* What a function is called with, and what it makes of it. */
struct cn_loop_always_runs_block {
  int64_t a[CN_CELLS], b[CN_CELLS], n, k;
  int32_t m;
  int64_t result;
};
enum { CN_LOOPS_INPUTS = 4 };
/* The inputs numbered `input`. */
void cn_loops_input(struct cn_loop_always_runs_block *run, unsigned input);
bool cn_loops_same(const struct cn_loop_always_runs_block *one, const struct cn_loop_always_runs_block *other);

enum cn_loops_how {
  CN_LOOPS_RAN,
  CN_LOOPS_LONG,    /* it takes too many steps */
  CN_LOOPS_UNKNOWN, /* an instruction that the interpreter does not have */
};

/* How often polls and statepoints were met: a test in which nothing moves would prove nothing. */
struct cn_loops_met {
  uint64_t polls, moves;
};

/* A function that is ready to run. */
struct cn_loops_code;
struct cn_loops_code *cn_loops_decode(LLVMValueRef function);
void cn_loops_forget(struct cn_loops_code *code);
/* How many loops and other cycles it has. */
uint64_t cn_loops_count(const struct cn_loops_code *code);
/* The first instruction that the interpreter does not have, or null. */
LLVMValueRef cn_loops_unknown(const struct cn_loops_code *code);

/* Run it, for `steps` operations at most. Polls are asked for each time. At each statepoint the
 * objects move, and where they were is overwritten. */
enum cn_loops_how cn_loops_interpret(const struct cn_loops_code *code, uint64_t steps,
                                     struct cn_loop_always_runs_block *run, struct cn_loops_met *met);

#endif
