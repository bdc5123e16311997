/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints and checks the module after each pass of `cairn opt`.
 */
#ifndef CN_DRIVER_TOOL_PASS_DUMP_H
#define CN_DRIVER_TOOL_PASS_DUMP_H

#include <cairn/compile.h>
#include "base/vector.h"

struct cn_pass_dump {
  CN_VECTOR(const char *) after; /* arguments of --print-after: names of passes, or "all" */
  bool changed;                  /* --print-changed */
  bool verify;                   /* --verify-each */
};

/* True if an option applies to single passes, so that each pass must run alone. */
bool cn_pass_dump_is_wanted(const struct cn_pass_dump *dump);

/* Must be called before a pass. Returns a copy of the module for the comparison in cn_pass_dump_print_after(), which
 * takes ownership of the copy; null if no option needs a comparison. */
LLVMModuleRef cn_pass_dump_copy_before(const struct cn_pass_dump *dump, LLVMModuleRef module);

/* Must be called after `pass`. Prints the texts that the options request on standard error, and frees `before`. */
void cn_pass_dump_print_after(const struct cn_pass_dump *dump, const char *pass, LLVMModuleRef before,
                              LLVMModuleRef module);

/* Run verify-safepoints on a copy of `module` if the module has statepoints. False after messages; the last message
 * names `pass`. */
bool cn_pass_dump_verify_module(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pass,
                                const struct cairn_compile_options *options);

#endif
