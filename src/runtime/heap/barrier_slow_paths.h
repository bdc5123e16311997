/* SPDX-License-Identifier: Apache-2.0
 *
 * The slow paths of barriers, called by the stubs of arch/ for compiled code. A slow path contains no safepoint and
 * never waits for other threads. A signal handler may interrupt a slow path at any instruction, run managed code, and
 * jump out.
 */
#ifndef CN_RUNTIME_HEAP_BARRIER_SLOW_PATHS_H
#define CN_RUNTIME_HEAP_BARRIER_SLOW_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/collector.h>

/* Stubs call these functions on the mutator's own thread, in phase MUTATE. */
void cn_barrier_snapshot_slow_path(uintptr_t *slot);
/* Returns the value that the program uses in place of `value`. */
uintptr_t cn_barrier_load_slow_path(uintptr_t *slot, uintptr_t value);
/* The slow path for the bytes of a copy: for kind CARDS the bytes that the copy has written, for kind LOADS the bytes
 * that the copy will read, for other kinds the bytes that the copy will write. */
void cn_barrier_range_slow_path(uintptr_t start, uint64_t bytes);

/* ---- kinds ---- */

/* End the program if the collector's kind is unknown, or if the collector lacks a function of its kind. */
void cn_barriers_check_collector(const struct cairn_collector *collector);

/* True if the image's code was compiled for a kind that the collector does not allow; `fault` gets the sentence. `key`
 * is an address in the image; the sentence calls the image `name`, or by the file at `key` if that is null. */
bool cn_barriers_misfit(const struct cairn_collector *collector, const struct cairn_image *image, const void *key,
                        const char *name, char *fault, size_t size);

/* End the program if the collector needs barriers and another compiler's code has none. Called before each collection,
 * because a store without its barrier is harmless before the first collection. */
void cn_barriers_check_code(const struct cairn_collector *collector);

#endif
