/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the steps of cairn-cc: one unit per source file, then the link.
 */
#ifndef CN_DRIVER_CC_UNITS_H
#define CN_DRIVER_CC_UNITS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include "base/check.h"
#include "driver/cc/command.h"
#include "object/build/rewrite_steps.h"

/* A source file with the files and commands of its compilation. */
struct cn_unit {
  const struct cn_command_item *item;
  enum cn_language language;
  const char *input;         /* the path as the user wrote it */
  const char *bitcode;       /* the front end's output, or an input of bitcode; null if only clang compiles the unit */
  const char *output;        /* the output: object, assembly, bitcode or IR text */
  const char *records;       /* clang's record layouts of a unit of C, else null */
  LLVMModuleRef module;      /* the front end's output if it ran in this process, in place of bitcode; else null */
  struct cn_words front_end; /* clang's command to bitcode; empty for IR */
  struct cn_words native;    /* clang's command from C to the output, for a unit that may be native; else empty */
  bool may_handle;           /* the unit's text mentions references */
};

/* unit.c: plan the steps of one source file. False after a message. cn_unit_free() frees the plan. */
bool cn_unit_plan(const struct cn_command *command, const struct cn_command_item *item, struct cn_unit *unit);
void cn_unit_free(struct cn_unit *unit);

/* unit.c: null, or a description of an error in a plan. The input needs compilation, the plan has an output, inputs in
 * Cairn's languages have bitcode, and clang's commands end with the input. Linear. */
const char *cn_unit_wrong(const struct cn_unit *unit);

/* unit.c: run or print the steps, or do both. Returns an exit status. */
int cn_unit_compile(const struct cn_command *command, struct cn_unit *unit);

/* unit.c: run the front end in this process again, without warnings, for a unit that has unit->module. The new module
 * is in `context`; null if the front end fails now. */
LLVMModuleRef cn_unit_run_front_end_again(const struct cn_command *command, const struct cn_unit *unit,
                                          LLVMContextRef context);

/* unit.c: print the passes that run in process. */
void cn_unit_print_passes(const struct cn_command *command, enum cairn_part part);

/* frontend.c: add the options that give Cairn's headers and macros to clang. */
void cn_frontend_add_cpp_options(struct cn_words *words);

/* mentions.c: true if the text of the C source `input`, the text of an included header, or an option of the command
 * shows that the unit may have references. */
bool cn_mentions_references(const struct cn_command *command, const char *input);

/* mentions.c: true if a file in clang's graph of included files mentions references, or the graph is missing. */
bool cn_mentions_in_include_graph(const char *path);

/* mentions.c: true if debug information in the bitcode names a managed type. */
bool cn_mentions_managed_type(const void *bitcode, size_t size);

/* A file as text. `at` is null if the file is empty or no regular file. */
struct cn_mapped_text {
  const char *at;
  size_t size;
};

/* mentions.c: map the file at `path`; cn_text_close() unmaps it. */
struct cn_mapped_text cn_text_open(const char *path);
void cn_text_close(struct cn_mapped_text text);

/* frontend.c: make clang write the graph of the files that it reads. */
void cn_frontend_add_include_graph(const char *path, struct cn_words *words);

/* frontend.c: make clang's commands for `unit`. */
void cn_frontend_make_command(const struct cn_command *command, struct cn_unit *unit);
void cn_frontend_make_native_command(const struct cn_command *command, struct cn_unit *unit);

/* backend.c: make the context of the next unit. The previous unit's context is freed, with its modules. */
LLVMContextRef cn_backend_start_unit(const struct cn_command *command);

/* backend.c: compile the unit's module or bitcode to the output file, in process, after cn_backend_start_unit(). False
 * after a message. Sets *native if the unit has no references, so that clang must compile it; the output is then
 * unchanged. */
bool cn_backend_compile_unit(const struct cn_command *command, const struct cn_unit *unit, bool *native);

/* backend.c: like cn_backend_compile_unit(), for bitcode that a linker joined from units. */
bool cn_backend_compile_joined(const struct cn_command *command, const struct cn_unit *joined);

/* backend.c: write the object at `path` to `output` with frame maps in place of its stack maps, and set *changed.
 * Writes nothing if the object needs no frame maps. */
bool cn_backend_rewrite_object(const char *path, const char *output, bool *changed);

/* backend.c: the compile options for this command's units, with those of the code generator. */
struct cairn_compile_options cn_backend_make_options(const struct cn_command *command);

/* backend.c: print a note about --explain if an error with a rule was printed. */
void cn_backend_print_explain_note(void);

/* sarif.c: keep a diagnostic for the document of -fdiagnostics-format=sarif; write the document, and forget its
 * diagnostics. */
void cn_sarif_add(const struct cairn_diagnostic *diagnostic);
bool cn_sarif_is_empty(void);
void cn_sarif_write(FILE *out);

/* function_report.c: append the remarks on a unit; write the report to a file, or to stderr if `path` is null. */
void cn_function_report_add_unit(const char *input, const struct cairn_diagnostics *said);
bool cn_function_report_write(const char *path);

/* The joined bitcode of a link (lto_link.c); all zero if the link has no bitcode. */
struct cn_joined_bitcode {
  struct cn_words command; /* the linker command that joins the bitcode */
  struct cn_unit unit;     /* the joined unit, whose output is null if the linker needed no bitcode */
};

/* lto_link.c: true if a unit with -flto, an input or an archive member is bitcode to join. */
bool cn_lto_is_wanted(const struct cn_command *command);

/* lto_link.c: plan to join the bitcode of the link's units and inputs. False after a message. */
bool cn_lto_plan_join(const struct cn_command *command, const struct cn_unit *units, size_t count,
                      struct cn_joined_bitcode *joined);

/* lto_link.c: join the bitcode, and compile the result. Returns an exit status. */
int cn_lto_join_and_compile(const struct cn_command *command, struct cn_joined_bitcode *joined);

/* inputs.c: true if the file is bitcode; cn_inputs_has_bitcode() also accepts an archive with bitcode. */
bool cn_inputs_is_bitcode(const char *path);
bool cn_inputs_has_bitcode(const char *path);

/* inputs.c: true if the objects and shared objects at `path`, also in an archive, are for the target; null is the host.
 * False after a message that names the file and its machine. */
bool cn_inputs_fit_target(const char *path, const char *target);

/* inputs.c: give the linker's replacement for the file at `path`, which is not bitcode. The replacement is the file
 * itself, or a temporary copy that has frame maps in place of stack maps, has changed names, and lacks bitcode. False
 * after a message. */
bool cn_inputs_replace_file(const char *path, const struct cn_renames *renames, const char **replacement);

/* inputs.c: true if the object or archive at `path` calls a function by a name that `renames` changes. */
bool cn_inputs_has_renamed_calls(const char *path, const struct cn_renames *renames);

/* inputs.c: the first function of `renames` that the object at `path` defines, or null. */
const char *cn_inputs_find_defined(const char *path, const struct cn_renames *renames);

/* link.c: make clang's link command, with the units' outputs in place of their sources. `joined` replaces the bitcode;
 * if `joined` is null, the inputs stay unchanged, for a linker that joins bitcode. False after a message. */
bool cn_link_make_command(const struct cn_command *command, const struct cn_unit *units, size_t count,
                          const struct cn_joined_bitcode *joined, struct cn_words *words);

/* renames.c: gather the functions that linker options rename. False after a message. */
bool cn_renames_gather(const struct cn_command *command, struct cn_renames *renames);

/* imports.c: append the names and hashes of the files of -fcairn-import to the preprocessed text, as a line marker and
 * a comment for each. False after a message. */
bool cn_imports_append(const struct cn_command *command);

/* link.c: run a link command, and return its status. If the chosen collector is missing, one message replaces the
 * linker's messages. */
int cn_link_run(const struct cn_command *command, const struct cn_words *words);

/* link_hints.c: explain why this link command failed. Print a note for each function that is undefined because it is
 * native, a note for each kind of mismatch between files (barriers, words, in-line sizes), and a note if code for a
 * static runtime is linked with libcairn.so. */
void cn_link_explain_errors(const struct cn_words *words);

/* link.c: check the linked file. Remove a faulty file, and return false after a message. */
bool cn_link_check_output(const struct cn_command *command);

/* paths.c: the path of an installed file such as "include" or "lib/libcairn.a", relative to the parent of this
 * program's directory. Null if the file is missing. */
const char *cn_paths_find_installed(const char *relative);

/* paths.c: the name of a file without its directories and its last suffix. */
const char *cn_paths_stem_of(const char *path);

/* paths.c: `path` with its last suffix replaced. */
const char *cn_paths_replace_suffix(const char *path, const char *suffix);

/* sections.c: implements -ffunction-sections and -fdata-sections. */

/* Put each function, each variable or both into separate sections, with clang's names for sections. */
void cn_sections_split_module(LLVMModuleRef module, bool pic, bool functions, bool data);

#endif
