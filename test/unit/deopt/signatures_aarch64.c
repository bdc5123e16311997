/* SPDX-License-Identifier: Apache-2.0
 *
 * Signatures of replaced return addresses, on AArch64. A signature of seven bits is zero, or another key's, by chance.
 * What would go wrong: the frame's code then authenticates an address that was signed otherwise, and faults. Without
 * pointer authentication all words are plain.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>
#include "unit/runtime/mock_frames.h"

enum { PLAIN, FIRST_KEY, SECOND_KEY, KINDS };
enum { FUNCTION_BYTES = 64, RETURNS_AT = 32, TRIES = 4000 };
static const uint32_t prologues[KINDS] = {0xd503201f, 0xd503233f, 0xd503237f}; /* nop, paciasp, pacibsp */
static const uintptr_t returns_to = 0x5500012344, replacement = 0x5500abcd80;
static struct cairn_image image;
static char *code;

static uintptr_t sign(int kind, uintptr_t pc, uintptr_t sp)
{
  register uintptr_t address __asm__("x17") = pc;
  register uintptr_t modifier __asm__("x16") = sp;

  if (kind == FIRST_KEY)
    __asm__("hint #8" : "+r"(address) : "r"(modifier));
  if (kind == SECOND_KEY)
    __asm__("hint #10" : "+r"(address) : "r"(modifier));
  return address;
}

/* A function of each kind, which signs in its second instruction. */
static int map_functions(void **state)
{
  static struct mock_safepoint safepoints[KINDS];
  static struct mock_function functions[KINDS];

  (void)state;
  code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(code, MAP_FAILED);
  for (int kind = 0; kind < KINDS; kind++) {
    uintptr_t entry = (uintptr_t)code + (uintptr_t)kind * FUNCTION_BYTES;
    memcpy((void *)(entry + 4), &prologues[kind], sizeof prologues[kind]);
    safepoints[kind] =
        (struct mock_safepoint){.pc = entry + RETURNS_AT, .safepoint = {.cfa_reg = SP, .cfa_offset = 32}};
    functions[kind] = (struct mock_function){entry, FUNCTION_BYTES, 1, &safepoints[kind]};
  }
  mock_image(&image, functions, KINDS);
  return 0;
}

static int forget_functions(void **state)
{
  (void)state;
  cairn_image_unregister(&image);
  munmap(code, 4096);
  return 0;
}

static void each_kind(void **state)
{
  unsigned ambiguous = 0, plain = 0;

  (void)state;
  for (uintptr_t sp = 0x7f0000000000; sp < 0x7f0000000000 + 16 * TRIES; sp += 16)
    for (int kind = 0; kind < KINDS; kind++) {
      uintptr_t old = sign(kind, returns_to, sp),
                callee = (uintptr_t)code + (uintptr_t)kind * FUNCTION_BYTES + RETURNS_AT;
      assert_true(cn_arch_sign_like(old, replacement, sp, callee) == sign(kind, replacement, sp));
      plain += kind != PLAIN && old == returns_to;
      ambiguous += old == sign((kind + 1) % KINDS, returns_to, sp);
    }
  if (sign(FIRST_KEY, returns_to, 16) == returns_to && sign(FIRST_KEY, returns_to, 32) == returns_to)
    skip(); /* no pointer authentication */
  assert_in_range(plain, 1, TRIES / 4);
  assert_in_range(ambiguous, 2, TRIES / 2);
}

/* Another modifier, or another key than the function's, is no signature that can be made again. */
static void others(void **state)
{
  unsigned refused = 0;

  (void)state;
  for (uintptr_t sp = 16; sp < 16 * TRIES; sp += 16) {
    uintptr_t old = sign(FIRST_KEY, returns_to, sp + 1);
    refused += cn_arch_sign_like(old, replacement, sp, (uintptr_t)code + FUNCTION_BYTES + RETURNS_AT) == 0;
    assert_true(cn_arch_sign_like(returns_to, replacement, sp, 0) == replacement); /* a stub's word */
  }
  if (sign(FIRST_KEY, returns_to, 16) == returns_to && sign(FIRST_KEY, returns_to, 32) == returns_to)
    skip();
  assert_in_range(refused, TRIES / 2, TRIES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind),
      cmocka_unit_test(others),
  };

  return cmocka_run_group_tests(tests, map_functions, forget_functions);
}
