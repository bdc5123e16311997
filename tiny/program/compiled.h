/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiers of compiled code, as the program's main sees them (compiled.c).
 */
#ifndef TINY_COMPILED_H
#define TINY_COMPILED_H

#include <stdbool.h>
#include <stdint.h>
#include "tiny/code/bytecode.h"
#include "tiny/core/value.h"

struct tiny_jit_options {
  uint32_t threshold; /* calls before a function is compiled; loops: 16 times as many iterations */
  uint32_t torture;   /* a guard of about so many fails by chance; 0: never */
  bool stats, trace, trace_deopt, dump_ir;
  bool at_once; /* compile on the program's thread */
};

/* Sets the hooks, which open the compiler at the first request. */
void tiny_jit_begin(const struct tiny_jit_options *options);

/* The result of compiled code, or of a stub that it calls, which ends by the exception that is on its way
 * (compiled_unwind.c): THROWN, if the call that returns to the address tests it; else the function does not return. */
value tiny_jit_unwind(const void *return_address);

/* Counts the installations of code. */
extern uint64_t tiny_code_epoch;

/* An exception with this number has passed the call at a word of the function, in the compiled code of `root`. Native
 * code. */
void tiny_jit_pass(uint64_t exception, struct tiny_function *root, struct tiny_function *function, uint32_t at);

/* Ends compilation, and prints the statistics; before the process ends, because LLVM's destructors run then. Any
 * thread; only the first call counts. */
void tiny_jit_end(void);

#endif
