/* SPDX-License-Identifier: Apache-2.0
 *
 * The field that holds a wrong reference, for messages of collectors.
 */
#ifndef CN_COLLECTORS_HOLDER_H
#define CN_COLLECTORS_HOLDER_H

#include <stdint.h>

/* Text such as " in struct node.next", or an empty text. */
struct cn_holder_text {
  char at[320];
};

/* Describe a slot of the object at `holder`. The text is empty if `holder` is 0, as for a root, or if the object does
 * not contain the slot. Phase STOP. */
struct cn_holder_text cn_holder_describe(uintptr_t holder, const uintptr_t *slot);

/* End the program: `address`, in a slot of the object at `holder`, is not the start of an object. */
_Noreturn void cn_holder_die_no_object(uintptr_t holder, const uintptr_t *slot, uintptr_t address, uint64_t collection,
                                       const char *why);

#endif
