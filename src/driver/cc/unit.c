/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles one source file: plans its steps (struct cn_unit), then runs or prints them, and removes the output after a
 * failure. Planning also copies a pipe at standard input to a temporary file. Commands and passes are printed on
 * stderr. The plan holds all state of a unit.
 *
 * Clang compiles a C unit without references by the user's own command. Only the unit's bitcode shows with certainty
 * whether the unit has references, but bitcode costs a run of the front end. Clang therefore compiles a unit at once if
 * its text does not mention references. If an included header mentions references, Cairn compiles the unit again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "driver/cc/process.h"
#include "driver/cc/units.h"
#include "driver/times.h"
#include "driver/tool.h"
#include "object/elf/input.h"

/* ---- plans ---- */

static const char *choose_temporary_path(const struct cn_command *command, const char *input, const char *suffix)
{
  const char *stem = strcmp(input, "-") == 0 ? "-" : cn_paths_stem_of(input);

  if (!command->save_temps)
    return cn_temp_make_file_name(strcmp(stem, "-") == 0 ? "stdin" : stem, suffix);
  if (command->save_temps_obj && command->output)
    return cn_paths_replace_suffix(command->output, suffix);
  return cn_command_format_string("%s%s", stem, suffix);
}

static const char *output_path_of(const struct cn_command *command, const char *input)
{
  bool assembly = command->mode == CN_MODE_ASSEMBLY;
  const char *suffix = command->emit_llvm ? (assembly ? ".ll" : ".bc") : assembly ? ".s" : ".o";

  if (command->mode == CN_MODE_LINK)
    return choose_temporary_path(command, input, ".o");
  if (command->output)
    return command->output;
  return cn_command_format_string("%s%s", cn_paths_stem_of(input), suffix);
}

/* Copy standard input to a file, so that it can be read several times. */
static bool copy_standard_input(void)
{
  const char *path = lseek(STDIN_FILENO, 0, SEEK_CUR) < 0 ? cn_temp_make_file_name("stdin", ".c") : NULL;
  struct cn_input_file input;
  char *error = NULL;

  if (!path)
    return true;
  if (cn_input_open(&input, "-", NULL, &error)) {
    cn_tool_error("cannot read '-': %s", error);
    free(error);
    return false;
  }
  bool ok = cn_output_write(path, input.bytes, input.size) && freopen(path, "r", stdin);
  cn_input_close(&input);
  return ok;
}

static bool ends_in_input_of(const struct cn_words *words, const struct cn_unit *unit)
{
  return words->count > 2 && strcmp(words->at[words->count - 1], unit->input) == 0;
}

const char *cn_unit_wrong(const struct cn_unit *unit)
{
  bool ir = unit->language == CN_LANG_IR, c = unit->language == CN_LANG_C;

  if (!unit->item || !unit->item->input || unit->item->language != unit->language ||
      unit->language == CN_LANG_FOR_LINKER || unit->item->words[0] != unit->input)
    return "unit: it is not that of its input";
  if (!unit->output || (unit->bitcode != NULL) != (ir || c))
    return "unit: it has no output, or bitcode that it has no use for";
  if (ir ? unit->front_end.count != 0 || unit->bitcode != unit->input : !ends_in_input_of(&unit->front_end, unit))
    return "unit: clang's command is not for its input";
  if (unit->native.count ? !c || !ends_in_input_of(&unit->native, unit) : unit->may_handle)
    return "unit: the command of a native unit is not for its input";
  return NULL;
}

/* Plan a unit's steps. Only a unit that Cairn compiles has bitcode; clang makes the output of every other unit. */
bool cn_unit_plan(const struct cn_command *command, const struct cn_command_item *item, struct cn_unit *unit)
{
  CN_CHECK(item->input && item->count == 1);
  CN_CHECK(item->language != CN_LANG_FOR_LINKER && item->language != CN_LANG_HEADER);
  *unit = (struct cn_unit){.item = item, .language = item->language, .input = item->words[0]};
  unit->output = output_path_of(command, unit->input);
  if (!unit->output)
    return false;
  if (unit->language == CN_LANG_IR)
    unit->bitcode = unit->input;
  else if (unit->language == CN_LANG_C)
    unit->bitcode = choose_temporary_path(command, unit->input, ".bc");
  if (unit->language == CN_LANG_C && !unit->bitcode)
    return false;
  cn_frontend_make_command(command, unit);
  if (unit->language == CN_LANG_C && command->native_units && !command->lto) {
    if (strcmp(unit->input, "-") == 0 && !copy_standard_input())
      return false;
    cn_frontend_make_native_command(command, unit);
    unit->may_handle = cn_mentions_references(command, unit->input);
  }
  CN_ASSERT_VALID(cn_unit_wrong(unit));
  return true;
}

void cn_unit_free(struct cn_unit *unit)
{
  cn_free(&unit->front_end);
  cn_free(&unit->native);
}

/* ---- printing the steps ---- */

void cn_unit_print_passes(const struct cn_command *command, enum cairn_part part)
{
  struct cairn_compile_options options = cn_backend_make_options(command);
  char *passes = cairn_compile_describe(&options, part);

  CN_CHECK(passes != NULL);
  fputs(" (in process)\n", stderr);
  for (char *line = strtok(passes, "\n"); line; line = strtok(NULL, "\n")) {
    bool level = part == CAIRN_PART_JOINED && !command->level_asked && strncmp(line, "default<", 8) == 0;
    fprintf(stderr, "    %s\n", level ? "default<> at the units' highest level" : line);
  }
  bool ir = part == CAIRN_PART_UNIT || command->emit_llvm;
  fprintf(stderr, "    %s\n", ir ? "write IR" : "generate code");
  if (command->mode != CN_MODE_ASSEMBLY && !ir)
    fputs("    stack maps to frame maps\n", stderr);
  free(passes);
}

/* ---- steps: -v prints each before it runs; -### only prints it ---- */

static bool is_command_printed(const struct cn_command *command)
{
  return command->verbose || command->dry_run;
}

static void rewind_standard_input(const struct cn_unit *unit)
{
  if (strcmp(unit->input, "-") == 0)
    lseek(STDIN_FILENO, 0, SEEK_SET);
}

static void print_command(const struct cn_command *command, const struct cn_words *words)
{
  if (is_command_printed(command))
    cn_process_print_command(words, stderr);
}

/* Run a command of clang. `output` is a file for standard output, or null. */
static int run_clang_step(const struct cn_command *command, const struct cn_unit *unit, const struct cn_words *words,
                          const char *output, const char *step)
{
  if (command->dry_run)
    return CN_EXIT_OK;
  rewind_standard_input(unit);
  struct cairn_pass_time start = cn_times_start_step(&command->compile);
  int status = cn_process_run_redirected(words, output, NULL);
  cn_times_stop_step(&command->compile, &start, step);
  return status;
}

/* Add -w, because the first run has printed the warnings. */
static void suppress_warnings(struct cn_words *words)
{
  CN_CHECK(words->count > 2); /* the words are clang, its options and the input */
  const char *input = words->at[words->count - 1];
  bool after = strcmp(words->at[words->count - 2], "--") == 0;

  words->count -= after ? 2 : 1;
  cn_push(words, "-w");
  if (after)
    cn_push(words, "--");
  cn_push(words, input);
}

/* Compile a unit of C to a module in `context` by clang's front end in this process, or leave the unit to a process of
 * clang, which also writes the bitcode that -save-temps keeps. */
static enum cn_clang_outcome run_front_end_in_process(const struct cn_command *command, struct cn_unit *unit,
                                                      LLVMContextRef context)
{
  const struct cn_words *words = &unit->front_end;

  if (!command->front_end || !context || !unit->records || command->save_temps || access(words->at[0], X_OK) != 0)
    return CN_CLANG_LEFT;
  rewind_standard_input(unit);
  struct cairn_pass_time start = cn_times_start_step(&command->compile);
  enum cn_clang_outcome outcome = command->front_end(words->at, words->count, unit->records, context, &unit->module);
  CN_CHECK((outcome == CN_CLANG_DONE) == (unit->module != NULL));
  if (outcome != CN_CLANG_LEFT)
    cn_times_stop_step(&command->compile, &start, "front end");
  return outcome;
}

LLVMModuleRef cn_unit_run_front_end_again(const struct cn_command *command, const struct cn_unit *unit,
                                          LLVMContextRef context)
{
  struct cn_unit again = *unit;

  CN_CHECK(unit->module != NULL && LLVMGetModuleContext(unit->module) != context);
  again.module = NULL;
  again.front_end = (struct cn_words){0};
  for (size_t i = 0; i < unit->front_end.count; i++)
    cn_push(&again.front_end, unit->front_end.at[i]);
  suppress_warnings(&again.front_end);
  bool done = run_front_end_in_process(command, &again, context) == CN_CLANG_DONE;
  cn_free(&again.front_end);
  return done ? again.module : NULL;
}

static const char mixed_pointers_note[] =
    "cairn-cc: note: a reference and an ordinary pointer are different types: declare both as managed, or copy the "
    "data; free() of a reference is left out, and realloc() is cairn_resize_array() (docs/constructs.md)\n";

static int run_front_end(const struct cn_command *command, struct cn_unit *unit, LLVMContextRef context)
{
  print_command(command, &unit->front_end);
  switch (run_front_end_in_process(command, unit, context)) {
  case CN_CLANG_DONE:
    return CN_EXIT_OK;
  case CN_CLANG_MIXED:
    if (!command->sarif)
      fputs(mixed_pointers_note, stderr);
    return CN_EXIT_FAILED;
  case CN_CLANG_FAILED:
    return CN_EXIT_FAILED;
  case CN_CLANG_LEFT:
    break;
  }
  return run_clang_step(command, unit, &unit->front_end, unit->records, "front end");
}

/* Compile with clang's own command, which also writes a graph of the files that it reads. Sets *again if one of these
 * files shows that the unit may have references. */
static int compile_natively(const struct cn_command *command, const struct cn_unit *unit, bool *again)
{
  const char *graph = command->dry_run ? NULL : cn_temp_make_file_name("headers", ".dot");
  struct cn_words words = {0};

  for (size_t i = 0; i < unit->native.count; i++) {
    cn_push(&words, unit->native.at[i]);
    if (i == 0 && graph)
      cn_frontend_add_include_graph(graph, &words);
  }
  print_command(command, &words);
  int status = run_clang_step(command, unit, &words, NULL, "clang");
  *again = status == CN_EXIT_OK && graph && cn_mentions_in_include_graph(graph);
  cn_free(&words);
  return status;
}

/* Compile to a module or bitcode, and compile this to the output. Sets *native if the unit has no references. */
static int compile_managed(const struct cn_command *command, struct cn_unit *unit, bool *native)
{
  LLVMContextRef context = unit->bitcode && !command->dry_run ? cn_backend_start_unit(command) : NULL;
  int status = CN_EXIT_OK;

  if (unit->language == CN_LANG_C && !command->dry_run)
    unit->records = cn_temp_make_file_name("records", ".txt");
  if (unit->front_end.count)
    status = run_front_end(command, unit, context);
  if (status != CN_EXIT_OK || !unit->bitcode)
    return status;
  if (is_command_printed(command))
    cn_unit_print_passes(command, command->lto ? CAIRN_PART_UNIT : CAIRN_PART_WHOLE);
  return command->dry_run || cn_backend_compile_unit(command, unit, native) ? CN_EXIT_OK : CN_EXIT_FAILED;
}

/* Compile a unit of C as native or managed code, as its text suggests. If the choice was wrong, compile the unit again
 * as the other kind. */
static int compile_c_unit(const struct cn_command *command, struct cn_unit *unit)
{
  bool again = unit->may_handle, native = false;
  int status = CN_EXIT_OK;

  if (!unit->may_handle) {
    status = compile_natively(command, unit, &again);
    suppress_warnings(&unit->front_end);
  }
  if (!again || status != CN_EXIT_OK)
    return status;
  status = compile_managed(command, unit, &native);
  if (!native || status != CN_EXIT_OK)
    return status;
  if (unit->may_handle)
    suppress_warnings(&unit->native);
  print_command(command, &unit->native);
  return run_clang_step(command, unit, &unit->native, NULL, "clang");
}

int cn_unit_compile(const struct cn_command *command, struct cn_unit *unit)
{
  bool changed = false, native = false;

  CN_ASSERT_VALID(cn_unit_wrong(unit));
  int status = unit->native.count ? compile_c_unit(command, unit) : compile_managed(command, unit, &native);

  if (unit->language == CN_LANG_ASM && command->mode != CN_MODE_ASSEMBLY && !command->dry_run && status == CN_EXIT_OK &&
      !cn_backend_rewrite_object(unit->output, unit->output, &changed))
    status = CN_EXIT_FAILED;
  /* After a failure, remove an output that `make` would treat as current, as clang does. */
  if (status != CN_EXIT_OK && strcmp(unit->output, "-") != 0)
    cn_output_remove(unit->output);
  return status;
}
