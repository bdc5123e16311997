/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that reach their target by an island of a linker or of a patch, on AArch64. What would go wrong: the return
 * address of a managed callee is taken for one of native code, so that a walk skips the caller's references; an island
 * of a stub is taken for managed code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/abi.h>
#include "runtime/arch/arch.h"

enum { CALL = 0x40, ISLAND = 0x100, WORD = 0x180, MARK = 0x200, ENTRY = MARK + 8, PLAIN = 0x300, PAGE = 4096 };
static char *code;

static int map_code(void **state)
{
  static const uint64_t mark = CAIRN_ABI_MANAGED_MARK;

  (void)state;
  code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(code, MAP_FAILED);
  memcpy(code + MARK, &mark, sizeof mark);
  return 0;
}

static void write_words(size_t offset, const uint32_t *words, size_t count)
{
  memcpy(code + offset, words, count * sizeof *words);
}

static uintptr_t call_to(size_t offset)
{
  const uint32_t call = 0x94000000 | (uint32_t)(offset - CALL) / 4;

  write_words(CALL, &call, 1);
  return (uintptr_t)code + CALL + sizeof call;
}

enum { BODY = ENTRY + CAIRN_ABI_ENTRY_SIZE };
#define LITERAL (0x58000010 | (WORD - ISLAND) / 4 << 5) /* ldr x16, WORD */

/* Islands whose target is in the word, as an address or as the distance from a place; and islands of the body. */
struct island {
  uint32_t words[4];
  size_t count, from;
};
static const struct island by_word[] = {
    {{LITERAL, 0xd61f0200}, 2, 0},                                             /* ldr; br */
    {{LITERAL, 0x10000011, 0x8b110210, 0xd61f0200}, 4, ISLAND + 4},            /* ldr; adr x17, .; add; br */
    {{0xd503245f, 0x90000010, 0xf9400210 | WORD / 8 << 10, 0xd61f0200}, 4, 0}, /* bti c; adrp; ldr; br */
};
static const struct island of_body[] = {
    {{0x90000010, 0x91000210 | BODY << 10, 0xd61f0200}, 3, 0}, /* adrp; add; br */
    {{0x14000000 | (BODY - ISLAND) / 4}, 1, 0},                /* b */
};

static void set_target(const struct island *island, uintptr_t target)
{
  uintptr_t word = target - (island->from != 0 ? (uintptr_t)code + island->from : 0);

  memcpy(code + WORD, &word, sizeof word);
}

static void linkers_islands(void **state)
{
  uintptr_t end, stubs = cn_arch_stubs_range(&end), direct = call_to(BODY);

  (void)state;
  assert_true(cn_arch_is_managed_call_return(direct));
  assert_false(cn_arch_is_managed_call_return(direct + 4));
  uintptr_t pc = call_to(ISLAND);
  for (size_t i = 0; i < sizeof by_word / sizeof *by_word; i++) {
    write_words(ISLAND, by_word[i].words, by_word[i].count);
    set_target(&by_word[i], (uintptr_t)code + BODY);
    assert_true(cn_arch_is_managed_call_return(pc));
    assert_false(cn_arch_is_stub_or_thunk((uintptr_t)code + ISLAND));
    set_target(&by_word[i], (uintptr_t)code + PLAIN);
    assert_false(cn_arch_is_managed_call_return(pc));
    set_target(&by_word[i], stubs);
    assert_true(cn_arch_is_stub_or_thunk((uintptr_t)code + ISLAND));
  }
  for (size_t i = 0; i < sizeof of_body / sizeof *of_body; i++) {
    write_words(ISLAND, of_body[i].words, of_body[i].count);
    assert_true(cn_arch_is_managed_call_return(pc));
    assert_false(cn_arch_is_stub_or_thunk((uintptr_t)code + ISLAND));
  }
}

/* A patched call of a distant target: movz, movk, movk, blr. */
static void patched_calls(void **state)
{
  uint32_t words[4] = {0, 0, 0, 0xd63f0200};

  (void)state;
  for (int managed = 0; managed < 2; managed++) {
    uintptr_t target = (uintptr_t)code + (managed ? BODY : PLAIN);
    for (uint32_t i = 0; i < 3; i++)
      words[i] = (i == 0 ? 0xd2800010 : 0xf2800010) | i << 21 | (uint32_t)(target >> 16 * i & 0xffff) << 5;
    write_words(CALL, words, 4);
    assert_int_equal(cn_arch_is_managed_call_return((uintptr_t)code + CALL + sizeof words), managed);
  }
  words[1] ^= 1; /* another register */
  write_words(CALL, words, 4);
  assert_false(cn_arch_is_managed_call_return((uintptr_t)code + CALL + sizeof words));
  words[0] = 0xd63f0200; /* at the start of mapped memory */
  write_words(0, words, 1);
  assert_false(cn_arch_is_managed_call_return((uintptr_t)code + 4));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linkers_islands),
      cmocka_unit_test(patched_calls),
  };

  return cmocka_run_group_tests(tests, map_code, NULL);
}
