/* SPDX-License-Identifier: Apache-2.0
 *
 * Links objects in memory by LLVM's JITLink, and reports the parts of linked objects. Objects that refer to each other
 * are linked together, by a list of all names. Private to src/jit. All calls for one layer are under the session's
 * lock; callbacks run within the calls, on the same thread. Messages are from malloc().
 */
#ifndef CN_JIT_LINKING_LAYER_H
#define CN_JIT_LINKING_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jit/slabs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cn_linking_layer;

/* The memory of a linked object. */
struct cn_linked {
  struct cn_slab_part code, data;
  uintptr_t frames; /* the object's .eh_frame, which ends in a zero word, or 0 */
  size_t frame_bytes;
};

/* An object to link. */
struct cn_link_object {
  const char *title; /* for messages */
  const void *bytes; /* unchanged; used during the link */
  size_t size;
  void *owner;              /* for the callbacks */
  struct cn_linked *linked; /* set by the link; cn_linking_layer_unlink() frees it */
};

/* A symbol of a link. A definition of an object counts if `owner` is the object's; the link sets its address. Other
 * symbols come from outside, and have their addresses before. */
struct cn_link_symbol {
  const char *name;
  uintptr_t address;
  const void *owner; /* null: from outside */
  void *data;        /* the caller's */
};

enum cn_edge_kind {
  CN_EDGE_BRANCH,   /* the 4 bytes of a call or jump instruction with its distance (cn_jit_branch_to()) */
  CN_EDGE_DISTANCE, /* another 4-byte distance, for example of an address that an instruction computes */
  CN_EDGE_POINTER,  /* an 8-byte address: a pointer in data, or an entry of the GOT, which far branches jump by */
  CN_EDGE_OTHER
};

/* A place of a linked object that has the address of a symbol from outside of the object. */
struct cn_link_edge {
  enum cn_edge_kind kind;
  uintptr_t place;  /* of the 4 or 8 bytes */
  char *writable;   /* where `place` is written to */
  const char *name; /* of the symbol, for the time of the call */
  uintptr_t target; /* the symbol's address */
  int64_t addend;   /* of the address at the place: target + addend */
};

/* A named function of a linked object, also a local one. */
struct cn_link_function {
  const char *name; /* for the time of the call */
  uintptr_t start;
  size_t bytes; /* 0: unknown */
};

/* A section of a linked object that is in memory. */
struct cn_link_section {
  const char *name; /* for the time of the call */
  uintptr_t start, end;
};

/* Receives the parts of each object, before the link returns and before the code may run. A callback may be null.
 * If the link fails afterwards, its memory is freed. */
struct cn_link_listener {
  void (*edge)(void *owner, const struct cn_link_edge *edge);
  void (*function)(void *owner, const struct cn_link_function *function);
  void (*section)(void *owner, const struct cn_link_section *section);
};

/* Objects that are linked together. */
struct cn_link {
  struct cn_link_object *objects;
  size_t count;
  struct cn_link_symbol *symbols; /* among symbols of one name a definition counts, or the first one */
  size_t symbol_count;
  struct cn_link_listener listener;
};

/* A layer whose memory is near the address `near` of the program's code. */
struct cn_linking_layer *cn_linking_layer_new(uintptr_t near);

/* Free a layer, after all linked objects. */
void cn_linking_layer_free(struct cn_linking_layer *layer);

/* Link the objects, and register their call-frame information. False: all is as before; `*error` is the message. */
bool cn_linking_layer_link(struct cn_linking_layer *layer, struct cn_link *link, char **error);

/* Free the memory of an object whose code is dead. */
void cn_linking_layer_unlink(struct cn_linking_layer *layer, struct cn_linked *linked);

/* The slabs of the layer, for their numbers. */
const struct cn_slabs *cn_linking_layer_slabs(const struct cn_linking_layer *layer);

#ifdef __cplusplus
}
#endif

#endif
