/* SPDX-License-Identifier: Apache-2.0
 *
 * The slow paths of barriers, which the stubs of arch/ call for compiled code. They reach no
 * safepoint and wait for nobody; a signal handler may come between any two instructions, run
 * managed code, and jump out.
 */
#ifndef CN_RUNTIME_HEAP_BARRIER_SLOW_PATHS_H
#define CN_RUNTIME_HEAP_BARRIER_SLOW_PATHS_H

#include <cairn/collector.h>

/* Stubs call these, on the mutator's own thread, in phase MUTATE. */
void cn_barrier_field(uintptr_t *slot);
/* `object` is 0 if it is not known. */
void cn_barrier_object(uintptr_t object, uintptr_t *slot);
void cn_barrier_snapshot(uintptr_t *slot);
/* Returns what the program uses in place of `value`. */
uintptr_t cn_barrier_load(uintptr_t *slot, uintptr_t value);
/* For a copy: of what it will write, before it; of kind CARDS, of what it has written; of kind
 * LOADS, of what it will read. */
void cn_barrier_range(uintptr_t start, uint64_t bytes);

/* ---- kinds ---- */

/* "cards" for CAIRN_ABI_BARRIERS_CARDS; "unknown" for a number that is no kind. */
const char *cn_barrier_kind_name(uint64_t kind);

/* End the program if the collector does not have the functions of its kind, or has no such kind. */
void cn_barriers_check_collector(const struct cairn_collector *collector);

/* End it if the image's code was compiled for another kind. `key`: an address in the image. */
void cn_barriers_check_image(const struct cairn_collector *collector, const struct cairn_image *image, const void *key);

/* End it if code has no barriers that came through another compiler, and the collector needs some.
 * Before each collection: until then a store without its barrier has lost nothing. */
void cn_barriers_check_code(const struct cairn_collector *collector);

#endif
