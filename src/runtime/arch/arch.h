/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port for the stack walk and the safepoint code. Registers are given by DWARF number; the names of
 * registers are private to this folder.
 */
#ifndef CN_RUNTIME_ARCH_ARCH_H
#define CN_RUNTIME_ARCH_ARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "registers.h"

/* The port's registers.h defines constants and inline functions:
 *   - enum cn_reg, the callee-saved registers, which a stack walk tracks; CN_CALLEE_SAVED_COUNT;
 *     CN_ARCH_REGISTER_COUNT, the number of registers that a collector may update
 *   - CN_ARCH_SAVED_VECTORS, the number of vector registers of which callees preserve the low words; a stack walk does
 *     not track them, because they contain no references
 *   - CN_ARCH_FRAME_POINTER, the register that a prologue may set to the address of its saved value;
 *     CN_ARCH_ENTRY_SAVED_REGISTER, the register that the stub at the entry from native code saves
 *   - CN_ARCH_SHAPES, the number of shapes of usual prologues; at most 64. Of a shape:
 *     cn_arch_shape_registers() is the mask of the saved registers; cn_arch_return_slot() is the place of the return
 *     address in a frame that ends at `cfa`; cn_arch_frame_record_bytes() is the distance of the frame pointer's place
 *     from the CFA. Shape 0 has the return address in the last word
 *   - cn_arch_shape_of(), the shape with a mask of saved registers, or CN_ARCH_SHAPES
 *   - cn_arch_strip_return(), the address in a return address that may be signed
 *   - CN_ARCH_CALL_PUSHES_RETURN, 1 if the return address is always in the last word of a frame;
 *     CN_ARCH_RETURN_REACH_BYTES, its largest distance from the CFA in a frame with a shape
 *   - CN_ARCH_SIGNS_RETURNS, 1 if functions may sign their return addresses
 *   - CN_ARCH_KEEPS_THREAD_POINTER, 1 if compiled code keeps the address of thread-locals over calls
 *   - CN_ARCH_CFI_OPCODE, an instruction of call-frame information, without operands, that compilers write for this
 *     machine only; or 0 */

/* The port's frames, for readers of frame maps. */
#define CN_ARCH_FRAME_PORT CN_PORT_FRAMES

/* The registers that a slow-path stub saved on the mutator's stack. A stack walk gives the addresses of these words to
 * the collector as the registers' places; the collector updates the words, and the stub reloads the registers from
 * them. The word of the stack pointer is undefined, because the interrupted frame's SP is cn_arch_sp_after(regs).
 *
 *          |  managed frame         |  <- its SP at the safepoint (CFA of the stub)
 *          |  return address        |  pc
 *          |  the last register     |  gpr[CN_ARCH_REGISTER_COUNT - 1]
 *          |  ...                   |
 *   regs ->|  the first register    |  gpr[0]
 *          |  (padding to 64 bytes) |
 *          |  vector registers      |  as the stubs of the port save them */
struct cn_saved_regs {
  uintptr_t gpr[CN_ARCH_REGISTER_COUNT];
  uintptr_t pc;
};

static inline uintptr_t cn_arch_sp_after(const struct cn_saved_regs *regs)
{
  return (uintptr_t)(&regs->pc + 1);
}

/* An anchor, which records a call from managed code to native code. saved[] is in the order of enum cn_reg. If the
 * anchor is marked (cn_arch_mark_anchor_walked()), the stub that pushed it reloads the registers from saved[] when the
 * native callee returns. */
struct cn_anchor {
  _Alignas(CAIRN_ABI_ANCHOR_SIZE) uintptr_t pc;
  uintptr_t sp;
  uintptr_t saved[CN_CALLEE_SAVED_COUNT];
};

/* True for the anchor of an entry, which records a call from native code to managed code. This anchor's pc is the
 * native caller's pc, and its SP is odd. Stack walks skip these anchors; unwinders use them. */
static inline bool cn_anchor_is_entry(const struct cn_anchor *anchor)
{
  return (anchor->sp & 1) != 0;
}

/* The caller's stack pointer. The low bits of `sp` are marks. Acquires, because another thread's stub may fill the
 * anchor at the same time, and writes `sp` last, with release. */
static inline uintptr_t cn_anchor_sp(const struct cn_anchor *anchor)
{
  return __atomic_load_n(&anchor->sp, __ATOMIC_ACQUIRE) & ~(uintptr_t)7;
}

/* Mark a live anchor before a change of its saved registers, so that the stub reloads the registers when the native
 * callee returns. Only the anchor's thread may call this function, or a thread that the anchor's thread waits for. */
void cn_arch_mark_anchor_walked(struct cn_anchor *anchor);

/* True if the native call of the anchor is still active. False if a longjmp has left the frame, and has dropped the
 * anchor (libc/jumps.c), or other frames have most likely overwritten its stack. The word below the anchor's SP must be
 * readable memory of the stack. */
bool cn_arch_is_anchor_live(const struct cn_anchor *anchor);

/* True if a live anchor has the value of register `reg` (enum cn_reg). Otherwise the managed caller's frame has saved
 * the register, and the register contains no reference of the caller. */
bool cn_arch_has_anchor_register(const struct cn_anchor *anchor, int reg);

/* True if Linux interrupts all processors that run a process when it takes rights from one of the process's pages. */
extern const bool cn_arch_protection_interrupts;

extern const uint8_t cn_arch_sp_dwarf_number;                     /* DWARF number of the stack pointer */
extern const uint8_t cn_arch_callee_saved[CN_CALLEE_SAVED_COUNT]; /* DWARF numbers of the registers of enum cn_reg */

/* The enum cn_reg of each DWARF number, or CN_CALLEE_SAVED_COUNT. */
extern const uint8_t cn_arch_callee_saved_index[CN_ARCH_REGISTER_COUNT];

/* Fill an array of register places by DWARF number; registers that are not callee-saved have null. */
void cn_arch_fill_places_by_number(uintptr_t *const place[CN_CALLEE_SAVED_COUNT],
                                   uintptr_t *reg[CN_ARCH_REGISTER_COUNT]);

static inline bool cn_arch_is_callee_saved(int reg)
{
  return reg >= 0 && reg < CN_ARCH_REGISTER_COUNT && cn_arch_callee_saved_index[reg] != CN_CALLEE_SAVED_COUNT;
}

/* The effect of a usual prologue, which has a number, its shape: the registers of cn_arch_shape_registers() lie at
 * constant offsets from the CFA. For such a register, `offset` is its negative offset from the CFA, modulo 2^64, and
 * `keep` is 0. For other registers, `offset` is 0, and `keep` is all ones. The new place is
 * (place & keep) + (cfa & ~keep) + offset. */
enum { CN_SHAPE_WORDS = (CN_CALLEE_SAVED_COUNT + 3) / 4 * 4 };
struct cn_prologue_shape {
  _Alignas(64) uintptr_t offset[CN_SHAPE_WORDS]; /* 0 for the elements from CN_CALLEE_SAVED_COUNT on */
  uintptr_t keep[CN_SHAPE_WORDS];
};
extern const struct cn_prologue_shape cn_arch_prologue_shapes[CN_ARCH_SHAPES];

/* The loop of fast_walk.h for this processor; null if the portable loop is used. */
struct cn_fast_walk;
uint64_t (*cn_arch_find_fast_walk(void))(const struct cn_fast_walk *stretch);

/* Find the vector registers that the stubs must save. Called once, before managed code runs. */
void cn_arch_detect_features(void);

/* The pc in a signal handler's context (ucontext_t). Async-signal-safe. */
uintptr_t cn_arch_context_pc(const void *ucontext);
/* The same, or the return address of a stub that the signal interrupted, where it is in a register: code that calls a
 * stub without pushing a word reaches the end of the stack in the stub. Async-signal-safe. */
uintptr_t cn_arch_context_caller_pc(const void *ucontext);
/* The stack pointer in a signal handler's context. Async-signal-safe. */
uintptr_t cn_arch_context_sp(const void *ucontext);
/* The name of register `reg`, below CN_ARCH_REGISTER_COUNT; `*value` gets its value in a signal handler's context.
 * Async-signal-safe. */
const char *cn_arch_context_register(const void *ucontext, int reg, uintptr_t *value);

/* True if `pc` is the return address that the kernel gives to a signal handler, whose frame ends at `sp`. The signal
 * interrupted the thread before the instruction `*interrupted`, so the frame has no caller. */
bool cn_arch_is_signal_frame(uintptr_t pc, uintptr_t sp, uintptr_t *interrupted);

/* True if `pc` is the return address of a call that only managed code makes: a call of a managed function's body or of
 * a stub. `pc` may be any address. */
bool cn_arch_is_managed_call_return(uintptr_t pc);

/* True if the instruction at `pc` belongs to a managed function's entry for native callers, or to the padding after it,
 * where the thread is still native. `pc` may be any address. */
bool cn_arch_is_in_entry(uintptr_t pc);

/* The stack pointer after a longjmp to `buffer`, a jmp_buf of the C library. Async-signal-safe. */
uintptr_t cn_arch_jump_buffer_sp(const void *buffer);

/* Call handler(signal, info, context) in a frame that a stack walk recognises by its return address. */
void cn_arch_interrupting(int signal, void *info, void *context, void (*handler)(void));
bool cn_arch_is_interrupting_return(uintptr_t pc);

/* True if a signal interrupted a stub that has made its thread managed, but has not yet checked for a stop. Sets the
 * context so that the stub begins again as native; the caller sets the thread's state to native. */
bool cn_arch_restart_transition(void *ucontext);

/* True if `pc` lies in a stub. `pc` may be any value. */
bool cn_arch_is_in_stubs(uintptr_t pc);
/* True if `end`, which an unwinder gives as the end of the frame at `callee`, matches the caller's stack pointer `sp`.
 * For a stub that popped its return address, the unwinder's end is one word higher. */
bool cn_arch_is_same_sp(uintptr_t end, uintptr_t sp, uintptr_t callee);

/* True if `pc` lies in a stub, or in a thunk that jumps to a stub. At these places managed code has no frame with a
 * map, and its anchor is unset or already dropped. */
bool cn_arch_is_stub_or_thunk(uintptr_t pc);

/* True if `pc` is the return address of a managed function that native code called. The entry's anchor
 * (cn_anchor_is_entry()) then has the native caller's pc and its register CN_ARCH_ENTRY_SAVED_REGISTER. */
bool cn_arch_is_entry_return(uintptr_t pc);

/* Return barriers (return_barriers.h): the address of barrier `index`, below CAIRN_ABI_BARRIERS, and the index of an
 * address. The stub at this address pushes cn_return_barrier_cells[index] as the return address, saves all possible
 * results, and calls cn_return_barrier_returned(). */
uintptr_t cn_arch_return_barrier_address(unsigned index);
bool cn_arch_find_return_barrier(uintptr_t pc, unsigned *index);

/* Marked returns (marked_returns.h): the address of the entry with this index, below CN_MARKED_RETURNS, which is 0 for
 * an index without entry; and the index of an address. The code there pushes cn_marked_return_cells[index] as the
 * return address and calls cn_deopt_leave_returned(). */
uintptr_t cn_arch_marked_return_address(unsigned index);
bool cn_arch_find_marked_return(uintptr_t pc, unsigned *index);
extern const char cn_arch_marked_returns[]; /* has all entries, CAIRN_ABI_MARKED_BLOCKS blocks */

/* False if the hardware would detect a replaced return address (shadow stacks). */
bool cn_arch_may_replace_returns(void);

/* The registers and the place of a thread that leaves activations for good. `slot` becomes the stack pointer, and has a
 * return address: the code at `pc` runs as if that return address had called it. The callee-saved registers are in the
 * order of enum cn_reg. The result is also in the first vector register; the second result is an integer. `vector` has
 * the callee-saved vector registers. Stubs that managed code calls fill it with the registers' contents, and callees
 * replace those that the left activations have saved (cn_map_read_vectors()). */
struct cn_transfer {
  uintptr_t saved[CN_CALLEE_SAVED_COUNT];
  uintptr_t *slot;
  uintptr_t pc, argument, result, second;
  uint64_t vector[CN_ARCH_SAVED_VECTORS];
};

/* Do the transfer. The calling thread is managed; the struct lies below the slot. */
_Noreturn void cn_arch_transfer(const struct cn_transfer *transfer);

/* Code that returns to the address in the slot of a transfer. */
void cn_arch_return(void);

/* The word that replaces the return address `old` of a frame that ends at `sp`: `pc`, signed as `old` is, with the same
 * key and with `sp`. `callee` is the frame's pc, or 0 if `old` lies elsewhere, in a stub's words. The port reads the
 * code there if the address may as well be signed as not. 0: the signature of `old` is of another kind, or wrong, so
 * that the address must stay. */
uintptr_t cn_arch_sign_like(uintptr_t old, uintptr_t pc, uintptr_t sp, uintptr_t callee);

/* The range of the stubs' code. */
uintptr_t cn_arch_stubs_range(uintptr_t *end);

#endif
