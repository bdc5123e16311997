/* SPDX-License-Identifier: Apache-2.0
 *
 * Optimises at link time by joining the units of a link into one module. Runs between the compilation of units and the
 * final link. Prints errors on stderr. Writes the joined bitcode and its object as new files; the plan of the join is
 * in struct cn_joined_bitcode.
 *
 *   .o, with -flto   bitcode, checked and prepared, not optimised (cairn_compile_unit)
 *   the link         lld resolves symbols, as it would for any program, and joins the bitcode that
 *                    the program needs; symbols that nothing else refers to become internal
 *                    | the rest of the pipeline, code generation, frame maps: one object
 *                    the requested link, with this object in place of bitcode
 *
 * lld does the symbol resolution, because only the linker knows the archive or shared object that defines a symbol. lld
 * writes the joined bitcode; at level 0 it changes only linkage.
 */
#include <string.h>
#include <unistd.h>
#include "driver/cc/process.h"
#include "driver/cc/units.h"
#include "driver/tool.h"

bool cn_lto_is_wanted(const struct cn_command *command)
{
  for (size_t i = 0; i < command->items.count; i++) {
    const struct cn_command_item *item = &command->items.at[i];
    if (item->input && item->language == CN_LANG_FOR_LINKER && cn_inputs_has_bitcode(item->words[0]))
      return true;
  }
  return command->lto;
}

static const char *output_path_of(const struct cn_command *command)
{
  return command->output ? command->output : "a.out";
}

bool cn_lto_plan_join(const struct cn_command *command, const struct cn_unit *units, size_t count,
                      struct cn_joined_bitcode *joined)
{
  const char *stem = cn_paths_stem_of(output_path_of(command));
  const char *linker = cn_process_find_llvm_tool("ld.lld", "link-time optimisation", "lld-22");

  CN_CHECK(command->mode == CN_MODE_LINK && joined->command.count == 0);
  joined->unit = (struct cn_unit){.language = CN_LANG_IR, .input = output_path_of(command)};
  joined->unit.bitcode =
      command->save_temps ? cn_command_format_string("%s.lto.bc", stem) : cn_temp_make_file_name(stem, ".lto.bc");
  joined->unit.output = cn_temp_make_file_name(stem, ".lto.o");
  if (!linker || !joined->unit.bitcode || !joined->unit.output ||
      !cn_link_make_command(command, units, count, NULL, &joined->command))
    return false;
  cn_push(&joined->command, "-o");
  cn_push(&joined->command, joined->unit.bitcode);
  cn_push(&joined->command, cn_command_format_string("--ld-path=%s", linker));
  cn_push(&joined->command, "-Wl,--lto-emit-llvm,--lto-O0");
  CN_CHECK(strcmp(joined->unit.bitcode, joined->unit.output) != 0);
  return true;
}

int cn_lto_join_and_compile(const struct cn_command *command, struct cn_joined_bitcode *joined)
{
  CN_CHECK(joined->unit.bitcode && joined->unit.output && joined->command.count);
  cn_output_remove(joined->unit.bitcode); /* remove an old file, because lld may write no new one */
  int status = cn_link_run(command, &joined->command);
  if (status != CN_EXIT_OK)
    return status;
  if (access(joined->unit.bitcode, R_OK) != 0)
    joined->unit.output = NULL;
  else if (!cn_backend_compile_joined(command, &joined->unit))
    return CN_EXIT_FAILED;
  return CN_EXIT_OK;
}
