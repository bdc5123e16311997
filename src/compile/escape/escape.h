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
  CN_MAX_LOCAL_OBJECT_BYTES = 4096, /* bytes of an object that may become a local */
  CN_MAX_FLOATING_BYTES = 512,      /* bytes of all locals of a function that stay in memory */
};

/* ---- candidate_objects.c ---- */

/* The object that an allocation makes. */
struct cn_object_node {
  LLVMValueRef root; /* the call; or a phi that stands for one of several objects (join.c) */
  const struct cn_allocator *allocator;
  LLVMTypeRef type; /* of a local with the same fields */
  uint64_t size;    /* of `type`, in bytes */
  uint64_t tag;     /* a reference is the payload's address plus this */
  bool refs;
  const char *stays; /* why it is allocated, with any uses; null: all fields above are valid */
};
/* False if `call` is something else, or an allocation that pass `layouts` has to judge. */
bool cn_object_read_allocation(struct cn_ctx *ctx, LLVMValueRef call, struct cn_object_node *out);
/* The name of its type, for messages. Caller frees. */
char *cn_object_type_name(struct cn_ctx *ctx, LLVMValueRef call);

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
  const struct cn_object_node *object;
  CN_VECTOR(struct cn_use_graph_pointer) pointers; /* the root first; all are dominated by it */
  CN_VECTOR(struct cn_use_graph_use) uses;
  struct cn_ptrmap index; /* value -> its place in `pointers`, plus one */
  bool floating;          /* some access has a variable offset */
  bool joined;            /* some pointers are phis or selects */
};
void cn_use_graph_build(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object_node *object,
                        struct cn_use_graph *web);
void cn_use_graph_free(struct cn_use_graph *web);
/* The first use that escapes, or null. */
const struct cn_use_graph_use *cn_use_graph_first_escape(const struct cn_use_graph *web);
bool cn_use_graph_has(const struct cn_use_graph *web, LLVMValueRef value);

/* ---- local.c ---- */

/* Turn the object into a local, and erase the call. The use graph must be free of escapes. */
void cn_replace_object_by_local(struct cn_ctx *ctx, const struct cn_use_graph *web);

/* ---- join.c ---- */

/* A phi web: objects of one type, and phis that are one of them or null. The uses of a member end where it goes into a
 * phi, and its only escapes are those into phis of the web. */
struct cn_phi_web {
  CN_VECTOR(struct cn_object_node) members; /* allocations and phis */
  struct cn_ptrmap index;                   /* roots -> places in `members`, plus one */
  struct cn_use_graph_use wrong;            /* if the search failed: the use of a member that is the reason */
};
/* Find the phi web of an object. False if the search failed. Caller frees `family` in both cases. */
bool cn_phi_web_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object_node *object,
                     struct cn_phi_web *family);
void cn_phi_web_free(struct cn_phi_web *family);
/* Attribute of the allocation that takes the place of a phi. */
#define CN_ATTR_JOINED "cairn-joined"
/* Turn each phi into an allocation that takes over the contents of its inputs. All members are then free of escapes. */
void cn_phi_web_split(struct cn_ctx *ctx, const struct cn_phi_web *family);

/* ---- sink_allocations.c, move.c ---- */

enum { CN_MAX_SINK_PLACES = 3 };
/* The places for the allocation of an object. Each path to an escape comes to a place first, and each path comes to at
 * most one place per execution of the call. A place dominates all uses that come after it. */
struct cn_sink_places {
  uint32_t blocks[CN_MAX_SINK_PLACES];
  LLVMValueRef before[CN_MAX_SINK_PLACES]; /* per block: its first use that escapes, or its end */
  uint32_t count;
};
/* Analyses of the function, for cn_sink_find_places(). */
struct cn_sink_analyses {
  struct cn_ctx *ctx;
  const struct cn_loops *loops;
  const struct cn_safepoint_free_intervals *windows;
  const uint64_t *often; /* from cn_find_block_frequencies() */
};
/* True if there are places and the move pays. */
bool cn_sink_find_places(const struct cn_sink_analyses *in, const struct cn_use_graph *web,
                         struct cn_sink_places *sink);
/* Allocate the object at each place, with the contents that it has there. The call's object is then free of escapes. */
void cn_sink_move_allocation(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_use_graph *web,
                             const struct cn_sink_places *sink);

#endif
