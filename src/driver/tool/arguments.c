/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of a subcommand.
 */
#include "driver/tool/arguments.h"

#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "driver/tool.h"

int cn_arguments_take(int argc, char **argv, const struct cn_arguments *arguments, void *env)
{
  int letter, which = 0, status = CN_EXIT_OK;

  CN_CHECK(argc > 0 && strchr(arguments->letters, 'h'));
  cn_tool_name = argv[0] = arguments->name; /* getopt puts it before its messages */
  while (status == CN_EXIT_OK &&
         (letter = getopt_long(argc, argv, arguments->letters, arguments->options, &which)) != -1) {
    if (letter == 'h')
      return fputs(arguments->help, stdout), CN_EXIT_OK;
    if (letter == 'v')
      return cn_tool_print_version(), CN_EXIT_OK;
    /* getopt has reported '?' */
    status = letter == '?' ? CN_EXIT_USAGE
                           : arguments->take(env, letter, arguments->options[which].name);
  }
  return status == CN_EXIT_OK ? -1 : status;
}
