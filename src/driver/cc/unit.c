/* SPDX-License-Identifier: Apache-2.0
 *
 * One source file: which steps it takes, and running them.
 *
 * A unit of C that handles no reference is clang's, by the user's own command. Whether it does is
 * known for certain by its bitcode. To make that of each unit would cost a front end's run where
 * clang needs no more: so a unit whose text says nothing of references is compiled by clang at
 * once, and only if it turns out that a header said something after all, once more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "driver/cc/hints.h"
#include "driver/cc/process.h"
#include "driver/cc/units.h"
#include "driver/times.h"
#include "driver/tool.h"
#include "object/elf/input.h"

/* ---- plans ---- */

static const char *temporary(const struct cn_command *command, const char *input,
                             const char *suffix)
{
  const char *stem = strcmp(input, "-") == 0 ? "-" : cn_paths_stem(input);

  if (!command->save_temps)
    return cn_temp_file(strcmp(stem, "-") == 0 ? "stdin" : stem, suffix);
  if (command->save_temps_obj && command->output)
    return cn_paths_with_suffix(command->output, suffix);
  return cn_command_text("%s%s", stem, suffix);
}

static const char *output_of(const struct cn_command *command, const char *input)
{
  bool assembly = command->mode == CN_MODE_ASSEMBLY;
  const char *suffix = command->emit_llvm ? (assembly ? ".ll" : ".bc") : assembly ? ".s" : ".o";

  if (command->mode == CN_MODE_LINK)
    return temporary(command, input, ".o");
  if (command->output)
    return command->output;
  return cn_command_text("%s%s", cn_paths_stem(input), suffix);
}

/* Have standard input in a file, so that it can be read several times. */
static bool keep_input(void)
{
  const char *path = lseek(STDIN_FILENO, 0, SEEK_CUR) < 0 ? cn_temp_file("stdin", ".c") : NULL;
  struct cn_input input;
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

/* Only what Cairn compiles has bitcode; of the rest, clang makes the output. */
bool cn_unit_plan(const struct cn_command *command, const struct cn_item *item,
                  struct cn_unit *unit)
{
  *unit = (struct cn_unit){.item = item, .language = item->language, .input = item->words[0]};
  unit->output = output_of(command, unit->input);
  if (!unit->output)
    return false;
  if (unit->language == CN_LANG_IR)
    unit->bitcode = unit->input;
  else if (unit->language == CN_LANG_C)
    unit->bitcode = temporary(command, unit->input, ".bc");
  if (unit->language == CN_LANG_C && !unit->bitcode)
    return false;
  cn_frontend_command(command, unit);
  if (unit->language == CN_LANG_C && command->native_units && !command->lto) {
    if (strcmp(unit->input, "-") == 0 && !keep_input())
      return false;
    cn_frontend_native(command, unit);
    unit->may_handle = cn_mentions_references(command, unit->input);
  }
  return true;
}

void cn_unit_free(struct cn_unit *unit)
{
  cn_free(&unit->front_end);
  cn_free(&unit->native);
}

/* ---- printing them ---- */

void cn_unit_print_passes(const struct cn_command *command, enum cairn_part part)
{
  struct cairn_compile_options options = cn_backend_options(command);
  char *passes = cairn_compile_describe(&options, part);

  fputs(" (in process)\n", stderr);
  for (char *line = strtok(passes, "\n"); line; line = strtok(NULL, "\n")) {
    bool level =
        part == CAIRN_PART_JOINED && !command->level_asked && strncmp(line, "default<", 8) == 0;
    fprintf(stderr, "    %s\n", level ? "default<> at the units' highest level" : line);
  }
  bool ir = part == CAIRN_PART_UNIT || command->emit_llvm;
  fprintf(stderr, "    %s\n", ir ? "write IR" : "generate code");
  if (command->mode != CN_MODE_ASSEMBLY && !ir)
    fputs("    stack maps to frame maps\n", stderr);
  free(passes);
}

/* ---- steps: each prints itself before it runs, for -v; for -### it does nothing else ---- */

static bool prints(const struct cn_command *command)
{
  return command->verbose || command->dry_run;
}

bool cn_unit_can_be_managed(const struct cn_command *command)
{
  if (command->refused)
    cn_tool_error("not supported yet with managed code: '%s'", command->refused);
  return !command->refused;
}

/* Standard input is read from its start by each process. */
static int run_clang(const struct cn_command *command, const struct cn_unit *unit,
                     const struct cn_words *words, const char *step)
{
  if (prints(command))
    cn_process_print(words, stderr);
  if (command->dry_run)
    return CN_EXIT_OK;
  if (strcmp(unit->input, "-") == 0)
    lseek(STDIN_FILENO, 0, SEEK_SET);
  struct cairn_pass_time start = cn_times_start(&command->compile);
  int status = cn_process_run(words);
  cn_times_stop(&command->compile, &start, step);
  return status;
}

/* By clang's own command, with which it also draws a graph of the files that it reads; *again: the
 * unit may handle references, as one of these shows. */
static int compile_natively(const struct cn_command *command, const struct cn_unit *unit,
                            bool *again)
{
  const char *graph = command->dry_run ? NULL : cn_temp_file("headers", ".dot");
  struct cn_words words = {0};

  for (size_t i = 0; i < unit->native.count; i++) {
    cn_push(&words, unit->native.at[i]);
    if (i == 0 && graph)
      cn_frontend_add_graph(graph, &words);
  }
  int status = run_clang(command, unit, &words, "clang");
  *again = status == CN_EXIT_OK && graph && cn_mentions_in_graph(graph);
  cn_free(&words);
  return status;
}

/* What clang does not say of a C source that may handle references, which must be a file. */
static void hint(const struct cn_command *command, const struct cn_unit *unit, int status)
{
  if (command->dry_run || unit->language != CN_LANG_C || strcmp(unit->input, "-") == 0)
    return;
  cn_hints_misplaced(unit->input);
  if (status != CN_EXIT_OK)
    cn_hints_explain(&unit->front_end);
}

/* To bitcode, and from that to the output; *native: the unit handles no reference. */
static int compile_managed(const struct cn_command *command, const struct cn_unit *unit,
                           bool *native)
{
  int status =
      unit->front_end.count ? run_clang(command, unit, &unit->front_end, "front end") : CN_EXIT_OK;

  hint(command, unit, status);
  if (status != CN_EXIT_OK || !unit->bitcode)
    return status;
  if (prints(command))
    cn_unit_print_passes(command, command->lto ? CAIRN_PART_UNIT : CAIRN_PART_WHOLE);
  return command->dry_run || cn_backend_compile(command, unit, native) ? CN_EXIT_OK
                                                                       : CN_EXIT_FAILED;
}

/* Add -w: what there is to say was said by the first run. */
static void compile_quietly(struct cn_words *words)
{
  const char *input = words->at[words->count - 1];
  bool after = strcmp(words->at[words->count - 2], "--") == 0;

  words->count -= after ? 2 : 1;
  cn_push(words, "-w");
  if (after)
    cn_push(words, "--");
  cn_push(words, input);
}

/* A unit of C: by its text one way first, and the other if that was wrong. */
static int compile_c(const struct cn_command *command, struct cn_unit *unit)
{
  bool again = unit->may_handle, native = false;
  int status = CN_EXIT_OK;

  if (!unit->may_handle) {
    status = compile_natively(command, unit, &again);
    compile_quietly(&unit->front_end);
  }
  if (!again || status != CN_EXIT_OK)
    return status;
  status = compile_managed(command, unit, &native);
  if (!native || status != CN_EXIT_OK)
    return status;
  if (unit->may_handle)
    compile_quietly(&unit->native);
  return run_clang(command, unit, &unit->native, "clang");
}

int cn_unit_compile(const struct cn_command *command, struct cn_unit *unit)
{
  bool changed = false, native = false;
  int status =
      unit->native.count ? compile_c(command, unit) : compile_managed(command, unit, &native);

  if (unit->language == CN_LANG_ASM && command->mode != CN_MODE_ASSEMBLY && !command->dry_run &&
      status == CN_EXIT_OK && !cn_backend_rewrite(unit->output, unit->output, &changed))
    status = CN_EXIT_FAILED;
  /* As clang does: nothing that make would take for up to date. */
  if (status != CN_EXIT_OK && strcmp(unit->output, "-") != 0)
    cn_output_remove(unit->output);
  return status;
}
