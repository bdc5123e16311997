/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn stackmap`: print the LLVM stack maps of an object.
 */
#include <getopt.h>
#include <stdio.h>
#include "driver/tool.h"
#include "object/print/stackmap_print.h"

static const char help[] =
    "usage: cairn stackmap [--json] [--raw] FILE\n\n"
    "Print the LLVM stack maps (section .llvm_stackmaps, versions 1 to 3) of a relocatable object,\n"
    "a linked image or the members of an archive, for x86-64, AArch64 or RISC-V. '-' is standard\n"
    "input.\n\n"
    "  --json            one JSON document (its members: see cairn(1))\n"
    "  --raw             FILE is the bytes of such a section, from whatever file format\n"
    "  --help, --version\n";

int cn_stackmap_main(int argc, char **argv)
{
  static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                          {"raw", no_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
  struct cn_stackmap_print how = {0};
  char name[] = "cairn stackmap";
  int letter;

  cn_tool_name = argv[0] = name;
  while ((letter = getopt_long(argc, argv, "h", options, NULL)) != -1) {
    switch (letter) {
    case 'h':
      return fputs(help, stdout), CN_EXIT_OK;
    case 'v':
      return cn_tool_print_version(), CN_EXIT_OK;
    case 'j':
      how.json = true;
      break;
    case 'r':
      how.raw = true;
      break;
    default:
      return CN_EXIT_USAGE;
    }
  }
  if (argc - optind != 1) {
    cn_tool_error("one file is needed (see --help)");
    return CN_EXIT_USAGE;
  }
  return cairn_stackmap_print_file(argv[optind], how, stdout, stderr) ? CN_EXIT_FAILED : CN_EXIT_OK;
}
