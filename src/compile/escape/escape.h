/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects that stay private to their function, and objects that escape at some places. Private to pass `escape`.
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
  CN_MAX_LOCAL_OBJECT_BYTES = 4096, /* the largest object that may become a local */
  CN_MAX_FLOATING_BYTES = 512,      /* the most bytes of a function's new locals that stay in memory */
};

/* ---- candidate_objects.c ---- */

/* The object that an allocation makes. */
struct cn_object_node {
  LLVMValueRef root; /* the call, or a phi that stands for one of several objects (join.c) */
  const struct cn_allocator *allocator;
  LLVMTypeRef type; /* the type of a local with the object's fields */
  uint64_t size;    /* of `type`, in bytes */
  uint64_t tag;     /* the distance of a reference from the payload's address */
  bool refs;
  bool numbered; /* the language has a number for the layout, so that frame records can describe the object */
  uint32_t language, layout; /* then its numbers */
  uint64_t elements;         /* of an indexed object, else 0 */
  const char *stays;         /* why the object stays allocated for any uses; if null, all fields above are valid */
};
/* False if `call` is no allocation, or an allocation that pass `layouts` may refuse. */
bool cn_object_read_allocation(struct cn_ctx *ctx, LLVMValueRef call, struct cn_object_node *out);
/* The name of the object's type, for messages. Caller frees. */
char *cn_object_type_name(struct cn_ctx *ctx, LLVMValueRef call);

/* ---- use_graph.c ---- */

struct cn_use_graph_pointer {
  LLVMValueRef value;
  uint64_t offset; /* distance from the payload's start in bytes; valid if `known` */
  bool known;      /* the offset is constant */
};
/* A use of a pointer by an instruction outside the graph. */
struct cn_use_graph_use {
  LLVMValueRef user, pointer;
  LLVMBasicBlockRef block; /* the block that needs the pointer; for a phi, the incoming block */
  const char *escapes;     /* the reason why the use escapes (use_graph.c), or null */
  bool recorded;           /* a call whose frame records name the object; does not escape */
  bool joins;              /* the root escapes into a phi */
};
struct cn_use_graph {
  const struct cn_object_node *object;
  CN_VECTOR(struct cn_use_graph_pointer) pointers; /* the root first; it dominates all others */
  CN_VECTOR(struct cn_use_graph_use) uses;
  struct cn_ptrmap index; /* value -> its index in `pointers` plus one */
  bool floating;          /* an access has a variable offset */
  bool joined;            /* a pointer is a phi or select */
};
void cn_use_graph_build(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object_node *object,
                        struct cn_use_graph *web);
void cn_use_graph_free(struct cn_use_graph *web);
const struct cn_use_graph_use *cn_use_graph_first_escape(const struct cn_use_graph *web);
bool cn_use_graph_has(const struct cn_use_graph *web, LLVMValueRef value);

/* ---- records.c, record_links.c ---- */

/* The reason why frame records of the call cannot describe the object instead of naming it, or null. */
const char *cn_records_why_unfit(struct cn_ctx *ctx, const struct cn_object_node *object, LLVMValueRef pointer,
                                 LLVMValueRef call);

/* Objects that only name one another, so that only frame records can reach them. */
struct cn_record_member {
  struct cn_object_node object;
  struct cn_use_graph web;
};
/* Member `owner` has a reference to member `target` at `offset`, wherever a frame record describes it. */
struct cn_record_link {
  uint32_t owner, target;
  uint64_t offset;
  LLVMValueRef store;
};
struct cn_record_group {
  CN_VECTOR(struct cn_record_member) members;
  CN_VECTOR(struct cn_record_link) links;
};
/* Find the group of an object that is stored into another object, or into itself. False if the search fails. Caller
 * frees `group` in both cases. */
bool cn_record_group_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object_node *object,
                          struct cn_record_group *group);
void cn_record_group_free(struct cn_record_group *group);

/* Describe the members in the frame records that name them, and delete the stores of the links. The members' use graphs
 * are then outdated, and free of escapes once they are built again. True if a call of an allocator was replaced. */
bool cn_records_describe(struct cn_ctx *ctx, const struct cn_record_group *group);

/* ---- local.c ---- */

/* Turn the object into a local, and erase the call. The use graph must be free of escapes. */
void cn_replace_object_by_local(struct cn_ctx *ctx, const struct cn_use_graph *web);

/* ---- join.c ---- */

/* A phi web: allocations of one type, and phis whose inputs are members or null. The uses of a member end where the
 * member enters a phi, and a member escapes only into phis of the web. */
struct cn_phi_web {
  CN_VECTOR(struct cn_object_node) members; /* allocations and phis */
  struct cn_ptrmap index;                   /* root -> its index in `members` plus one */
  struct cn_use_graph_use wrong;            /* the use of a member that made the search fail */
};
/* Find the phi web of an object. False if the search failed. Caller frees `family` in both cases. */
bool cn_phi_web_find(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_object_node *object,
                     struct cn_phi_web *family);
void cn_phi_web_free(struct cn_phi_web *family);
#define CN_ATTR_JOINED "cairn-joined"
/* Replace each phi by an allocation that takes over the contents of the phi's input. All members are then free of
 * escapes. */
void cn_phi_web_split(struct cn_ctx *ctx, const struct cn_phi_web *family);

/* ---- sink_allocations.c, move.c ---- */

enum { CN_MAX_SINK_PLACES = 3 };
/* The places for the allocation of an object. Each path to an escape passes a place first, and passes at most one place
 * per execution of the call. A place dominates all uses after it. */
struct cn_sink_places {
  uint32_t blocks[CN_MAX_SINK_PLACES];
  LLVMValueRef before[CN_MAX_SINK_PLACES]; /* per block: the first use that escapes, or the block's end */
  uint32_t count;
};
struct cn_sink_analyses {
  struct cn_ctx *ctx;
  const struct cn_loops *loops;
  const struct cn_safepoint_free_intervals *windows;
  const uint64_t *often; /* from cn_find_block_frequencies() */
};
/* True if there are places, and the move saves time. */
bool cn_sink_find_places(const struct cn_sink_analyses *in, const struct cn_use_graph *web,
                         struct cn_sink_places *sink);
/* Allocate the object at each place, with the contents at that point. The call's object is then free of escapes. */
void cn_sink_move_allocation(struct cn_ctx *ctx, const struct cn_cfg *cfg, const struct cn_use_graph *web,
                             const struct cn_sink_places *sink);

#endif
