/* SPDX-License-Identifier: Apache-2.0
 *
 * Handshakes: an operation that is run once for each of some mutators, by its own thread at a
 * safepoint, or by the requester while that thread rests. docs/threads.md draws the protocol;
 * test/model/handshake.pml is its model.
 */
#ifndef CN_RUNTIME_THREADS_HANDSHAKE_H
#define CN_RUNTIME_THREADS_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/thread.h>
#include "runtime/core/mutator.h"

/* Whom a handshake is with, where it is no thread's number; 0: the main thread. */
enum { CN_HANDSHAKE_ALL = -1, CN_HANDSHAKE_ANY = -2 };

struct cn_handshake {
  int thread;
  uint64_t random; /* with ANY: which one */
  cairn_handshake_operation *operation;
  void *env;
  uint64_t deadline; /* by cn_os_nanoseconds() */
  /* The requester calls it just before it arms the mutator; may be null. */
  void (*prepare)(struct cairn_mutator *mutator, void *env);
  uint64_t armed; /* out: when all were armed */
};

/* ---- the requester ---- */

/* As cairn_handshake() of <cairn/thread.h>. Native code. */
enum cairn_status cn_handshake(struct cn_handshake *request);

/* The program is over: let all requesters go, and those that come later. Any thread. */
void cn_handshake_end(void);

/* ---- the mutator's own thread ---- */

/* Has it to answer before it goes on? */
bool cn_handshake_is_requested(const struct cairn_mutator *mutator);
/* Answer, if so: it is managed, and what the walk of its stack needs is in the mutator. */
void cn_handshake_answer(struct cairn_mutator *mutator);

/* ---- any thread ---- */

/* The mutator for which the calling thread runs an operation; null: it runs none. */
struct cairn_mutator *cn_handshake_examined(void);

/* In the child of a fork(): nothing is requested of its only mutator. */
void cn_handshake_forked(struct cairn_mutator *self);

#endif
