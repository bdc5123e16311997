/* SPDX-License-Identifier: Apache-2.0
 *
 * Hide the names of managed bodies from debuggers.
 *
 * Managed code calls the function `f` of another object by `cairn.call.f` and the like, which lie a
 * few bytes after `f` itself (src/compile/transitions/entries.c). Debuggers and profilers take the
 * nearest function before an address, and would never say `f`. So linkers keep the name, but it is
 * no function's.
 */
#include "object/build/body_names.h"

#include <string.h>
#include "base/check.h"

static bool begins(const char *name, const char *prefix)
{
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Other images may call it by this name. Linkers warn of names that they take from a shared object
 * and that have neither type nor size, so it has a size of one byte; a type of data would have
 * disassemblers print the body as such. */
static bool is_exported(const struct cn_elf_symbol *s)
{
  return begins(s->name, "cairn.managed_code.");
}

/* Only names that this object defines: in others the same name may be a thunk's, a weak function.
 */
static bool is_body_name(const struct cn_elf_symbol *s)
{
  if (!s->section || ELF64_ST_TYPE(s->sym.st_info) != STT_FUNC)
    return false;
  if (is_exported(s))
    return true;
  return ELF64_ST_BIND(s->sym.st_info) != STB_WEAK &&
         (begins(s->name, "cairn.call.") || begins(s->name, "cairn.body."));
}

void cn_body_names_hide(struct cn_parts *parts, const struct cn_elf *elf)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    Elf64_Sym sym = elf->symbols[i].sym;
    if (!is_body_name(&elf->symbols[i]))
      continue;
    struct cn_bytes *symbols = cn_part_own(&parts->list.at[elf->symtab]);
    CN_CHECK((i + UINT64_C(1)) * sizeof sym <= symbols->count);
    sym.st_info = (unsigned char)ELF64_ST_INFO(ELF64_ST_BIND(sym.st_info), STT_NOTYPE);
    sym.st_size = is_exported(&elf->symbols[i]) ? 1 : 0;
    memcpy(symbols->at + i * sizeof sym, &sym, sizeof sym);
  }
}
