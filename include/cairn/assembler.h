/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembles the instructions that patches consist of, into a buffer of the caller: moves, loads, stores, comparisons,
 * jumps, calls and nops of the machine that the program runs on, x86-64 or AArch64. Registers have the DWARF numbers
 * that the records of points have.
 *
 *   unsigned char bytes[24];
 *   struct cairn_assembler code;
 *
 *   cairn_assembler_begin(&code, bytes, sizeof bytes, address);
 *   cairn_assemble_constant(&code, reg, value, 8);
 *   cairn_assemble_call(&code, target);
 *   if (cairn_assembler_end(&code) != CAIRN_OK)
 *     fprintf(stderr, "no patch: %s\n", cairn_status_text(code.failure));
 *
 * Each function appends an instruction, or on AArch64 several, and returns CAIRN_OK or the failure. After a failure the
 * assembler keeps the first failure, and later calls return this failure, so that the status of cairn_assembler_end()
 * covers all calls. A call that fails writes nothing and adds nothing. Every function can fail with these statuses:
 *   ROOM       the instruction is longer than the rest of the buffer
 *   REGISTER   the machine lacks the register, or the instruction takes no register of this kind
 *   IMMEDIATE  the instruction has no form for this constant or this size
 *   FAR        the target, or the offset from a register, is further away than the instruction reaches
 *   BOUNDS     another argument is outside of its range
 *
 * The length of an instruction depends on its function, registers and size, never on constants, offsets and targets:
 * the code of a site has one shape for all values. Instructions other than comparisons leave the flags unchanged.
 *
 * x86-64: targets and offsets reach 2 GiB. 0 to 15 are the general registers in DWARF's order (0 is rax, 1 rdx, 2 rcx,
 * 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp; 8 to 15 are r8 to r15); 17 to 32 are xmm0 to xmm15, and 67 to 82 are xmm16 to
 * xmm31. Code for xmm16 to xmm31 needs a processor with AVX-512VL, as compiled code has whose records contain these
 * registers.
 *
 * AArch64: 0 to 30 are the general registers x0 to x30, 31 is the stack pointer, and 64 to 95 are v0 to v31. An
 * instruction has 4 bytes, and code lies at multiples of 4. The stack pointer is a base of memory operands, and moves
 * and addresses read it. Jumps and calls reach 128 MiB. Offsets of memory operands are multiples of the size below 4096
 * times the size, or lie in -256 to 255; those of cairn_assemble_address() are below 16 MiB. Comparisons with memory or
 * constants or of 1 or 2 bytes, and jumps and calls through memory change x16 and x17, so that these registers are no
 * operands there (REGISTER): LLVM leaves x16, x17 and x30 free at points.
 *
 * Memory operands are a base register and an offset. The base CAIRN_ASSEMBLER_PC means that the offset is an absolute
 * address, which the instruction reaches relative to its own address; on AArch64 stores lack it, addresses reach 4 GiB,
 * and loads of vector registers reach multiples of 4 within 1 MiB.
 *
 * The functions are pure: they touch only the assembler and its buffer. Any thread, any phase, async-signal-safe. An
 * assembler belongs to one thread at a time. The library is libcairn.a.
 */
#ifndef CAIRN_ASSEMBLER_H
#define CAIRN_ASSEMBLER_H

#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_assembler {
  unsigned char *bytes;      /* the caller's buffer */
  size_t capacity, length;   /* in bytes; `length` bytes are assembled */
  uint64_t address;          /* the future address of bytes[0] */
  enum cairn_status failure; /* the first failure, or CAIRN_OK */
};

/* The base of a memory operand whose offset is an absolute address. */
enum { CAIRN_ASSEMBLER_PC = 255 };

/* The outcome of the last comparison, of its first operand against its second. LESS and GREATER compare signed numbers,
 * BELOW and ABOVE unsigned numbers and addresses. */
enum cairn_condition {
  CAIRN_IF_BELOW = 2,
  CAIRN_IF_ABOVE_OR_EQUAL = 3,
  CAIRN_IF_EQUAL = 4,
  CAIRN_IF_NOT_EQUAL = 5,
  CAIRN_IF_BELOW_OR_EQUAL = 6,
  CAIRN_IF_ABOVE = 7,
  CAIRN_IF_LESS = 12,
  CAIRN_IF_GREATER_OR_EQUAL = 13,
  CAIRN_IF_LESS_OR_EQUAL = 14,
  CAIRN_IF_GREATER = 15,
};

#pragma GCC visibility push(default)

/* Begins code in a buffer of `capacity` bytes that will run at `address`. The buffer may lie elsewhere. */
void cairn_assembler_begin(struct cairn_assembler *assembler, void *bytes, size_t capacity, uint64_t address);

/* Fills the rest of the buffer with nops. Returns the first failure, or CAIRN_OK: then the code has `capacity` bytes,
 * as a patch of a point must have. */
enum cairn_status cairn_assembler_end(struct cairn_assembler *assembler);

/* Moves a register to a register: 8 bytes if a general register takes part, otherwise all 16 bytes. Between a general
 * register and a vector register the value is the low half of the vector, whose high half becomes 0. */
enum cairn_status cairn_assemble_move(struct cairn_assembler *assembler, unsigned to, unsigned from);

/* Sets a general register to a constant of `bytes` bytes, 4 or 8. With 4 bytes, the constant must be below 2^32; the
 * high half of the register becomes 0. */
enum cairn_status cairn_assemble_constant(struct cairn_assembler *assembler, unsigned reg, uint64_t value,
                                          unsigned bytes);

/* Loads `bytes` bytes: 1, 2, 4 or 8 into a general register, or 4, 8 or 16 into a vector register. The rest of the
 * register becomes 0. */
enum cairn_status cairn_assemble_load(struct cairn_assembler *assembler, unsigned reg, unsigned base, int64_t offset,
                                      unsigned bytes);

/* Stores the low `bytes` bytes of a register; sizes are as for loads. */
enum cairn_status cairn_assemble_store(struct cairn_assembler *assembler, unsigned base, int64_t offset, unsigned reg,
                                       unsigned bytes);

/* Sets a general register to the address of a memory operand. */
enum cairn_status cairn_assemble_address(struct cairn_assembler *assembler, unsigned reg, unsigned base,
                                         int64_t offset);

/* Compare the low `bytes` bytes (1, 2, 4 or 8) of a general register with a register, a constant, or memory; or memory
 * with a constant. A constant may be signed or unsigned in its `bytes` bytes; with 8 bytes it lies in -2^31 to 2^31 -
 * 1. Larger constants are compared through a register or through memory. */
enum cairn_status cairn_assemble_compare(struct cairn_assembler *assembler, unsigned reg, unsigned other,
                                         unsigned bytes);
enum cairn_status cairn_assemble_compare_constant(struct cairn_assembler *assembler, unsigned reg, int64_t value,
                                                  unsigned bytes);
enum cairn_status cairn_assemble_compare_memory(struct cairn_assembler *assembler, unsigned reg, unsigned base,
                                                int64_t offset, unsigned bytes);
enum cairn_status cairn_assemble_compare_memory_constant(struct cairn_assembler *assembler, unsigned base,
                                                         int64_t offset, int64_t value, unsigned bytes);

/* Jump to, or call, an absolute address within reach (5 bytes; AArch64: 4); the address in a general register (2 or 3
 * bytes; AArch64: 4); or the address in memory (6 to 8 bytes; AArch64: 8 or 16). The _far functions reach each address
 * of a program: they first set the general register `scratch` to the address (12 or 13 bytes; AArch64: 16). */
enum cairn_status cairn_assemble_jump(struct cairn_assembler *assembler, uint64_t target);
enum cairn_status cairn_assemble_call(struct cairn_assembler *assembler, uint64_t target);
enum cairn_status cairn_assemble_jump_register(struct cairn_assembler *assembler, unsigned reg);
enum cairn_status cairn_assemble_call_register(struct cairn_assembler *assembler, unsigned reg);
enum cairn_status cairn_assemble_jump_memory(struct cairn_assembler *assembler, unsigned base, int64_t offset);
enum cairn_status cairn_assemble_call_memory(struct cairn_assembler *assembler, unsigned base, int64_t offset);
enum cairn_status cairn_assemble_jump_far(struct cairn_assembler *assembler, uint64_t target, unsigned scratch);
enum cairn_status cairn_assemble_call_far(struct cairn_assembler *assembler, uint64_t target, unsigned scratch);

/* Jumps to an absolute address within reach if the condition holds (6 bytes; AArch64: 8). */
enum cairn_status cairn_assemble_jump_if(struct cairn_assembler *assembler, enum cairn_condition condition,
                                         uint64_t target);

/* Jumps forward, if the condition holds, to the place that a later call of cairn_assemble_land() with *jump chooses (6
 * bytes; AArch64: 4, and within 1 MiB). Until then the jump leads to the next instruction. */
enum cairn_status cairn_assemble_jump_over(struct cairn_assembler *assembler, enum cairn_condition condition,
                                           size_t *jump);
/* Makes the end of the code so far the target of `jump`. Adds nothing. BOUNDS: `jump` is the end of another
 * instruction. */
enum cairn_status cairn_assemble_land(struct cairn_assembler *assembler, size_t jump);

/* Returns to the caller (1 byte; AArch64: 4). */
enum cairn_status cairn_assemble_return(struct cairn_assembler *assembler);

/* Adds `bytes` bytes of nops: the fewest, by the forms of up to 9 bytes that the processors' manuals recommend. On
 * AArch64 `bytes` is a multiple of 4 (BOUNDS). */
enum cairn_status cairn_assemble_nops(struct cairn_assembler *assembler, size_t bytes);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
