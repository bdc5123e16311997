/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed code by hand, for x86-64. Included by managed_code.h.
 */
#ifndef TEST_UNIT_RUNTIME_MANAGED_CODE_PORT_X86_64_H
#define TEST_UNIT_RUNTIME_MANAGED_CODE_PORT_X86_64_H

enum { RBX = 3, RBP = 6, RSP = 7, R15 = 15, ARGUMENT = 5, SECOND_ARGUMENT = 4, RESULT = 0 };

/* Sixteen general registers (rsp left out), then sixteen vector registers of 32 bytes. */
struct file {
  uint64_t gpr[16];
  uint64_t vector[16][4];
};
extern void preserved(struct file *before, struct file *after, void (*slow)(void));
ASSEMBLED char preserved_return[];
__asm__(".text\n"
        "preserved:\n"
        "  push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "  push %rsi\n push %rdx\n sub $8, %rsp\n"
        "  mov %rdi, %rax\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups 128+32*\\n(%rax), %ymm\\n\n"
        ".endr\n"
        "  mov 8(%rax), %rdx\n mov 16(%rax), %rcx\n mov 24(%rax), %rbx\n mov 32(%rax), %rsi\n"
        "  mov 40(%rax), %rdi\n mov 48(%rax), %rbp\n mov 64(%rax), %r8\n mov 72(%rax), %r9\n"
        "  mov 80(%rax), %r10\n mov 96(%rax), %r12\n mov 104(%rax), %r13\n mov 112(%rax), %r14\n"
        "  mov 120(%rax), %r15\n mov (%rax), %rax\n"
        "  call *8(%rsp)\n"
        "preserved_return:\n"
        "  mov %r15, (%rsp)\n mov 16(%rsp), %r15\n mov %rax, (%r15)\n"
        "  mov (%rsp), %rax\n mov %rax, 120(%r15)\n"
        "  mov %rdx, 8(%r15)\n mov %rcx, 16(%r15)\n mov %rbx, 24(%r15)\n mov %rsi, 32(%r15)\n"
        "  mov %rdi, 40(%r15)\n mov %rbp, 48(%r15)\n mov %r8, 64(%r15)\n mov %r9, 72(%r15)\n"
        "  mov %r10, 80(%r15)\n mov %r12, 96(%r15)\n mov %r13, 104(%r15)\n mov %r14, 112(%r15)\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups %ymm\\n, 128+32*\\n(%r15)\n"
        ".endr\n"
        "  vzeroupper\n"
        "  add $24, %rsp\n"
        "  pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
        "  ret\n");

/* x is in rbx and rbp, x + 8 in r15. */
__asm__(
    CAIRN_ENTRY_STRING(crossing) "  push %rbx\n push %rbp\n push %r15\n"
                                 "  mov %rdi, %r11\n mov %rsi, %rbx\n mov %rsi, %rbp\n lea 8(%rbp), %r15\n"
                                 "  push $8\n push $7\n"
                                 "  sub $16, %rsp\n movq $0x3f000000, (%rsp)\n cvtss2sd (%rsp), %xmm0\n add $16, %rsp\n"
                                 "  mov $1, %edi\n mov $2, %esi\n mov $3, %edx\n"
                                 "  mov $4, %ecx\n mov $5, %r8d\n mov $6, %r9d\n"
                                 "  mov $1, %eax\n"
                                 "  call cairn_call_any\n"
                                 "crossing_return:\n"
                                 "  add $16, %rsp\n"
                                 "  sub %rbp, %r15\n cmp $8, %r15\n jne 1f\n"
                                 "  add %rbx, %rax\n"
                                 "1:pop %r15\n pop %rbp\n pop %rbx\n"
                                 "  ret\n");

/* crossing_short(f, x): calls f(1, ..., 6; 0.5) through cairn_call_short with `x` in rbp and in its
 * frame, and returns f's result + rbp if both are equal after it. */
typedef uint64_t six_arguments(long, long, long, long, long, long, double);
extern uint64_t crossing_short(six_arguments *f, uint64_t x);
extern char crossing_short_return[];
extern void cairn_call_short(void);
__asm__(CAIRN_ENTRY_STRING(crossing_short) "  push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
                                           "  push %rsi\n"
                                           "  mov %rdi, %r12\n mov %rsi, %rbp\n"
                                           "  mov $0x3f000000, %eax\n movd %eax, %xmm0\n cvtss2sd %xmm0, %xmm0\n"
                                           "  mov $1, %edi\n mov $2, %esi\n mov $3, %edx\n"
                                           "  mov $4, %ecx\n mov $5, %r8d\n mov $6, %r9d\n"
                                           "  call cairn_call_short\n"
                                           "crossing_short_return:\n"
                                           "  pop %rcx\n cmp %rcx, %rbp\n jne 1f\n"
                                           "  add %rbp, %rax\n"
                                           "1:pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
                                           "  ret\n");

static struct mock_safepoint in_short[1];
static struct mock_function functions[3];

static void map_functions(void)
{
  in_preserved[0].pc = (uintptr_t)preserved_return;
  in_preserved[0].safepoint = (struct cn_safepoint){
      .cfa_reg = RSP, .cfa_offset = 80, .saved = 63, .saved_offset = {-16, -24, -32, -40, -48, -56}};
  in_crossing[0].pc = (uintptr_t)crossing_return;
  in_crossing[0].safepoint = (struct cn_safepoint){.cfa_reg = RSP,
                                                   .cfa_offset = 48,
                                                   .saved = 1 << CN_RBX | 1 << CN_RBP | 1 << CN_R15,
                                                   .saved_offset = {-16, -24, 0, 0, 0, -32},
                                                   .roots = 3};
  in_crossing[0].roots[0].base = (struct cn_frame_place){1, RBX, 0};
  in_crossing[0].roots[1].base = (struct cn_frame_place){1, RBP, 0};
  in_crossing[0].roots[2] = (struct cn_root){{1, RBP, 0}, {1, R15, 0}, true};
  functions[0] = (struct mock_function){(uintptr_t)preserved, 400, 1, in_preserved};
  functions[1] = (struct mock_function){(uintptr_t)crossing, 160, 1, in_crossing};
  in_short[0].pc = (uintptr_t)crossing_short_return;
  in_short[0].safepoint = (struct cn_safepoint){
      .cfa_reg = RSP, .cfa_offset = 64, .saved = 63, .saved_offset = {-24, -16, -32, -40, -48, -56}, .roots = 2};
  in_short[0].roots[0].base = (struct cn_frame_place){1, RBP, 0};
  in_short[0].roots[1].base = (struct cn_frame_place){0, RSP, 0};
  functions[2] = (struct mock_function){(uintptr_t)crossing_short, 160, 1, in_short};
  mock_image(&image, functions, 3);
}

static bool wide(void)
{
  return __builtin_cpu_supports("avx") != 0;
}

static struct file fill(void)
{
  struct file file;

  for (int i = 0; i < 16; i++) {
    file.gpr[i] = 0x1000u + (unsigned)i;
    for (int j = 0; j < 4; j++)
      file.vector[i][j] = 0x2000u + (unsigned)(16 * i + j);
  }
  return file;
}

/* All equal but the ones that may differ: rax if there is a result, rsp, r11. */
static void assert_preserved(const struct file *before, const struct file *after, bool result)
{
  for (int i = result ? 1 : 0; i < 16; i++)
    if (i != RSP && i != 11)
      assert_int_equal(before->gpr[i], after->gpr[i]);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 4; j++)
      assert_int_equal(before->vector[i][j], after->vector[i][j]);
}

__asm__(CAIRN_ENTRY_STRING(managed_target) "  sub $8, %rsp\n  call count_anchors\n  add $8, %rsp\n  ret\n");

/* In native code. */
static inline void change_saved_registers(void)
{
  __asm__ volatile("xor %%ebx, %%ebx; xor %%r15d, %%r15d; xor %%r12d, %%r12d" ::: "rbx", "r12", "r15");
}

static inline void change_vectors(void)
{
  if (wide())
    __asm__ volatile("vpcmpeqd %%xmm0, %%xmm0, %%xmm0; vpcmpeqd %%xmm15, %%xmm15, %%xmm15" ::: "xmm0", "xmm15");
}

#endif
