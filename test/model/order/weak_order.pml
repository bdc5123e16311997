/* SPDX-License-Identifier: Apache-2.0
 *
 * A processor with weak order, which the models of this folder include: Armv8, whose stores reach all
 * other processors at once. The accesses of a thread are events, numbered in program order. An event
 * may happen when the events that it must follow have happened. The mask of these is made of the
 * reasons below; an event without a reason to follow another may happen before it. A load may happen
 * before an earlier branch is decided (its value counts if the branch leads there), a store may not.
 *
 * A model claims a fact by assert(). A macro BUG_... leaves out one order; scripts/check-model runs
 * each model as it is, and with its planted errors, which spin has to find. A comment
 * `@ FILE: FUNCTION` names the code that has the events.
 */
#define BIT(event) (1 << (event))

#define NOTHING 0
#define ACQUIRED(load) BIT(load)         /* the load is an acquire: later accesses follow it */
#define RELEASED(store) (BIT(store) - 1) /* the store is a release: it follows all earlier accesses */
#define ORDERED(store) BIT(store)        /* the store is a release, and this load an acquire (STLR, LDAR) */
#define FENCED(fence) BIT(fence)         /* a fence that orders this access */
#define ADDRESS(load) BIT(load)          /* the address comes from the load */
#define DATA(load) BIT(load)             /* the stored value comes from the load */
#define CONTROL(load) BIT(load)          /* this store is behind a branch on the loaded value */
#define SAME_PLACE(event) BIT(event)     /* the event accesses the same place */

short done[2]; /* the events of each thread that have happened */

/* The guard of an event, in `atomic { EVENT(...); what it does }`. */
#define EVENT(thread, event, after) \
  !(done[thread] & BIT(event)) && (done[thread] & (after)) == (after) -> done[thread] = done[thread] | BIT(event)
#define OVER(thread, count) done[thread] == BIT(count) - 1

/* membarrier(2) interrupts the thread between two instructions: all events before have happened, and
 * none after. */
#define IS_BETWEEN_INSTRUCTIONS(thread) (done[thread] & (done[thread] + 1)) == 0
