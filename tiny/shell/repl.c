/* SPDX-License-Identifier: Apache-2.0
 *
 * The shell of tiny: runs each input, and prints its value or its exception. All inputs are one module, so that names
 * stay. Managed C; the state is the main thread's program.
 */
#include "tiny/shell/repl.h"

#include <stdlib.h>

#include "tiny/shell/lines.h"
#include "tiny/program/modules.h"
#include "tiny/core/object.h"

#define MODULE "(shell)"

int tiny_repl(void)
{
  bool is_new;
  uint32_t module = tiny_module(MODULE, &is_new);
  size_t length;
  char *text;

  tiny_lines_begin();
  while ((text = tiny_lines_next(&length))) {
    value result = tiny_run(MODULE, text, length, module);
    free(text);
    if (tiny_is_thrown(result)) {
      tiny_report(stderr);
    } else if (result != TINY_NIL) {
      tiny_write(stdout, result);
      putchar('\n');
    }
    fflush(stdout);
  }
  return 0;
}
