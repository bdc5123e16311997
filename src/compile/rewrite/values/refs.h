/* SPDX-License-Identifier: Apache-2.0
 *
 * The references of one function, their liveness and their bases, as the steps of pass rewrite-statepoints share them.
 * Private to src/compile.
 *
 * A *reference value* is an argument or instruction of a type that holds a reference. A *parse point* is a call that
 * becomes a gc.statepoint. A value *crosses* a parse point if it is defined before and used after it.
 *
 * Relocation passes over a GEP with constant indices: its uses count as uses of the value that it starts from (its
 * *root*), and it is rematerialised where that has moved (late-insertion-slides-2014, "When relocation isn't needed":
 * constant offset GEPs of relocated values). It passes over a value with the same address as another reference, too:
 * the other reference is read instead.
 *
 * Positions: instructions are numbered in steps of two through the blocks in reverse post-order. All phis of a block
 * share the number that the block starts with; a phi reads its operands at the end of the incoming blocks, one past the
 * terminator's number.
 */
#ifndef CN_COMPILE_REWRITE_VALUES_REFS_H
#define CN_COMPILE_REWRITE_VALUES_REFS_H

#include <stdio.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/analysis/cfg.h"
#include "compile/core/pass.h"

#define CN_NO_INDEX UINT32_MAX
#define CN_REMAT_LIMIT 6   /* GEPs in the longest chain that is rematerialised */
#define CN_REMAT_INDICES 2 /* most variable indices in it */

struct cn_ref_use {
  LLVMValueRef user;
  uint32_t operand;
  uint32_t block, pos; /* where the value is read */
  uint32_t value;      /* the value that is used */
  uint32_t via;        /* the constant GEP that `user` names, or CN_NO_INDEX */
  uint32_t point;      /* the parse point that `user` is, or CN_NO_INDEX */
  bool after;          /* needed until the call returns */
  bool state;          /* deoptimisation state: always reads the value itself, also if that has a root */
  bool listed;         /* of the call's gc-live bundle: the statepoint lists it and has no other operand for it */
};

struct cn_ref_value {
  LLVMValueRef value;
  uint32_t block, pos; /* of the definition */
  uint32_t root;       /* the value that a constant GEP starts from; else the value itself */
  uint32_t from;       /* for a constant GEP: the operand one step towards its root */
  uint32_t base;       /* set by cn_refs_attach_bases(); CN_NO_INDEX: not relocatable */
  /* slice of refs->uses, ascending by position; the uses of cn_refs_add_merges() follow */
  uint32_t uses, use_count;
  uint32_t cross, cross_count; /* slice of refs->crossings: parse points crossed, ascending */
  uint32_t derived;            /* next value with the same base, or CN_NO_INDEX */
  uint32_t indices;            /* most variable indices in a chain from here */
  bool scalar;                 /* a single reference; false for a vector or aggregate of them */
  bool rematerialised;         /* computed again from its base instead of listed (rematerialise.c) */
};

struct cn_parse_point {
  LLVMValueRef call; /* the call, then the statepoint */
  /* the last instruction that belongs to the statepoint: relocates go after it */
  LLVMValueRef last;
  uint32_t block, pos;
  uint32_t args, deopt, deopt_end; /* operand numbers of the call: see cn_calls_find_bundle() */
  /* of the call's gc-transition bundle, in the call and in the statepoint */
  uint32_t transition, transition_at;
  uint32_t live_operand;    /* operand number of the statepoint's first gc-live entry */
  CN_VECTOR(uint32_t) live; /* values that cross, ascending */
};

/* Invariants (cn_refs_wrong()):
 *   - positions ascend from block to block and from parse point to parse point
 *   - a root is a value, and has a root in turn where CN_REMAT_LIMIT cut a chain; a base is its own base
 *   - each value has its own slice of uses, which ascends when cn_refs_build() has made it
 *   - live sets ascend, and after cn_liveness_compute() crossings: in slot mode cross_count says only whether there are
 * any (cn_live_intervals_mark_crossing()) */
struct cn_refs {
  struct cn_cfg *cfg;
  CN_VECTOR(struct cn_ref_value) values;
  CN_VECTOR(struct cn_ref_use) uses;
  CN_VECTOR(struct cn_parse_point) points; /* in order of position */
  CN_VECTOR(uint32_t) crossings;           /* indices of points */
  struct cn_ptrmap index;                  /* LLVMValueRef -> index of values */
  struct cn_ptrmap indices;                /* LLVMValueRef -> result of count_indices() (refs.c) */
  uint32_t *first_point;                   /* per block, and one more */
  uint32_t *last_pos;                      /* per block: of its terminator */
  bool aggregates;                         /* some value is a vector or aggregate */
  enum {
    CN_INDEX_ADDRESSES_UNKNOWN,
    CN_INDEX_ADDRESSES_ABSENT,
    CN_INDEX_ADDRESSES_POSSIBLE
  } integers;   /* rematerialise.c */
  unsigned off; /* bits of enum cairn_relocation: optimisations that are off */
};

void cn_refs_build(struct cn_refs *refs, struct cn_cfg *cfg, unsigned off);
/* The first invariant that is broken, or null. CN_REFS_AFTER_BUILD, directly after cn_refs_build(), and
 * CN_REFS_AFTER_LIVENESS, directly after cn_liveness_compute(), check more than CN_REFS_AFTER_CHANGES. Linear. */
enum cn_refs_when { CN_REFS_AFTER_BUILD, CN_REFS_AFTER_LIVENESS, CN_REFS_AFTER_CHANGES };
const char *cn_refs_wrong(const struct cn_refs *refs, enum cn_refs_when when);
/* A phi or select that was made beside another; a select is directly before it. */
struct cn_made_merge {
  LLVMValueRef merge, beside;
};
/* Take in merges that were made since; liveness is outdated. */
void cn_refs_add_merges(struct cn_refs *refs, const struct cn_made_merge *made, size_t count);
void cn_refs_free(struct cn_refs *refs);
/* True if made values get names: functions with more crossings go without, since names cost as much as the values. */
static inline bool cn_refs_may_name_values(const struct cn_refs *refs)
{
  return refs->crossings.count <= 1000;
}
uint32_t cn_refs_index(const struct cn_refs *refs, LLVMValueRef value); /* or CN_NO_INDEX */
static inline bool cn_refs_is_optimisation_on(const struct cn_refs *refs, enum cairn_relocation which)
{
  return !(refs->off >> which & 1);
}

/* Leave dead values and constants out from here on, under all options: slot mode relocates neither. `refs` may be built
 * anew. */
void cn_refs_leave_out_dead_values(struct cn_refs *refs);

/* ---- addresses.c ---- */

/* True if an integer or unmanaged pointer of the function shows a reference's address. Then an index may show one too,
 * and its live range must stay as it is. */
bool cn_has_address_integers(const struct cn_cfg *cfg);

/* ---- liveness.c ---- */

/* The live range of one value; filled anew for each value, in time linear in the range. */
struct cn_live_range {
  CN_VECTOR(uint32_t) blocks; /* live-in, ascending; all come after the definition's block */
  uint32_t *in, *out;         /* per block: == stamp if live at its start, end */
  uint32_t *used, *last;      /* per block: if used == stamp, position of the last use */
  uint32_t *slot;             /* per block: index in `blocks` if in == stamp */
  uint32_t stamp;
};

void cn_live_range_init(struct cn_live_range *range, const struct cn_cfg *cfg);
void cn_live_range_free(struct cn_live_range *range);
/* Uses of values derived from `value` (once bases are attached) count as its uses. */
void cn_live_range(struct cn_live_range *range, const struct cn_refs *refs, uint32_t value);
/* The first parse point of `block` after `pos`, or the first of the next block. */
uint32_t cn_first_point_after(const struct cn_refs *refs, uint32_t block, uint32_t pos);
/* Fill crossings and the live sets of all parse points. */
void cn_liveness_compute(struct cn_refs *refs);
void cn_liveness_print(LLVMValueRef function, FILE *out);

/* ---- bases.c ---- */

struct cn_base_map {
  /* LLVMValueRef -> LLVMValueRef, its base; 0: not relocatable. Absent: itself. */
  struct cn_ptrmap of;
  CN_VECTOR(struct cn_made_merge) made;
};
/* The bases of all values that cross a parse point; makes base phis and selects, which `refs` still lacks. */
void cn_bases_find(struct cn_base_map *bases, const struct cn_refs *refs);
void cn_bases_free(struct cn_base_map *bases);
/* Give each value its base and each base its derived values. True if some crossing value is derived. */
bool cn_refs_attach_bases(struct cn_refs *refs, const struct cn_base_map *bases);
/* Find the bases of all values with a cross_count above 0 and attach them. `refs` may be built anew. */
void cn_refs_find_bases(struct cn_refs *refs);
void cn_bases_print(LLVMValueRef function, FILE *out);

/* ---- pointer_bases.c ---- */

/* True if the module asks for bases (llvm.experimental.gc.get.pointer.base and .offset). */
bool cn_pointer_bases_are_queried(LLVMModuleRef module);
/* Answer the questions of one function. True if it had some: `refs` is outdated. */
bool cn_pointer_bases_replace_queries(struct cn_ctx *ctx, struct cn_refs *refs);

/* ---- aggregates.c, aggregates_parts.c ---- */

#define CN_PART_LIMIT 256 /* most scalars that an aggregate is split into */
/* The number of scalars that a type with references is split into; above CN_PART_LIMIT, some number above it. */
uint32_t cn_part_count(LLVMTypeRef type);

/* Split vectors and aggregates that cross a parse point. True if the function changed: `refs` is outdated. */
bool cn_aggregates_split(struct cn_ctx *ctx, const struct cn_refs *refs);

#endif
