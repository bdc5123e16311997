/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks: iterate over activations, enumerate their roots, find spans, and bring code of one's own
 * into the walk. After the Pillar stack iterator (pillar-stack-iterator-2011; the names
 * there are given in brackets).
 *
 *   struct cairn_stack_iterator it;
 *   for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
 *     cairn_stack_enumerate(&it, callback, env);
 *
 * An activation is one of a function that has a code info manager: compiled code has one, other
 * code may be given one (below). Native activations between them are stepped over. An iterator is
 * valid until the stack it is on runs again, and until the next collection; it owns nothing. Where
 * nothing else is said, nothing here fails: a stack that cannot be parsed ends the program with a
 * message.
 *
 * Callers of all that is not for collectors alone: native code that managed code called, directly
 * or through other native code, on its own thread, but not as a cairn_leaf (<cairn/cairn.h>); and a
 * collector, in phase STOP, on any thread.
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

/* The caller's storage; what is in it is the runtime's business. [PrtStackIterator] */
struct cairn_stack_iterator {
  uintptr_t words[96];
};

/* All that an iterator says of an activation. Pointers, so that a collector or a deoptimiser can
 * write what the activation finds when it goes on. */
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

/* The same for the thread with this number, as gettid() has it, which must be stopped: phase STOP,
 * any thread may call. UNKNOWN: no thread of this number runs managed code; BUSY: it is not
 * stopped. The iterator is as it was then. */
enum cairn_status cairn_stack_of_thread(struct cairn_stack_iterator *iterator, int thread);

/* The same for a stack that is no thread's, a coroutine's for one: `state` says what its youngest
 * activation finds when it goes on; its memory is [low, high). A walk into native code is past
 * the end, but for stacks that were added (below). While no thread runs on that stack, and on
 * another thread than the one that runs managed code only in phase STOP. */
void cairn_stack_suspended(struct cairn_stack_iterator *iterator,
                           const struct cairn_stack_state *state, uintptr_t low, uintptr_t high);

/* Step to the caller's, or past the end. Does nothing past the end. [prtNextActivation] */
void cairn_stack_next(struct cairn_stack_iterator *iterator);

/* Step to the function that the current one was inlined into, as if it had called it; if there is
 * none, as cairn_stack_next(). Needs debug information in what was compiled; without, each
 * activation is one virtual frame. */
void cairn_stack_next_virtual(struct cairn_stack_iterator *iterator);

/* True if there is no activation left; all that may then be called are this and
 * cairn_stack_ip(), cairn_stack_sp(). [prtIsActivationPastEnd] */
bool cairn_stack_past_end(const struct cairn_stack_iterator *iterator);

/* Where the activation goes on: the address of the code after the call that it waits for. 0 past
 * the end. [prtGetActivationIP] */
uintptr_t cairn_stack_ip(const struct cairn_stack_iterator *iterator);

/* Its stack pointer there; 0 past the end. */
uintptr_t cairn_stack_sp(const struct cairn_stack_iterator *iterator);

/* Read everything, or set everything: a code info manager's way to step to the previous frame, and
 * any caller's to go back to an earlier one. Null in `pc` is past the end.
 * [prtSetStackIteratorFields] */
void cairn_stack_get(const struct cairn_stack_iterator *iterator, struct cairn_stack_state *state);
void cairn_stack_set(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state);

/* Describe the activation for people: function, file and line if they are known. Returns what
 * snprintf() would. [cimGetStringForFrame] */
int cairn_stack_describe(const struct cairn_stack_iterator *iterator, char *buffer, size_t size);

/* ---- stacks of one's own ---- */

/* A stack that is no thread's: a coroutine's. While no thread runs on it, the collector finds what
 * waits there. The caller's storage, as long as it is added. */
struct cairn_stack {
  uintptr_t low, high; /* its memory; `high` is a multiple of 8 */
  /* Where the youngest activation on it goes on. False: none waits there; it has not begun, or is
   * over. Not called while the thread is on the stack, or on one from which a walk leads to it.
   * Phase STOP. Null: code leaves this stack only in native code that managed code called, and
   * the runtime knows where. */
  bool (*suspended)(const struct cairn_stack *stack, struct cairn_stack_state *state);
  void *data;         /* not looked at */
  uintptr_t words[8]; /* the runtime's */
};

/* Before managed code runs on it. BOUNDS: `low` is not below `high`, or `high` no multiple of 8;
 * OVERLAP: part of it is another stack's; MEMORY. Nothing is added then. Like the next two only on
 * the thread that runs managed code, in phase MUTATE. */
enum cairn_status cairn_stack_add(struct cairn_stack *stack);

/* What waits there never goes on; the memory may be used again. Not the one that the thread is
 * on. */
void cairn_stack_remove(struct cairn_stack *stack);

/* The thread is about to change to this stack; null: to its own. Called by the code that does
 * it, and immediately: native code, or code with a manager, but not managed code. A few
 * instructions. */
void cairn_stack_switch(struct cairn_stack *stack);

/* ---- roots ---- */

/* What a root is to its object [PrtGcTag]; `parameter` is what comes with it. */
enum cairn_root_tag {
  CAIRN_ROOT_DEFAULT, /* the slot holds a reference, to an object or outside the heap, or null;
                         `parameter` is null */
  CAIRN_ROOT_OFFSET,  /* it holds a reference plus the constant (intptr_t)parameter; or 0 */
  CAIRN_ROOT_BASE,    /* it holds a pointer derived from the reference in *(uintptr_t *)parameter */
  CAIRN_ROOT_USER     /* this and greater tags: the language's own, with its own parameter */
};

/* Called once per root. `slot` and the base may be written by a collector only. A derived pointer's
 * distance to its base must be kept, and one base may have many, in several activations: read all
 * distances before the first write. [PrtRseCallback] */
typedef void cairn_stack_root(void *env, uintptr_t *slot, unsigned tag, void *parameter);

/* Call back for each root of the activation; the whole of a function's with virtual frame 0, none
 * with the others. [prtEnumerateRootsOfActivation] */
void cairn_stack_enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback,
                           void *env);

/* ---- spans ---- */

/* The value of the smallest span with this key round the place where the (virtual) activation is.
 * False: there is none. [prtGetSpanDescriptor] */
bool cairn_stack_span(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value);

/* ---- code info managers ---- */

/* What the maker of code tells about its frames. The iterator is at an activation whose pc is in
 * (start, end] of a region of the manager's: a return address is that of the byte after a call.
 * `data` is what was given with the region. Called in phase STOP too: no allocation of objects, no
 * managed code. [PrtCodeInfoManagerFunctions] */
struct cairn_code_manager {
  const char *name;
  /* As snprintf(). Null: the name of the manager is used. */
  int (*describe)(const struct cairn_stack_iterator *iterator, char *buffer, size_t size,
                  void *data);
  /* Step to the caller by cairn_stack_set(). Must be there. */
  void (*previous)(struct cairn_stack_iterator *iterator, void *data);
  /* Call back for each root. Null: there are never any. */
  void (*enumerate)(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback,
                    void *env, void *data);
  /* As cairn_stack_span(). Null: there are never any. */
  bool (*span)(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value,
               void *data);
};

/* The code in [start, end) is described by `manager`. What both pointers lead to stays the caller's
 * and must stay until the region is removed. Any thread, at any time but within a callback, where a
 * walk would wait for itself: BUSY. BOUNDS: `end` is not above `start`, or `previous` is missing;
 * OVERLAP: some of it is another region's, or compiled code; MEMORY. Nothing is added then.
 * [prtRegisterCodeInfoManager, prtAddCodeRegion] */
enum cairn_status cairn_code_region_add(const struct cairn_code_manager *manager, uintptr_t start,
                                        uintptr_t end, void *data);

/* Forget the region that begins at `start`. No activation of it may be on any stack. When this
 * returns, no callback of it runs or will run: walks that are in one are waited for. Any thread.
 * UNKNOWN: no region begins there; BUSY: as above; MEMORY. The region is still there then. */
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
