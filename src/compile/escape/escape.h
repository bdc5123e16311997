/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects that do not escape, or not everywhere. Private to pass `escape`.
 */
#ifndef CN_COMPILE_ESCAPE_ESCAPE_H
#define CN_COMPILE_ESCAPE_ESCAPE_H

#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/analysis/safepoint_free.h"
#include "compile/cost/loops.h"
#include "compile/allocation/layout_constants.h"

enum {
  CN_OBJECT_MOST = 4096,  /* bytes of an object that may become a local, */
  CN_FLOATING_MOST = 512, /* and of all in a function that will stay in memory */
};

/* ---- candidate_objects.c ---- */

/* What an allocation makes. */
struct cn_object {
  LLVMValueRef root; /* the call; or a phi that stands for one of several objects (join.c) */
  const struct cn_allocator *allocator;
  LLVMTypeRef type; /* of a local with the same fields */
  uint64_t size;    /* of that, in bytes */
  uint64_t tag;     /* what references have more than the payload's address */
  bool refs;
  const char *stays; /* why it is no local, whatever is done with it; or null, and all above holds */
};
/* False: it is no allocation, or one that pass `layouts` has to judge. */
bool cn_object_read(struct cn_ctx *ctx, LLVMValueRef call, struct cn_object *out);
/* The name of its type, for messages. Caller frees. */
char *cn_object_name(struct cn_ctx *ctx, LLVMValueRef call);

/* ---- use_graph.c ---- */

/* A pointer to the object, or into it. */
struct cn_use_graph_pointer {
  LLVMValueRef value;
  uint64_t offset; /* from the payload's start, */
  bool known;      /* if it is constant */
};
/* What is done with a pointer, but for forming others. */
struct cn_use_graph_use {
  LLVMValueRef user, pointer;
  LLVMBasicBlockRef block; /* where the pointer is needed: for a phi, at the end of the way to it */
  const char *escapes;     /* how it leaves what is known; null: it does not */
  bool joins;              /* it escapes into a phi, from the start of the object */
};
struct cn_use_graph {
  const struct cn_object *object;
  CN_VECTOR(struct cn_use_graph_pointer) pointers; /* the root first; all are dominated by it */
  CN_VECTOR(struct cn_use_graph_use) uses;
  struct cn_ptrmap index; /* value -> its place in `pointers`, plus one */
  bool floating;          /* it is accessed at places that are not constant */
  bool joined;            /* some pointers are phis or selects */
};
void cn_use_graph_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object *object,
                       struct cn_use_graph *web);
void cn_use_graph_free(struct cn_use_graph *web);
/* The first use that escapes, or null. */
const struct cn_use_graph_use *cn_use_graph_escape(const struct cn_use_graph *web);
bool cn_use_graph_has(const struct cn_use_graph *web, LLVMValueRef value);

/* ---- local.c ---- */

/* Turn the object of a web without escapes into a local. Erases the call. */
void cn_local_make(struct cn_ctx *ctx, const struct cn_use_graph *web);

/* ---- join.c ---- */

/* Objects of one type, of which a phi is one or the other, or null. None is used any more where it
 * goes into a phi, and none escapes otherwise. */
struct cn_family {
  CN_VECTOR(struct cn_object) members; /* allocations and phis */
  struct cn_ptrmap index;              /* roots -> places in `members`, plus one */
  struct cn_use_graph_use wrong;       /* why it is none: what is done with a member */
};
/* Find the family of an object. False: it has none. Free it either way. */
bool cn_family_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object *object,
                    struct cn_family *family);
void cn_family_free(struct cn_family *family);
/* Attribute of the allocation that takes the place of a phi. */
#define CN_ATTR_JOINED "cairn-joined"
/* Make an allocation of each phi, which takes over the contents. Then nothing of it escapes. */
void cn_family_part(struct cn_ctx *ctx, const struct cn_family *family);

/* ---- sink_allocations.c, move.c ---- */

enum { CN_SINK_MOST = 3 };
/* Where to allocate an object: on each path on which it escapes one of the places comes first, at
 * most once for each run of the call; and all uses that come after one are dominated by it. */
struct cn_sink {
  uint32_t blocks[CN_SINK_MOST];
  LLVMValueRef before[CN_SINK_MOST]; /* in these: the first use that escapes, or the block's end */
  uint32_t count;
};
/* What of the function it looks at. */
struct cn_sink_in {
  struct cn_ctx *ctx;
  const struct cn_loops *loops;
  const struct cn_safepoint_free *windows;
  const uint64_t *often; /* of cn_block_frequency_find() */
};
/* False: there are none, or it does not pay. */
bool cn_sink_find(const struct cn_sink_in *in, const struct cn_use_graph *web, struct cn_sink *sink);
/* Allocate it there, with the contents that it has there. The call's own object does not escape any
 * more. */
void cn_sink_make(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_use_graph *web,
                  const struct cn_sink *sink);

#endif
