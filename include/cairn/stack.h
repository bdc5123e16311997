/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks: functions that iterate over activations, enumerate their roots, find spans, and add the program's own code to
 * the walk. After the Pillar stack iterator (pillar-stack-iterator-2011), whose names stand in brackets.
 *
 *   struct cairn_stack_iterator it;
 *   for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
 *     cairn_stack_enumerate(&it, callback, env);
 *
 * An iterator visits activations of functions that have a code info manager: compiled code has one, and other code may
 * be given one (below). The iterator steps over native activations between them. It is valid until its stack runs
 * again, and until the next collection; it owns no memory. A function fails only as its comment says; a stack that
 * cannot be parsed ends the program with a message.
 *
 * Native code that managed code called, directly or through other native code, but not as a cairn_leaf
 * (<cairn/cairn.h>), may call the functions of this header on its own thread, except those marked for collectors. A
 * collector may call all of them, in phase STOP, on any thread.
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

/* Registers have their DWARF numbers. */
#define CAIRN_STACK_REGISTERS 16

/* The caller provides the storage; the runtime owns its contents. [PrtStackIterator] */
struct cairn_stack_iterator {
  uintptr_t words[96];
};

/* The facts of an activation, as pointers: a collector or a deoptimiser can write the values that the activation
 * resumes with. */
struct cairn_stack_state {
  uintptr_t *pc;                         /* the place of the address where the activation resumes */
  uintptr_t sp;                          /* its stack pointer there */
  uintptr_t *reg[CAIRN_STACK_REGISTERS]; /* the present place of each register's value; null: the value is lost, or (for
                                          * the stack pointer) has no place */
  unsigned virtual_frame;                /* 0: the innermost function inlined there */
};

/* Set the iterator to the calling thread's youngest activation, or past the end if that is missing.
 * [prtYoungestActivation] */
void cairn_stack_youngest(struct cairn_stack_iterator *iterator);

/* Like cairn_stack_youngest(), for the thread with this number (gettid()). The thread must be stopped: phase STOP; any
 * thread may call. UNKNOWN: the thread with this number does not run managed code; BUSY: the thread runs. After either,
 * the iterator is unchanged. */
enum cairn_status cairn_stack_of_thread(struct cairn_stack_iterator *iterator, int thread);

/* Set the iterator to the youngest activation of a waiting stack, for example a coroutine's. `state` has the values
 * that this activation resumes with; the stack's memory is [low, high). A walk ends at native code, except on stacks
 * that were added (below). All threads must be off that stack; outside phase STOP only a thread that runs managed code
 * may call. */
void cairn_stack_suspended(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state, uintptr_t low,
                           uintptr_t high);

/* Step to the caller's activation, or past the end. Stays past the end. [prtNextActivation] */
void cairn_stack_next(struct cairn_stack_iterator *iterator);

/* Step to the function that the current one was inlined into, as if that had called it; from an outermost function, to
 * the caller, like cairn_stack_next(). Needs debug information in the compiled code: otherwise each activation is one
 * virtual frame. */
void cairn_stack_next_virtual(struct cairn_stack_iterator *iterator);

/* True past the end. Then only this function, cairn_stack_ip() and cairn_stack_sp() may be called.
 * [prtIsActivationPastEnd] */
bool cairn_stack_past_end(const struct cairn_stack_iterator *iterator);

/* The address where the activation resumes, after its unfinished call. 0 past the end. [prtGetActivationIP] */
uintptr_t cairn_stack_ip(const struct cairn_stack_iterator *iterator);

/* The activation's stack pointer there; 0 past the end. */
uintptr_t cairn_stack_sp(const struct cairn_stack_iterator *iterator);

/* Read all fields, or set them: a code info manager steps to the previous frame by setting them, and any caller can go
 * back to an earlier frame. A null `pc` is past the end. [prtSetStackIteratorFields] */
void cairn_stack_get(const struct cairn_stack_iterator *iterator, struct cairn_stack_state *state);
void cairn_stack_set(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state);

/* Describe the activation for people: function, file and line as far as known. Returns the same as snprintf().
 * [cimGetStringForFrame] */
int cairn_stack_describe(const struct cairn_stack_iterator *iterator, char *buffer, size_t size);

/* ---- the program's own stacks ---- */

/* The stack of a coroutine, in contrast to a thread's own stack. While all threads are off the stack, collections find
 * the activations that wait there. The caller provides the storage, and keeps it while the stack is added. */
struct cairn_stack {
  uintptr_t low, high; /* its memory; `high` is a multiple of 8 */
  /* Set the state that the youngest activation on the stack resumes with. False: the stack is empty, because the
   * coroutine has yet to begin or is over. Called in phase STOP, while all threads are off the stack and walks do not
   * reach it from another stack. Null: code leaves this stack only in native code that managed code called, and the
   * runtime knows the state. */
  bool (*suspended)(const struct cairn_stack *stack, struct cairn_stack_state *state);
  void *data;         /* the program's */
  uintptr_t words[8]; /* the runtime's */
};

/* Add the stack before managed code runs on it. BOUNDS: `low` is at or above `high`, or `high` is not a multiple of 8;
 * OVERLAP: a part of the stack belongs to another stack; MEMORY. After a failure the table is unchanged. Call this
 * function and the next two on a thread that runs managed code, in phase MUTATE. */
enum cairn_status cairn_stack_add(struct cairn_stack *stack);

/* Remove the stack: its activations never go on, and its memory may be reused. The program ends if a thread is on the
 * stack, or if the stack was not added. */
void cairn_stack_remove(struct cairn_stack *stack);

/* Say that the thread is about to switch to this stack, or (null) to its own. The switching code calls the function
 * immediately before the switch; it is native code or code with a manager. A call by managed code ends the program. */
void cairn_stack_switch(struct cairn_stack *stack);

/* ---- roots ---- */

/* The relation of a root to its object [PrtGcTag]; some tags have a `parameter`. */
enum cairn_root_tag {
  CAIRN_ROOT_DEFAULT, /* the slot holds null or a reference, to an object or outside the heap; `parameter` is null */
  CAIRN_ROOT_OFFSET,  /* it holds a reference plus the constant (intptr_t)parameter, or 0 */
  CAIRN_ROOT_BASE,    /* it holds a pointer derived from the reference in *(uintptr_t *)parameter */
  CAIRN_ROOT_USER     /* this tag and greater ones: the language's own tags, with its own parameter */
};

/* Called once per root. Only a collector may write to `slot` and to the base. Writers must keep a derived pointer's
 * distance to its base, and one base may have many derived pointers, in several activations: read all distances before
 * the first write. [PrtRseCallback] */
typedef void cairn_stack_root(void *env, uintptr_t *slot, unsigned tag, void *parameter);

/* Call back for each root of the activation. The roots of all inlined functions come with virtual frame 0; other
 * virtual frames yield only an empty set. [prtEnumerateRootsOfActivation] */
void cairn_stack_enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env);

/* ---- spans ---- */

/* Find the smallest span with this key that encloses the (virtual) activation's place, and store the span's value.
 * False: the place is outside all such spans. [prtGetSpanDescriptor] */
bool cairn_stack_span(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value);

/* ---- code info managers ---- */

/* The functions that describe the frames of a manager's code. Each is called with the iterator at an activation whose
 * pc is in (start, end] of one of the manager's regions: a return address is that of the byte after a call. `data` was
 * given with the region. They are also called in phase STOP, and must not allocate objects or run managed code.
 * [PrtCodeInfoManagerFunctions] */
struct cairn_code_manager {
  const char *name;
  /* Describe the activation, like snprintf(). Null: the manager's name stands for it. */
  int (*describe)(const struct cairn_stack_iterator *iterator, char *buffer, size_t size, void *data);
  /* Step to the caller by cairn_stack_set(). Never null. */
  void (*previous)(struct cairn_stack_iterator *iterator, void *data);
  /* Call back for each root. Null: the code has no roots. */
  void (*enumerate)(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env, void *data);
  /* Like cairn_stack_span(). Null: the code has no spans. */
  bool (*span)(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value, void *data);
};

/* Let `manager` describe the code in [start, end). The caller keeps *manager and *data until the region is removed. Any
 * thread, at any time except within a callback, as a walk would wait for itself: BUSY. BOUNDS: `end` is at or below
 * `start`, or `previous` is missing; OVERLAP: a part of the range is another region's, compiled code, or the runtime's
 * stubs; MEMORY. After a failure the table is unchanged. [prtRegisterCodeInfoManager, prtAddCodeRegion] */
enum cairn_status cairn_code_region_add(const struct cairn_code_manager *manager, uintptr_t start, uintptr_t end,
                                        void *data);

/* Remove the region that begins at `start`. All stacks must be free of its activations. The call waits for walks that
 * are in a callback of the region; later walks find the region gone. Any thread. UNKNOWN: no region begins there; BUSY:
 * as for cairn_code_region_add(); MEMORY. After a failure the region remains. */
enum cairn_status cairn_code_region_remove(uintptr_t start);

/* ---- for people ---- */

/* Print the calling thread's stack to file descriptor `fd`, youngest activation first: managed and native activations,
 * also inlined ones, with function, file and line as far as known. Any thread, at any time. The function does not
 * allocate from the collected heap. In a signal handler it allocates no memory at all, and shows native activations
 * only if the unwinder is loaded already (docs/stack.md). */
void cairn_backtrace(int fd);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
