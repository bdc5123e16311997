/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps between the pipeline and LLVM's code generator, for all drivers: target machines, and the properties of
 * modules and functions that the code generator reads. Private to src.
 */
#ifndef CN_COMPILE_CODEGEN_CODEGEN_H
#define CN_COMPILE_CODEGEN_CODEGEN_H

#include <stdbool.h>
#include <llvm-c/TargetMachine.h>
#include <cairn/compile.h>

/* ---- machine.c ---- */

/* Options for machine code. */
struct cn_machine_options {
  unsigned opt_level;   /* 0 to 3 */
  enum cairn_tier tier; /* QUICK: the code generator's lowest level */
  LLVMRelocMode reloc;
  LLVMCodeModel code_model;
  const char *cpu;      /* null for the target's oldest processor */
  const char *features; /* null for those of the processor */
};

/* Makes a target machine, after cairn_compile_init(). Null if LLVM lacks one; *error is then a message, which the
 * caller frees. */
LLVMTargetMachineRef cn_codegen_make_machine(const char *triple, const struct cn_machine_options *how, char **error);

/* The code model of the module's flag "Code Model"; the default without a flag. */
LLVMCodeModel cn_codegen_model_of(LLVMModuleRef module);

/* Gives the machine's triple and data layout to a module that lacks them. False if the module has a layout that differs
 * in more than the integrality of references; *error is then a message, which the caller frees. */
bool cn_codegen_complete_target(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                const struct cairn_compile_options *options, char **error);

/* ---- functions.c ---- */

/* Gives the attribute `uwtable` to all definitions with a gc strategy: frame maps are made from call-frame
 * information. */
void cn_codegen_request_unwind_tables(LLVMModuleRef module);

/* Chooses the strategy that costs the code generator the least time. */
void cn_codegen_choose_strategy(LLVMModuleRef module);

/* The first definition with a gc strategy that Cairn and the options lack, or null. The code generator ends the process
 * at a strategy that LLVM lacks. */
LLVMValueRef cn_codegen_find_unknown_strategy(LLVMModuleRef module, const struct cairn_compile_options *options);

/* ---- structors.c ---- */

/* Replaces llvm.global_ctors and llvm.global_dtors of the module by pointers in .init_array and .fini_array. Must be
 * called just before code generation. */
void cn_structors_place_in_arrays(LLVMModuleRef module);

#endif
