/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes clang's commands, when a unit is planned: one to compile C to unoptimised bitcode with debug locations, or to
 * compile another language; and one to compile a unit of C that may be native. The commands name the files that clang
 * would name after its output, if the output is temporary. Also adds the options for Cairn's headers and macros, and
 * for the graph of included files. unit.c prints and runs the commands. The file prints nothing, and the unit has all
 * state.
 *
 * The user's options go to clang unchanged. For bitcode, this file adds
 *   -disable-llvm-passes      the optimiser runs in process, after `prepare`
 *   -disable-O0-optnone       at -O0 too, locals must be promoted and statepoints fixed up
 *   -fdump-record-layouts-canonical   prints record layouts, which show references in unions by their address spaces
 *   -fasynchronous-unwind-tables   frame maps are made from call-frame information
 *   -fno-sanitize=function    its words before a function's entry would replace Cairn's mark
 *   -ftrivial-auto-var-init=zero   if the user chose a pattern, which is an invalid reference
 *   -g                        rules report source lines, and find unions by their debug information
 */
#include <stdio.h>
#include <string.h>
#include "driver/cc/cc_options.h"
#include "driver/cc/process.h"
#include "driver/cc/units.h"

static void add_word(struct cn_words *words, const char *word)
{
  cn_push(words, word);
}

void cn_frontend_add_cpp_options(struct cn_words *words)
{
  unsigned major = 0, minor = 0, patch = 0;
  const char *include = cn_paths_find_installed("include");

  CN_CHECK(sscanf(CAIRN_VERSION, "%u.%u.%u", &major, &minor, &patch) == 3);
  CN_CHECK(minor < 100 && patch < 100); /* each number has two digits in __CAIRN_VERSION__ */
  add_word(words, "-D__CAIRN__=1");
  add_word(words, cn_command_format_string("-D__CAIRN_VERSION__=%u", 10000 * major + 100 * minor + patch));
  if (include) {
    /* Add the folder last, so that the compiler's own headers precede /usr/include. */
    add_word(words, "-idirafter");
    add_word(words, include);
  }
}

void cn_frontend_add_include_graph(const char *path, struct cn_words *words)
{
  CN_CHECK(path != NULL && words->count > 0);
  add_word(words, "-Xclang");
  add_word(words, "-dependency-dot");
  add_word(words, "-Xclang");
  add_word(words, path);
}

static void add_compile_options(const struct cn_command *command, struct cn_words *words)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    for (size_t k = 0; !item->input && item->to_compile && k < item->count; k++)
      add_word(words, item->words[k]);
  }
}

/* Name the dependency file and its target, because clang would derive the names from its -o, a temporary file. */
static void add_dependency_options(const struct cn_command *command, const struct cn_unit *unit, struct cn_words *words)
{
  if (!command->dependencies)
    return;
  if (!command->dependency_file) {
    add_word(words, "-MF");
    add_word(words, command->output ? cn_paths_replace_suffix(command->output, ".d")
                                    : cn_command_format_string("%s.d", cn_paths_stem_of(unit->input)));
  }
  if (!command->dependency_target) {
    add_word(words, "-MQ");
    add_word(words,
             command->output ? command->output : cn_command_format_string("%s.o", cn_paths_stem_of(unit->input)));
  }
  for (size_t i = 0; i < command->imports.count; i++) {
    add_word(words, "-Xclang");
    add_word(words, cn_command_format_string("-fdepfile-entry=%s", command->imports.at[i]));
  }
}

static void add_bitcode_options(const struct cn_command *command, struct cn_words *words)
{
  static const char *const always[] = {"-emit-llvm",
                                       "-fno-discard-value-names",
                                       "-Xclang",
                                       "-disable-llvm-passes",
                                       "-Xclang",
                                       "-disable-O0-optnone",
                                       "-Xclang",
                                       "-fdump-record-layouts-canonical",
                                       "-fasynchronous-unwind-tables",
                                       "-fno-sanitize=function",
                                       "-gno-split-dwarf"};

  for (size_t i = 0; i < command->items.count; i++)
    if (!strcmp(command->items.at[i].words[0], "-ftrivial-auto-var-init=pattern"))
      add_word(words, "-ftrivial-auto-var-init=zero");
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    add_word(words, always[i]);
  if (command->debug != CN_DEBUG_FULL)
    add_word(words, "-g");
  /* Omit the working directory from debug information for diagnostics, because bitcode keeps this information until the
   * link. */
  if (command->lto && command->debug == CN_DEBUG_NONE)
    add_word(words, "-fdebug-compilation-dir=.");
}

/* Name the files that clang makes beside an object, because clang would derive the names from its -o, which is a
 * temporary file in a link. */
static void add_side_file_names(const struct cn_command *command, const struct cn_unit *unit, struct cn_words *words)
{
  const char *program = command->output ? command->output : "a";

  add_dependency_options(command, unit, words);
  if (!command->save_temps && strcmp(program, "-") != 0) {
    add_word(words, "-dumpdir");
    add_word(words, cn_command_format_string("%s-", program));
  }
}

static void add_save_temps_option(const struct cn_command *command, struct cn_words *words)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    const struct cn_option *option = item->input ? NULL : cn_options_find(item->words[0]);
    if (option && option->effect == CN_EFFECT_SAVE_TEMPS)
      add_word(words, item->words[0]);
  }
}

static void add_input_and_output(const struct cn_unit *unit, const char *output, struct cn_words *words)
{
  if (cn_languages_needs_preprocessor(unit->item))
    cn_frontend_add_cpp_options(words);
  if (unit->item->forced) {
    add_word(words, "-x");
    add_word(words, unit->item->forced);
  }
  if (output) {
    add_word(words, "-o");
    add_word(words, output);
  }
  CN_CHECK(words->count > 0); /* the input comes last: cn_unit_wrong() */
  if (unit->input[0] == '-' && unit->input[1])
    add_word(words, "--");
  add_word(words, unit->input);
}

static void begin_clang_command(const struct cn_command *command, struct cn_words *words)
{
  CN_CHECK(words->count == 0);
  add_word(words, cn_process_clang_path());
  add_compile_options(command, words);
  /* Suppress warnings about the linker options of a link's command, which clang ignores when it compiles. */
  if (command->mode == CN_MODE_LINK)
    add_word(words, "-Qunused-arguments");
}

void cn_frontend_make_native_command(const struct cn_command *command, struct cn_unit *unit)
{
  struct cn_words *words = &unit->native;

  CN_CHECK(unit->language == CN_LANG_C && !command->lto); /* with -flto all units are managed */
  begin_clang_command(command, words);
  add_word(words, command->mode == CN_MODE_ASSEMBLY ? "-S" : "-c");
  if (command->emit_llvm)
    add_word(words, "-emit-llvm");
  add_save_temps_option(command, words);
  if (command->mode == CN_MODE_LINK)
    add_side_file_names(command, unit, words);
  /* Without -o, clang derives the names of files and of the dependencies' target from the source's name. */
  bool named = command->output || command->mode == CN_MODE_LINK;
  add_input_and_output(unit, named ? unit->output : NULL, words);
}

void cn_frontend_make_command(const struct cn_command *command, struct cn_unit *unit)
{
  struct cn_words *words = &unit->front_end;

  if (unit->language == CN_LANG_IR)
    return;
  CN_CHECK(unit->output != NULL && (unit->bitcode != NULL) == (unit->language == CN_LANG_C));
  begin_clang_command(command, words);
  add_word(words, unit->language != CN_LANG_C && command->mode == CN_MODE_ASSEMBLY ? "-S" : "-c");
  if (unit->language == CN_LANG_C)
    add_bitcode_options(command, words);
  add_dependency_options(command, unit, words);
  if (unit->language == CN_LANG_FOREIGN && command->emit_llvm)
    add_word(words, "-emit-llvm");
  add_input_and_output(unit, unit->bitcode ? unit->bitcode : unit->output, words);
}
