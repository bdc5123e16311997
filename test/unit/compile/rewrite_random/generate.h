/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules for rewrite_random.c.
 */
#ifndef CN_TEST_GENERATE_H
#define CN_TEST_GENERATE_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

/* A module with one managed function, `void f(ref, ref, ref)`, and declarations of what it calls;
 * the same for the same seed. Its shape: up to nine blocks that end in any branch, references,
 * pairs, vectors, a local whose address is taken. */
LLVMModuleRef cn_generate_module(LLVMContextRef llvm, uint64_t seed);

/* Is the third parameter "cairn-immovable" in that module? */
bool cn_generate_pinned(uint64_t seed);

/* Run LLVM's passes; the test fails if they do. */
void cn_generate_run(LLVMModuleRef module, const char *passes);

#endif
