/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of machine.c for AArch64.
 */
#ifndef CN_TEST_PATCH_MACHINE_AARCH64_H
#define CN_TEST_PATCH_MACHINE_AARCH64_H

enum {
  MOVE = (int)0xaa0103e0,      /* mov x0, x1 */
  CONSTANT = (int)0xd2800020,  /* mov x0, #1 */
  LANDING = (int)0xd503245f,   /* bti c */
  CONDITION = (int)0x54000040, /* b.eq */
  COMPARE = (int)0xb4000040,   /* cbz x0 */
  RETURNS = (int)0xd65f03c0,
  NO_OP = (int)0xd503201f,
  JUMP = 0x14000010,
  JUMP_BACK = 0x17fffff0,
  CALL = (int)0x94000010,
  CALL_BACK = (int)0x97fffff0,
  CALL_REGISTER = (int)0xd63f0200, /* blr x16 */
  JUMP_REGISTER = (int)0xd61f0200, /* br x16 */
  BREAK = (int)0xd4200020,
  SYSTEM = (int)0xd4000001, /* svc #0 */
  SYNCHRONISE = (int)0xd5033fdf
};

static bool may_store(int32_t from, int32_t to)
{
  const int32_t old[] = {NO_OP, from, CALL}, new[] = {NO_OP, to, CALL};
  bool may = cn_machine_may_store((const unsigned char *)old, (const unsigned char *)new, sizeof old, 4, 7);

  assert_int_equal(cn_machine_may_store((const unsigned char *)old, (const unsigned char *)new, 8, 5, 6), may);
  assert_false(cn_machine_may_store((const unsigned char *)old, (const unsigned char *)new, sizeof old, 4, 8));
  assert_false(cn_machine_may_store((const unsigned char *)old, (const unsigned char *)new, 7, 4, 6));
  return may;
}

/* A store may replace an instruction of the architecture's list by another one, and no others. */
static void stores(void **state)
{
  static const int32_t replaceable[] = {NO_OP, JUMP, JUMP_BACK, CALL, CALL_BACK, BREAK, SYSTEM, SYNCHRONISE};
  static const int32_t others[] = {MOVE,    CONSTANT,      LANDING,       CONDITION, COMPARE,
                                   RETURNS, CALL_REGISTER, JUMP_REGISTER, 0};
  enum { COUNT = sizeof replaceable / sizeof *replaceable, OTHERS = sizeof others / sizeof *others };

  (void)state;
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t j = 0; j < COUNT; j++)
      assert_true(may_store(replaceable[i], replaceable[j]));
    for (size_t j = 0; j < OTHERS; j++) {
      assert_false(may_store(replaceable[i], others[j]));
      assert_false(may_store(others[j], replaceable[i]));
      assert_false(may_store(others[j], others[i]));
    }
  }
}

static void statepoint_code(void **state)
{
  static const struct {
    int32_t code[4];
    size_t count;
    bool fits;
  } cases[] = {
      {{NO_OP, NO_OP}, 2, true}, {{NO_OP, JUMP, 0}, 3, true},          {{JUMP_BACK, MOVE}, 2, true},
      {{NO_OP, CALL}, 2, true},  {{MOVE, CALL_BACK}, 2, true},         {{CALL, MOVE}, 2, false},
      {{CALL, NO_OP}, 2, false}, {{CONSTANT, CALL_REGISTER}, 2, true}, {{CONSTANT, JUMP_REGISTER}, 2, false},
      {{MOVE}, 1, false},
  };
  static const unsigned char half[6] = {0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20};

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(cn_machine_fits_statepoint((const unsigned char *)cases[i].code, 4 * cases[i].count),
                     cases[i].fits);
  assert_false(cn_machine_fits_statepoint(half, sizeof half));
  assert_false(cn_machine_is_nops(half, sizeof half));
}

/* Registers that a call may change, apart from the scratch registers. */
static const unsigned cache_registers[] = {0, 1, 2, 7, 8, 9, 15, 18};

#endif
