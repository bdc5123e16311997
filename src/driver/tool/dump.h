/* SPDX-License-Identifier: Apache-2.0
 *
 * What `cairn opt` prints and checks after each pass. Private to src/driver/tool.
 */
#ifndef CN_DRIVER_TOOL_DUMP_H
#define CN_DRIVER_TOOL_DUMP_H

#include <cairn/compile.h>
#include "base/vector.h"

struct cn_dump {
  CN_VECTOR(const char *) after; /* --print-after: names of passes, or "all" */
  bool changed;                  /* --print-changed */
  bool verify;                   /* --verify-each */
};

/* Does any of it look at single passes? Then no two of them may run as one. */
bool cn_dump_is_wanted(const struct cn_dump *dump);

/* Before a pass: what cn_dump_after() compares the module with; null if nothing does. The caller
 * hands it to cn_dump_after(). */
LLVMModuleRef cn_dump_before(const struct cn_dump *dump, LLVMModuleRef module);

/* After `pass`: print on standard error what is wished for, and dispose of `before`. */
void cn_dump_after(const struct cn_dump *dump, const char *pass, LLVMModuleRef before,
                   LLVMModuleRef module);

/* verify-safepoints on a copy of `module`, if it has statepoints. False after messages, the last of
 * which names `pass`. */
bool cn_dump_verify(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pass,
                    const struct cairn_compile_options *options);

#endif
