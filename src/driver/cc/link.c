/* SPDX-License-Identifier: Apache-2.0
 *
 * Links by a call of clang, with the runtime as the last input and a temporary assembly file that names the chosen
 * collector. Runs after all units are compiled: makes the command, with rewritten inputs (inputs.c), and runs it; then
 * checks the linked file, and removes a faulty one. Prints errors on stderr, and holds no state.
 *
 * Executables contain the complete runtime and export it; shared objects use the executable's runtime. With
 * -shared-libcairn both use libcairn.so. Objects with stack maps from another compiler get frame maps, because the
 * runtime would treat frames without frame maps as native.
 */
#include <stdlib.h>
#include <string.h>
#include "compile/codegen/codegen.h"
#include "driver/cc/process.h"
#include "driver/cc/units.h"
#include "driver/tool.h"
#include "object/build/image_check.h"

static const struct cn_unit *unit_of_item(const struct cn_unit *units, size_t count, const struct cn_command_item *item)
{
  CN_ASSERT(item->input);
  for (size_t i = 0; i < count; i++)
    if (units[i].item == item) {
      CN_ASSERT_VALID(cn_unit_wrong(&units[i]));
      return &units[i];
    }
  return NULL;
}

static bool links_statically(const struct cn_command *command)
{
  for (size_t i = 0; i < command->items.count; i++)
    for (size_t k = 0; k < command->items.at[i].count; k++)
      if (strcmp(command->items.at[i].words[k], "-static") == 0 ||
          strcmp(command->items.at[i].words[k], "-static-pie") == 0)
        return true;
  return false;
}

/* The runtime's file `name` for the target: beside the tools' own runtime, or in the target's folder. Null after a
 * message. */
static const char *find_runtime_file(const struct cn_command *command, const char *name)
{
  const char *target = command->target, *folder = cn_codegen_library_folder(target);

  if (!folder) {
    char *error = cn_codegen_format_missing_port(target);
    cn_tool_error("%s", error);
    free(error);
    return NULL;
  }
  bool own = cn_codegen_is_same_port(target, NULL);
  const char *relative =
      own ? cn_command_format_string("lib/%s", name) : cn_command_format_string("lib/%s/%s", folder, name);
  const char *path = cn_paths_find_installed(relative);
  if (path)
    return path;
  const char *kind = strcmp(name, "libcairn.exports") == 0 ? "" : "the runtime library ";
  if (own)
    cn_tool_error("%s%s is not in the lib directory beside this program's", kind, name);
  else
    cn_tool_error("%s%s for %s is not in the directory lib/%s beside this program's (CAIRN_TARGETS of Cairn's build)",
                  kind, name, cn_codegen_target_name(target), folder);
  return NULL;
}

/* Add the runtime, even if the program does not call it, because the linker cannot see later calls from shared objects.
 * The linker takes only the kind of barriers that the program's code names. */
static bool add_runtime(const struct cn_command *command, struct cn_words *words)
{
  const char *library = find_runtime_file(command, "libcairn.a");
  const char *exports = library ? find_runtime_file(command, "libcairn.exports") : NULL;

  if (!exports)
    return false;
  CN_CHECK(!command->shared && !command->relocatable); /* these outputs use the executable's runtime */
  cn_push(words, "-Wl,-u,cairn_image_register");
  cn_push(words, library);
  /* A static program exports no symbols, because it has no importers. With exports, GNU ld would emit a thread-local
   * relocation that the start code of a static PIE cannot apply. */
  if (!links_statically(command)) {
    cn_push(words, "-Xlinker");
    cn_push(words, cn_command_format_string("--dynamic-list=%s", exports));
  }
  return true;
}

/* Add libcairn.so, which is found at run time as other libraries are: without a folder in the program. */
static bool add_shared_runtime(const struct cn_command *command, struct cn_words *words)
{
  const char *library = find_runtime_file(command, "libcairn.so");

  if (library && links_statically(command))
    cn_tool_error("'-shared-libcairn' contradicts '-static'");
  if (!library || links_statically(command))
    return false;
  cn_push(words, "-Wl,--push-state,--no-as-needed");
  cn_push(words, library);
  cn_push(words, "-Wl,--pop-state");
  return true;
}

/* Add an object that names the collector. Shared objects use the executable's collector. */
static bool add_collector_choice(const struct cn_command *command, struct cn_words *words)
{
  if (command->collector == NULL)
    return true;
  const char *path = cn_temp_make_file_name("collector", ".s");
  FILE *file = path && !command->dry_run ? fopen(path, "w") : NULL;

  CN_CHECK(!command->shared && !command->relocatable);
  if (file != NULL)
    fprintf(file,
            "\t.section .data.rel.ro,\"aw\",@progbits\n\t.globl cairn_collector_chosen\n\t.p2align 3\n"
            "cairn_collector_chosen:\n\t.8byte cairn_collector_%s\n"
            "\t.section .note.GNU-stack,\"\",@progbits\n",
            command->collector);
  bool written = file != NULL ? fclose(file) == 0 : path && command->dry_run;
  if (path != NULL && !written)
    cn_tool_error("'%s' cannot be written", path);
  cn_push(words, "-xassembler");
  cn_push(words, path);
  cn_push(words, "-xnone");
  return written;
}

/* Add an input's unit output or rewritten copy, or else the input. */
static bool add_link_input(const struct cn_command *command, const struct cn_command_item *item,
                           const struct cn_unit *unit, const struct cn_joined_bitcode *joined,
                           const struct cn_renames *renames, struct cn_words *words)
{
  const char *path = unit ? unit->output : item->words[0];

  CN_CHECK(path && item->input);
  if (joined && (unit ? command->lto && unit->bitcode : cn_inputs_is_bitcode(path)))
    return true;
  if (!unit && !command->dry_run && !cn_inputs_fit_target(path, command->target))
    return false;
  if (joined && (!unit || renames->list.count) && !command->dry_run && !cn_inputs_replace_file(path, renames, &path))
    return false;
  cn_push(words, path);
  return true;
}

static bool add_link_arguments(const struct cn_command *command, const struct cn_unit *units, size_t count,
                               const struct cn_joined_bitcode *joined, const struct cn_renames *renames,
                               struct cn_words *words)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    if (item->input) {
      if (!add_link_input(command, item, unit_of_item(units, count, item), joined, renames, words))
        return false;
    } else if (item->to_link) {
      for (size_t k = 0; k < item->count; k++)
        cn_push(words, item->words[k]);
    }
  }
  return true;
}

/* Add the joined object first, so that a linker that reads each archive once finds its references. Calls between
 * functions of the joined object do not use names, so the driver refuses to rename such a function. */
static bool add_joined_object(const struct cn_command *command, const struct cn_joined_bitcode *joined,
                              const struct cn_renames *renames, struct cn_words *words)
{
  const char *path = joined ? joined->unit.output : NULL;

  if (!path)
    return true;
  if (renames->list.count && !command->dry_run) {
    const char *name = cn_inputs_find_defined(path, renames);
    if (name)
      cn_tool_error("-Wl,--wrap or -Wl,--defsym changes calls of '%s', and -flto has joined it with "
                    "its callers: compile its unit without -flto",
                    name);
    if (name || !cn_inputs_replace_file(path, renames, &path))
      return false;
  }
  cn_push(words, path);
  return true;
}

bool cn_link_make_command(const struct cn_command *command, const struct cn_unit *units, size_t count,
                          const struct cn_joined_bitcode *joined, struct cn_words *words)
{
  CN_ASSERT_VALID(cn_command_wrong(command));
  CN_CHECK(words->count == 0 && command->mode == CN_MODE_LINK);
  cn_push(words, cn_process_clang_path());
  if (count > 0)
    cn_push(words, "-Qunused-arguments"); /* arguments that the units' commands used */
  struct cn_renames renames = {0};
  bool ok = cn_renames_gather(command, &renames) && add_joined_object(command, joined, &renames, words) &&
            add_link_arguments(command, units, count, joined, &renames, words);
  cn_free(&renames.list);
  if (!ok)
    return false;
  if (command->output) {
    cn_push(words, "-o");
    cn_push(words, command->output);
  }
  bool runtime = !command->relocatable && !command->no_default_libraries;
  /* A shared object must allow undefined symbols, because the executable defines the runtime. */
  if (command->shared && command->no_undefined && !(runtime && command->shared_runtime))
    cn_push(words, "-Wl,-z,undefs");
  if (runtime && !command->shared && !add_collector_choice(command, words))
    return false;
  if (runtime && command->shared_runtime)
    return add_shared_runtime(command, words);
  return !runtime || command->shared || add_runtime(command, words);
}

static bool is_collector_missing(const char *messages, const char *name)
{
  const char *symbol = cn_command_format_string("cairn_collector_%s", name);
  FILE *file = fopen(messages, "r");
  bool found = false;
  char *line = NULL;
  size_t room = 0;

  while (!found && file && getline(&line, &room, file) > 0) {
    const char *at = strstr(line, symbol);
    found = at && strchr("'`\" \t\n", at[strlen(symbol)]) && strstr(line, "undefined");
  }
  if (file)
    fclose(file);
  free(line);
  return found;
}

static void print_linker_messages(const char *messages)
{
  FILE *file = fopen(messages, "r");
  char text[4096];

  for (size_t n; file && (n = fread(text, 1, sizeof text, file)) > 0;)
    fwrite(text, 1, n, stderr);
  if (file)
    fclose(file);
}

int cn_link_run(const struct cn_command *command, const struct cn_words *words)
{
  const char *messages = command->collector ? cn_temp_make_file_name("link", ".txt") : NULL;

  if (messages == NULL)
    return cn_process_run(words);
  int status = cn_process_run_redirected(words, NULL, messages);
  if (status == CN_EXIT_OK || !is_collector_missing(messages, command->collector))
    print_linker_messages(messages);
  else
    cn_tool_error("there is no collector '%s': Cairn has generational and semispace, and the program "
                  "defines no cairn_collector_%s",
                  command->collector, command->collector);
  return status;
}

bool cn_link_check_output(const struct cn_command *command)
{
  const char *path = command->output ? command->output : "a.out";
  char *error = NULL;

  CN_CHECK(command->mode == CN_MODE_LINK && !command->dry_run);
  if (command->relocatable)
    return true;
  if (!cn_image_check(path, &error))
    return true;
  cn_tool_error("'%s': %s", path, error);
  free(error);
  cn_output_remove(path);
  return false;
}
