/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that all drivers share: messages, input and output of modules, target machines, output files.
 *
 * A function that fails prints a message on stderr and returns false or null.
 */
#ifndef CN_DRIVER_TOOL_H
#define CN_DRIVER_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/compile.h>
#include "compile/codegen/codegen.h"

/* The name at the start of messages; main() sets it. */
extern const char *cn_tool_name;

/* "name: error: text". */
void cn_tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cn_tool_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A diagnostics handler that prints "file:line:col: error: message [rule]" to stderr, like clang. `env` is the module's
 * path, which replaces a missing source position; if `env` is null, the tool's name replaces the position. */
void cn_tool_print_diagnostic(void *env, const struct cairn_diagnostic *diagnostic);

/* Like cn_tool_print_diagnostic(), for IR of another front end: the message also shows the instruction, and the forms
 * in IR of its words of managed C. */
void cn_tool_print_ir_diagnostic(const char *path, const struct cairn_diagnostic *diagnostic);

/* Print the --version text that all tools share. */
void cn_tool_print_version(void);

/* ---- modules (module.c) ---- */

/* Read .ll or .bc from `path` ("-": standard input) and run LLVM's verifier on the module. The input may be hostile.
 * Null after a message with the file and the error, and with the line if the file is text. */
LLVMModuleRef cn_module_read(LLVMContextRef context, const char *path);

/* Like cn_module_read(), without the verifier, for bitcode that Cairn's front end wrote. */
LLVMModuleRef cn_module_read_trusted(LLVMContextRef context, const char *path);

/* Print LLVM's messages about a module that was not read, such as a front end's, with `path`. */
void cn_module_adopt(LLVMModuleRef module, const char *path);

/* Call cairn_import_functions() with the module at `path`. False after a message. */
bool cn_module_import_functions(LLVMModuleRef module, const char *path);

/* probe.c: true if LLVM's reader survives the bytes. False after a message. */
bool cn_probe_reader_survives(LLVMMemoryBufferRef buffer, const char *path);

/* The number of errors that LLVM has reported since the last module was read. Code generation reports some errors, such
 * as wrong inline assembly, only by this number. Messages name the file that was read, or the file set with
 * cn_module_set_message_path(). */
unsigned cn_module_error_count(void);
void cn_module_set_message_path(const char *path);

/* Run LLVM's verifier. `what` names the producer of a broken module in the message. */
bool cn_module_verify(LLVMModuleRef module, const char *path, const char *what);

/* Write text or bitcode to `path` ("-": standard output). */
bool cn_module_write(LLVMModuleRef module, const char *path, bool text);

/* True if the runtime has a port for the module's triple, or for the host's triple if the module lacks a triple. */
bool cn_module_has_port(LLVMModuleRef module);

/* Make a target machine for the module's triple; if the module lacks a triple, for the options', or else for the
 * host's. Null after a message if this fails, or if the module and the options have triples of different ports.
 * Requires an earlier call of cairn_compile_init(). */
LLVMTargetMachineRef cn_module_make_machine(LLVMModuleRef module, const char *path,
                                            const struct cn_machine_options *how);

/* ---- files (output.c) ---- */

/* Write a file by writing a new file beside it and renaming the new file, so that readers see a complete file and a
 * failure keeps the old file. "-" is standard output. Files that are not regular, such as /dev/null, are written in
 * place. */
bool cn_output_write(const char *path, const void *bytes, size_t size);

/* Remove the regular file at `path` if it exists. */
void cn_output_remove(const char *path);

/* ---- subcommands of `cairn`: argv[0] is the subcommand ---- */
int cn_opt_main(int argc, char **argv);
int cn_verify_main(int argc, char **argv);
int cn_stackmap_main(int argc, char **argv);
int cn_frames_main(int argc, char **argv);
int cn_size_main(int argc, char **argv);
int cn_layouts_main(int argc, char **argv);
int cn_heap_main(int argc, char **argv);
int cn_explain_main(int argc, char **argv);
int cn_check_llvm_main(int argc, char **argv);

/* Exit statuses. */
enum { CN_EXIT_OK = 0, CN_EXIT_FAILED = 1, CN_EXIT_USAGE = 2 };

#endif
