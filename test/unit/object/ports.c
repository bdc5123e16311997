/* SPDX-License-Identifier: Apache-2.0
 *
 * The ports of the object side: their machines, the offsets of thread-local variables in code, and the instructions of
 * AArch64 before a return address.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "object/build/instructions.h"
#include "object/elf/elf_port.h"

static void machines(void **state)
{
  Elf64_Ehdr head = {.e_ident = ELFMAG, .e_machine = EM_AARCH64};

  (void)state;
  assert_ptr_equal(cn_elf_find_port(EM_X86_64), &cn_elf_port_x86_64);
  assert_ptr_equal(cn_elf_find_port(EM_AARCH64), &cn_elf_port_aarch64);
  assert_null(cn_elf_find_port(EM_RISCV));
  assert_null(cn_elf_find_other_machine(&head, sizeof head, "aarch64-linux-gnu"));
  assert_null(cn_elf_find_other_machine(&head, sizeof head, "aarch64"));
  assert_string_equal(cn_elf_find_other_machine(&head, sizeof head, "aarch64_be-linux-gnu"), "AArch64");
  assert_string_equal(cn_elf_find_other_machine(&head, sizeof head, "x86_64-linux-gnu"), "AArch64");
  assert_null(cn_elf_find_other_machine(&head, sizeof head - 1, "x86_64-linux-gnu")); /* cut off */
  head.e_machine = EM_RISCV;
  assert_string_equal(cn_elf_find_other_machine(&head, sizeof head, "x86_64-linux-gnu"), "another machine");
  head.e_ident[0] = 0;
  assert_null(cn_elf_find_other_machine(&head, sizeof head, "x86_64-linux-gnu"));
}

struct stored {
  uint32_t before, type;
  int64_t offset;
  uint32_t after;
};

/* The instructions are llvm-mc's, with the offsets in place of relocations. */
static void thread_offsets_of_aarch64(void **state)
{
  static const struct stored rows[] = {
      {0x91400231, R_AARCH64_TLSLE_ADD_TPREL_HI12, 0x12345, 0x91404a31},       /* add x17, x17, #18, lsl #12 */
      {0x91000231, R_AARCH64_TLSLE_ADD_TPREL_LO12_NC, 0x12345, 0x910d1631},    /* add x17, x17, #0x345 */
      {0x39400231, R_AARCH64_TLSLE_LDST8_TPREL_LO12_NC, 0x12345, 0x394d1631},  /* ldrb w17, [x17, #0x345] */
      {0xf9400231, R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC, 0x12348, 0xf941a631}, /* ldr x17, [x17, #0x348] */
      {0xf97ffe31, R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC, 16, 0xf9400a31},      /* the old offset has no effect */
  };
  const struct cn_elf_port *port = &cn_elf_port_aarch64;
  unsigned char code[4] = {0};

  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t word = rows[i].before;
    memcpy(code, &word, sizeof word);
    assert_null(port->store_thread_offset(code, 4, rows[i].type, rows[i].offset));
    memcpy(&word, code, sizeof word);
    assert_int_equal(word, rows[i].after);
  }
#define REFUSED(room, type, offset, why) assert_string_equal(port->store_thread_offset(code, room, type, offset), why)
  REFUSED(4, R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21, 16, CN_ELF_OTHER_THREAD_OFFSET);
  REFUSED(3, R_AARCH64_TLSLE_ADD_TPREL_HI12, 16, CN_ELF_BAD_THREAD_OFFSET);
  REFUSED(4, R_AARCH64_TLSLE_ADD_TPREL_HI12, -16, CN_ELF_BAD_THREAD_OFFSET);
  REFUSED(4, R_AARCH64_TLSLE_ADD_TPREL_HI12, INT64_C(1) << 24, CN_ELF_BAD_THREAD_OFFSET);
  REFUSED(4, R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC, 20, CN_ELF_BAD_THREAD_OFFSET);
}

static void thread_offsets_of_x86_64(void **state)
{
  const struct cn_elf_port *port = &cn_elf_port_x86_64;
  unsigned char code[4];
  int32_t stored;

  (void)state;
  assert_null(port->store_thread_offset(code, 4, R_X86_64_TPOFF32, -64));
  memcpy(&stored, code, sizeof stored);
  assert_int_equal(stored, -64);
  REFUSED(4, R_X86_64_GOTTPOFF, -64, CN_ELF_OTHER_THREAD_OFFSET);
  REFUSED(3, R_X86_64_TPOFF32, -64, CN_ELF_BAD_THREAD_OFFSET);
  REFUSED(4, R_X86_64_TPOFF32, INT64_C(1) << 31, CN_ELF_BAD_THREAD_OFFSET);
}

enum { NOP = 0xd503201f };

static unsigned call_length(uint32_t word)
{
  const unsigned char *code = (const unsigned char *)&word;

  return cn_instructions_aarch64.call_length(code, code + 4);
}

static void calls_of_aarch64(void **state)
{
  static const uint32_t calls[] = {0x94000000, 0x97ffffff, 0xd63f0000, 0xd63f03c0, 0xd63f081f,
                                   0xd63f0c1f, 0xd73f0801, 0xd73f0c41}; /* bl, blr, blraaz, blrabz, blraa, blrab */
  static const uint32_t others[] = {0x14000000, 0xd61f0000, 0xd65f03c0, 0xd63f0001, 0xd63f0801, 0xd71f0801, NOP, 0};
  uint32_t words[2] = {NOP, 0x94000000};
  const unsigned char *code = (const unsigned char *)words;

  (void)state;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    assert_int_equal(call_length(calls[i]), 4);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_int_equal(call_length(others[i]), 0);
  assert_int_equal(cn_instructions_aarch64.call_length(code, code + 8), 4);
  assert_int_equal(cn_instructions_aarch64.call_length(code + 2, code + 8), 0);
  assert_int_equal(cn_instructions_aarch64.call_length(code + 8, code + 8), 0);
  assert_int_equal(cn_instructions_aarch64.nop_length(code, code + 4), 4);
  assert_int_equal(cn_instructions_aarch64.nop_length(code, code + 8), 0);
  assert_true(cn_instructions_aarch64.is_nops(code, code + 4));
  assert_false(cn_instructions_aarch64.is_nops(code, code + 3));
  assert_false(cn_instructions_aarch64.is_nops(code, code + 8));
}

/* movz, movk and movk of one register, and blr of it. */
static void target_calls_of_aarch64(void **state)
{
  uint32_t words[] = {0xd2c00010, 0xf2a00010, 0xf2824690, 0xd63f0200, NOP};
  const unsigned char *code = (const unsigned char *)words;

  (void)state;
  assert_int_equal(cn_instructions_aarch64.target_call_length(code, code + 20), 16);
  assert_int_equal(cn_instructions_aarch64.target_call_length(code, code + 16), 16);
  assert_int_equal(cn_instructions_aarch64.target_call_length(code, code + 12), 0);
  for (size_t i = 0; i < 4; i++) {
    words[i] ^= i == 3 ? 1u << 5 : 1; /* another register */
    assert_int_equal(cn_instructions_aarch64.target_call_length(code, code + 16), 0);
    words[i] ^= i == 3 ? 1u << 5 : 1;
  }
}

static const char *refusal(uint32_t word)
{
  uint32_t words[] = {NOP, word, NOP};
  const unsigned char *code = (const unsigned char *)words;

  return cn_instructions_aarch64.frame_refusal(code, code + sizeof words);
}

static void scalable_frames(void **state)
{
  (void)state;
  assert_non_null(refusal(0x043f57ff)); /* addvl sp, sp, #-1 */
  assert_non_null(refusal(0x043f5020)); /* addvl x0, sp, #1 */
  assert_non_null(refusal(0x047f5020)); /* addpl x0, sp, #1 */
  assert_null(refusal(0x04215020));     /* addvl x0, x1, #1 */
  assert_null(refusal(0xd10083ff));     /* sub sp, sp, #32 */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(machines),
      cmocka_unit_test(thread_offsets_of_aarch64),
      cmocka_unit_test(thread_offsets_of_x86_64),
      cmocka_unit_test(calls_of_aarch64),
      cmocka_unit_test(target_calls_of_aarch64),
      cmocka_unit_test(scalable_frames),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
