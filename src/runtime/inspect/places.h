/* SPDX-License-Identifier: Apache-2.0
 *
 * Roots with their places: what a person calls them.
 */
#ifndef CN_RUNTIME_INSPECT_PLACES_H
#define CN_RUNTIME_INSPECT_PLACES_H

#include <stddef.h>
#include <stdint.h>
#include "dump/format.h"

struct cn_place {
  enum cn_dump_root_kind kind;
  uintptr_t at; /* of a stack: the pc of the activation; else the address of the slot */
  int thread;   /* of a stack: whose it is */
};

/* Call `visit` for each root of all stacks, images and handles that is not null or an immediate.
 * `address` is in an object, just past one, or outside the heap. Moves nothing and leaves return
 * barriers alone: it may be called at any time in phase STOP. */
typedef void cn_place_visitor(void *env, const struct cn_place *place, uintptr_t address);
void cn_places_visit(cn_place_visitor *visit, void *env);

/* "thread 17 "list": main at list.c:14", "global table", "handle". As snprintf(). */
int cn_place_text(const struct cn_place *place, char *text, size_t size);
enum { CN_PLACE_TEXT = 320 };

#endif
