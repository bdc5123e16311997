/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn frames`: frame maps as text, read by the reader that the runtime has.
 */
#include "object/frames_print.h"

#include <inttypes.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "base/framemap.h"
#include "object/print.h"

static void print_memory(FILE *out, unsigned reg, int64_t offset)
{
  char name[16];

  fprintf(out, "[%s %c %" PRId64 "]", cn_print_register(reg, name), offset < 0 ? '-' : '+',
          offset < 0 ? -offset : offset);
}

static void print_place(FILE *out, struct cn_loc loc)
{
  char name[16];

  if (loc.is_register)
    fputs(cn_print_register(loc.reg, name), out);
  else
    print_memory(out, loc.reg, loc.offset);
}

static void print_frame(FILE *out, uint32_t offset, const struct cn_safepoint *s)
{
  static const char *const saved[CN_CALLEE_SAVED] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};
  char name[16];

  fprintf(out, "  +0x%" PRIx32 ": cfa %s + %" PRId32, offset, cn_print_register(s->cfa_reg, name),
          s->cfa_offset);
  for (unsigned r = 0; r < CN_CALLEE_SAVED; r++)
    if (s->saved >> r & 1)
      fprintf(out, ", %s at cfa - %" PRId64, saved[r], -(int64_t)s->saved_offset[r]);
  switch (s->id) {
  case CAIRN_ABI_STATEPOINT_ID_DEFAULT: break;
  case CAIRN_ABI_STATEPOINT_ID_POLL: fputs(", poll", out); break;
  case CAIRN_ABI_STATEPOINT_ID_ALLOC: fputs(", allocation", out); break;
  default: fprintf(out, ", id %" PRIu64, s->id); break;
  }
  fputc('\n', out);
}

static int print_contents(FILE *out, struct cn_safepoint *s)
{
  struct cn_root root;
  struct cn_area area;
  int status;

  while ((status = cn_framemap_next_root(s, &root)) == CN_FRAMEMAP_OK) {
    fputs(root.is_derived ? "    derived " : "    root ", out);
    print_place(out, root.derived);
    if (root.is_derived) {
      fputs(" from ", out);
      print_place(out, root.base);
    }
    fputc('\n', out);
  }
  if (status == CN_FRAMEMAP_BAD)
    return status;
  while ((status = cn_framemap_next_area(s, &area)) == CN_FRAMEMAP_OK) {
    fputs("    area ", out);
    print_memory(out, area.reg, area.offset);
    fprintf(out, ", count %" PRIu64 ", stride %" PRIu64 "\n", area.count, area.stride);
  }
  return status == CN_FRAMEMAP_NONE ? CN_FRAMEMAP_OK : status;
}

static int print_function(FILE *out, const struct cn_elf *elf, uint64_t address,
                          const struct cn_framemap_function *f)
{
  const struct cn_elf_symbol *symbol = cn_elf_function_at(elf, address);

  fprintf(out, "function %s", symbol ? symbol->name : "?");
  if (elf->head.e_type != ET_REL)
    fprintf(out, " at 0x%" PRIx64, address);
  fprintf(out, ": code size %" PRIu32 ", safepoints %" PRIu32 "\n", f->code_size, f->safepoints);
  for (uint32_t i = 0; i < f->safepoints; i++) {
    struct cn_safepoint safepoint;
    uint32_t offset;
    if (cn_framemap_return_offset(f, i, &offset) || cn_framemap_safepoint(f, i, &safepoint))
      return CN_FRAMEMAP_BAD;
    print_frame(out, offset, &safepoint);
    if (print_contents(out, &safepoint))
      return CN_FRAMEMAP_BAD;
  }
  return CN_FRAMEMAP_OK;
}

static int print_section(FILE *out, struct cn_elf *elf, uint32_t section, char **error)
{
  const struct cn_elf_section *s = &elf->sections[section];
  const unsigned char *cursor = s->data, *end = cursor ? cursor + s->head.sh_size : NULL;
  struct cn_framemap_function f;
  int status;

  if (cn_elf_relocate(elf, section, error))
    return -1;
  while (cursor && (status = cn_framemap_next_function(&cursor, end, &f)) != CN_FRAMEMAP_NONE) {
    uint64_t address = f.entry - (uintptr_t)s->data + s->head.sh_addr;
    if (status == CN_FRAMEMAP_OK)
      status = print_function(out, elf, address, &f);
    if (status)
      return CN_FAIL(error, "section cairn_frames, offset %zu: malformed",
                     (size_t)(cursor - s->data));
  }
  return 0;
}

int cairn_frames_print_file(const char *path, FILE *out, FILE *err)
{
  return cn_print_file(path, "cairn_frames", print_section, out, err);
}
