/* SPDX-License-Identifier: Apache-2.0
 *
 * What the drivers share: messages, reading and writing modules, target machines, output files.
 *
 * Functions that can fail say why on stderr and return false or null.
 */
#ifndef CN_DRIVER_TOOL_H
#define CN_DRIVER_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/compile.h>

/* The name that messages begin with; main() sets it. */
extern const char *cn_tool_name;

/* "name: error: text". */
void cn_tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A diagnostics handler that prints "file:line:col: error: message [rule]" to stderr as clang does.
 * Where there is no source position, `env`, the module's path, stands for it; null: the tool's
 * name. */
void cn_tool_diagnose(void *env, const struct cairn_diagnostic *diagnostic);

/* "--version" of every tool. */
void cn_tool_print_version(void);

/* ---- modules (module.c) ---- */

/* Read .ll or .bc from `path` ("-": standard input), with LLVM's verifier run on it. Input is
 * hostile: whatever is wrong with it is a message that names the file, and the line if it is text.
 * Null: refused. */
LLVMModuleRef cn_module_read(LLVMContextRef context, const char *path);

/* The same of what our own front end wrote, which is taken to be sound. */
LLVMModuleRef cn_module_read_own(LLVMContextRef context, const char *path);

/* cairn_import_functions() from the module at `path`; false after a message. */
bool cn_module_import(LLVMModuleRef module, const char *path);

/* probe.c: does LLVM's reader live through it? False after a message. */
bool cn_probe_survives(LLVMMemoryBufferRef buffer, const char *path);

/* How many errors LLVM reported since a module was read: code generation has no other way to say
 * that, for instance, inline assembly is wrong. Its messages name the file that was read, or the
 * one set here. */
unsigned cn_module_errors(void);
void cn_module_name(const char *path);

/* LLVM's verifier; `what` says in the message whose fault a broken module is. */
bool cn_module_check(LLVMModuleRef module, const char *path, const char *what);

/* Write text or bitcode to `path` ("-": standard output). */
bool cn_module_write(LLVMModuleRef module, const char *path, bool text);

/* How machine code is to be made. */
struct cn_machine {
  unsigned opt_level; /* 0 to 3 */
  LLVMRelocMode reloc;
  LLVMCodeModel code_model;
  const char *cpu; /* null: the target's least */
};

/* Has the runtime a port for the module's triple, or the host's where it has none? */
bool cn_module_is_ported(LLVMModuleRef module);

/* A target machine for the module's triple, or the host's where it has none. cairn_compile_init()
 * was called. */
LLVMTargetMachineRef cn_module_machine(LLVMModuleRef module, const char *path,
                                       const struct cn_machine *how);

/* ---- files (output.c) ---- */

/* Write a file as compilers do: a new file beside it renamed over it, so that no reader sees half
 * of it and a failure leaves the old one. "-": standard output. What is no regular file (/dev/null)
 * is written to as it is. */
bool cn_output_write(const char *path, const void *bytes, size_t size);

/* Remove a regular file, if there is one. */
void cn_output_remove(const char *path);

/* ---- subcommands of `cairn`: argv[0] is the subcommand ---- */
int cn_opt_main(int argc, char **argv);
int cn_verify_main(int argc, char **argv);
int cn_stackmap_main(int argc, char **argv);
int cn_frames_main(int argc, char **argv);
int cn_size_main(int argc, char **argv);

/* Exit statuses. */
enum { CN_EXIT_OK = 0, CN_EXIT_FAILED = 1, CN_EXIT_USAGE = 2 };

#endif
