/* SPDX-License-Identifier: Apache-2.0
 *
 * Handshakes: an operation that runs once for each of some mutators, on its own thread at a safepoint, or on the
 * requester's while that thread rests. docs/threads.md draws the protocol; test/model/handshake.pml is its model.
 */
#ifndef CN_RUNTIME_THREADS_HANDSHAKE_H
#define CN_RUNTIME_THREADS_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/thread.h>
#include "runtime/core/mutator.h"

/* Targets other than a thread's number. 0 is the main thread. */
enum { CN_HANDSHAKE_ALL = -1, CN_HANDSHAKE_ANY_THREAD = -2, CN_HANDSHAKE_AT_ADDRESS = -3 };

struct cn_handshake {
  int thread;
  uint64_t random;   /* with ANY: selects the thread */
  uintptr_t address; /* with AT: the target is the other thread with it on its stack */
  cairn_handshake_operation *operation;
  void *env;
  uint64_t deadline; /* by cn_os_clock_nanoseconds() */
  /* Called by the requester just before it arms the mutator; may be null. */
  void (*prepare)(struct cairn_mutator *mutator, void *env);
  uint64_t armed; /* out: the time of the last arming */
};

/* A mutator's state. */
enum { CN_HANDSHAKE_NONE, CN_HANDSHAKE_PENDING, CN_HANDSHAKE_TAKEN };

/* ---- handshake.c: the requester ---- */

/* cairn_handshake() of <cairn/thread.h>. Native code calls it. */
enum cairn_status cn_handshake(struct cn_handshake *request);

/* Like cn_handshake(), for a thread that runs managed code and must stay out of safepoints. TIMEOUT also if another
 * thread requests a stop or a handshake, which may wait for this one. */
enum cairn_status cn_handshake_from_managed(struct cn_handshake *request);

/* The program is over: release all requesters, now and later. Any thread. */
void cn_handshake_end_all(void);

/* Check the mutators outside handshakes. Returns the error, or null. These hold: all mutators are without a request,
 * and without a poll armed for one. Linear. The caller holds the registry (stop.h). */
const char *cn_handshake_wrong(void);

/* ---- handshake_answer.c: both sides ---- */

/* Change the mutator's state, unless the other side has changed it. */
bool cn_handshake_change_state(struct cairn_mutator *mutator, uint32_t from, uint32_t to);
/* Run the operation for a mutator that the caller has TAKEN, and set its state to NONE. */
void cn_handshake_run_operation(struct cairn_mutator *mutator);

/* ---- the mutator's own thread ---- */

/* True if the mutator must answer before it goes on. */
bool cn_handshake_is_requested(const struct cairn_mutator *mutator);
/* Answer a pending request. The mutator is managed, and has all data that a walk of its stack needs. */
void cn_handshake_answer(struct cairn_mutator *mutator);

/* ---- any thread ---- */

/* The mutator whose operation the calling thread runs; may be null. */
struct cairn_mutator *cn_handshake_examined_mutator(void);

/* True if a jump of the calling thread to this stack pointer leaves the operation that it runs. */
bool cn_handshake_is_left_by_jump(uintptr_t sp);

/* In the child of a fork(): drop the request to its only mutator. */
void cn_handshake_reset_after_fork(struct cairn_mutator *self);

#endif
