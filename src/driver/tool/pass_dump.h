/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints and checks the module after each pass of `cairn opt`.
 */
#ifndef CN_DRIVER_TOOL_PASS_DUMP_H
#define CN_DRIVER_TOOL_PASS_DUMP_H

#include <cairn/compile.h>
#include "base/vector.h"

struct cn_pass_dump {
  CN_VECTOR(const char *) after; /* --print-after: names of passes, or "all" */
  bool changed;                  /* --print-changed */
  bool verify;                   /* --verify-each */
};

/* True if an option is about single passes. Then each pass must run alone. */
bool cn_pass_dump_is_wanted(const struct cn_pass_dump *dump);

/* Call it before a pass. Returns the module that cn_pass_dump_print_after(), which takes ownership, compares the new
 * one with; null if the options ask for no comparison. */
LLVMModuleRef cn_pass_dump_copy_before(const struct cn_pass_dump *dump, LLVMModuleRef module);

/* Call it after `pass`: prints on standard error the texts that the options ask for, and frees `before`. */
void cn_pass_dump_print_after(const struct cn_pass_dump *dump, const char *pass, LLVMModuleRef before,
                              LLVMModuleRef module);

/* Run verify-safepoints on a copy of `module`, if it has statepoints. False after messages; the last one names
 * `pass`. */
bool cn_pass_dump_verify_module(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *pass,
                                const struct cairn_compile_options *options);

#endif
