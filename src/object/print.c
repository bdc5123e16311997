/* SPDX-License-Identifier: Apache-2.0
 *
 * What the printers of stack maps and frame maps share: opening the file, finding the sections,
 * reporting what is wrong with them, and the names of registers.
 */
#include "object/print.h"

#include <stdlib.h>
#include "base/check.h"

const char *cn_print_register(unsigned dwarf, char *buffer)
{
  static const char *const names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
                                      "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};

  if (dwarf < sizeof names / sizeof *names)
    snprintf(buffer, 16, "%s", names[dwarf]);
  else if (dwarf >= 17 && dwarf <= 32)
    snprintf(buffer, 16, "xmm%u", dwarf - 17);
  else
    snprintf(buffer, 16, "r#%u", dwarf);
  return buffer;
}

static int print_bytes(const void *bytes, size_t size, const char *name, cn_print_section *print,
                       FILE *out, char **error)
{
  struct cn_elf elf;
  int status = cn_elf_open(&elf, bytes, size, error);

  if (status)
    return status;
  uint32_t section = cn_elf_find(&elf, name, 0);
  status = section ? cn_elf_place(&elf, error) : CN_FAIL(error, "no section %s", name);
  for (; section && !status; section = cn_elf_find(&elf, name, section + 1))
    status = print(out, &elf, section, error);
  cn_elf_close(&elf);
  return status;
}

int cn_print_file(const char *path, const char *name, cn_print_section *print, FILE *out,
                  FILE *err)
{
  void *bytes = NULL;
  size_t size;
  char *error = NULL;
  int status = cn_file_read(path, &bytes, &size, &error);

  if (!status)
    status = print_bytes(bytes, size, name, print, out, &error);
  if (status)
    fprintf(err, "cairn: error: '%s': %s\n", path, error);
  free(error);
  free(bytes);
  return status;
}
