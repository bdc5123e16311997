/* SPDX-License-Identifier: Apache-2.0
 *
 * Epoch-based reclamation for data that writers replace as a whole. A writer publishes new data, leaves the old data
 * unchanged, and frees the old data when each reader that may have found the old data has left. An epoch is called a
 * generation here.
 *
 *     reader                                    writer
 *     count[generation & 1]++                   publishes the new (seq_cst)
 *     generation is unchanged? else again       since = generation
 *     finds the published data (seq_cst)        ... later, or waiting:
 *     reads it                                  generation == since + 2: frees the old
 *     count[that & 1]--
 *
 *     either side: if count[(generation + 1) & 1] is 0, generation++
 *
 * A reader counts itself under the generation that it sees. At most two generations have readers: the next generation
 * begins when all readers of the previous generation have left. A reader that found the old data entered in generation
 * `since` or earlier; once the generation is `since` + 2, all such readers have left.
 */
#ifndef CN_RUNTIME_CORE_READERS_H
#define CN_RUNTIME_CORE_READERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A zero-initialised struct has no readers. Each thread has a word `inside` for the struct, which is 0 outside
 * reads. */
struct cn_reader_epochs {
  _Atomic uint64_t generation;
  _Atomic uint32_t count[2];
  _Atomic uint32_t waiting; /* threads in cn_readers_wait() */
};

/* Begin and end reading on the calling thread. The calls do not nest; `*inside` tells whether the thread reads. Each
 * call defers signals while it runs: a handler that jumped out would leave the thread counted. Any thread,
 * async-signal-safe; takes no lock and never waits. */
void cn_readers_enter(struct cn_reader_epochs *readers, volatile unsigned *inside);
void cn_readers_leave(struct cn_reader_epochs *readers, volatile unsigned *inside);

/* The generation for cn_readers_have_left(). Call it right after publishing. */
uint64_t cn_readers_current_generation(struct cn_reader_epochs *readers);

/* True if all readers that may have found data replaced before the generation `since` was read have left. Returns at
 * once. */
bool cn_readers_have_left(struct cn_reader_epochs *readers, uint64_t since);

/* Wait until cn_readers_have_left() is true. The caller does not read, and holds no lock that a reader may wait for. */
void cn_readers_wait(struct cn_reader_epochs *readers);

void cn_readers_reset_in_child(struct cn_reader_epochs *readers, unsigned inside);

/* Check the calling thread's count. Returns the error, or null. */
const char *cn_readers_wrong(const struct cn_reader_epochs *readers, unsigned inside);

#endif
