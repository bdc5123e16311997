/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of the debug information whose values are references, over the safepoints of one function. Private to
 * src/compile.
 *
 * A debug record gives a variable a reference from a place on. After a safepoint the variable has the relocated
 * reference, or its value is lost. Records say so directly after the safepoint. Before a safepoint that omits the
 * reference a record says that the value is lost, because a debugger would show the old address while the callee runs.
 */
#ifndef CN_COMPILE_REWRITE_EMIT_VARIABLES_H
#define CN_COMPILE_REWRITE_EMIT_VARIABLES_H

#include <llvm-c/DebugInfo.h>
#include "base/ptrmap.h"
#include "base/vector.h"
#include "compile/core/debug_records.h"
#include "compile/rewrite/values/refs.h"

/* A variable of one inlined call, or a part of the variable. */
struct cn_variable {
  LLVMMetadataRef node, site, location; /* the location is that of its first record */
  struct cn_debug_part part;
  bool overlaps;    /* its records describe parts that overlap; `part` is then the whole variable */
  bool refers;      /* some record gives it a reference */
  bool declared;    /* it is in memory, and its other records are not used */
  uint32_t next;    /* index + 1 of another part or inlined copy, or 0 */
  uint32_t changes; /* slice of cn_variables.changes */
  uint32_t change_count;
};

/* The variable gets a new state at a record. */
struct cn_variable_change {
  uint32_t variable, state;
  uint32_t value;      /* the reference value in the record, or CN_NO_INDEX */
  uint32_t block, pos; /* of the instruction after the record */
  LLVMValueRef before; /* this instruction, or the first one after it that stays in place */
  uint32_t point;      /* the parse point that `before` is, or CN_NO_INDEX */
};

/* States of a variable. A higher state is CN_VARIABLE_VALUES + the index of a reference value. */
enum {
  CN_VARIABLE_OTHER, /* no reference that moves */
  CN_VARIABLE_MIXED, /* perhaps a reference, different ones on different paths */
  CN_VARIABLE_VALUES
};

/* A place where a variable needs a record, with the definition of `value` that reaches the place. */
struct cn_variable_need {
  enum {
    CN_NEED_AFTER_POINT, /* directly after parse point `point` */
    CN_NEED_AT_BLOCK,    /* at the start of `block`, if a phi joins definitions there */
    CN_NEED_AT_RECORD    /* at a record that names the original definition, before `before` or `point` */
  } kind;
  uint32_t value; /* the root of `of` */
  uint32_t of;    /* the variable's value */
  uint32_t variable, block, pos, point;
  LLVMValueRef before;
  bool original_only; /* the variable's value is lost unless the original definition reaches the place */
  bool replaces;      /* at a record: the variable has another value before it */
  bool parameter;     /* after a point: the variable still has its value from the function's start */
  uint32_t number;    /* for relocate.c: the number of the definition, or 0 */
};

struct cn_variables {
  struct cn_ctx *ctx;
  LLVMDIBuilderRef builder; /* null without debug information */
  struct cn_ptrmap index;   /* variable of the debug information -> index + 1 in `all` */
  CN_VECTOR(struct cn_variable) all;
  CN_VECTOR(struct cn_variable_change) changes; /* sorted by variable and place */
  CN_VECTOR(struct cn_variable_need) needs;     /* sorted by value */
  CN_VECTOR(struct cn_variable_need) lost;      /* where values are lost: before `point`, or before `before` */
};

/* Gather the records of references. Must run directly after cn_refs_build(), because it counts positions. */
void cn_variables_gather(struct cn_variables *variables, struct cn_ctx *ctx, const struct cn_refs *refs);
/* Find the places that need records. Needs liveness and bases. */
void cn_variables_plan(struct cn_variables *variables, const struct cn_refs *refs);
void cn_variables_free(struct cn_variables *variables);

/* The needs of `value`: cn_variables.needs.at[*first] up to *end. */
void cn_variables_find_needs(const struct cn_variables *variables, uint32_t value, uint32_t *first, uint32_t *end);
/* Insert the need's record before `before`. `definition` is the definition of the need's value, or null if the value is
 * lost. */
void cn_variables_insert_record(const struct cn_variables *variables, const struct cn_refs *refs,
                                const struct cn_variable_need *need, LLVMValueRef definition, LLVMValueRef before);
/* Insert the records of values that are lost whatever definitions relocate.c builds. Must run last, so that these
 * records are behind the others. */
void cn_variables_insert_lost(const struct cn_variables *variables, const struct cn_refs *refs);

#endif
