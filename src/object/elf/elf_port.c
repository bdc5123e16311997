/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the port of an ELF file's machine. Changes nothing, and holds no state.
 */
#include "object/elf/elf_port.h"

#include <stddef.h>

const struct cn_elf_port *cn_elf_find_port(unsigned machine)
{
  static const struct cn_elf_port *const ports[] = {&cn_elf_port_x86_64, &cn_elf_port_aarch64};

  for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
    if (ports[i]->frames->elf_machine == machine)
      return ports[i];
  return NULL;
}
