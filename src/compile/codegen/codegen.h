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

/* True if the runtime has a port for the triple's target. In this and the next functions, null is the host's triple. */
bool cn_codegen_has_port(const char *triple);

/* True if two triples have the same port. */
bool cn_codegen_is_same_port(const char *triple, const char *other);

/* The port's name for messages, and its folder of libraries, as clang names it; null otherwise. */
const char *cn_codegen_target_name(const char *triple);
const char *cn_codegen_library_folder(const char *triple);

/* The option of clang that names a processor in the form that LLVM knows. */
const char *cn_codegen_processor_option(const char *triple);

/* The error for a triple without a port. The caller frees it. */
char *cn_codegen_format_missing_port(const char *triple);

/* The triple as clang writes it, if front ends write another vendor; else null. The caller frees the text. */
char *cn_codegen_clang_triple(const char *triple);

/* Options for machine code. */
struct cn_machine_options {
  unsigned opt_level;   /* 0 to 3 */
  enum cairn_tier tier; /* QUICK: the code generator's lowest level */
  const char *triple;   /* if the module has none; null: the host's */
  LLVMRelocMode reloc;
  LLVMCodeModel code_model;
  const char *cpu;      /* null for the target's oldest processor */
  const char *features; /* null for those of the processor */
};

/* Makes a target machine, after cairn_compile_init(). Null if the target has no port, or LLVM no machine for it; *error
 * is then a message, which the caller frees. */
LLVMTargetMachineRef cn_codegen_make_machine(const char *triple, const struct cn_machine_options *how, char **error);

/* The code model of the module's flag "Code Model"; the default without a flag. */
LLVMCodeModel cn_codegen_model_of(LLVMModuleRef module);

/* Gives the machine's triple and data layout to a module that lacks them. False if the module has a layout that differs
 * in more than the integrality of references; *error is then a message, which the caller frees. */
bool cn_codegen_complete_target(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                const struct cairn_compile_options *options, char **error);

/* ---- functions.c ---- */

/* Gives the attribute `uwtable` to all definitions with a gc strategy, because frame maps are made from call-frame
 * information, and on some targets frame pointers. Functions that Cairn made get the module's landing pads. */
void cn_codegen_describe_frames(LLVMModuleRef module);

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
