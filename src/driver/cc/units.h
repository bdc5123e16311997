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
#include "object/build/thunk_names.h"

/* A source file on its way. */
struct cn_unit {
  const struct cn_command_item *item;
  enum cn_language language;
  const char *input;         /* as the user wrote it */
  const char *bitcode;       /* the front end's output, or the input itself; null if only clang compiles it */
  const char *output;        /* object, assembly, bitcode or IR text */
  const char *records;       /* clang's record layouts, of a unit of C; else null */
  struct cn_words front_end; /* clang's part; empty for IR */
  struct cn_words native;    /* clang's command from C to the output, for a unit that may turn out native; else empty */
  bool may_handle;           /* its text says that it may handle references */
};

/* unit.c: plan the steps of one source file. False after a message. cn_unit_free() frees them. */
bool cn_unit_plan(const struct cn_command *command, const struct cn_command_item *item, struct cn_unit *unit);
void cn_unit_free(struct cn_unit *unit);

/* unit.c: the part of the invariant that a plan breaks; null: all holds. The input is one to compile, the plan has an
 * output, Cairn's own languages have bitcode, clang's commands end in the input. Linear. */
const char *cn_unit_wrong(const struct cn_unit *unit);

/* unit.c: run the steps, or print them, or both. Returns an exit status. */
int cn_unit_compile(const struct cn_command *command, struct cn_unit *unit);

/* unit.c: print the passes that run in process. */
void cn_unit_print_passes(const struct cn_command *command, enum cairn_part part);

/* frontend.c: options that make clang see what Cairn provides: its headers and macros. */
void cn_frontend_add_cpp_options(struct cn_words *words);

/* mentions.c: true if the text of the C source `input`, of a header that it seems to include, or an option of the
 * command says that the unit may handle references. */
bool cn_mentions_references(const struct cn_command *command, const char *input);

/* mentions.c: true if a file in clang's graph of included files mentions references, or the graph is missing. */
bool cn_mentions_in_include_graph(const char *path);

/* mentions.c: true if debug information in the bitcode at `path` names a managed type. */
bool cn_mentions_managed_type(const char *path);

/* A file as text. `at` is null if it is empty, or of another kind than a regular file. */
struct cn_mapped_text {
  const char *at;
  size_t size;
};

/* mentions.c: map the file at `path`; cn_text_close() unmaps it. */
struct cn_mapped_text cn_text_open(const char *path);
void cn_text_close(struct cn_mapped_text text);

/* frontend.c: have clang draw the graph of the files that it reads. */
void cn_frontend_add_include_graph(const char *path, struct cn_words *words);

/* frontend.c: clang's commands for `unit`. */
void cn_frontend_make_command(const struct cn_command *command, struct cn_unit *unit);
void cn_frontend_make_native_command(const struct cn_command *command, struct cn_unit *unit);

/* backend.c: compile bitcode to the output file, in process. False after a message. *native: the unit handles no
 * reference, and clang must compile it; the output is untouched. */
bool cn_backend_compile_unit(const struct cn_command *command, const struct cn_unit *unit, bool *native);

/* backend.c: like cn_backend_compile_unit(), for bitcode that a linker joined from units. */
bool cn_backend_compile_joined(const struct cn_command *command, const struct cn_unit *joined);

/* backend.c: replace the stack maps of the object at `path` by frame maps and write the result to
 * `output`, if there were any; *changed tells. */
bool cn_backend_rewrite_object(const char *path, const char *output, bool *changed);

/* backend.c: the options to compile this command's units with, the code generator's included. */
struct cairn_compile_options cn_backend_make_options(const struct cn_command *command);

/* function_report.c: append the remarks on a unit; write the report to a file, or to stderr if null. */
void cn_function_report_add_unit(const char *input, const struct cairn_diagnostics *said);
bool cn_function_report_write(const char *path);

/* The joined bitcode of a link (lto_link.c); all zero if the link has none. */
struct cn_joined_bitcode {
  struct cn_words command; /* makes a linker join it */
  struct cn_unit unit;     /* the joined unit; its output is null if the linker took no bitcode */
};

/* lto_link.c: true if there is bitcode to join: units with -flto, inputs, or members of archives. */
bool cn_lto_is_wanted(const struct cn_command *command);

/* lto_link.c: plan to join the bitcode of the link's units and inputs. False after a message. */
bool cn_lto_plan_join(const struct cn_command *command, const struct cn_unit *units, size_t count,
                      struct cn_joined_bitcode *joined);

/* lto_link.c: join the bitcode, and compile the result. Returns an exit status. */
int cn_lto_join_and_compile(const struct cn_command *command, struct cn_joined_bitcode *joined);

/* inputs.c: true if the file is bitcode; true if it is bitcode, or an archive that has some. */
bool cn_inputs_is_bitcode(const char *path);
bool cn_inputs_has_bitcode(const char *path);

/* inputs.c: the linker's file for the one at `path`, which is other than bitcode: the file itself, or a temporary copy
 * with frame maps in place of stack maps, with other names, and without bitcode. False after a message. */
bool cn_inputs_replace_file(const char *path, const struct cn_renames *renames, const char **replacement);

/* inputs.c: true if the object, or the archive, at `path` calls a function by a name that changes. */
bool cn_inputs_has_renamed_calls(const char *path, const struct cn_renames *renames);

/* inputs.c: the first of these functions that the object at `path` defines, or null. */
const char *cn_inputs_find_defined(const char *path, const struct cn_renames *renames);

/* link.c: clang's command to link, with the units' outputs in place of their sources. `joined`:
 * with its code in place of bitcode; null: with the inputs unchanged, for a linker that joins
 * bitcode. False after a message. */
bool cn_link_make_command(const struct cn_command *command, const struct cn_unit *units, size_t count,
                          const struct cn_joined_bitcode *joined, struct cn_words *words);

/* renames.c: the functions that the command's options have the linker call by other names. False after a message. */
bool cn_renames_gather(const struct cn_command *command, struct cn_renames *renames);

/* link.c: run such a command, and return its status. If the collector that was chosen is missing,
 * one line says so in place of the linker's messages. */
int cn_link_run(const struct cn_command *command, const struct cn_words *words);

/* link_hints.c: explain why this command to link failed. Print a note for each function that the linker missed because
 * it is native code, and one for each kind of mixture of files: barriers, words, sizes in line. */
void cn_link_explain_errors(const struct cn_words *words);

/* link.c: check that the linked file is sound. Otherwise remove it, and return false after a message. */
bool cn_link_check_output(const struct cn_command *command);

/* paths.c: a file of the installation: "include", "lib/libcairn.a". Its path starts in the directory above this
 * program's. Null if it is missing. */
const char *cn_paths_find_installed(const char *relative);

/* paths.c: the name of a file, stripped of directories and of its last suffix. */
const char *cn_paths_stem_of(const char *path);

/* paths.c: `path` with its last suffix replaced. */
const char *cn_paths_replace_suffix(const char *path, const char *suffix);

/* sections.c: implements -ffunction-sections and -fdata-sections. */

/* Give each function, each variable, or both, its own section, named as clang names them. */
void cn_sections_split_module(LLVMModuleRef module, bool pic, bool functions, bool data);

/* init_arrays.c: puts constructors and destructors into .init_array and .fini_array. */

/* Replace llvm.global_ctors and llvm.global_dtors of `module`. Call it just before code generation. */
void cn_structors_place_in_arrays(LLVMModuleRef module);

#endif
