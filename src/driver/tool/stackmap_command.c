/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn stackmap`: prints the LLVM stack maps of an object, an archive's members or a section's bytes on stdout, as
 * text or as JSON. The input stays unchanged. Errors go to stderr. The file holds no state.
 */
#include <stdio.h>
#include "driver/tool.h"
#include "driver/tool/arguments.h"
#include "object/print/stackmap_print.h"

static const char help_text[] =
    "usage: cairn stackmap [--json] [--raw] FILE\n\n"
    "Print the LLVM stack maps (section .llvm_stackmaps, versions 1 to 3) of a relocatable object,\n"
    "a linked image or the members of an archive, for x86-64, AArch64 or RISC-V. '-' is standard\n"
    "input.\n\n"
    "  --json            one JSON document (its members: see cairn(1))\n"
    "  --raw             FILE is the bytes of such a section, from whatever file format\n"
    "  --help, --version\n";

static int apply_option(void *env, int letter, const char *name)
{
  struct cn_stackmap_print *how = env;

  (void)name;
  if (letter == 'j')
    how->json = true;
  else
    how->raw = true;
  return CN_EXIT_OK;
}

int cn_stackmap_main(int argc, char **argv)
{
  static const struct option options[] = {
      {"json", no_argument, NULL, 'j'}, {"raw", no_argument, NULL, 'r'}, CN_ARGUMENTS_COMMON};
  static char name[] = "cairn stackmap";
  struct cn_arguments arguments = {
      .name = name, .help = help_text, .letters = "h", .options = options, .take = apply_option};
  struct cn_stackmap_print how = {0};
  int status = cn_arguments_parse(argc, argv, &arguments, &how);

  if (status >= 0)
    return status;
  if (argc - optind != 1) {
    cn_tool_error("one file is needed (see --help)");
    return CN_EXIT_USAGE;
  }
  return cairn_stackmap_print_file(argv[optind], how, stdout, stderr) ? CN_EXIT_FAILED : CN_EXIT_OK;
}
