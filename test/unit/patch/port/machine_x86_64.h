/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of machine.c for x86-64.
 */
#ifndef CN_TEST_PATCH_MACHINE_X86_64_H
#define CN_TEST_PATCH_MACHINE_X86_64_H

/* A change is an operand's if and only if it lies in the operand of a known instruction. */
static void stores(void **state)
{
  static const unsigned char near[] = {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0,    0,    0, 0, 0, 0x0f, 0x1f,
                                       0x44, 0,    0,    0x66, 0x90, 0x90, 0xe8, 1, 2, 3, 4};
  static const unsigned char far[] = {0x90, 0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x41, 0xff, 0xd3};
  static const unsigned char unknown[] = {0x48, 0x89, 0xc3, 0xe8, 1, 2, 3, 4};

  (void)state;
  for (size_t first = 0; first < sizeof near; first++)
    for (size_t last = first; last < sizeof near; last++)
      assert_int_equal(cn_machine_may_store(near, near, sizeof near, first, last), first >= 19);
  for (size_t first = 0; first < sizeof far; first++)
    for (size_t last = first; last < sizeof far; last++)
      assert_int_equal(cn_machine_may_store(far, far, sizeof far, first, last), first >= 3 && last <= 10);
  for (size_t first = 0; first < sizeof unknown; first++)
    assert_false(cn_machine_may_store(unknown, unknown, sizeof unknown, first, first));
  assert_false(cn_machine_may_store(far, far, 5, 3, 4)); /* cut off */
}

static void statepoint_code(void **state)
{
  static const struct {
    unsigned char code[16];
    size_t length;
    bool fits;
  } cases[] = {
      {{0x90, 0x66, 0x90}, 3, true},
      {{0x90, 0xe9, 1, 2, 3, 4, 0xcc}, 7, true},
      {{0xeb, 1, 0xcc}, 3, true},
      {{0x90, 0xe8, 1, 2, 3, 4}, 6, true},
      {{0xe8, 1, 2, 3, 4, 0x48, 0x89, 0xc3}, 8, false},
      {{0x49, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x41, 0xff, 0xd3}, 13, true},
      {{0x48, 0x89, 0xc3, 0xff, 0xd0}, 5, true},
      {{0x48, 0x89, 0xc3, 0xff, 0x50, 0x08}, 6, true},
      {{0xff, 0x15, 1, 2, 3, 4}, 6, true},
      {{0x48, 0x89, 0xc3, 0xff, 0xe0}, 5, false},
      {{0x48, 0x89, 0xc3}, 3, false},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(cn_machine_fits_statepoint(cases[i].code, cases[i].length), cases[i].fits);
}

/* Registers that a call may change, with those of arguments and results. */
static const unsigned cache_registers[] = {0, 1, 2, 4, 5, 8, 9, 10};

#endif
