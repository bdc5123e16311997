/* SPDX-License-Identifier: Apache-2.0
 *
 * A copying collector with a young generation, young.c, and what it leaves to a kind of barriers:
 * to know which fields of old objects the program has stored to.
 */
#include <stdbool.h>
#include <stdint.h>
#include <cairn/collector.h>

/* ---- young.c ---- */

/* All heap that there is ever: 2^33 bytes, not aligned to that. */
#define HEAP ((uintptr_t)1 << 31)

/* The collector but for its barriers; the kind adds these, and sets it. */
extern struct cairn_collector young_collector;

bool is_old(uintptr_t address);

/* ---- the kind ---- */

/* INIT. The heap is [base, base + HEAP). */
void remember_init(uintptr_t base);

/* STOP. Take over what mutators have logged. */
void remember_logged(void);

/* STOP, after that. Has a store to the slot, a field of this old object, been told of since the
 * last collection? */
bool is_remembered(uintptr_t object, struct cairn_slot slot);

/* STOP, at the end of a collection: nothing is remembered from here on. */
void forget_remembered(void);

/* STOP. [start, end) is memory for young objects from here on; and: this object is old now. */
void became_young(uintptr_t start, uintptr_t end);
void became_old(uintptr_t object, uintptr_t end);
