/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks activations of functions on all stacks, in a stop of the world: all of them, or, after a failure, none.
 */
#ifndef CN_DEOPT_MARKING_H
#define CN_DEOPT_MARKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/deopt.h>
#include "runtime/core/grow.h"

struct cn_marked_function {
  uintptr_t start, end;
  uint64_t reason;
};

struct cn_marked_slot {
  uintptr_t *slot; /* has the return address */
  uintptr_t pc, mark;
  uintptr_t sp, callee; /* the end of the frame with the slot, and the frame's pc, as in struct cn_frame */
  uint64_t reason;
};

/* A zeroed marking, except for `failure`, is empty. */
struct cn_marking {
  CN_GROW(struct cn_marked_function) functions;
  CN_GROW(struct cn_marked_slot) slots;
  struct cairn_deopt_failure *failure; /* not null; the first */
};

/* Add the managed function that has the address, before the stop. False: UNKNOWN is noted. */
bool cn_marking_add_function(struct cn_marking *marking, uintptr_t address, uint64_t reason);

/* In the stop: find the activations and make their marks. False: a failure is noted. */
bool cn_marking_prepare(struct cn_marking *marking);

/* The same for the one activation of an iterator instead of functions. */
struct cn_walk;
bool cn_marking_prepare_frame(struct cn_marking *marking, const struct cn_walk *walk, uint64_t reason);

/* The two steps of a preparation for one activation: check it, and add its slot unless its call lacks records; then
 * make the marks of all slots. The thread of the activation may take these steps in its slow path, too, if it holds
 * CN_LOCK_MARKS in the second step and up to the application. */
bool cn_marking_add_activation(struct cn_marking *marking, const struct cn_walk *walk, uint64_t reason);
bool cn_marking_make_marks(struct cn_marking *marking);

/* In the stop, after a preparation that has succeeded: mark the activations. Returns their number. */
size_t cn_marking_apply(const struct cn_marking *marking);

/* In the stop, without locks: report the marks that were applied. */
void cn_marking_report(const struct cn_marking *marking, uint64_t reason);

void cn_marking_free(struct cn_marking *marking);

#endif
