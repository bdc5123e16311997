/* SPDX-License-Identifier: Apache-2.0
 *
 * Throws exceptions of a language (<cairn/exceptions.h>).
 */
#ifndef CN_DEOPT_THROW_H
#define CN_DEOPT_THROW_H

#include <stdint.h>
#include <cairn/status.h>
#include "runtime/arch/arch.h"

/* Called by the stub cairn_throw() with the callee-saved registers that it saved: fills *transfer to go on at the
 * landing pad. After a failure the registers are up to date. May collect. */
enum cairn_status cn_throw_from_managed(uint64_t key, uintptr_t exception, const struct cn_saved_regs *regs,
                                        struct cn_transfer *transfer);

/* Free the calling thread's data at its end. */
void cn_throw_free(void);

#endif
