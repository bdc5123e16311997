/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of call_stub.h for x86-64.
 */
#ifndef CN_TEST_PATCH_CALL_STUB_X86_64_H
#define CN_TEST_PATCH_CALL_STUB_X86_64_H

enum { SP = CN_DWARF_SP, XMM0 = 17, XMM16 = 67 };
enum {
  CARRY = 1,
  ZERO = 1 << 6,
  SIGN = 1 << 7,
  TRAP = 1 << 8,
  OVERFLOWS = 1 << 11,
  TOLD = CARRY | ZERO | SIGN | OVERFLOWS
};

/* What the code below loads before the call, and stores after it. */
struct registers {
  uint64_t general[16];
  uint64_t flags; /* 128 */
  uint32_t mxcsr;
  uint16_t level, without_x87; /* 140, 142 */
  double x87;                  /* 144 */
  uint64_t call;               /* 152: the stub */
  uint64_t mask[8];            /* 160 */
  _Alignas(64) unsigned char vector[32][64];
};
_Static_assert(offsetof(struct registers, vector) == 256, "the code has the offset");
enum { SSE, AVX, AVX512 };

void call_stub(const struct registers *before, struct registers *after);
extern const char call_stub_elsewhere[];

/* rdi: before; rsi: after. The word at rsp is `after` when the stub is called. */
__asm__(".text\n"
        ".macro low_vectors instruction, kind, store\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        ".if \\store\n \\instruction %\\kind\\n, 256+64*\\n(%rdi)\n"
        ".else\n \\instruction 256+64*\\n(%rdi), %\\kind\\n\n .endif\n"
        ".endr\n.endm\n"
        ".macro high_vectors store\n"
        ".irp n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        ".if \\store\n vmovups %zmm\\n, 256+64*\\n(%rdi)\n"
        ".else\n vmovups 256+64*\\n(%rdi), %zmm\\n\n .endif\n"
        ".endr\n"
        ".irp n, 0,1,2,3,4,5,6,7\n"
        ".if \\store\n kmovq %k\\n, 160+8*\\n(%rdi)\n"
        ".else\n kmovq 160+8*\\n(%rdi), %k\\n\n .endif\n"
        ".endr\n.endm\n"
        ".macro vectors store\n"
        "cmpw $1, 140(%rdi)\n je 1f\n ja 2f\n"
        "low_vectors movups, xmm, \\store\n jmp 3f\n"
        "1: low_vectors vmovups, ymm, \\store\n jmp 3f\n"
        "2: low_vectors vmovups, zmm, \\store\n high_vectors \\store\n"
        "3:\n.endm\n"
        ".macro each_general instruction\n"
        ".irp pair, \"rax,0\", \"rdx,1\", \"rcx,2\", \"rbx,3\", \"rsi,4\", \"rbp,6\", \"r8,8\", \"r9,9\", \"r10,10\", "
        "\"r11,11\", \"r12,12\", \"r13,13\", \"r14,14\", \"r15,15\"\n"
        "\\instruction \\pair\n"
        ".endr\n.endm\n"
        ".macro load_general register, number\n movq 8*\\number(%rdi), %\\register\n .endm\n"
        ".macro store_general register, number\n movq %\\register, 8*\\number(%rdi)\n .endm\n"
        ".globl call_stub\n.hidden call_stub\n.type call_stub, @function\n"
        "call_stub:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "pushq %rbx\n pushq %rbp\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
        "subq $16, %rsp\n stmxcsr 8(%rsp)\n movq %rsi, (%rsp)\n"
        ".cfi_def_cfa_offset 80\n" /* at the call, with the word of the stub */
        "ldmxcsr 136(%rdi)\n"
        "cmpw $0, 142(%rdi)\n jne 4f\n .rept 8\n fldl 144(%rdi)\n .endr\n 4:\n"
        "vectors 0\n"
        "pushq 152(%rdi)\n"
        "movq %rsp, 56(%rdi)\n"
        "pushq 128(%rdi)\n"
        "each_general load_general\n"
        "movq 40(%rdi), %rdi\n"
        "popfq\n"
        "call *(%rsp)\n"
        "pushfq\n"
        "pushq %rdi\n"
        "movq 24(%rsp), %rdi\n" /* after */
        "each_general store_general\n"
        "popq 40(%rdi)\n"
        "popq 128(%rdi)\n"
        "pushq $2\n popfq\n"
        "movq %rsp, 56(%rdi)\n"
        "stmxcsr 136(%rdi)\n"
        "cmpw $0, 142(%rdi)\n jne 4f\n .rept 8\n fstpl 144(%rdi)\n .endr\n 4:\n"
        "vectors 1\n"
        "leave_call_stub:\n"
        "addq $8, %rsp\n"
        "ldmxcsr 8(%rsp)\n"
        "addq $16, %rsp\n"
        "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbp\n popq %rbx\n"
        "ret\n"
        /* The handler has dropped the word with the stub, and goes on here. */
        ".globl call_stub_elsewhere\n.hidden call_stub_elsewhere\n"
        "call_stub_elsewhere:\n"
        "movq (%rsp), %rsi\n"
        "movq %rsp, 56(%rsi)\n"
        "movq %rax, (%rsi)\n"
        ".rept 8\n fstpl 144(%rsi)\n .endr\n"
        "pushq $0\n"
        "jmp leave_call_stub\n"
        ".cfi_endproc\n"
        ".size call_stub, . - call_stub\n");

static struct registers before, after; /* loaded; stored */
static unsigned level;                 /* of the processor, or less */
static bool has_avx;

static inline void fill_registers(struct registers *registers)
{
  fill(registers->general, sizeof registers->general);
  fill(registers->mask, sizeof registers->mask);
  fill(registers->vector, sizeof registers->vector);
  registers->flags = (draw() & TOLD) | 2 | 1 << 9;
  registers->mxcsr = 0x1f80 | (uint32_t)(draw() % 4) << 13;
  registers->x87 = (double)(draw() % 1000000);
  registers->level = (uint16_t)level;
}

static inline void dirty_everything(void)
{
  volatile long double sum = 1;

  for (int i = 0; i < 20; i++)
    sum = sum / 1.5L + (long double)(draw() % 1000);
  assert_true(sum > 0); /* no overflow of the x87 registers */
  __asm__ volatile("ldmxcsr %0" : : "m"((uint32_t){0x1f80}));
  if (has_avx)
    __asm__ volatile("vpcmpeqd %%xmm0, %%xmm0, %%xmm0\n\t"
                     "vinsertf128 $1, %%xmm0, %%ymm0, %%ymm0\n\t"
                     "vmovaps %%ymm0, %%ymm7\n\t"
                     "vmovaps %%ymm0, %%ymm15"
                     :
                     :
                     : "xmm0", "xmm7", "xmm15");
}

static inline void call_registers(void)
{
  after.level = (uint16_t)level;
  call_stub(&before, &after);
}

static inline unsigned vector_bytes(void)
{
  return level == AVX512 ? 64 : level == AVX ? 32 : 16;
}

/* The code of a site after its region is a return: all registers are as they were. */
static inline void assert_same_registers(void)
{
  before.general[SP] = after.general[SP];
  assert_memory_equal(after.general, before.general, sizeof before.general);
  assert_int_equal(after.flags & TOLD, before.flags & TOLD);
  for (unsigned i = 0; i < (level == AVX512 ? 32 : 16); i++)
    assert_memory_equal(after.vector[i], before.vector[i], vector_bytes());
}

/* Before the first call. */
static inline void find_level(void)
{
  cn_arch_detect_features();
  has_avx = __builtin_cpu_supports("avx");
  level = __builtin_cpu_supports("avx512bw") ? AVX512 : has_avx ? AVX : SSE;
}

#endif
