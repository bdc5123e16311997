/* SPDX-License-Identifier: Apache-2.0
 *
 * Random functions of loops, for the differential test of what is done to them (loops.c).
 */
#ifndef CN_TEST_LOOPS_MAKE_H
#define CN_TEST_LOOPS_MAKE_H

#include <stdint.h>
#include <llvm-c/Core.h>

/* What a function is called with: two objects of CN_CELLS i64 each, and numbers. */
enum { CN_CELLS = 64 };

/* A module of managed functions `i64 f<N>(ref a, ref b, i64 n, i64 k, i32 m)` for N from `first` on, the same for the
 * same N, for the machine of cn_random_machine(). Their variables (integers of three widths, floating-point numbers,
 * vectors, references to cells of the objects) lag behind each other, swap and rotate; loops count
 * or do not, nest, have several exits and latches, or are none (irreducible). All end, by fuel or
 * by counting, within 2^24 trips. LLVM's passes have made values of the variables, and more of the
 * functions: rotated, in LCSSA form, hoisted, by N. */
LLVMModuleRef cn_loops_make(LLVMContextRef llvm, uint64_t first, uint64_t count);

#endif
