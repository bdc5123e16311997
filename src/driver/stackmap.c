/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn stackmap`: print the LLVM stack maps of an object.
 */
#include <stdio.h>
#include "driver/tool.h"
#include "object/stackmap_print.h"

static const char help[] = "usage: cairn stackmap FILE\n\n"
                           "Print the LLVM stack maps (section .llvm_stackmaps) of a relocatable "
                           "object or a linked image.\n";

int cn_stackmap_main(int argc, char **argv)
{
  const char *path = NULL;

  cn_tool_name = "cairn stackmap";
  int status = cn_tool_one_file(argc, argv, help, &path);
  if (!path)
    return status;
  return cairn_stackmap_print_file(path, stdout, stderr) ? CN_EXIT_FAILED : CN_EXIT_OK;
}
