/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles the unit that `cairn explain` shows as cairn-cc would, to assembly, and takes the diagnostics, the finished
 * module and the assembly; then assembles the code, and takes the safepoints from the object. Temporary files are those
 * of cairn-cc. Diagnostics and errors go to stderr. The results live in struct cn_explain.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "driver/cc/process.h"
#include "driver/cc/units.h"
#include "driver/explain/explain.h"
#include "driver/ir_lines.h"
#include "driver/tool.h"

static void take_diagnostic(void *env, const struct cairn_diagnostic *diagnostic)
{
  struct cn_explain *explain = env;

  cairn_diagnostics_keep(&explain->diagnostics, diagnostic);
}

static void take_input(void *env, LLVMModuleRef module)
{
  const struct cn_explain *explain = env;

  cn_ir_lines_add(module, &explain->source.lines, explain->path);
}

static void take_module(void *env, LLVMModuleRef module)
{
  cn_explain_take_ir(env, module);
}

/* The words before and after the user's: the user may choose another level. */
static void add_words(struct cn_command *command, const char *path, char **words, int count, const char *output)
{
  const char *const last[] = {"-g", "-fno-discard-value-names", "-S", "-o", output, path};

  cn_push(&command->args, "-O2");
  for (int i = 0; i < count; i++)
    cn_push(&command->args, words[i]);
  for (size_t i = 0; i < sizeof last / sizeof *last; i++)
    cn_push(&command->args, last[i]);
}

/* The only source of the command, or null after a message. */
static const struct cn_command_item *find_source(const struct cn_command *command)
{
  const struct cn_command_item *source = NULL;

  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    if (!item->input)
      continue;
    if (source) {
      cn_tool_error("one file is explained at a time, but the compiler's options name '%s'", source->words[0]);
      return NULL;
    }
    source = item;
  }
  if (!source || (source->language != CN_LANG_C && source->language != CN_LANG_IR)) {
    cn_tool_error("'%s': neither C nor LLVM IR", source ? source->words[0] : "");
    return NULL;
  }
  return source;
}

/* True if the options make assembly. */
static bool check_mode(const struct cn_command *command)
{
  if (command->refused_lto || command->lto)
    cn_tool_error("-flto compiles at the link: explain the unit without it");
  else if (command->mode != CN_MODE_ASSEMBLY || command->emit_llvm || command->dry_run || command->help ||
           command->version || command->incomplete)
    cn_tool_error("the compiler's options must lead to code: no -c, -E, -emit-llvm, -### or --help");
  else
    return true;
  return false;
}

static bool open_assembly(struct cn_explain *explain, const char *path)
{
  char *error = NULL;

  if (cn_input_open(&explain->assembly_text, path, NULL, &error) == 0)
    return true;
  cn_tool_error("'%s': the assembly cannot be read: %s", explain->path, error);
  free(error);
  return false;
}

/* Assemble, and keep the stack map, because the stack map has the records that the assembly's labels belong to. */
static bool assemble(const struct cn_command *command, const char *assembly, const char *object)
{
  struct cn_words words = {0};
  const char *const all[] = {cn_process_clang_path(), "-c", "-o", object, assembly};

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    cn_push(&words, all[i]);
  if (command->target)
    cn_push(&words, cn_command_format_string("--target=%s", command->target));
  int status = cn_process_run(&words);
  cn_free(&words);
  return status == 0;
}

/* Take the code of the compiled unit. */
static bool take_code(struct cn_explain *explain, const struct cn_command *command, const char *assembly)
{
  const char *object = cn_temp_make_file_name("explained", ".o");
  cn_explain_places records = {0};

  if (!object || !open_assembly(explain, assembly))
    return false;
  cn_explain_take_assembly(explain, &records);
  bool ok = records.count == 0 ||
            (assemble(command, assembly, object) && cn_explain_take_safepoints(explain, object, &records));
  cn_free(&records);
  if (ok)
    cn_explain_match(explain);
  return ok;
}

static bool has_error(const struct cairn_diagnostics *diagnostics)
{
  for (size_t i = 0; i < diagnostics->count; i++)
    if (diagnostics->at[i].severity == CAIRN_ERROR)
      return true;
  return false;
}

static int compile_command(struct cn_explain *explain, struct cn_command *command, const char *assembly)
{
  const struct cn_command_item *source = find_source(command);
  struct cn_unit unit;

  if (!source || !check_mode(command) || !cn_unit_plan(command, source, &unit))
    return CN_EXIT_FAILED;
  int status = cn_unit_compile(command, &unit);
  cn_unit_free(&unit);
  explain->failed = status != CN_EXIT_OK && has_error(&explain->diagnostics);
  if (status != CN_EXIT_OK)
    return CN_EXIT_FAILED;
  explain->native = explain->ir_text == NULL;
  return take_code(explain, command, assembly) ? CN_EXIT_OK : CN_EXIT_FAILED;
}

int cn_explain_compile(struct cn_explain *explain, const char *path, char **words, int count)
{
  struct cn_compile_observer observer = {
      .env = explain, .diagnose = take_diagnostic, .take_input = take_input, .take_module = take_module};
  struct cn_command command = {.observer = &observer};
  const char *assembly = cn_temp_make_file_name("explained", ".s");
  int status = CN_EXIT_FAILED;

  CN_CHECK(explain->path == NULL);
  explain->path = path;
  if (!assembly)
    return CN_EXIT_FAILED;
  add_words(&command, path, words, count, assembly);
  if (cn_command_parse(&command)) {
    command.compile.report = true;
    cn_explain_read_source(&explain->source, path);
    status = compile_command(explain, &command, assembly);
  }
  cn_command_free(&command);
  return status;
}

void cn_explain_free(struct cn_explain *explain)
{
  for (size_t i = 0; i < explain->functions.count; i++) {
    cn_free(&explain->functions.at[i].ir);
    cn_free(&explain->functions.at[i].assembly);
  }
  for (size_t i = 0; i < explain->statepoints.count; i++) {
    cn_free(&explain->statepoints.at[i].live);
    cn_free(&explain->statepoints.at[i].variables);
    cn_free(&explain->statepoints.at[i].pairs);
  }
  for (size_t i = 0; i < explain->safepoints.count; i++) {
    cn_free(&explain->safepoints.at[i].places);
    free((char *)explain->safepoints.at[i].frame);
  }
  cn_free(&explain->functions);
  cn_free(&explain->statepoints);
  cn_free(&explain->safepoints);
  cairn_diagnostics_free(&explain->diagnostics);
  cn_explain_free_source(&explain->source);
  cn_input_close(&explain->assembly_text);
  if (explain->ir_text)
    LLVMDisposeMessage(explain->ir_text);
}
