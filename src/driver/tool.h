/* SPDX-License-Identifier: Apache-2.0
 *
 * Serves all drivers: messages, reading and writing modules, target machines, output files.
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
void cn_tool_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A diagnostics handler that prints "file:line:col: error: message [rule]" to stderr as clang does. `env` is the
 * module's path, which stands in for a missing source position; if it is null, the tool's name stands in. */
void cn_tool_print_diagnostic(void *env, const struct cairn_diagnostic *diagnostic);

/* Like cn_tool_print_diagnostic(), for a module that a program wrote as IR: with the instruction, and the form in IR of
 * the message's words of managed C. */
void cn_tool_print_ir_diagnostic(const char *path, const struct cairn_diagnostic *diagnostic);

/* Print the --version text that all tools share. */
void cn_tool_print_version(void);

/* ---- modules (module.c) ---- */

/* Read .ll or .bc from `path` ("-": standard input) and run LLVM's verifier on it. Input is hostile: a message names
 * the file and the fault, and the line if the file is text. Null: refused. */
LLVMModuleRef cn_module_read(LLVMContextRef context, const char *path);

/* Like cn_module_read(), for bitcode that our own front end wrote: without the verifier. */
LLVMModuleRef cn_module_read_trusted(LLVMContextRef context, const char *path);

/* cairn_import_functions() from the module at `path`; false after a message. */
bool cn_module_import_functions(LLVMModuleRef module, const char *path);

/* probe.c: true if LLVM's reader survives the bytes. False after a message. */
bool cn_probe_reader_survives(LLVMMemoryBufferRef buffer, const char *path);

/* The number of errors that LLVM reported since a module was read. Code generation reports, for instance, wrong inline
 * assembly only in this way. Messages name the file that was read, or the one set with cn_module_set_message_path(). */
unsigned cn_module_error_count(void);
void cn_module_set_message_path(const char *path);

/* Run LLVM's verifier. `what` says in the message whose fault a broken module is. */
bool cn_module_verify(LLVMModuleRef module, const char *path, const char *what);

/* Write text or bitcode to `path` ("-": standard output). */
bool cn_module_write(LLVMModuleRef module, const char *path, bool text);

/* Options for machine code. */
struct cn_machine_options {
  unsigned opt_level; /* 0 to 3 */
  LLVMRelocMode reloc;
  LLVMCodeModel code_model;
  const char *cpu; /* null: the target's least */
};

/* True if the runtime has a port for the module's triple, or for the host's if the module has no triple. */
bool cn_module_has_port(LLVMModuleRef module);

/* Make a target machine for the module's triple, or for the host's if it has no triple. Call cairn_compile_init()
 * before. */
LLVMTargetMachineRef cn_module_make_machine(LLVMModuleRef module, const char *path,
                                            const struct cn_machine_options *how);

/* ---- files (output.c) ---- */

/* Write a file as compilers do: write a new file beside it and rename that, so that readers see a complete file and a
 * failure leaves the old one. "-": standard output. Files of other kinds than regular ones (/dev/null) are written to
 * in place. */
bool cn_output_write(const char *path, const void *bytes, size_t size);

/* Remove a regular file, if there is one. */
void cn_output_remove(const char *path);

/* ---- subcommands of `cairn`: argv[0] is the subcommand ---- */
int cn_opt_main(int argc, char **argv);
int cn_verify_main(int argc, char **argv);
int cn_stackmap_main(int argc, char **argv);
int cn_frames_main(int argc, char **argv);
int cn_size_main(int argc, char **argv);
int cn_layouts_main(int argc, char **argv);
int cn_heap_main(int argc, char **argv);

/* Exit statuses. */
enum { CN_EXIT_OK = 0, CN_EXIT_FAILED = 1, CN_EXIT_USAGE = 2 };

#endif
