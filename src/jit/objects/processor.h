/* SPDX-License-Identifier: Apache-2.0
 *
 * The processors that LLVM knows.
 */
#ifndef CN_JIT_PROCESSOR_H
#define CN_JIT_PROCESSOR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The port's: features that a processor must have for this process's code, in LLVM's form. */
extern const char cn_jit_needed_features[];

/* True if LLVM makes code for the processor. Any thread, after cairn_compile_init(). */
bool cn_jit_is_processor(const char *triple, const char *cpu);

#ifdef __cplusplus
}
#endif

#endif
