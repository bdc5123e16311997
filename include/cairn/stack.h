/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks: functions that iterate over activations, enumerate their roots, find spans, and add the program's own code to
 * the walk. The functions follow the Pillar stack iterator (pillar-stack-iterator-2011); the names in brackets are
 * Pillar's.
 *
 *   struct cairn_stack_iterator it;
 *   for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
 *     cairn_stack_enumerate(&it, callback, env);
 *
 * An iterator visits activations of functions that have a code info manager: compiled code has one, and the program may
 * add a manager for other code (cairn_code_region_add()). The iterator steps over the native activations between them.
 * An iterator is valid until its stack runs again or a collection begins; it owns no memory. A function fails only as
 * its comment says; a stack that cannot be parsed ends the program with a message.
 *
 * Native code that managed code called, directly or through other native code, may call the functions of this header on
 * its own thread. Exceptions are the functions for phase STOP, and code that was called as a cairn_leaf
 * (<cairn/cairn.h>). A collector may call all functions of this header, in phase STOP, on any thread.
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
#if defined __aarch64__
#define CAIRN_STACK_REGISTERS 32
#else
#define CAIRN_STACK_REGISTERS 16
#endif

/* The caller provides the storage of an iterator; the runtime owns the contents. [PrtStackIterator] */
struct cairn_stack_iterator {
  uintptr_t words[64 + 2 * CAIRN_STACK_REGISTERS];
};

/* The registers of an activation, as pointers: a collector or a deoptimiser can write the values that the activation
 * resumes with. */
struct cairn_stack_state {
  uintptr_t *pc; /* the place that holds the address where the activation resumes, or a stub's if it is marked
                    (<cairn/deopt.h>); on AArch64 the upper 16 bits may have a signature of the address */
  uintptr_t sp;  /* the activation's stack pointer at the address in *pc */
  uintptr_t *reg[CAIRN_STACK_REGISTERS]; /* the present place of each register's value; null if the value is lost, and
                                          * for the stack pointer */
  unsigned virtual_frame;                /* the number of the virtual frame; 0 is the innermost inlined function */
};

/* Sets the iterator to the calling thread's youngest activation, or past the end if there is no activation.
 * [prtYoungestActivation] */
void cairn_stack_youngest(struct cairn_stack_iterator *iterator);

/* Like cairn_stack_youngest(), for the thread with this number (gettid()), which must be stopped. Phase STOP, any
 * thread. UNKNOWN: the thread with this number does not run managed code; BUSY: the thread runs. After a failure the
 * iterator is unchanged. */
enum cairn_status cairn_stack_of_thread(struct cairn_stack_iterator *iterator, int thread);

/* Sets the iterator to the youngest activation of a waiting stack, for example a coroutine's stack. `state` has the
 * values that this activation resumes with; the stack's memory is [low, high). A walk ends at native code, except on
 * stacks that cairn_stack_add() added. All threads must be off the stack; outside phase STOP only a thread that runs
 * managed code may call. */
void cairn_stack_suspended(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state, uintptr_t low,
                           uintptr_t high);

/* Steps to the caller's activation, or past the end, where the iterator stays. [prtNextActivation] */
void cairn_stack_next(struct cairn_stack_iterator *iterator);

/* Steps to the next virtual frame: from an inlined function to the function that it was inlined into, and from an
 * outermost function to the caller, like cairn_stack_next(). Without debug information in the compiled code, each
 * activation is one virtual frame. */
void cairn_stack_next_virtual(struct cairn_stack_iterator *iterator);

/* True if the iterator is past the end, where only this function, cairn_stack_ip() and cairn_stack_sp() may be called.
 * [prtIsActivationPastEnd] */
bool cairn_stack_past_end(const struct cairn_stack_iterator *iterator);

/* The address where the activation resumes, after its unfinished call, or 0 past the end. [prtGetActivationIP] */
uintptr_t cairn_stack_ip(const struct cairn_stack_iterator *iterator);

/* The activation's stack pointer at the address of cairn_stack_ip(), or 0 past the end. */
uintptr_t cairn_stack_sp(const struct cairn_stack_iterator *iterator);

/* Read all fields of the iterator, or set them. A code info manager sets the fields to step to the previous frame, and
 * any caller may set the fields to return to a frame. A null `pc` is past the end. [prtSetStackIteratorFields] */
void cairn_stack_get(const struct cairn_stack_iterator *iterator, struct cairn_stack_state *state);
void cairn_stack_set(struct cairn_stack_iterator *iterator, const struct cairn_stack_state *state);

/* Writes a text about the activation, with function, file and line if available. Returns the length, like snprintf().
 * [cimGetStringForFrame] */
int cairn_stack_describe(const struct cairn_stack_iterator *iterator, char *buffer, size_t size);

/* ---- the program's own stacks ---- */

/* The stack of a coroutine, in contrast to a thread's own stack. While all threads are off the stack, collections find
 * the activations that wait on it. The caller provides this structure, which must live until the stack is removed. */
struct cairn_stack {
  uintptr_t low, high; /* the stack's memory; `high` is a multiple of 8 */
  /* Sets the state that the youngest activation on the stack resumes with. Returns false if the stack is empty, before
   * the coroutine begins and after it ends. Called in phase STOP, while all threads are off the stack and walks do not
   * reach it from another stack. Null if the coroutine switches stacks only in native code that managed code called, so
   * that the runtime has the state. */
  bool (*suspended)(const struct cairn_stack *stack, struct cairn_stack_state *state);
  void *data;         /* for the program's use */
  uintptr_t words[9]; /* for the runtime's use */
};

/* Adds the stack, before managed code runs on it. BOUNDS: `low` is at or above `high`, or `high` is not a multiple of
 * 8. OVERLAP: a part of the stack belongs to another stack. MEMORY. After a failure the table is unchanged. Threads
 *    that run managed code may call cairn_stack_add(), cairn_stack_remove() and cairn_stack_switch(), in phase
 * MUTATE. */
enum cairn_status cairn_stack_add(struct cairn_stack *stack);

/* Removes the stack, whose activations must never resume; its memory may be reused. The program ends if a thread is on
 * the stack, or if the stack was not added. */
void cairn_stack_remove(struct cairn_stack *stack);

/* Announces that the thread is about to switch to this stack, or, if `stack` is null, to the thread's own stack. The
 * switching code, native code or code with a manager, calls the function immediately before the switch. A call by
 * managed code ends the program. On AArch64 a coroutine must stay on its thread, because compiled code keeps the
 * address of the thread's state over calls: a switch to a stack that another thread has left ends the program. */
void cairn_stack_switch(struct cairn_stack *stack);

/* ---- roots ---- */

/* The relation of a root to its object [PrtGcTag]; some tags have a `parameter`. */
enum cairn_root_tag {
  CAIRN_ROOT_DEFAULT, /* the slot holds null, a reference to an object or an address outside the heap; `parameter` is
                       * null */
  CAIRN_ROOT_OFFSET,  /* the slot holds a reference plus the constant (intptr_t)parameter, or 0 */
  CAIRN_ROOT_BASE,    /* the slot holds a pointer derived from the reference in *(uintptr_t *)parameter */
  CAIRN_ROOT_USER     /* this tag and greater tags are the language's own; `parameter` has the language's meaning */
};

/* Called once per root. Only a collector may write to the slot and to the base. The collector must keep the distance of
 * each derived pointer from its base; because a base may have derived pointers in several activations, it must read all
 * distances before its first write. [PrtRseCallback] */
typedef void cairn_stack_root(void *env, uintptr_t *slot, unsigned tag, void *parameter);

/* Calls `callback` for each root of the activation. Virtual frame 0 yields the roots of all inlined functions; other
 * virtual frames yield an empty set. [prtEnumerateRootsOfActivation] */
void cairn_stack_enumerate(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env);

/* ---- spans ---- */

/* Finds the smallest span with this key that encloses the (virtual) activation's address, and stores the span's value.
 * Returns false if the address is outside all such spans. [prtGetSpanDescriptor] */
bool cairn_stack_span(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value);

/* ---- code info managers ---- */

/* The functions that describe the frames of a manager's code. Walks call each function with the iterator at an
 * activation whose pc is in (start, end] of one of the manager's regions, because a return address is the address after
 * a call. `data` is the region's data. Walks also run in phase STOP: the functions must not allocate objects or run
 * managed code. [PrtCodeInfoManagerFunctions] */
struct cairn_code_manager {
  const char *name;
  /* Writes a text about the activation, like snprintf(). If the member is null, the text is the manager's name. */
  int (*describe)(const struct cairn_stack_iterator *iterator, char *buffer, size_t size, void *data);
  /* Steps to the caller by cairn_stack_set(). Never null. */
  void (*previous)(struct cairn_stack_iterator *iterator, void *data);
  /* Calls `callback` for each root. Null if the code has no roots. */
  void (*enumerate)(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env, void *data);
  /* Finds a span, like cairn_stack_span(). Null if the code has no spans. */
  bool (*span)(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value, void *data);
};

/* Lets `manager` describe the code in [start, end). *manager and *data must live until the region is removed. Any
 * thread, at any time. BUSY: the call comes within a callback, so that a walk would wait for itself. BOUNDS: `end` is
 * at or below `start`, or `previous` is missing. OVERLAP: a part of the range belongs to another region, to compiled
 * code or to the runtime's stubs. MEMORY. After a failure the table is unchanged. [prtRegisterCodeInfoManager,
 * prtAddCodeRegion] */
enum cairn_status cairn_code_region_add(const struct cairn_code_manager *manager, uintptr_t start, uintptr_t end,
                                        void *data);

/* Removes the region that begins at `start`. All stacks must be free of activations of the region. The call waits for
 * walks that are in a callback of the region; later walks find the region gone. Any thread. UNKNOWN: no region begins
 * at `start`. BUSY is as for cairn_code_region_add(). MEMORY. After a failure the region remains. */
enum cairn_status cairn_code_region_remove(uintptr_t start);

/* ---- backtraces ---- */

/* Prints the calling thread's stack to file descriptor `fd`, youngest activation first: managed, native and inlined
 * activations, with function, file and line if available. Any thread, at any time. The function does not allocate from
 * the collected heap. In a signal handler it allocates no memory at all, and shows native activations only if the
 * unwinder is loaded already (docs/stack.md). */
void cairn_backtrace(int fd);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
