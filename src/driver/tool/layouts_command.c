/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn layouts`: prints the layouts of objects on stdout: sizes, places of references, and names of fields. The input
 * stays unchanged. Errors go to stderr. The file holds no state.
 */
#include <stdio.h>
#include <stdlib.h>
#include "base/check.h"
#include "driver/tool.h"
#include "driver/tool/arguments.h"
#include "object/elf/input.h"
#include "object/print/frames_view.h"

static const char help_text[] =
    "usage: cairn layouts FILE\n\n"
    "Print the types of managed objects that an object, executable or shared object allocates\n"
    "(section cairn_layouts): size, places of references, and fields with their offsets, as far as\n"
    "they have names. '-' is standard input.\n\n"
    "  --help, --version\n";

static int refuse_option(void *env, int letter, const char *name)
{
  (void)env;
  (void)letter;
  (void)name;
  return CN_EXIT_USAGE;
}

static int print_layouts(const char *path)
{
  struct cn_input_file file;
  char *error = NULL;

  if (cn_input_open(&file, path, cn_input_is_binary, &error) || cn_layouts_print(stdout, file.bytes, file.size, &error))
    cn_tool_error("'%s': %s", path, error);
  int status = error ? CN_EXIT_FAILED : CN_EXIT_OK;
  free(error);
  cn_input_close(&file);
  return status;
}

int cn_layouts_main(int argc, char **argv)
{
  static const struct option options[] = {CN_ARGUMENTS_COMMON};
  static char name[] = "cairn layouts";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "h", .options = options, .take = refuse_option};
  int status = cn_arguments_parse(argc, argv, &arguments, NULL);

  if (status >= 0)
    return status;
  if (argc - optind != 1) {
    cn_tool_error("one file is needed (see --help)");
    return CN_EXIT_USAGE;
  }
  CN_CHECK(argv[optind]);
  return print_layouts(argv[optind]);
}
