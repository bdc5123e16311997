/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots with their places, named for people.
 */
#ifndef CN_RUNTIME_INSPECT_PLACES_H
#define CN_RUNTIME_INSPECT_PLACES_H

#include <stddef.h>
#include <stdint.h>
#include "dump/format.h"

struct cn_root_place {
  enum cn_dump_root_kind kind;
  uintptr_t at; /* on a stack: the pc of the activation; else the address of the slot */
  int thread;   /* on a stack: the stack's thread */
};

/* Call `visit` for each root of all stacks, images and handles, except for null and immediates. `address` lies in an
 * object, just past one, or outside the heap. Objects and return barriers stay as they are. Phase STOP, at any time. */
typedef void cn_root_place_visitor(void *env, const struct cn_root_place *place, uintptr_t address);
void cn_places_visit_roots(cn_root_place_visitor *visit, void *env);

/* Write "thread 17 "list": main at list.c:14", "global table" or "handle", and return the length like snprintf(). */
int cn_describe_place(const struct cn_root_place *place, char *text, size_t size);
enum { CN_PLACE_TEXT_BYTES = 320 };

#endif
