/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects in which one section is two things at once, such as stack maps that are the symbol table:
 * refused, since one of the two would be changed by the other's rewriting.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/object.h>
#include "base/guard.h"

/* The sections: a symbol table of two symbols under another name, and the strings. */
struct object {
  Elf64_Ehdr head;
  unsigned char symbols[2 * sizeof(Elf64_Sym)];
  char strings[64];
  Elf64_Shdr sections[3];
};

static struct object symbol_table_named(const char *name)
{
  struct object o = {
      .head = {.e_type = ET_REL,
               .e_machine = EM_X86_64,
               .e_version = EV_CURRENT,
               .e_shoff = offsetof(struct object, sections),
               .e_ehsize = sizeof(Elf64_Ehdr),
               .e_shentsize = sizeof(Elf64_Shdr),
               .e_shnum = 3,
               .e_shstrndx = 2},
      .sections = {
          [1] = {.sh_name = 1,
                 .sh_type = SHT_SYMTAB,
                 .sh_offset = offsetof(struct object, symbols),
                 .sh_size = 2 * sizeof(Elf64_Sym),
                 .sh_link = 2,
                 .sh_info = 2,
                 .sh_addralign = 8,
                 .sh_entsize = sizeof(Elf64_Sym)},
          [2] = {.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct object, strings), .sh_size = sizeof o.strings}}};
  const Elf64_Sym local = {.st_shndx = 1};

  memcpy(o.head.e_ident, ELFMAG, SELFMAG);
  o.head.e_ident[EI_CLASS] = ELFCLASS64;
  o.head.e_ident[EI_DATA] = ELFDATA2LSB;
  o.head.e_ident[EI_VERSION] = EV_CURRENT;
  memcpy(o.strings + 1, name, strlen(name));
  memcpy(o.symbols + sizeof local, &local, sizeof local);
  return o;
}

static void expect_refusal(const struct object *o, const char *reason)
{
  void *out = NULL;
  size_t size = 0;
  char *error = NULL;

  assert_int_equal(cairn_object_rewrite(o, sizeof *o, &out, &size, &error), CAIRN_E_REFUSED);
  assert_null(out);
  assert_string_equal(error, reason);
  free(error);
}

/* Its bytes are a stack map, too: version 3 with four constants, one of which is a local symbol in
 * the section itself. */
static void stack_maps_that_are_symbols(void **state)
{
  struct object o = symbol_table_named(".llvm_stackmaps");

  (void)state;
  o.symbols[0] = 3;
  o.symbols[8] = 4;
  expect_refusal(&o, "section '.llvm_stackmaps' is also another thing");
}

static void guard_that_is_symbols(void **state)
{
  struct object o = symbol_table_named(CN_GUARD_SECTION);

  (void)state;
  expect_refusal(&o, "section 'cairn_guard' differs from Cairn's");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stack_maps_that_are_symbols),
      cmocka_unit_test(guard_that_is_symbols),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
