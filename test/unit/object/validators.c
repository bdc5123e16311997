/* SPDX-License-Identifier: Apache-2.0
 *
 * The validators of the object side's structures: an error is planted in each place that one looks
 * at. A validator that finds nothing proves nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "unit/plant.h"
#include "object/build/frames_build.h"
#include "object/build/pieces.h"

/* An object of 64 bytes of code, a span table of two entries, and a joined section of frame maps
 * with its relocations: one map, of the code's first function. */
enum { CODE = 1, SPANS, FRAMES, RELA, SECTIONS };

static unsigned char code[64];
static uint32_t frames_bytes[4] = {16, 0, 1, 0};
static Elf64_Rela relas[2] = {{.r_offset = CN_PIECE_CODE_OFFSET, .r_info = ELF64_R_INFO(UINT64_C(1), R_X86_64_PC32)}};
static struct cn_elf_section sections[SECTIONS] = {
    [CODE] = {.name = ".text", .head = {.sh_size = sizeof code, .sh_flags = SHF_ALLOC | SHF_EXECINSTR}, .data = code},
    [SPANS] = {.name = "cairn_spans", .head = {.sh_size = 48}},
    [FRAMES] = {.name = "cairn_frames",
                .head = {.sh_size = sizeof frames_bytes},
                .data = (unsigned char *)frames_bytes,
                .relocations = RELA},
    [RELA] = {.name = ".relacairn_frames",
              .head = {.sh_type = SHT_RELA, .sh_size = sizeof relas[0], .sh_info = FRAMES},
              .data = (unsigned char *)relas},
};
static struct cn_elf_symbol symbols[2] = {{.name = ""}, {.name = "f", .section = CODE}};
static const struct cn_elf_file elf = {.head = {.e_type = ET_REL},
                                       .port = &cn_elf_port_x86_64,
                                       .sections = sections,
                                       .section_count = SECTIONS,
                                       .symbols = symbols,
                                       .symbol_count = 2};

static void frames(void **state)
{
  struct cn_span_use span = {.index = 1};
  struct cn_map_safepoint safepoint = {.return_offset = 5,
                                       .frame = {.cfa_reg = 7, .cfa_offset = 16, .return_address_offset = -8},
                                       .detail = {.return_offset = 5, .spans = {.at = &span, .count = 1}}};
  struct cn_map_function functions[] = {
      {.port = &cn_frame_port_x86_64, .name = "f", .section = CODE, .code_size = 32},
      {.port = &cn_frame_port_x86_64, .name = "g", .section = CODE, .offset = 32, .code_size = 32},
  };
  struct cn_frames f = {.functions = {.at = functions, .count = 2}, .span_table = SPANS};

  (void)state;
  functions[1].safepoints.at = &safepoint;
  functions[1].safepoints.count = 1;
#define FRAME(place, value, message) PLANT(place, value, cn_frames_wrong(&elf, &f), message)
  FRAME(f.span_table, CODE, "frames: the span table is another section");
  FRAME(functions[0].offset, 32, "frames: the functions do not ascend");
  FRAME(functions[1].name, NULL, "frames: a function has no name");
  FRAME(functions[1].section, SPANS, "frames: a function is not in a section of code");
  FRAME(functions[1].code_size, 33, "frames: a function reaches beyond its section");
  FRAME(safepoint.detail.return_offset, 6, "frames: details are of another safepoint");
  FRAME(span.index, 0, "frames: a span is not in the table");
  FRAME(span.index, 2, "frames: a span is not in the table");
  FRAME(safepoint.frame.cfa_offset, 0, "frame map: a frame address is not above its base");
}

static void pieces(void **state)
{
  unsigned char bytes[32] = {[CN_PIECE_LENGTH_OFFSET] = 16, [16 + CN_PIECE_LENGTH_OFFSET] = 16};
  struct cn_section_piece list[] = {
      {.section = CODE, .start = 0, .length = 16},
      {.section = CODE, .offset = 32, .start = 16, .length = 16},
  };
  struct cn_section_distance distances[] = {
      {CN_PIECE_CODE_OFFSET, CODE, 0}, {16 + CN_PIECE_CODE_OFFSET, CODE, 32}, {28, SPANS, 0}};
  struct cn_section_pieces p = {.pieces = {.at = list, .count = 2},
                                .distances = {.at = distances, .count = 3},
                                .bytes = {.at = bytes, .count = sizeof bytes}};

  (void)state;
#define PIECE(place, value, message) PLANT(place, value, cn_pieces_wrong(&p), "pieces: " message)
  PIECE(distances[2].at, 30, "a distance is not in the bytes");
  PIECE(distances[2].at, 32, "a distance is not in the bytes");
  PIECE(distances[2].at, 16, "the distances do not ascend");
  PIECE(distances[2].section, 0, "a distance leads nowhere");
  PIECE(list[1].offset, 0, "the pieces do not ascend");
  PIECE(list[1].length, 20, "a piece is not in the bytes");
  PIECE(list[1].start, 17, "a piece is not in the bytes");
  PIECE(bytes[CN_PIECE_LENGTH_OFFSET], 12, "a piece begins with another length");
  PIECE(distances[1].offset, 36, "a piece is not tied to its code");
  PIECE(distances[0].at, 0, "a piece is not tied to its code");
}

/* A relocation of the length would change it once a linker applies it. */
static void lengths_are_not_relocated(void **state)
{
  struct cn_section_pieces p;
  char *error = NULL;

  (void)state;
  assert_int_equal(cn_pieces_split_section(&elf, FRAMES, &p, &error), 0);
  assert_int_equal(p.pieces.count, 1);
  cn_pieces_free(&p);
  relas[1] = relas[0];
  relas[1].r_offset = CN_PIECE_LENGTH_OFFSET;
  sections[RELA].head.sh_size = sizeof relas;
  assert_int_equal(cn_pieces_split_section(&elf, FRAMES, &p, &error), -1);
  free(error);
  sections[RELA].head.sh_size = sizeof relas[0];
}

static void files(void **state)
{
  unsigned char bytes[64] = {0};
  struct cn_elf_section list[3] = {{.name = ""},
                                   {.name = ".text", .head = {.sh_addr = 0x1000, .sh_size = 32}, .data = bytes},
                                   {.name = ".data", .head = {.sh_addr = 0x2000, .sh_size = 32}, .data = bytes + 32}};
  struct cn_elf_symbol names[3] = {
      {.name = ""}, {.name = "f", .section = 1}, {.name = "g", .sym = {.st_value = 8}, .section = 1}};
  uint32_t functions[2] = {1, 2}, placed[2] = {1, 2};
  struct cn_elf_file file = {.bytes = bytes,
                             .size = sizeof bytes,
                             .head = {.e_type = ET_REL},
                             .sections = list,
                             .section_count = 3,
                             .symbols = names,
                             .symbol_count = 3,
                             .symtab = 2,
                             .functions = functions,
                             .function_count = 2,
                             .placed = placed,
                             .placed_count = 2};

  (void)state;
#define ELF(place, value, message) PLANT(place, value, cn_elf_wrong(&file), "elf: " message)
  ELF(list[1].name, NULL, "a section has no name");
  ELF(list[2].head.sh_size, 33, "a section is not in the bytes");
  ELF(list[2].data, bytes + 33, "a section is not in the bytes");
  ELF(list[1].group, 3, "a section's group is not there");
  ELF(list[1].relocations, 3, "a section's relocations are not there");
  ELF(list[2].next_relocations, 2, "a section's relocations are not there");
  ELF(file.symtab, 0, "the symbol table is not there");
  ELF(names[1].name, NULL, "a symbol has no name or section");
  ELF(names[1].section, 3, "a symbol has no name or section");
  ELF(list[1].head.sh_addr, 0x3000, "the sections are not sorted");
  ELF(placed[1], 3, "the sections are not sorted");
  ELF(functions[0], 3, "the functions are not symbols");
  ELF(names[1].sym.st_value, 9, "the functions are not sorted");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames),
      cmocka_unit_test(pieces),
      cmocka_unit_test(files),
      cmocka_unit_test(lengths_are_not_relocated),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
