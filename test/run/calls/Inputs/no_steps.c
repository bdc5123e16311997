/* SPDX-License-Identifier: Apache-2.0
 *
 * In the place of stepping.c, for programs that do not step.
 */
#include <stdlib.h>
#include "../../../unit/runtime/stubs_signals/stepping.h"

void step_begin(void (*between)(uintptr_t pc))
{
  (void)between;
  abort();
}

void step_end(void)
{
  abort();
}
