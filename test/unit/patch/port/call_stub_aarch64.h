/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of call_stub.h for AArch64. x16, x17 and x30 have no value at calls of stubs.
 */
#ifndef CN_TEST_PATCH_CALL_STUB_AARCH64_H
#define CN_TEST_PATCH_CALL_STUB_AARCH64_H

enum { SP = CN_DWARF_SP, V0 = CN_DWARF_V0 };
#define TOLD (UINT64_C(0xf) << 28)

/* What the code below loads before the call, and stores after it. */
struct registers {
  uint64_t general[32];
  uint64_t flags; /* 256 */
  uint64_t call;  /* 264: the stub */
  uint64_t fpcr;  /* 272 */
  uint64_t unused;
  unsigned char vector[32][16]; /* 288 */
};
_Static_assert(offsetof(struct registers, vector) == 288, "the code has the offset");

void call_stub(const struct registers *before, struct registers *after);
extern const char call_stub_elsewhere[];

/* x0: before; x1: after, which is also in the word at SP when the stub is called. The word above has the return address
 * for sites (module.h). */
__asm__(
    ".text\n"
    ".macro each_vector instruction\n"
    ".irp pair, \"0,1\", \"2,3\", \"4,5\", \"6,7\", \"8,9\", \"10,11\", \"12,13\", \"14,15\", \"16,17\", \"18,19\", "
    "\"20,21\", \"22,23\", \"24,25\", \"26,27\", \"28,29\", \"30,31\"\n"
    "vector_pair \\instruction, \\pair\n"
    ".endr\n.endm\n"
    ".macro vector_pair instruction, first, second\n"
    "\\instruction q\\first, q\\second, [x16, #16*\\first]\n.endm\n"
    /* All general registers but x0, x1, x16, x17 and x30. */
    ".macro most_general instruction, base\n"
    ".irp pair, \"2,3\", \"4,5\", \"6,7\", \"8,9\", \"10,11\", \"12,13\", \"14,15\", \"18,19\", \"20,21\", "
    "\"22,23\", \"24,25\", \"26,27\", \"28,29\"\n"
    "general_pair \\instruction, \\base, \\pair\n"
    ".endr\n.endm\n"
    ".macro general_pair instruction, base, first, second\n"
    "\\instruction x\\first, x\\second, [\\base, #8*\\first]\n.endm\n"
    ".macro own instruction\n"
    ".irp pair, \"19,20\", \"21,22\", \"23,24\", \"25,26\", \"27,28\"\n"
    "own_pair \\instruction, \\pair\n"
    ".endr\n"
    "\\instruction d8, d9, [sp, #96]\n \\instruction d10, d11, [sp, #112]\n"
    "\\instruction d12, d13, [sp, #128]\n \\instruction d14, d15, [sp, #144]\n"
    ".endm\n"
    ".macro own_pair instruction, first, second\n"
    "\\instruction x\\first, x\\second, [sp, #16+8*(\\first-19)]\n.endm\n"
    ".globl call_stub\n.hidden call_stub\n.type call_stub, %function\n"
    "call_stub:\n"
    ".cfi_startproc\n"
    "stp x29, x30, [sp, #-192]!\n"
    ".cfi_def_cfa_offset 192\n .cfi_offset x29, -192\n .cfi_offset x30, -184\n"
    "own stp\n"
    "mrs x2, fpcr\n stp x1, x2, [sp, #160]\n str x18, [sp, #176]\n"
    "sub sp, sp, #16\n adr x2, 1f\n stp x1, x2, [sp]\n"
    ".cfi_def_cfa_offset 208\n"
    "mov x2, sp\n str x2, [x0, #248]\n"
    "ldr x2, [x0, #272]\n msr fpcr, x2\n"
    "ldr x2, [x0, #256]\n msr nzcv, x2\n"
    "add x16, x0, #288\n each_vector ldp\n"
    "ldr x16, [x0, #264]\n"
    "most_general ldp, x0\n"
    "ldp x0, x1, [x0]\n"
    "blr x16\n"
    "1: ldr x30, [sp]\n"
    "stp x0, x1, [x30]\n"
    "most_general stp, x30\n"
    "mov x0, sp\n str x0, [x30, #248]\n"
    "mrs x0, nzcv\n str x0, [x30, #256]\n"
    "mrs x0, fpcr\n str x0, [x30, #272]\n"
    "add x16, x30, #288\n each_vector stp\n"
    "leave_call_stub:\n"
    "add sp, sp, #16\n"
    "ldr x2, [sp, #168]\n msr fpcr, x2\n ldr x18, [sp, #176]\n"
    "own ldp\n"
    "ldp x29, x30, [sp], #192\n"
    "ret\n"
    /* The handler has dropped 16 bytes, and goes on here. */
    ".globl call_stub_elsewhere\n.hidden call_stub_elsewhere\n"
    "call_stub_elsewhere:\n"
    "ldr x1, [sp, #160]\n"
    "mov x2, sp\n str x2, [x1, #248]\n"
    "str x0, [x1]\n"
    "mrs x0, fpcr\n str x0, [x1, #272]\n"
    "sub sp, sp, #16\n"
    "b leave_call_stub\n"
    ".cfi_endproc\n"
    ".size call_stub, . - call_stub\n");

static struct registers before, after; /* loaded; stored */

static inline void fill_registers(struct registers *registers)
{
  fill(registers->general, sizeof registers->general);
  fill(registers->vector, sizeof registers->vector);
  registers->flags = draw() & TOLD;
  registers->fpcr = (draw() % 4) << 22; /* the rounding */
}

static inline void dirty_everything(void)
{
  __asm__ volatile("msr fpcr, %0\n\t"
                   "movi v0.16b, #1\n\t movi v8.16b, #1\n\t movi v31.16b, #1\n\t cmp xzr, xzr"
                   :
                   : "r"((uint64_t)0)
                   : "v0", "v8", "v31", "cc", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17");
}

static inline void call_registers(void)
{
  call_stub(&before, &after);
}

static inline bool has_value(unsigned reg)
{
  return reg != 16 && reg != 17 && reg != 30;
}

static inline void assert_same_registers(void)
{
  for (unsigned i = 0; i < SP; i++)
    if (has_value(i))
      assert_int_equal(after.general[i], before.general[i]);
  assert_int_equal(after.flags & TOLD, before.flags & TOLD);
  assert_int_equal(after.fpcr, before.fpcr);
  assert_memory_equal(after.vector, before.vector, sizeof before.vector);
}

/* Before the first call. */
static inline void find_level(void)
{
}

#endif
