/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks: iterate over activations, enumerate their roots, find spans, and add code of one's own to
 * the walk. After the Pillar stack iterator (pillar-stack-iterator-2011), whose names stand in
 * brackets.
 *
 *   struct cairn_stack_iterator it;
 *   for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
 *     cairn_stack_enumerate(&it, callback, env);
 *
 * An iterator visits activations of functions that have a code info manager: compiled code has one,
 * other code may be given one (below). It steps over native activations between them. It is valid
 * until the stack it is on runs again, and until the next collection; it owns nothing. Functions
 * whose comment names no failure do not fail: a stack that cannot be parsed ends the program with a
 * message.
 *
 * Functions not marked for collectors may be called by native code that managed code called,
 * directly or through other native code, on its own thread, but not as a cairn_leaf
 * (<cairn/cairn.h>); and by a collector, in phase STOP, on any thread.
 */
#ifndef CAIRN_STACK_H
#define CAIRN_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- activations ---- */

/* Registers are named by their DWARF numbers. */
#define CAIRN_STACK_REGISTERS 16

/* The caller provides the storage; its contents are the runtime's. [PrtStackIterator] */
struct cairn_stack_iterator {
  uintptr_t words[96];
};

/* The facts of an activation. They are pointers, so that a collector or a deoptimiser can write
 * what the activation finds when it goes on. */
struct cairn_stack_state {
  uintptr_t *pc;                         /* where the address that it goes on at is kept */
  uintptr_t sp;                          /* its stack pointer there */
  uintptr_t *reg[CAIRN_STACK_REGISTERS]; /* where each register's value is kept now; null: lost,
                                            or (for the stack pointer) not kept anywhere */
  unsigned virtual_frame;                /* 0: the innermost function inlined there */
};

/* Set the iterator to the calling thread's youngest activation, past the end if there is none.
 * [prtYoungestActivation] */
void cairn_stack_youngest(struct cairn_stack_iterator *iterator);

/* The same for the thread with this number, as gettid() has it. It must be stopped: phase STOP, and
 * any thread may call. UNKNOWN: no thread of this number runs managed code; BUSY: it is not
 * stopped. After either, the iterator is unchanged. */
enum cairn_status cairn_stack_of_thread(struct cairn_stack_iterator *iterator, int thread);

/* The same for a stack that is not a thread's own, a coroutine's for instance. `state` has what its
 * youngest activation finds when it goes on; its memory is [low, high). A walk ends at native code,
 * except on stacks that were added (below). No thread may run on that stack; outside phase STOP
 * only a thread that runs managed code may call. */
void cairn_stack_suspended(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state, uintptr_t low,
                           uintptr_t high);

/* Step to the caller's, or past the end. Does nothing past the end. [prtNextActivation] */
void cairn_stack_next(struct cairn_stack_iterator *iterator);

/* Step to the function that the current one was inlined into, as if that had called it; if there is
 * none, to the caller, as cairn_stack_next(). Needs debug information in the compiled code; without
 * it each activation is one virtual frame. */
void cairn_stack_next_virtual(struct cairn_stack_iterator *iterator);

/* Is no activation left? If so, only this function, cairn_stack_ip() and cairn_stack_sp() may be
 * called. [prtIsActivationPastEnd] */
bool cairn_stack_past_end(const struct cairn_stack_iterator *iterator);

/* The address at which the activation goes on, after the call that it waits for. 0 past the end.
 * [prtGetActivationIP] */
uintptr_t cairn_stack_ip(const struct cairn_stack_iterator *iterator);

/* Its stack pointer there; 0 past the end. */
uintptr_t cairn_stack_sp(const struct cairn_stack_iterator *iterator);

/* Read all fields, or set them: a code info manager steps to the previous frame so, and any caller
 * can go back to an earlier one. A null `pc` is past the end. [prtSetStackIteratorFields] */
void cairn_stack_get(const struct cairn_stack_iterator *iterator, struct cairn_stack_state *state);
void cairn_stack_set(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state);

/* Describe the activation for people: function, file and line if they are known. Returns what
 * snprintf() would. [cimGetStringForFrame] */
int cairn_stack_describe(const struct cairn_stack_iterator *iterator, char *buffer, size_t size);

/* ---- stacks of one's own ---- */

/* A stack that is not a thread's own: a coroutine's. While no thread runs on it, the collector
 * finds the activations that wait there. The caller provides the storage, and keeps it while the
 * stack is added. */
struct cairn_stack {
  uintptr_t low, high; /* its memory; `high` is a multiple of 8 */
  /* Set the state at which the youngest activation on the stack goes on. False: none waits there,
   * because it has not begun, or is over. Called in phase STOP, and not while the thread is on the
   * stack or on one from which a walk leads to it. Null: code leaves this stack only in native code
   * that managed code called, and the runtime knows the state. */
  bool (*suspended)(const struct cairn_stack *stack, struct cairn_stack_state *state);
  void *data;         /* not looked at */
  uintptr_t words[8]; /* the runtime's */
};

/* Add the stack before managed code runs on it. BOUNDS: `low` is not below `high`, or `high` no
 * multiple of 8; OVERLAP: part of it is another stack's; MEMORY. After these nothing was added.
 * Call this and the next two on a thread that runs managed code, in phase MUTATE. */
enum cairn_status cairn_stack_add(struct cairn_stack *stack);

/* Remove the stack: its activations never go on, and its memory may be used again. The thread must
 * not be on it. */
void cairn_stack_remove(struct cairn_stack *stack);

/* The thread is about to switch to this stack; null: to its own. The code that switches calls it
 * immediately before: native code, or code with a manager, but not managed code. A few
 * instructions. */
void cairn_stack_switch(struct cairn_stack *stack);

/* ---- roots ---- */

/* The relation of a root to its object [PrtGcTag]; some have a `parameter`. */
enum cairn_root_tag {
  CAIRN_ROOT_DEFAULT, /* the slot holds a reference, to an object or outside the heap, or null;
                         `parameter` is null */
  CAIRN_ROOT_OFFSET,  /* it holds a reference plus the constant (intptr_t)parameter; or 0 */
  CAIRN_ROOT_BASE,    /* it holds a pointer derived from the reference in *(uintptr_t *)parameter */
  CAIRN_ROOT_USER     /* this and greater tags: the language's own, with its own parameter */
};

/* Called once per root. Only a collector may write `slot` and the base. A derived pointer's
 * distance to its base must be kept, and one base may have many derived pointers, in several
 * activations: read all distances before the first write. [PrtRseCallback] */
typedef void cairn_stack_root(void *env, uintptr_t *slot, unsigned tag, void *parameter);

/* Call back for each root of the activation: for all of a function's with virtual frame 0, for none
 * with the others. [prtEnumerateRootsOfActivation] */
void cairn_stack_enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env);

/* ---- spans ---- */

/* The value of the smallest span with this key that encloses the (virtual) activation's place.
 * False: there is none. [prtGetSpanDescriptor] */
bool cairn_stack_span(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value);

/* ---- code info managers ---- */

/* The maker of code tells about its frames with these. The iterator is at an activation whose pc is
 * in (start, end] of a region of the manager's: a return address is that of the byte after a call.
 * `data` was given with the region. They are called in phase STOP, too, and must not allocate
 * objects or run managed code. [PrtCodeInfoManagerFunctions] */
struct cairn_code_manager {
  const char *name;
  /* As snprintf(). Null: the name of the manager is used. */
  int (*describe)(const struct cairn_stack_iterator *iterator, char *buffer, size_t size, void *data);
  /* Step to the caller by cairn_stack_set(). Must be there. */
  void (*previous)(struct cairn_stack_iterator *iterator, void *data);
  /* Call back for each root. Null: there are never any. */
  void (*enumerate)(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env, void *data);
  /* As cairn_stack_span(). Null: there are never any. */
  bool (*span)(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value, void *data);
};

/* Have `manager` describe the code in [start, end). The caller keeps what both pointers lead to
 * until the region is removed. Any thread, at any time except within a callback, where a walk would
 * wait for itself: BUSY. BOUNDS: `end` is not above `start`, or `previous` is missing; OVERLAP:
 * part of it is another region's, or compiled code; MEMORY. After these nothing was added.
 * [prtRegisterCodeInfoManager, prtAddCodeRegion] */
enum cairn_status cairn_code_region_add(const struct cairn_code_manager *manager, uintptr_t start, uintptr_t end,
                                        void *data);

/* Remove the region that begins at `start`. No activation of it may be on any stack. It waits for
 * walks that are in a callback of the region; none will begin another. Any thread. UNKNOWN: no
 * region begins there; BUSY: as above; MEMORY. After these the region is still there. */
enum cairn_status cairn_code_region_remove(uintptr_t start);

/* ---- for people ---- */

/* Print the calling thread's stack to file descriptor `fd`, youngest first: managed and native
 * activations, inlined ones too, with function, file and line as far as known. Any thread, at any
 * time; allocates nothing from the collected heap, and nothing at all in a signal handler, where
 * native activations are shown only if the unwinder is there already (docs/stack.md). */
void cairn_backtrace(int fd);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
