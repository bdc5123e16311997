/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiers of compiled code, as the program's main sees them (compiled.c).
 */
#ifndef TINY_COMPILED_H
#define TINY_COMPILED_H

#include <stdbool.h>
#include <stdint.h>

struct tiny_jit_options {
  uint32_t threshold; /* calls before a function is compiled; loops: 16 times as many iterations */
  uint32_t torture;   /* a guard of about so many fails by chance; 0: never */
  bool stats, trace, trace_deopt, dump_ir;
  bool at_once; /* compile on the program's thread */
};

/* Sets the hooks, which open the compiler at the first request. */
void tiny_jit_begin(const struct tiny_jit_options *options);

/* Waits for compilations, and prints the statistics. */
void tiny_jit_end(void);

#endif
