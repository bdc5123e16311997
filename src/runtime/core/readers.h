/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers of data that is replaced as a whole. A writer never changes data that readers can find:
 * it publishes new data, and frees the old when each reader that may have found it has left.
 *
 *     reader                                    writer
 *     count[generation & 1]++                   publishes the new (seq_cst)
 *     generation is unchanged? else again       since = generation
 *     finds what is published (seq_cst)         ... later, or waiting:
 *     reads it                                  generation == since + 2: frees the old
 *     count[that & 1]--
 *
 *     either side: if count[(generation + 1) & 1] is 0, generation++
 *
 * A reader counts itself under the generation that it sees. There are never readers of more than
 * two generations: the next one begins when the last but one has no reader left. A reader that
 * found the old data came under `since` or before; when the generation is greater by two, all those
 * have left.
 */
#ifndef CN_RUNTIME_CORE_READERS_H
#define CN_RUNTIME_CORE_READERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised: nobody reads. Each thread has a word `inside` for it, which is 0 while it does
 * not read. */
struct cn_readers {
  _Atomic uint64_t generation;
  _Atomic uint32_t count[2];
  _Atomic uint32_t waiting; /* threads in cn_readers_wait() */
};

/* The calling thread begins and ends reading. The calls do not nest; `*inside` tells whether it
 * reads. They hold signals meanwhile: a handler that jumped out would leave the thread counted. Any
 * thread, async-signal-safe; no lock, no wait. */
void cn_readers_enter(struct cn_readers *readers, volatile unsigned *inside);
void cn_readers_leave(struct cn_readers *readers, volatile unsigned *inside);

/* The generation for cn_readers_left(). Call it right after publishing. */
uint64_t cn_readers_now(struct cn_readers *readers);

/* Have all readers left that may have found data replaced before `since` was read? Never waits. */
bool cn_readers_left(struct cn_readers *readers, uint64_t since);

/* Wait for that. The caller does not read, and holds nothing that a reader waits for. */
void cn_readers_wait(struct cn_readers *readers);

/* In the child of a fork(), which has one thread. */
void cn_readers_forked(struct cn_readers *readers, unsigned inside);

/* What is wrong with the calling thread's count; null: nothing. */
const char *cn_readers_wrong(const struct cn_readers *readers, unsigned inside);

#endif
