/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbols of a module's object: the export of a function stands for its body, and the copy for a link lacks the
 * symbols that no relocation, no other module and no debugger needs.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <cairn/code.h>
#include "base/check.h"
#include "jit/module.h"

/* Of the runtime, which the program lacks; never called. */
bool cairn_code_is_debugged(void)
{
  return false;
}

enum cairn_status cairn_code_name(const struct cairn_code_names *names, struct cairn_named_code **named)
{
  (void)names;
  *named = NULL;
  return CAIRN_OK;
}

enum { TEXT = 1, RELA, SYMTAB, STRTAB, SECTIONS, CODE_BYTES = 256 };
enum { COPY = 1, OWN, USED, LABEL, FUNCTION, BODY, OTHER, OTHER_BODY, IMPORT, SYMBOLS };

struct object {
  Elf64_Ehdr head;
  unsigned char code[CODE_BYTES];
  Elf64_Rela relocations[1];
  Elf64_Sym symbols[SYMBOLS];
  char strings[128];
  Elf64_Shdr sections[SECTIONS];
};

static const Elf64_Shdr sections[SECTIONS] = {
    [TEXT] = {.sh_type = SHT_PROGBITS,
              .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
              .sh_offset = offsetof(struct object, code),
              .sh_size = CODE_BYTES,
              .sh_addralign = 16},
    [RELA] = {.sh_type = SHT_RELA,
              .sh_offset = offsetof(struct object, relocations),
              .sh_size = sizeof(Elf64_Rela),
              .sh_link = SYMTAB,
              .sh_info = TEXT,
              .sh_addralign = 8,
              .sh_entsize = sizeof(Elf64_Rela)},
    [SYMTAB] = {.sh_type = SHT_SYMTAB,
                .sh_offset = offsetof(struct object, symbols),
                .sh_size = SYMBOLS * sizeof(Elf64_Sym),
                .sh_link = STRTAB,
                .sh_info = FUNCTION,
                .sh_addralign = 8,
                .sh_entsize = sizeof(Elf64_Sym)},
    [STRTAB] = {.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct object, strings), .sh_size = 128}};

static const struct {
  const char *name;
  unsigned bind, type, section, value, size;
} symbols[SYMBOLS] = {[COPY] = {"f", STB_LOCAL, STT_FUNC, TEXT, 16 + CAIRN_ABI_ENTRY_SIZE, 16},
                      [OWN] = {"g", STB_LOCAL, STT_FUNC, TEXT, 128, 8},
                      [USED] = {"", STB_LOCAL, STT_FUNC, TEXT, 136, 0},
                      [LABEL] = {"", STB_LOCAL, STT_NOTYPE, TEXT, 140, 0},
                      [FUNCTION] = {"f", STB_GLOBAL, STT_FUNC, TEXT, 16, 64},
                      [BODY] = {"cairn.managed_code.f", STB_WEAK, STT_FUNC, TEXT, 16 + CAIRN_ABI_ENTRY_SIZE, 0},
                      [OTHER] = {"h", STB_GLOBAL, STT_FUNC, TEXT, 96, 16},
                      [OTHER_BODY] = {"cairn.managed_code.h", STB_WEAK, STT_FUNC, TEXT, 96, 0},
                      [IMPORT] = {"x", STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0, 0}};

static struct object *make_object(void)
{
  struct object *o = cn_alloc(sizeof *o);
  size_t used = 1;

  o->head = (Elf64_Ehdr){.e_type = ET_REL,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_shoff = offsetof(struct object, sections),
                         .e_ehsize = sizeof(Elf64_Ehdr),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS,
                         .e_shstrndx = STRTAB};
  memcpy(o->head.e_ident, (const char[]){ELFMAG "\2\1\1"}, SELFMAG + 3);
  memcpy(o->sections, sections, sizeof sections);
  o->relocations[0] = (Elf64_Rela){4, ELF64_R_INFO((uint64_t)USED, R_X86_64_PC32), -4};
  for (unsigned i = 1; i < SYMBOLS; i++) {
    o->symbols[i] = (Elf64_Sym){.st_info = (unsigned char)ELF64_ST_INFO(symbols[i].bind, symbols[i].type),
                                .st_shndx = (Elf64_Section)symbols[i].section,
                                .st_value = symbols[i].value,
                                .st_size = symbols[i].size};
    if (!*symbols[i].name)
      continue;
    o->symbols[i].st_name = (Elf64_Word)used;
    memcpy(o->strings + used, symbols[i].name, strlen(symbols[i].name) + 1);
    used += strlen(symbols[i].name) + 1;
  }
  return o;
}

static struct cn_jit_module *make_module(void)
{
  struct cn_jit_module *module = cn_alloc(sizeof *module);
  char *error = NULL;

  module->object = make_object();
  module->object_size = sizeof(struct object);
  assert_true(cn_jit_module_read_symbols(module, &error));
  return module;
}

/* A body at another place than behind the entry is an export of its own. */
static void folds_bodies(void **state)
{
  struct cn_jit_module *module = make_module();
  static const struct {
    const char *name;
    unsigned index, body;
  } expected[] = {{"cairn.managed_code.h", OTHER_BODY, 0}, {"f", FUNCTION, BODY}, {"h", OTHER, 0}};

  (void)state;
  assert_int_equal(module->exports.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(module->exports.at[i].name, expected[i].name);
    assert_int_equal(module->exports.at[i].index, expected[i].index);
    assert_int_equal(module->exports.at[i].body, expected[i].body);
  }
  assert_int_equal(module->imports.count, 1);
  cn_jit_module_free(module);
}

static void hides_unneeded_symbols(void **state)
{
  struct cn_jit_module *module = make_module();
  const struct object *object = module->object;
  size_t size;
  char *bound = cn_jit_module_rebind(module, NULL, 0, &size);
  const Elf64_Sym *table = (const Elf64_Sym *)(const void *)(bound + offsetof(struct object, symbols));

  (void)state;
  for (unsigned i = 1; i < SYMBOLS; i++) {
    bool hidden = ELF64_ST_TYPE(table[i].st_info) == STT_FILE;
    assert_int_equal(hidden, i == COPY || i == LABEL || i == BODY);
    assert_true(hidden || memcmp(&table[i], &object->symbols[i], sizeof *table) == 0);
    assert_int_not_equal(ELF64_ST_TYPE(object->symbols[i].st_info), STT_FILE);
  }
  free(bound);
  cn_jit_module_free(module);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(folds_bodies), cmocka_unit_test(hides_unneeded_symbols)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
