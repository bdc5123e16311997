/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers of what is replaced as a whole: writers never change what readers can find. They publish
 * something new, and free the old when each reader that may have found it is gone.
 *
 *     reader                                    writer
 *     count[generation & 1]++                   publishes the new (seq_cst)
 *     generation is still that? else again      since = generation
 *     finds what is published (seq_cst)         ... later, or waiting:
 *     reads it                                  generation == since + 2: frees the old
 *     count[that & 1]--
 *
 *     whoever wants: if count[(generation + 1) & 1] is 0, generation++
 *
 * A reader counts itself in under the generation that it sees, and there are never more than two
 * generations of readers: the next begins when the last but one has left. A reader that found the
 * old came under `since` or before; when the generation is greater by two, all those have left.
 */
#ifndef CN_RUNTIME_CORE_READERS_H
#define CN_RUNTIME_CORE_READERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised: nobody reads. Each thread has a word for it, `inside`, 0 while it does not
 * read. */
struct cn_readers {
  _Atomic uint64_t generation;
  _Atomic uint32_t count[2];
  _Atomic uint32_t waiting; /* threads in cn_readers_wait() */
};

/* The calling thread begins and ends to read; these do not nest: `*inside` tells. They hold signals
 * meanwhile, for a handler that jumped out would leave the thread counted in. Any thread,
 * async-signal-safe; no lock, no wait. */
void cn_readers_enter(struct cn_readers *readers, volatile unsigned *inside);
void cn_readers_leave(struct cn_readers *readers, volatile unsigned *inside);

/* Right after something new was published: for cn_readers_left(). */
uint64_t cn_readers_now(struct cn_readers *readers);

/* Have all readers left that may have found what was replaced before `since` was read? Never
 * waits. */
bool cn_readers_left(struct cn_readers *readers, uint64_t since);

/* Wait for that. The caller reads nothing, and holds nothing that a reader waits for. */
void cn_readers_wait(struct cn_readers *readers);

/* In the child of a fork(), which has one thread. */
void cn_readers_forked(struct cn_readers *readers, unsigned inside);

/* What does not hold of the calling thread; null: all does. */
const char *cn_readers_wrong(const struct cn_readers *readers, unsigned inside);

#endif
