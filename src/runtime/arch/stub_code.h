/* SPDX-License-Identifier: Apache-2.0
 *
 * Places in the stubs of a port, and what it tells about instructions, for code_places.c. Private to
 * src/runtime/arch.
 */
#ifndef CN_RUNTIME_ARCH_STUB_CODE_H
#define CN_RUNTIME_ARCH_STUB_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Defined by the port's stubs.S. */
extern const char cn_arch_stubs_start[], cn_arch_stubs_end[];
/* For each place where a stub makes its thread managed, three offsets from cn_arch_stubs_start: the start of the
 * transition, the instruction after the state's change, and the end of the range that a signal handler restarts. */
extern const uint32_t cn_arch_restart_ranges[], cn_arch_restart_ranges_end[];
extern const char cn_arch_body_return[], cn_arch_interrupting_return[];

/* The target of the direct call that ends at `pc`, or of the thunk at `pc`, which only jumps; 0: other code. `pc` may
 * be any value, because a program may jump to any address. */
uintptr_t cn_arch_call_target(uintptr_t pc);
uintptr_t cn_arch_thunk_target(uintptr_t pc);

/* Let the interrupted thread continue at `pc`. */
void cn_arch_set_context_pc(void *ucontext, uintptr_t pc);

#endif
