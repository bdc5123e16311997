/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of make.h as machine code.
 */
#ifndef CN_TEST_LOOPS_EXECUTE_H
#define CN_TEST_LOOPS_EXECUTE_H

#include <llvm-c/Core.h>
#include "random/loops/interpret.h"

/* True if functions for the machine of random modules can be executed here. */
bool cn_loops_can_execute(void);

/* Compile the functions of `plain` as they are, at -O0, and those of `done`, whose polls call what
 * always comes back, at -O1; load both. Names of what is not there afterwards start with `stem`, a
 * path. */
struct cn_loops_loaded;
struct cn_loops_loaded *cn_loops_load(LLVMModuleRef plain, LLVMModuleRef done, const char *stem);
void cn_loops_unload(struct cn_loops_loaded *loaded);

void cn_loops_execute(const struct cn_loops_loaded *loaded, uint64_t number, bool done,
                      struct cn_loop_always_runs_block *run);

#endif
