/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells debuggers and profilers about loaded code. Each function is called in phase MUTATE, by the thread
 * that holds CN_LOCK_CODE.
 */
#ifndef CN_RUNTIME_CODE_TOOLS_H
#define CN_RUNTIME_CODE_TOOLS_H

#include "runtime/code/names.h"

/* debugger.c: make the entry of GDB's interface that refers to the code's debug file, if it has one, and withdraw it.
 */
void cn_debugger_add(struct cairn_named_code *named);
void cn_debugger_remove(struct cairn_named_code *named);

/* profiler.c: write the code's names, and the code, to the files that CAIRN_CODE asks for. */
void cn_profiler_add(const struct cairn_named_code *named);

#endif
