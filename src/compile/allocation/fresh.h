/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocations that may share a check, and the stores that fill them: for allocate.c.
 */
#ifndef CN_COMPILE_ALLOCATION_FRESH_H
#define CN_COMPILE_ALLOCATION_FRESH_H

#include "base/vector.h"
#include "compile/allocation/layout_constants.h"

enum {
  CN_FRESH_MAX_OBJECTS = 8,        /* objects that share a check */
  CN_FRESH_NOTED_BYTES = 512,      /* the first bytes of a payload, whose stores are noted */
  CN_FRESH_MAX_INSTRUCTIONS = 128, /* instructions that are scanned */
};

/* An object of constant size that is allocated in line. */
struct cn_fresh_object {
  LLVMValueRef call;
  const struct cn_allocator *allocator;
  uint64_t prefix, payload;                 /* in bytes, multiples of the object alignment */
  uint64_t tag;                             /* the distance of a reference from the payload's address */
  uint8_t stored[CN_FRESH_NOTED_BYTES / 8]; /* for each of the payload's first bytes: a store fills it */
};

/* Objects, in the order of their calls, and their parts, in the order of the program. The parts are the computations of
 * member addresses, and the stores. From the first object to the last part, the block has only objects and parts. Parts
 * store references to objects only in objects of the group, so no other code has a reference to an object until all
 * parts have run. */
struct cn_fresh_group {
  struct cn_fresh_object objects[CN_FRESH_MAX_OBJECTS];
  size_t count;
  uint64_t bytes; /* of all blocks */
  CN_VECTOR(LLVMValueRef) parts;
};

void cn_fresh_begin_group(struct cn_fresh_group *group, const struct cn_fresh_object *object);
void cn_fresh_free_group(struct cn_fresh_group *group);

/* True if a further call in the block makes an object of constant size that in-line code can allocate. Then *object is
 * filled in. */
typedef bool cn_fresh_object_test(struct cn_ctx *ctx, LLVMValueRef call, struct cn_fresh_object *object);

/* Add the parts of the first object, and further objects with their parts, up to `most` bytes in all. Other
 * instructions between the group's instructions move before the first call. */
void cn_fresh_gather_group(struct cn_ctx *ctx, struct cn_fresh_group *group, cn_fresh_object_test *ask, uint64_t most);

/* True if the parts fill all bytes of the word that begins at `offset` of the payload. */
bool cn_fresh_is_word_stored(const struct cn_fresh_object *object, uint64_t offset);

#endif
