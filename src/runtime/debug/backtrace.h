/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints backtraces of programs that end to the standard error stream (docs/stack.md, "Backtraces"). <cairn/stack.h>
 * declares cairn_backtrace().
 */
#ifndef CN_RUNTIME_DEBUG_BACKTRACE_H
#define CN_RUNTIME_DEBUG_BACKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/details.h"
#include "runtime/core/mutator.h"
#include "runtime/walk/walk.h"

/* Print a backtrace of a program that is about to abort, maybe because its stack is broken. The backtrace starts at the
 * caller of the function whose frame ends above `frame`. The call always returns: a fault, a failure or an endless loop
 * only ends the backtrace. Changes signal handlers. Only the first call prints. */
void cn_backtrace_print_fatal(uintptr_t frame);

/* Like cn_backtrace_print_fatal(), in the handler of a signal that ends the program: the backtrace starts at the
 * activation at `pc`. The thread has claimed the end of the program. */
void cn_backtrace_print_crash(uintptr_t pc);

/* Claim the end of the program. True for the first thread, which reports; any other thread waits for the end. False:
 * the thread has claimed it before. Async-signal-safe. */
bool cn_backtrace_claim_end(void);

/* Print a backtrace that starts at the activation at `pc`. The first function may load the unwinder; the second is for
 * signal handlers, and uses an unwinder that is loaded already. */
void cn_backtrace_print_from(uintptr_t pc);
void cn_backtrace_print_from_fault(uintptr_t pc);

/* A backtrace that is printed later, or by another thread. */
enum { CN_BACKTRACE_MAX_ACTIVATIONS = 120 };
struct cn_backtrace {
  struct cn_backtrace_activation {
    uintptr_t pc;
    uint64_t number;
    uint64_t same;     /* number of directly following activations with this pc */
    uint64_t left_out; /* number of activations left out before this one */
    bool interrupted;  /* true: pc is the next instruction; false: pc is a return address */
  } at[CN_BACKTRACE_MAX_ACTIVATIONS];
  size_t count;
};

/* Record a backtrace of at most `limit` activations that starts at the activation at `pc`, in a signal handler.
 * Async-signal-safe. */
void cn_backtrace_record(uintptr_t pc, uint64_t limit, struct cn_backtrace *backtrace);
void cn_backtrace_print_recorded(const struct cn_backtrace *backtrace);

/* ---- backtrace_print.c ---- */

/* Lines of a backtrace. These functions do not allocate. */

/* Write into `file` a line for each function inlined at `pc`, and a line for the enclosing function:
 *   #7  0x000055d1c0de1234 in name at file.c:12:3 (inlined)
 * `interrupted` is false if pc is a return address. `walk` is null, or at the activation. */
void cn_backtrace_print_activation(int file, uint64_t number, uintptr_t pc, bool interrupted,
                                   const struct cn_walk *walk);

/* Write a line with "     ... " and the text. */
void cn_backtrace_print_note(int file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- safepoint_details.c ---- */

/* Finds the details of a safepoint (framemap/details.h) by its return address in all images: source positions with
 * inlined functions, deopt values, spans. */

/* The details of the safepoint that returns to `pc`. False: unknown. Any thread and its signal handlers; a handler that
 * interrupts a look-up or an image's registration gets false. The result is valid while the image is loaded. An image
 * must stay loaded while a stack has an activation of its code. A malformed section ends the program. */
bool cn_safepoint_find_details(uintptr_t pc, struct cn_details *details);

/* The source position of virtual frame `depth` (0: the innermost) at `pc`. `*depths` gets the number of virtual frames,
 * at least 1. False: unknown. */
bool cn_safepoint_find_source(uintptr_t pc, uint32_t depth, struct cn_source_place *source, uint32_t *depths);

/* The return address of the safepoint with details before `pc` in the function with the instruction at `pc`, or of the
 * function's first one; 0: there is none. Linear in the function's safepoints; otherwise like
 * cn_safepoint_find_details(). */
uintptr_t cn_safepoint_find_nearest(uintptr_t pc);

/* Write "file.c:12", the line of the call that returns to `pc`. False: unknown, or too long. */
bool cn_safepoint_format_line(uintptr_t pc, char *buffer, size_t size);

/* ---- safepoint_text.c ---- */

/* Write "function at file:line" of a safepoint from its details, which a stripped program keeps. False: the details
 * lack the position, or the thread has a report guard. Any thread. */
bool cn_safepoint_format_source(uintptr_t pc, char *buffer, size_t size);

/* Write "file:line" of the safepoint before `pc` in the function with the instruction at `pc`, or of the function's
 * first safepoint. False: the function has no safepoint with a source position, or the thread has a report guard. Any
 * thread. */
bool cn_safepoint_format_nearest(uintptr_t pc, char *buffer, size_t size);

/* ---- verify_frames.c: CAIRN_VERIFY=frames: compares two independent walks of one stack ---- */

/* Walk the calling thread's stack twice: by frame maps and anchors, and by the platform's unwinder, which reads
 * call-frame information. Both walks must find the same managed activations in the same order, with the same pc, stack
 * pointer and callee-saved registers. Any difference ends the program with a message that names both sides. A missing
 * unwinder, or an unwinder that cannot step out of the runtime, also ends the program. `regs` are the registers that
 * the stub saved. */
void cn_verify_frames(const struct cairn_mutator *mutator, const struct cn_saved_regs *regs);

#endif
