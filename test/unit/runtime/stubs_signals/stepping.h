/* SPDX-License-Identifier: Apache-2.0
 *
 * A signal between any two instructions: SIGTRAP.
 */
#ifndef STEPPING_H
#define STEPPING_H

#include <stdint.h>

/* From here to step_end() the handler calls `between(pc)` before each instruction, at `pc`, outside
 * of itself; on AArch64 before each instruction of the stubs. It may leave by a siglongjmp, which
 * ends the stepping. */
void step_begin(void (*between)(uintptr_t pc));
void step_end(void);

#endif
