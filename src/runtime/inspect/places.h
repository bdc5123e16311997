/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerates roots with their places, and formats places for messages.
 */
#ifndef CN_RUNTIME_INSPECT_PLACES_H
#define CN_RUNTIME_INSPECT_PLACES_H

#include <stddef.h>
#include <stdint.h>
#include "dump/format.h"

struct cn_root_place {
  enum cn_dump_root_kind kind;
  uintptr_t at; /* for a root on a stack: the pc of the activation; otherwise the slot's address */
  int thread;   /* for a root on a stack: the stack's thread */
};

/* Call `visit` for each root of all stacks, images and handles, except null references and immediates. `address` lies
 * in an object, just past an object's end, or outside the heap. Changes no object and no return barrier. Phase STOP,
 * also during a collection. */
typedef void cn_root_place_visitor(void *env, const struct cn_root_place *place, uintptr_t address);
void cn_places_visit_roots(cn_root_place_visitor *visit, void *env);

/* Write "thread 17 "list": main at list.c:14", "global table" or "handle", and return the length like snprintf(). */
int cn_describe_place(const struct cn_root_place *place, char *text, size_t size);
enum { CN_PLACE_TEXT_BYTES = 320 };

#endif
