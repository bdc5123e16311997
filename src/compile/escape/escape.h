/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects that stay private to their function, and those that escape at some places. Private to pass `escape`.
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
  CN_OBJECT_MOST = 4096,  /* bytes of an object that may become a local */
  CN_FLOATING_MOST = 512, /* bytes of all locals of a function that stay in memory */
};

/* ---- candidate_objects.c ---- */

/* The object that an allocation makes. */
struct cn_object {
  LLVMValueRef root; /* the call; or a phi that stands for one of several objects (join.c) */
  const struct cn_allocator *allocator;
  LLVMTypeRef type; /* of a local with the same fields */
  uint64_t size;    /* of `type`, in bytes */
  uint64_t tag;     /* a reference is the payload's address plus this */
  bool refs;
  const char *stays; /* why it is allocated, with any uses; null: all fields above are valid */
};
/* False if `call` is something else, or an allocation that pass `layouts` has to judge. */
bool cn_object_read(struct cn_ctx *ctx, LLVMValueRef call, struct cn_object *out);
/* The name of its type, for messages. Caller frees. */
char *cn_object_name(struct cn_ctx *ctx, LLVMValueRef call);

/* ---- use_graph.c ---- */

/* A pointer to the object, or into it. */
struct cn_use_graph_pointer {
  LLVMValueRef value;
  uint64_t offset; /* from the payload's start, in bytes; valid if `known` */
  bool known;      /* the offset is constant */
};
/* A use of a pointer by an instruction outside the graph. */
struct cn_use_graph_use {
  LLVMValueRef user, pointer;
  LLVMBasicBlockRef block; /* where the pointer is needed; for a phi, the incoming block */
  const char *escapes;     /* the reason why the use escapes (use_graph.c), or null */
  bool joins;              /* the root escapes into a phi */
};
struct cn_use_graph {
  const struct cn_object *object;
  CN_VECTOR(struct cn_use_graph_pointer) pointers; /* the root first; all are dominated by it */
  CN_VECTOR(struct cn_use_graph_use) uses;
  struct cn_ptrmap index; /* value -> its place in `pointers`, plus one */
  bool floating;          /* some access has a variable offset */
  bool joined;            /* some pointers are phis or selects */
};
void cn_use_graph_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object *object,
                       struct cn_use_graph *web);
void cn_use_graph_free(struct cn_use_graph *web);
/* The first use that escapes, or null. */
const struct cn_use_graph_use *cn_use_graph_escape(const struct cn_use_graph *web);
bool cn_use_graph_has(const struct cn_use_graph *web, LLVMValueRef value);

/* ---- local.c ---- */

/* Turn the object into a local, and erase the call. The use graph must be free of escapes. */
void cn_local_make(struct cn_ctx *ctx, const struct cn_use_graph *web);

/* ---- join.c ---- */

/* A phi web: objects of one type, and phis that are one of them or null. The uses of a member end where it goes into a
 * phi, and its only escapes are those into phis of the web. */
struct cn_family {
  CN_VECTOR(struct cn_object) members; /* allocations and phis */
  struct cn_ptrmap index;              /* roots -> places in `members`, plus one */
  struct cn_use_graph_use wrong;       /* if the search failed: the use of a member that is the reason */
};
/* Find the phi web of an object. False if the search failed. Caller frees `family` in both cases. */
bool cn_family_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object *object,
                    struct cn_family *family);
void cn_family_free(struct cn_family *family);
/* Attribute of the allocation that takes the place of a phi. */
#define CN_ATTR_JOINED "cairn-joined"
/* Turn each phi into an allocation that takes over the contents of its inputs. All members are then free of escapes. */
void cn_family_part(struct cn_ctx *ctx, const struct cn_family *family);

/* ---- sink_allocations.c, move.c ---- */

enum { CN_SINK_MOST = 3 };
/* The places for the allocation of an object. Each path to an escape comes to a place first, and each path comes to at
 * most one place per execution of the call. A place dominates all uses that come after it. */
struct cn_sink {
  uint32_t blocks[CN_SINK_MOST];
  LLVMValueRef before[CN_SINK_MOST]; /* per block: its first use that escapes, or its end */
  uint32_t count;
};
/* Analyses of the function, for cn_sink_find(). */
struct cn_sink_in {
  struct cn_ctx *ctx;
  const struct cn_loops *loops;
  const struct cn_safepoint_free *windows;
  const uint64_t *often; /* from cn_block_frequency_find() */
};
/* True if there are places and the move pays. */
bool cn_sink_find(const struct cn_sink_in *in, const struct cn_use_graph *web, struct cn_sink *sink);
/* Allocate the object at each place, with the contents that it has there. The call's object is then free of escapes. */
void cn_sink_make(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_use_graph *web,
                  const struct cn_sink *sink);

#endif
