/* SPDX-License-Identifier: Apache-2.0
 *
 * What cairn-cc does with a command: one unit per source file, then the link.
 */
#ifndef CN_DRIVER_CC_UNITS_H
#define CN_DRIVER_CC_UNITS_H

#include "driver/cc/command.h"

/* One source file on its way. */
struct cn_unit {
  const struct cn_item *item;
  enum cn_language language;
  const char *input;   /* as the user wrote it */
  const char *bitcode; /* what the front end made of it, or the input itself; null if it is not
                          compiled by us */
  const char *output;  /* object, assembly, bitcode or IR text */
  struct cn_words front_end; /* clang's part; empty for IR */
  struct cn_words native;    /* clang's command from C to the output, if the unit is to be native
                                where it handles no reference; else empty */
  bool may_handle;           /* it may handle references, by its text */
};

/* unit.c: plan the steps of one source file; free what that allocated. False after a message. */
bool cn_unit_plan(const struct cn_command *command, const struct cn_item *item,
                  struct cn_unit *unit);
void cn_unit_free(struct cn_unit *unit);

/* unit.c: run the steps, or print them, or both. A status to exit with. */
int cn_unit_compile(const struct cn_command *command, struct cn_unit *unit);

/* unit.c: print the passes that run in process. */
void cn_unit_print_passes(const struct cn_command *command, enum cairn_part part);

/* unit.c: false after a message: the command has an option that managed code cannot be compiled
 * with. */
bool cn_unit_can_be_managed(const struct cn_command *command);

/* frontend.c: options that make clang see what Cairn provides: its headers and macros. */
void cn_frontend_add_environment(struct cn_words *words);

/* mentions.c: does the text of the C source `input`, of a header that it seems to include, or an
 * option of the command say that the unit may handle references? */
bool cn_mentions_references(const struct cn_command *command, const char *input);

/* mentions.c: does one of the files in clang's graph of what it included? Or is there no graph? */
bool cn_mentions_in_graph(const char *path);

/* mentions.c: does debug information in the bitcode at `path` name a managed type? */
bool cn_mentions_managed_type(const char *path);

/* frontend.c: have clang draw the graph of the files that it reads. */
void cn_frontend_add_graph(const char *path, struct cn_words *words);

/* frontend.c: clang's commands for `unit`. */
void cn_frontend_command(const struct cn_command *command, struct cn_unit *unit);
void cn_frontend_native(const struct cn_command *command, struct cn_unit *unit);

/* backend.c: bitcode in, output file out, in process. False after a message. *native: the unit
 * handles no reference, and nothing was written; clang is to compile it. */
bool cn_backend_compile(const struct cn_command *command, const struct cn_unit *unit, bool *native);

/* backend.c: the same of what a linker joined of units' bitcode. */
bool cn_backend_compile_joined(const struct cn_command *command, const struct cn_unit *joined);

/* backend.c: put frame maps in place of the stack maps of the object at `path`, and write it to
 * `output` if it had any, or always if they are the same file. *changed tells. */
bool cn_backend_rewrite(const char *path, const char *output, bool *changed);

/* backend.c: the options that compile this command's units, and the code generator's. */
struct cairn_compile_options cn_backend_options(const struct cn_command *command);

/* report.c: append what was said of a unit; write the report to a file, or to stderr if null. */
void cn_report_unit(const char *input, const struct cairn_diagnostics *said);
bool cn_report_write(const char *path);

/* The bitcode of a link (lto.c). Zero-initialised: there is none. */
struct cn_joined {
  struct cn_words command; /* that has a linker join it */
  struct cn_unit unit;     /* what it is joined to; no output: the linker took none of it */
};

/* lto.c: is there something to join: -flto, or an input, given or archived, that is bitcode? */
bool cn_lto_is_wanted(const struct cn_command *command);

/* lto.c: plan to join what is in the link's units and inputs. False after a message. */
bool cn_lto_plan(const struct cn_command *command, const struct cn_unit *units, size_t count,
                 struct cn_joined *joined);

/* lto.c: join, and compile what comes out. A status to exit with. */
int cn_lto_run(const struct cn_command *command, struct cn_joined *joined);

/* inputs.c: is it bitcode; or that, or an archive with some in it? */
bool cn_inputs_are_bitcode(const char *path);
bool cn_inputs_have_bitcode(const char *path);

/* inputs.c: what the linker is to be given for the file at `path`, which is no bitcode: itself, or
 * a temporary one in which stack maps have become frame maps, and of which bitcode is left out.
 * False after a message. */
bool cn_inputs_replace(const char *path, const char **replacement);

/* link.c: clang's command to link, with units' outputs in place of their sources. `joined`: with
 * code in place of bitcode; null: with the inputs as they are, for a linker that joins bitcode.
 * False after a message. */
bool cn_link_command(const struct cn_command *command, const struct cn_unit *units, size_t count,
                     const struct cn_joined *joined, struct cn_words *words);

/* link.c: is what was linked sound? False after a message; it is removed then. */
bool cn_link_check(const struct cn_command *command);

/* leftovers.c: has the object or image at `path` LLVM's stack maps in it? */
bool cn_leftovers_in(const char *path);

/* paths.c: a file of the installation by its path from the directory above the one that holds this
 * program: "include", "lib/libcairn.a". Null if it is not there. */
const char *cn_paths_find(const char *relative);

/* paths.c: the name of a file without directories, and without its last suffix. */
const char *cn_paths_stem(const char *path);

/* paths.c: `path` with its last suffix replaced. */
const char *cn_paths_with_suffix(const char *path, const char *suffix);

#endif
