/* SPDX-License-Identifier: Apache-2.0
 *
 * The references of one function, with liveness and bases, for all steps of rewrite-statepoints. Private to
 * src/compile.
 *
 * A *reference value* is an argument or instruction of a type that holds a reference. A *parse point* is a call that
 * becomes a gc.statepoint. A value *crosses* a parse point if its definition is before the parse point and a use is
 * after it.
 *
 * A GEP with constant indices is not relocated. The uses of such a GEP count as uses of its *root*, the value that the
 * GEP starts from, and the GEP is rematerialised at uses after a safepoint (late-insertion-slides-2014, "When
 * relocation isn't needed": constant offset GEPs of relocated values). The uses of a value with the address of another
 * reference read the other reference.
 *
 * Positions: instructions are numbered in steps of two through the blocks in reverse post-order. All phis of a block
 * share the first number of the block. A phi reads its operands at the end of the incoming blocks, at one past the
 * number of the terminator.
 */
#ifndef CN_COMPILE_REWRITE_VALUES_REFS_H
#define CN_COMPILE_REWRITE_VALUES_REFS_H

#include <stdio.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

#define CN_NO_INDEX UINT32_MAX
#define CN_REMAT_LIMIT 6   /* the most GEPs in a chain that is rematerialised */
#define CN_REMAT_INDICES 2 /* the most variable indices in such a chain */

struct cn_ref_use {
  LLVMValueRef user;
  uint32_t operand;
  uint32_t block, pos; /* where the value is read */
  uint32_t value;      /* the value that is used */
  uint32_t via;        /* the constant GEP that `user` reads, or CN_NO_INDEX */
  uint32_t point;      /* the parse point if `user` is one, else CN_NO_INDEX */
  bool after;          /* the value is needed until the call returns */
  bool state;          /* a use by deoptimisation state, which reads the value itself instead of its root */
  bool listed;         /* a use by the call's gc-live bundle, which becomes only a gc-live entry */
};

struct cn_ref_value {
  LLVMValueRef value;
  uint32_t block, pos; /* place of the definition */
  uint32_t root;       /* for a constant GEP: the value that its chain starts from; else the value itself */
  uint32_t from;       /* for a constant GEP: the operand one step towards its root */
  uint32_t base;       /* set by cn_refs_attach_bases(); CN_NO_INDEX if not relocatable */
  /* slice of refs->uses, ascending by position; uses from cn_refs_add_merges() are at its end */
  uint32_t uses, use_count;
  uint32_t cross, cross_count; /* slice of refs->crossings: the crossed parse points, ascending */
  uint32_t derived;            /* the next value with the same base, or CN_NO_INDEX */
  uint32_t indices;            /* the most variable indices in a chain that starts at this value */
  bool scalar;                 /* a single reference; false for a vector or aggregate with references */
  bool rematerialised;         /* rematerialised instead of listed (rematerialise.c) */
};

struct cn_parse_point {
  LLVMValueRef call; /* the call, then the statepoint */
  /* the last instruction that belongs to the statepoint: relocates go after it */
  LLVMValueRef last;
  uint32_t block, pos;
  uint32_t args, deopt, deopt_end; /* operand numbers of the call (cn_calls_find_bundle()) */
  /* operand numbers of the gc-transition bundle, in the call and in the statepoint */
  uint32_t transition, transition_at;
  uint32_t live_operand;    /* operand number of the statepoint's first gc-live entry */
  CN_VECTOR(uint32_t) live; /* the values that cross this point, ascending */
};

/* Invariants (cn_refs_wrong()):
 *   - positions ascend from block to block and from parse point to parse point
 *   - a root is a value, and has another root only if CN_REMAT_LIMIT cut the chain; a base is its own base
 *   - each value has a separate slice of uses, which ascends after cn_refs_build()
 *   - live sets ascend; crossings ascend after cn_liveness_compute(). In slot mode cross_count only says whether a
 *     value may cross (cn_live_intervals_mark_crossing()) */
struct cn_refs {
  struct cn_cfg *cfg;
  CN_VECTOR(struct cn_ref_value) values;
  CN_VECTOR(struct cn_ref_use) uses;
  CN_VECTOR(struct cn_parse_point) points; /* in order of position */
  CN_VECTOR(uint32_t) crossings;           /* indices of points */
  struct cn_ptrmap index;                  /* LLVMValueRef -> index of values */
  struct cn_ptrmap indices;                /* LLVMValueRef -> result of compute_variable_indices() (refs.c) */
  uint32_t *first_point;                   /* per block, and one past the last block: its first point */
  uint32_t *last_pos;                      /* per block: the position of its terminator */
  bool aggregates;                         /* some value is a vector or aggregate with references */
  enum {
    CN_INDEX_ADDRESSES_UNKNOWN,
    CN_INDEX_ADDRESSES_ABSENT,
    CN_INDEX_ADDRESSES_POSSIBLE
  } integers;   /* rematerialise.c */
  unsigned off; /* the optimisations that are off: bits of enum cairn_relocation */
};

void cn_refs_build(struct cn_refs *refs, struct cn_cfg *cfg, unsigned off);
/* The first broken invariant, or null. CN_REFS_AFTER_BUILD, directly after cn_refs_build(), and CN_REFS_AFTER_LIVENESS,
 * directly after cn_liveness_compute(), check more invariants than CN_REFS_AFTER_CHANGES. Takes linear time. */
enum cn_refs_when { CN_REFS_AFTER_BUILD, CN_REFS_AFTER_LIVENESS, CN_REFS_AFTER_CHANGES };
const char *cn_refs_wrong(const struct cn_refs *refs, enum cn_refs_when when);
/* A new phi or select beside an old one; a new select is directly before the old select. */
struct cn_made_merge {
  LLVMValueRef merge, beside;
};
/* Add new merges to `refs`; makes liveness outdated. */
void cn_refs_add_merges(struct cn_refs *refs, const struct cn_made_merge *made, size_t count);
void cn_refs_free(struct cn_refs *refs);
/* True if new values get names. Functions with many crossings get no names, because a name costs as much time as a
 * value. */
static inline bool cn_refs_may_name_values(const struct cn_refs *refs)
{
  return refs->crossings.count <= 1000;
}
uint32_t cn_refs_index(const struct cn_refs *refs, LLVMValueRef value); /* or CN_NO_INDEX */
static inline bool cn_refs_is_optimisation_on(const struct cn_refs *refs, enum cairn_relocation which)
{
  return !(refs->off >> which & 1);
}

/* Remove dead values and constants from `refs` whatever the options say, since slot mode relocates neither. May rebuild
 * `refs`. */
void cn_refs_leave_out_dead_values(struct cn_refs *refs);

/* ---- addresses.c ---- */

/* True if an integer or unmanaged pointer of the function shows the address of a reference. A GEP's index may then show
 * an address too, and must keep its live range. */
bool cn_has_address_integers(const struct cn_cfg *cfg);

/* ---- liveness.c ---- */

/* The live range of one value. One struct serves all values of a function in turn. */
struct cn_live_range {
  CN_VECTOR(uint32_t) blocks; /* blocks with the value live-in, ascending */
  uint32_t *in, *out;         /* per block: equal to `stamp` if the value is live at the block's start (end) */
  uint32_t *used, *last;      /* per block: `last` is the position of the last use if used == stamp */
  uint32_t *slot;             /* per block: its index in `blocks` if in == stamp */
  uint32_t stamp;
};

void cn_live_range_init(struct cn_live_range *range, const struct cn_cfg *cfg);
void cn_live_range_free(struct cn_live_range *range);
/* Compute the live range of `value`. After bases are attached, uses of values derived from `value` count as its
 * uses. */
void cn_live_range(struct cn_live_range *range, const struct cn_refs *refs, uint32_t value);
/* The first parse point of `block` after `pos`, or the first point of the next block. */
uint32_t cn_first_point_after(const struct cn_refs *refs, uint32_t block, uint32_t pos);
/* Compute the crossings of all values and the live sets of all parse points. */
void cn_liveness_compute(struct cn_refs *refs);
void cn_liveness_print(LLVMValueRef function, FILE *out);

/* ---- bases.c ---- */

struct cn_base_map {
  /* value -> its base; 0 if it is not relocatable. An absent value is its own base. */
  struct cn_ptrmap of;
  CN_VECTOR(struct cn_made_merge) made;
};
/* Find the bases of all values that cross a parse point, and build base phis and selects, which `refs` still lacks. */
void cn_bases_find(struct cn_base_map *bases, const struct cn_refs *refs);
void cn_bases_free(struct cn_base_map *bases);
/* Set the base of each value and the derived values of each base. True if some crossing value is derived. */
bool cn_refs_attach_bases(struct cn_refs *refs, const struct cn_base_map *bases);
/* Find the bases of all values with a cross_count above 0, and attach these bases. May rebuild `refs`. */
void cn_refs_find_bases(struct cn_refs *refs);
void cn_bases_print(LLVMValueRef function, FILE *out);

/* ---- pointer_bases.c ---- */

/* True if the module asks for bases (llvm.experimental.gc.get.pointer.base and .offset). */
bool cn_pointer_bases_are_queried(LLVMModuleRef module);
/* Replace the calls of both intrinsics in one function. True if the function had such calls; `refs` is then
 * outdated. */
bool cn_pointer_bases_replace_queries(struct cn_ctx *ctx, struct cn_refs *refs);

/* ---- aggregates.c, aggregates_parts.c ---- */

#define CN_PART_LIMIT 256 /* the most scalars of an aggregate that is split */
/* The number of scalars of a type with references; for more than CN_PART_LIMIT scalars, any number above
 * CN_PART_LIMIT. */
uint32_t cn_part_count(LLVMTypeRef type);

/* Split vectors and aggregates that cross a parse point. True if the function changed; `refs` is then outdated. */
bool cn_aggregates_split(struct cn_ctx *ctx, const struct cn_refs *refs);

/* ---- live_intervals.c ---- */

/* Live intervals. An interval is one connected range of places of a function that encloses a live range. */

/* A place in a function: block << 32 | position. */
#define CN_PLACE(block, pos) ((uint64_t)(block) << 32 | (pos))

/* The interval contains all places where the value is live, and possibly more. The interval is found in time linear in
 * the number of uses, for any length of the range. */
struct cn_live_interval {
  uint64_t from, to; /* places of the definition and the last use, both included */
};

struct cn_live_intervals {
  const struct cn_refs *refs;
  /* A segment tree of maxima: its leaves have, per block, the last block with a retreating edge to it. */
  uint32_t *retreat;
};

void cn_live_intervals_build(struct cn_live_intervals *intervals, const struct cn_refs *refs);
void cn_live_intervals_free(struct cn_live_intervals *intervals);
/* The interval of `value`. After bases are attached, uses of values derived from `value` count as its uses. */
struct cn_live_interval cn_live_interval_of(const struct cn_live_intervals *intervals, uint32_t value);
/* The first parse point within the interval; the second function returns the number of parse points within it. */
uint32_t cn_live_interval_first_point(const struct cn_live_intervals *intervals, struct cn_live_interval interval);
uint32_t cn_live_interval_point_count(const struct cn_live_intervals *intervals, struct cn_live_interval interval);
/* Set the cross_count of each value to 1 if its interval contains a parse point, else to 0. */
void cn_live_intervals_mark_crossing(struct cn_refs *refs);

#endif
