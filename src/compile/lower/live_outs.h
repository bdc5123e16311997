/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of the registers that are live after patchpoints. Private to src/compile.
 */
#ifndef CN_COMPILE_LOWER_LIVE_OUTS_H
#define CN_COMPILE_LOWER_LIVE_OUTS_H

#include <stdbool.h>

/* Tell pass check-live-outs if LLVM makes the lists (cairn_compile_live_outs()). At first it makes none. */
void cn_live_outs_set_wanted(bool wanted);

#endif
