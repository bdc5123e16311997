/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the port of an ELF file's machine, and files for other machines than a target's. Changes nothing, and holds no
 * state.
 */
#include "object/elf/elf_port.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

const struct cn_elf_port *cn_elf_find_port(unsigned machine)
{
  static const struct cn_elf_port *const ports[] = {&cn_elf_port_x86_64, &cn_elf_port_aarch64};

  for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
    if (ports[i]->frames->elf_machine == machine)
      return ports[i];
  return NULL;
}

const char *cn_elf_find_other_machine(const void *bytes, size_t size, const char *triple)
{
  Elf64_Ehdr head;

  if (size < sizeof head || memcmp(bytes, ELFMAG, SELFMAG) != 0)
    return NULL;
  memcpy(&head, bytes, sizeof head);
  const struct cn_elf_port *port = cn_elf_find_port(head.e_machine);
  if (!port)
    return "another machine";
  size_t length = strlen(port->architecture);
  bool same = strncmp(triple, port->architecture, length) == 0 && (!triple[length] || triple[length] == '-');
  return same ? NULL : port->frames->name;
}
