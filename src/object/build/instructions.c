/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the instructions of a port. Changes nothing, and holds no state.
 */
#include "object/build/instructions.h"

#include "base/check.h"

const struct cn_instructions *cn_instructions_of(const struct cn_frame_port *port)
{
  static const struct cn_instructions *const known[] = {&cn_instructions_x86_64, &cn_instructions_aarch64};

  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i]->port == port)
      return known[i];
  CN_UNREACHABLE(); /* each port has instructions */
}
