/* SPDX-License-Identifier: Apache-2.0
 *
 * Handshakes: an operation runs once for each target mutator, on the mutator's thread at a safepoint, or on the
 * requester's thread while the mutator is native or at a safepoint. docs/threads.md draws the protocol;
 * test/model/handshake.pml is its model.
 */
#ifndef CN_RUNTIME_THREADS_HANDSHAKE_H
#define CN_RUNTIME_THREADS_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/thread.h>
#include "runtime/core/mutator.h"

/* Targets that are not a thread's number. Target 0 is the main thread. */
enum { CN_HANDSHAKE_ALL = -1, CN_HANDSHAKE_ANY_THREAD = -2, CN_HANDSHAKE_AT_ADDRESS = -3 };

struct cn_handshake {
  int thread;
  uint64_t random;   /* selects the thread, for target ANY_THREAD */
  uintptr_t address; /* for target AT_ADDRESS: the address on another thread's stack */
  cairn_handshake_operation *operation;
  void *env;
  uint64_t deadline; /* by cn_os_clock_nanoseconds() */
  /* The requester calls this just before it arms the mutator's poll. May be null. */
  void (*prepare)(struct cairn_mutator *mutator, void *env);
  uint64_t armed; /* result: the time when all polls were armed */
};

/* The state of a mutator's handshake. */
enum { CN_HANDSHAKE_NONE, CN_HANDSHAKE_PENDING, CN_HANDSHAKE_TAKEN };

/* ---- handshake.c: the requester ---- */

/* Implements cairn_handshake() of <cairn/thread.h>. Called in native code. */
enum cairn_status cn_handshake(struct cn_handshake *request);

/* Like cn_handshake(), for a thread that runs managed code and must not reach a safepoint. The result is also TIMEOUT
 * if another thread has requested a stop or a handshake, because that thread may wait for the caller. */
enum cairn_status cn_handshake_from_managed(struct cn_handshake *request);

/* Release all requesters, now and later, at the program's end. Any thread. */
void cn_handshake_end_all(void);

/* Check the mutators outside handshakes: each has state NONE and an unarmed poll for handshakes. Returns the error, or
 * null. Linear. The caller holds the registry (stop.h). */
const char *cn_handshake_wrong(void);

/* ---- handshake_answer.c: both sides ---- */

/* False: the other side has changed the state. */
bool cn_handshake_change_state(struct cairn_mutator *mutator, uint32_t from, uint32_t to);
/* Run the operation for a mutator whose state the caller has set to TAKEN, then set the state to NONE. */
void cn_handshake_run_operation(struct cairn_mutator *mutator);

/* ---- the mutator's own thread ---- */

/* True if the mutator must answer before it continues. */
bool cn_handshake_is_requested(const struct cairn_mutator *mutator);
/* Answer a pending request. The mutator is managed, and has the data for a walk of its stack. */
void cn_handshake_answer(struct cairn_mutator *mutator);

/* ---- any thread ---- */

/* The mutator whose operation the calling thread runs; may be null. */
struct cairn_mutator *cn_handshake_examined_mutator(void);

/* True if a jump of the calling thread to stack pointer `sp` leaves the operation of a handshake. */
bool cn_handshake_is_left_by_jump(uintptr_t sp);

/* Drop the request to the only mutator of a child of fork(). */
void cn_handshake_reset_after_fork(struct cairn_mutator *self);

#endif
