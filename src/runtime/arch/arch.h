/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of a port with the walker and the safepoint code. Registers have the numbers of DWARF; the registers'
 * names are private to this folder.
 */
#ifndef CN_RUNTIME_ARCH_ARCH_H
#define CN_RUNTIME_ARCH_ARCH_H

#include <stdbool.h>
#include <stdint.h>
#include "framemap/framemap.h"

enum { CN_ARCH_REGISTER_COUNT = CN_PORT_REGISTER_COUNT };

/* Registers that a slow-path stub saved, on the stack of the mutator, at the addresses that the walker hands out as
 * places of registers. A collector writes through them; the stub then loads the registers from here. A value at the
 * index of the stack pointer is meaningless: the interrupted frame's SP is cn_arch_sp_after(regs).
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

/* An anchor: where managed code left for native code. saved[] is in the order of enum cn_reg; the stub that pushed
 * it loads the registers from here when the native callee returns, if it is marked (cn_arch_mark_anchor_walked()). */
struct cn_anchor {
  uintptr_t pc, sp;
  uintptr_t saved[CN_CALLEE_SAVED_COUNT];
};

/* True if it is an entry: where native code called managed code. Then pc is the native caller's, and the SP is odd.
 * Walks pass by such anchors; unwinders do not. */
static inline bool cn_anchor_is_entry(const struct cn_anchor *anchor)
{
  return (anchor->sp & 1) != 0;
}

/* The stack pointer of the caller. The bits below are marks. */
static inline uintptr_t cn_anchor_sp(const struct cn_anchor *anchor)
{
  return anchor->sp & ~(uintptr_t)7;
}

/* Mark a living anchor whose saved registers may be changed from here on: the stub loads them when the native callee
 * returns. Its own thread marks it, or one that its own thread waits for. */
void cn_arch_mark_anchor_walked(struct cn_anchor *anchor);

/* True if managed code left here for native code, and that call is still under way; false if a longjmp left the
 * frame: then most likely other frames have used its stack. The anchor's stack must not end below the frames that
 * are there. */
bool cn_arch_is_anchor_live(const struct cn_anchor *anchor);

/* True if a living anchor has the value of this register (enum cn_reg). Otherwise the caller's frame has its
 * caller's value, which is no reference. */
bool cn_arch_has_anchor_register(const struct cn_anchor *anchor, int reg);

extern const uint8_t cn_arch_sp_dwarf_number;                     /* number of the stack pointer */
extern const uint8_t cn_arch_callee_saved[CN_CALLEE_SAVED_COUNT]; /* numbers of the registers of enum cn_reg */

/* The reverse: the enum cn_reg of a register, or CN_CALLEE_SAVED_COUNT. */
extern const uint8_t cn_arch_callee_saved_index[CN_ARCH_REGISTER_COUNT];

/* Places of callee-saved registers by the numbers of DWARF; null for all others. */
void cn_arch_fill_places_by_number(uintptr_t *const place[CN_CALLEE_SAVED_COUNT],
                                   uintptr_t *reg[CN_ARCH_REGISTER_COUNT]);

static inline bool cn_arch_is_callee_saved(int reg)
{
  return reg >= 0 && reg < CN_ARCH_REGISTER_COUNT && cn_arch_callee_saved_index[reg] != CN_CALLEE_SAVED_COUNT;
}

/* The register that a prologue may point to the pushed value of the caller's, just below the return address. */
enum { CN_ARCH_FRAME_POINTER = CN_PORT_FRAME_POINTER };

/* The effect of a prologue that pushes the registers of a mask (bit per enum cn_reg): for a register in the mask,
 * `offset` is its distance from the CFA (negative), modulo 2^64, and `keep` is 0; for others it is 0, and `keep` is
 * all ones. So place = (place & keep) + (cfa & ~keep) + offset. */
struct cn_prologue_shape {
  _Alignas(64) uintptr_t offset[8]; /* 0 from CN_CALLEE_SAVED_COUNT on */
  uintptr_t keep[8];
};
_Static_assert(CN_CALLEE_SAVED_COUNT <= 8, "struct cn_prologue_shape has eight places");
extern const struct cn_prologue_shape cn_arch_prologue_shapes[1 << CN_CALLEE_SAVED_COUNT];

/* The loop of fast_walk.h in a form that suits this processor; may be null. */
struct cn_fast_walk;
uint64_t (*cn_arch_find_fast_walk(void))(const struct cn_fast_walk *stretch);

/* Once, before managed code runs: find out which vector registers the stubs must save. */
void cn_arch_detect_features(void);

/* The pc in a signal handler's context (ucontext_t). Async-signal-safe. */
uintptr_t cn_arch_context_pc(const void *ucontext);
/* The stack pointer in the context. */
uintptr_t cn_arch_context_sp(const void *ucontext);

/* True if the kernel makes a signal handler, whose frame ends at `sp`, return to `pc`. The frame then has no
 * ordinary caller: the signal came before the instruction `*interrupted`. */
bool cn_arch_is_signal_frame(uintptr_t pc, uintptr_t sp, uintptr_t *interrupted);

/* True if a call returns to `pc` whose target only managed code calls: a managed function behind its entry, or a
 * stub. `pc` may be any address. */
bool cn_arch_is_managed_call_return(uintptr_t pc);

/* True if the instruction at `pc` is of a managed function's entry for native callers, or of the space behind it:
 * the thread is still native there. `pc` may be any address. */
bool cn_arch_is_in_entry(uintptr_t pc);

/* The stack pointer that a jump to `buffer` (the C library's jmp_buf) sets. Async-signal-safe. */
uintptr_t cn_arch_jump_buffer_sp(const void *buffer);

/* Calls handler(signal, info, context), such that a walker knows the frame by its return address. */
void cn_arch_interrupting(int signal, void *info, void *context, void (*handler)(void));
bool cn_arch_is_interrupting_return(uintptr_t pc);

/* A signal came where a stub has made its thread managed and has yet to read whether it may go on: have it begin
 * again, and return true. The thread is native then; the caller sets its state. */
bool cn_arch_restart_transition(void *ucontext);

/* True if `pc`, which may be any value, lies in a stub. */
bool cn_arch_is_in_stubs(uintptr_t pc);
/* True if `end`, an unwinder's end of the activation at `callee`, is where its caller has the stack pointer `sp`. A
 * stub that took its return address from the stack is said to end a word higher. */
bool cn_arch_is_same_sp(uintptr_t end, uintptr_t sp, uintptr_t callee);

/* True if `pc` lies in a stub, or in a piece of emitted code that jumps to one. There managed code lacks a frame
 * with a map, and its anchor is unset or dropped. */
bool cn_arch_is_stub_or_thunk(uintptr_t pc);

/* True if `pc` is where a managed function returns to that native code called: its caller's own pc is in an anchor
 * (cn_anchor_is_entry()), and its register CN_ARCH_ENTRY_SAVED_REGISTER. */
bool cn_arch_is_entry_return(uintptr_t pc);
enum { CN_ARCH_ENTRY_SAVED_REGISTER = CN_PORT_ENTRY_SAVED_REGISTER };

/* Barriers (return_barriers.h): the address of one, below CAIRN_ABI_BARRIERS, and back. A stub there pushes
 * cn_return_barrier_cells[index] as the return address, saves every possible result, and calls
 * cn_return_barrier_returned(). */
uintptr_t cn_arch_return_barrier_address(unsigned index);
bool cn_arch_find_return_barrier(uintptr_t pc, unsigned *index);

/* False: the hardware would notice that a return address was replaced (shadow stacks). */
bool cn_arch_may_replace_returns(void);

/* Where the stubs' code begins and ends. */
uintptr_t cn_arch_stubs_range(uintptr_t *end);

#endif
