/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed code by hand, for AArch64. Included by managed_code.h.
 */
#ifndef TEST_UNIT_RUNTIME_MANAGED_CODE_PORT_AARCH64_H
#define TEST_UNIT_RUNTIME_MANAGED_CODE_PORT_AARCH64_H

enum { X19 = 19, X20 = 20, X28 = 28, ARGUMENT = 0, SECOND_ARGUMENT = 1, RESULT = 0 };

/* The general registers without x16 to x18, x30 and the stack pointer, then 32 vector registers of 16 bytes. */
struct file {
  uint64_t gpr[32];
  uint64_t vector[32][2];
};

/* x16 has an address where no other register is free. Its frame of 192 bytes: x29, x30, x19 to x28, d8 to d15, `after`
 * and `slow`. */
ASSEMBLED void preserved(struct file *before, struct file *after, void (*slow)(void));
ASSEMBLED char preserved_return[];
__asm__(".text\n.p2align 2\n"
        ".macro move_pair move, a, b\n  \\move x\\a, x\\b, [x16, 8*\\a]\n.endm\n"
        ".macro move_file move\n"
        "  move_pair \\move, 1, 2\n  move_pair \\move, 3, 4\n  move_pair \\move, 5, 6\n  move_pair \\move, 7, 8\n"
        "  move_pair \\move, 9, 10\n  move_pair \\move, 11, 12\n  move_pair \\move, 13, 14\n"
        "  move_pair \\move, 19, 20\n  move_pair \\move, 21, 22\n  move_pair \\move, 23, 24\n"
        "  move_pair \\move, 25, 26\n  move_pair \\move, 27, 28\n.endm\n"
        ".macro move_vectors move\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "  \\move q\\n, [x16, 256 + 16*\\n]\n"
        ".endr\n.endm\n"
        "preserved:\n"
        "  hint 34\n"
        "  stp x29, x30, [sp, -192]!\n  stp x19, x20, [sp, 16]\n  stp x21, x22, [sp, 32]\n  stp x23, x24, [sp, 48]\n"
        "  stp x25, x26, [sp, 64]\n  stp x27, x28, [sp, 80]\n  stp d8, d9, [sp, 96]\n  stp d10, d11, [sp, 112]\n"
        "  stp d12, d13, [sp, 128]\n  stp d14, d15, [sp, 144]\n  stp x1, x2, [sp, 160]\n"
        "  mov x16, x0\n"
        "  move_vectors ldr\n  move_file ldp\n"
        "  ldr x15, [x16, 8*15]\n  ldr x29, [x16, 8*29]\n  ldr x0, [x16]\n"
        "  ldr x16, [sp, 168]\n"
        "  blr x16\n"
        "preserved_return:\n"
        "  ldr x16, [sp, 160]\n"
        "  move_vectors str\n  move_file stp\n"
        "  str x15, [x16, 8*15]\n  str x29, [x16, 8*29]\n  str x0, [x16]\n"
        "  ldp x19, x20, [sp, 16]\n  ldp x21, x22, [sp, 32]\n  ldp x23, x24, [sp, 48]\n"
        "  ldp x25, x26, [sp, 64]\n  ldp x27, x28, [sp, 80]\n  ldp d8, d9, [sp, 96]\n  ldp d10, d11, [sp, 112]\n"
        "  ldp d12, d13, [sp, 128]\n  ldp d14, d15, [sp, 144]\n"
        "  ldp x29, x30, [sp], 192\n"
        "  ret\n");

/* x is in x19 and x20, x + 8 in x28. */
__asm__(CAIRN_ENTRY_STRING(crossing) "  stp x29, x30, [sp, -48]!\n  mov x29, sp\n"
                                     "  stp x19, x20, [sp, 16]\n  str x28, [sp, 32]\n"
                                     "  mov x14, x0\n  mov x19, x1\n  mov x20, x1\n  add x28, x20, 8\n"
                                     "  fmov d0, 0.5\n"
                                     "  mov x0, 1\n  mov x1, 2\n  mov x2, 3\n  mov x3, 4\n"
                                     "  mov x4, 5\n  mov x5, 6\n  mov x6, 7\n  mov x7, 8\n"
                                     "  bl cairn_call_any\n"
                                     "crossing_return:\n"
                                     "  sub x28, x28, x20\n  cmp x28, 8\n  b.ne 1f\n"
                                     "  add x0, x0, x19\n"
                                     "1:\n  ldr x28, [sp, 32]\n  ldp x19, x20, [sp, 16]\n"
                                     "  ldp x29, x30, [sp], 48\n"
                                     "  ret\n");

static struct mock_function functions[2];

static void map_functions(void)
{
  in_preserved[0].pc = (uintptr_t)preserved_return;
  in_preserved[0].safepoint =
      (struct cn_safepoint){.cfa_reg = SP,
                            .cfa_offset = 192,
                            .saved = 0x7ff,
                            .saved_offset = {-176, -168, -160, -152, -144, -136, -128, -120, -112, -104, -192},
                            .return_address_offset = -184};
  in_crossing[0].pc = (uintptr_t)crossing_return;
  in_crossing[0].safepoint = (struct cn_safepoint){.cfa_reg = SP,
                                                   .cfa_offset = 48,
                                                   .saved = 1 << CN_X19 | 1 << CN_X20 | 1 << CN_X28 | 1 << CN_X29,
                                                   .saved_offset = {-32, -24, 0, 0, 0, 0, 0, 0, 0, -16, -48},
                                                   .return_address_offset = -40,
                                                   .roots = 3};
  in_crossing[0].roots[0].base = (struct cn_frame_place){1, X19, 0};
  in_crossing[0].roots[1].base = (struct cn_frame_place){1, X20, 0};
  in_crossing[0].roots[2] = (struct cn_root){{1, X20, 0}, {1, X28, 0}, true};
  functions[0] = (struct mock_function){(uintptr_t)preserved, 500, 1, in_preserved};
  functions[1] = (struct mock_function){(uintptr_t)crossing, 160, 1, in_crossing};
  mock_image(&image, functions, 2);
}

static bool wide(void)
{
  return true;
}

static struct file fill(void)
{
  struct file file;

  for (unsigned i = 0; i < 32; i++) {
    file.gpr[i] = 0x1000u + i;
    for (unsigned j = 0; j < 2; j++)
      file.vector[i][j] = 0x2000u + 16 * i + j;
  }
  return file;
}

static bool is_kept(int reg)
{
  return reg != 16 && reg != 17 && reg != 18 && reg != 30 && reg != SP;
}

/* All equal but the ones that may differ: x0 if there is a result. */
static void assert_preserved(const struct file *before, const struct file *after, bool result)
{
  for (int i = result ? 1 : 0; i < 32; i++)
    if (is_kept(i))
      assert_int_equal(before->gpr[i], after->gpr[i]);
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 2; j++)
      assert_int_equal(before->vector[i][j], after->vector[i][j]);
}

__asm__(CAIRN_ENTRY_STRING(managed_target) "  stp x29, x30, [sp, -16]!\n  bl count_anchors\n"
                                           "  ldp x29, x30, [sp], 16\n  ret\n");

/* In native code. */
static inline void change_saved_registers(void)
{
  __asm__ volatile("mov x19, xzr; mov x20, xzr; mov x28, xzr" ::: "x19", "x20", "x28");
}

static inline void change_vectors(void)
{
  __asm__ volatile("movi v0.16b, 255; movi v15.16b, 255; movi v31.16b, 255" ::: "v0", "v15", "v31");
}

#endif
