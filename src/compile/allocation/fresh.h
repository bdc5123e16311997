/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocations that may share a check, and the stores that fill them: for allocate.c.
 */
#ifndef CN_COMPILE_ALLOCATION_FRESH_H
#define CN_COMPILE_ALLOCATION_FRESH_H

#include "base/vector.h"
#include "compile/allocation/layout_constants.h"

enum {
  CN_FRESH_MOST = 8,      /* objects that share a check */
  CN_FRESH_COVERED = 512, /* bytes of an object's start of which it is known what is stored */
  CN_FRESH_FAR = 128,     /* instructions that are looked at */
};

/* An object of constant size that is allocated in line. */
struct cn_fresh {
  LLVMValueRef call;
  const struct cn_allocator *allocator;
  uint64_t prefix, payload;             /* bytes; multiples of the object alignment */
  uint64_t tag;                         /* what references have more than the payload's address */
  uint8_t stored[CN_FRESH_COVERED / 8]; /* a bit for each byte of the payload: it is stored to */
};

/* Objects, in the order of their calls, and what else belongs to them: addresses of their members
 * and stores, in the order of the program. Nothing else in the block lies between the first of all
 * these and the last. No part but a store to one of the objects has one as its value: so until all
 * have been done nobody else can know any of the objects. */
struct cn_fresh_group {
  struct cn_fresh objects[CN_FRESH_MOST];
  size_t count;
  uint64_t bytes; /* of all blocks */
  CN_VECTOR(LLVMValueRef) parts;
};

/* Begin a group with an object. */
void cn_fresh_begin(struct cn_fresh_group *group, const struct cn_fresh *object);
void cn_fresh_free(struct cn_fresh_group *group);

/* Asked of a further call in the block: fill in *object; false: it is not allocated in line. */
typedef bool cn_fresh_asked(struct cn_ctx *ctx, LLVMValueRef call, struct cn_fresh *object);

/* Find what belongs to the first object, and further objects, which take at most `most` bytes with
 * it. Moves what lies between before the first call. */
void cn_fresh_gather(struct cn_ctx *ctx, struct cn_fresh_group *group, cn_fresh_asked *ask, uint64_t most);

/* Is the word of the payload that begins there stored to, all of it? */
bool cn_fresh_is_stored(const struct cn_fresh *object, uint64_t offset);

#endif
