/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of pass verify-safepoints share. Private to this pass.
 */
#ifndef CN_COMPILE_VERIFY_VERIFY_H
#define CN_COMPILE_VERIFY_VERIFY_H

#include "base/vector.h"
#include "compile/analysis/cfg.h"

/* ---- check_scalars.c: the scalars of a value, numbered ---- */

#define CN_SCALARS_MOST 256 /* a type with more scalars counts as one scalar */
#define CN_NO_SCALAR UINT32_MAX
uint32_t cn_scalar_count(LLVMTypeRef type);
bool cn_scalars_count_as_one(LLVMTypeRef type);
bool cn_scalar_is_ref(LLVMTypeRef type, uint32_t scalar);

/* The operand's scalar that becomes scalar `scalar` of an instruction that extracts, inserts or shuffles values or
 * elements. */
struct cn_scalar_source {
  enum {
    CN_SCALAR_UNDEFINED, /* undefined */
    CN_SCALAR_ONE_SOURCE,
    CN_SCALAR_ANY_SOURCE, /* the source may be any scalar of any operand */
  } which;
  unsigned operand;
  uint32_t scalar;
};
struct cn_scalar_source cn_scalar_source(LLVMValueRef instruction, uint32_t scalar);

/* Epochs (epochs.c). An epoch begins at a safepoint, or at a join of paths from different epochs. At each point of the
 * function exactly one epoch is current, as in SSA numbering of a variable "the last safepoint".
 *
 * The proofs use this fact: if `def` dominates `p` and the same epoch is current at both, every path from `def` to `p`
 * is free of safepoints; if the epochs differ, some static path has a safepoint. */
#define CN_EPOCH_NONE 0u
#define CN_EPOCH_ENTRY 1u
#define CN_EPOCH_MIXED UINT32_MAX

struct cn_epochs {
  const struct cn_cfg *cfg;
  uint32_t *in, *out;           /* for each block, the epoch at its start (at its phis) and at its end */
  struct cn_ptrmap statepoints; /* statepoint -> the epoch that it starts */
};

/* Compute the epochs. Each instruction that `is_safepoint` accepts starts an epoch. */
void cn_epochs_build(struct cn_epochs *epochs, const struct cn_cfg *cfg,
                     bool (*is_safepoint)(LLVMValueRef instruction));
bool cn_epochs_is_statepoint(LLVMValueRef instruction);
void cn_epochs_free(struct cn_epochs *epochs);
/* Null, or a description of an error in the epochs. Each block starts an epoch or continues the common epoch of its
 * predecessors, and each statepoint starts a separate epoch. Linear. */
const char *cn_epochs_wrong(const struct cn_epochs *epochs);
/* The epoch that `instruction` starts if it is a statepoint, else `current`. */
uint32_t cn_epoch_after(const struct cn_epochs *epochs, LLVMValueRef instruction, uint32_t current);

/* The epoch that is current at `instruction`. A statepoint's epoch starts after the statepoint. */
uint32_t cn_epoch_at(const struct cn_epochs *epochs, LLVMValueRef instruction);

/* Values that a safepoint makes stale (stale_values.c): references, aggregates that hold them, statepoint tokens, and
 * integers and unmanaged pointers computed from references.
 *
 * The algebra of the proof. Each scalar has a state (epoch, weight). Epochs are ordered: NONE is below each single
 * epoch e, which is below MIXED. Weights are numbers, and OTHER, which is above all numbers; NONE has weight 0. The
 * joins (stale_map.c):
 *
 *     NONE with x                                               x
 *     (e, w) with (e, w)                                        (e, w)
 *     (e, w) with (f, w), f != e; one of them may be MIXED      (MIXED, w)
 *     weight w with weight v, w != v                            weight OTHER
 *     at the start of block b, each input of the epoch that     epoch in[b]
 *       is current at the end of its edge's block
 *     else at b, if an input with an epoch has a back edge      epoch MIXED; otherwise the join of the inputs
 *
 * At b, a reference that is null on its edge has the current epoch (null_facts.c), and a number that is free of
 * addresses on some edge gets weight OTHER.
 *
 * Transfer: reference arguments are (ENTRY, 1), and a reference that is loaded, returned or converted from an integer
 * is (current, 1). A token has the epoch that its statepoint starts, and a relocate has its token's state. The state of
 * GEP, cast, freeze and select is the join of their operands. A sum adds the weights, and a difference subtracts them;
 * a result with weight 0 in one epoch is a distance and gets NONE. Other arithmetic has the join with weight OTHER
 * (stale_integers.c has the exceptions). A number that a branch on such a result selects also has weight OTHER
 * (stale_control.c). A safepoint keeps all states and starts an epoch.
 *
 * check_uses.c checks each use other than such a computation: the operands' epoch must be NONE or the current epoch
 * (cn_values_is_valid_at()). */
struct cn_stale_state {
  uint32_t epoch; /* the epoch of the value's addresses; CN_EPOCH_NONE if it is never stale */
  int weight;     /* of integers: added minus subtracted references, or CN_WEIGHT_OTHER; 0 if never stale */
};
#define CN_WEIGHT_OTHER 1000

struct cn_value_states {
  const struct cn_epochs *epochs;
  struct cn_ptrmap map; /* value -> the index of its scalars in `cells`, and their number */
  CN_VECTOR(struct cn_stale_state) cells;
  struct cn_stale_locals {
    struct cn_ptrmap index; /* alloca -> number, from 0 */
    uint32_t count;
    struct cn_stale_state *now; /* for each alloca, at the current instruction */
    struct cn_stale_state *out; /* for each block and alloca, at the block's end */
    bool changed;               /* in this pass */
  } locals;
  bool first_pass;                /* states from back edges are not computed yet */
  struct cn_stale_state *control; /* for each block, the residues of addresses that select the edge into the block; null
                                   * if all branches are free of addresses */
};

/* ---- stale_map.c ---- */

/* The state of a value that is either of two values. */
struct cn_stale_state cn_stale_join_states(struct cn_stale_state a, struct cn_stale_state b);
/* The state with the same epoch and weight CN_WEIGHT_OTHER. */
struct cn_stale_state cn_stale_drop_weight(struct cn_stale_state stale);
/* True if a value with this state is valid in `epoch`. */
bool cn_values_is_valid_at(const struct cn_stale_state *stale, uint32_t epoch);

struct cn_stale_state cn_values_state_of_scalar(const struct cn_value_states *values, LLVMValueRef value,
                                                uint32_t scalar);
/* The joined state of all scalars, which is valid if each scalar is valid. */
struct cn_stale_state cn_values_state_of(const struct cn_value_states *values, LLVMValueRef value);
/* Set the state of scalar `scalar` of a value with `scalars` scalars. */
void cn_values_set_scalar(struct cn_value_states *values, LLVMValueRef value, uint32_t scalar, uint32_t scalars,
                          struct cn_stale_state stale);
/* Null, or a description of an error in the map. `cells` has the scalars of each value, and their weights are 0, small,
 * or CN_WEIGHT_OTHER. Linear. */
const char *cn_values_wrong(const struct cn_value_states *values);

/* Where edges meet. */
struct cn_edge_join {
  struct cn_stale_state all;
  bool invalid, loops;
  bool plain; /* the value from some edge is free of addresses, so that the join has no constant weight */
};
/* Join the state of the input from block `from` into the join at `b`. */
void cn_join_add_edge(const struct cn_value_states *values, struct cn_edge_join *join, uint32_t from, uint32_t b,
                      struct cn_stale_state stale);
struct cn_stale_state cn_join_result_of(const struct cn_value_states *values, const struct cn_edge_join *join,
                                        uint32_t b);

/* ---- stale_locals.c: addresses in locals that are memory ---- */

/* Find the allocas that contain addresses. False if the function has only other allocas, which is the usual case. */
bool cn_stale_locals_find(struct cn_value_states *values);
/* True if the address is an alloca that contains addresses. */
bool cn_stale_locals_is_followed(const struct cn_value_states *values, LLVMValueRef address);
void cn_stale_locals_enter_block(struct cn_value_states *values, uint32_t b);
void cn_stale_locals_leave_block(struct cn_value_states *values, uint32_t b);
void cn_stale_locals_apply_store(struct cn_value_states *values, LLVMValueRef store);
struct cn_stale_state cn_stale_locals_of_load(const struct cn_value_states *values, LLVMValueRef load, uint32_t scalar,
                                              uint32_t epoch);
bool cn_stale_locals_are_stable(const struct cn_value_states *values);
void cn_stale_locals_free(struct cn_value_states *values);

/* ---- stale_values.c ---- */

void cn_values_build(struct cn_value_states *values, const struct cn_epochs *epochs);
void cn_values_free(struct cn_value_states *values);
/* True for the address of an alloca or within an alloca, which is immovable. */
bool cn_is_address_in_local(LLVMValueRef pointer);
/* True if the instruction only passes on a stale value. Such an instruction is exempt from the check of uses. */
bool cn_values_only_propagates(LLVMValueRef instruction);

/* ---- stale_control.c ---- */
/* Compute `control` from the branches' conditions. True if `control` changes. */
bool cn_stale_update_control(struct cn_value_states *values);

/* ---- stale_integers.c ---- */
/* True for an arithmetic instruction or a conversion of numbers. */
bool cn_stale_is_arithmetic(LLVMValueRef instruction);
/* The state of a comparison's result. */
struct cn_stale_state cn_stale_of_comparison(const struct cn_value_states *values, LLVMValueRef instruction,
                                             uint32_t scalar);
/* True if a comparison of values with these states has the same result after objects move. */
bool cn_stale_is_move_invariant(LLVMValueRef compare, struct cn_stale_state a, struct cn_stale_state b);
struct cn_stale_state cn_stale_of_arithmetic(const struct cn_value_states *values, LLVMValueRef instruction,
                                             uint32_t scalar);

/* null_facts.c: true if, on each path with a safepoint from the definition of the reference `value` to `at` in `block`,
 * a comparison shows the reference to be null. If `at` is null, the path ends at the end of `block`. */
bool cn_null_facts_excuse_use(const struct cn_value_states *values, LLVMValueRef value, LLVMValueRef at,
                              uint32_t block);

/* ---- reference_origins.c, same_object.c: which references point into one object ---- */

/* A scalar reference. */
struct cn_object_node {
  LLVMValueRef value;
  uint32_t scalar;
  enum {
    CN_OBJECT_ORIGIN, /* a separate origin of a reference */
    CN_OBJECT_FIXED,  /* a constant, or another value that stays in place */
    CN_OBJECT_UNDEFINED,
    CN_OBJECT_COPY,  /* a reference into the object of node `from` */
    CN_OBJECT_MERGE, /* a reference into the object of one of its inputs */
  } kind;
  bool moves; /* a copy whose address may differ from the source */
  bool start; /* a copy that points to its object's start */
  bool null;
  bool inside;    /* the reference may point past its object's start */
  bool unsettled; /* a merge whose class did not become stable, and which has a separate class */
  uint32_t from;
  uint32_t first, count; /* slice of inputs */
  const void *key;       /* selects the input: a block, a condition or an index */
  uint32_t key_scalar;   /* the scalar of `key` that selects */
  uint32_t class;        /* nodes of one class point into the same object in the same iteration */
  uint32_t root;         /* the node at the end of the chain of copies */
  uint32_t block;        /* the block of the definition; 0 for arguments and constants */
};

struct cn_object_input {
  uint32_t node;
  uint32_t from; /* the block that passes the input at its end */
};

struct cn_verifier;
struct cn_object_graph {
  struct cn_verifier *v;
  CN_VECTOR(struct cn_object_node) nodes;
  CN_VECTOR(struct cn_object_input) inputs;
  struct cn_ptrmap first;  /* value -> the node of its scalar 0 */
  struct cn_ptrmap proved; /* pairs of nodes of different classes that are proved to point into the same object */
  uint32_t *order;         /* reachable nodes in order of definition */
  uint32_t ordered;
};

void cn_objects_build(struct cn_object_graph *objects, struct cn_verifier *v);
void cn_objects_free(struct cn_object_graph *objects);
/* Null, or a description of an error in the classes. Sources and inputs are nodes, and copies have their source's
 * class. Linear. */
const char *cn_objects_wrong(const struct cn_object_graph *objects);
/* The node of a scalar, or null if statepoints need no node for it. */
const struct cn_object_node *cn_objects_find_node(const struct cn_object_graph *objects, LLVMValueRef value,
                                                  uint32_t scalar);
/* Find the classes of the nodes after cn_objects_build(). */
void cn_objects_classify(struct cn_object_graph *objects);
/* True if the node is proved to point only into immovable memory. */
bool cn_objects_is_fixed(const struct cn_object_node *node);
/* True if `base` is proved to point into the object of `derived` in every execution of block `b`. */
bool cn_objects_prove_same(struct cn_object_graph *objects, const struct cn_object_node *base,
                           const struct cn_object_node *derived, uint32_t b);

/* Allocas with roots by tag that statepoints list. */
struct cn_stale_words {
  struct cn_ptrmap index; /* alloca -> number in `locals` */
  CN_VECTOR(struct cn_stale_words_of {
    uint64_t *bits; /* one bit for each word of 8 bytes */
    uint64_t words;
  })
  locals;
};

struct cn_verifier {
  struct cn_ctx *ctx;
  LLVMValueRef function;
  struct cn_cfg cfg;
  struct cn_epochs epochs;
  struct cn_value_states values;
  struct cn_object_graph objects;
  struct cn_stale_words words;
  struct cn_ptrmap live; /* statepoint -> range of its "gc-live" operands (statepoints.c) */
};

/* The safepoint that made a value stale, with the path to the use (witness.c). */
struct cn_stale_witness {
  LLVMValueRef origin;                 /* the stale value that the used value was computed from, or the used value */
  LLVMValueRef statepoint;             /* the statepoint that made the origin stale, or null */
  CN_VECTOR(LLVMBasicBlockRef) blocks; /* the path from the statepoint to the use */
};
/* Find the witness of a value that is used just after instruction `last` in block `b`, or at the start of `b` if `last`
 * is null. */
void cn_witness_find(struct cn_stale_witness *witness, const struct cn_verifier *v, LLVMValueRef value,
                     LLVMValueRef last, uint32_t b);
void cn_witness_free(struct cn_stale_witness *witness);

void cn_verify_stale_uses(struct cn_verifier *v); /* check_uses.c */
void cn_verify_relocates(struct cn_verifier *v);  /* check_bases.c: indices, duplicates, bases */
void cn_verify_allocas(struct cn_verifier *v);    /* check_allocas.c */
void cn_verify_escapes(struct cn_verifier *v);    /* check_escapes.c */
void cn_verify_descriptions(struct cn_verifier *v, LLVMValueRef statepoint); /* check_descriptions.c */
/* check_deopt.c: check the frame records of a call or statepoint, if its bundle "deopt" has any. */
void cn_verify_deopt_records(struct cn_ctx *ctx, LLVMValueRef call);
/* The end of the deopt operands before the tail that begins with the mark; `end` if there is no such tail at `end`. */
uint32_t cn_verify_end_before_tail(LLVMValueRef statepoint, uint64_t mark, uint32_t first, uint32_t end);
void cn_verify_listed_operands(struct cn_verifier *v, LLVMValueRef statepoint); /* check_operands.c */
void cn_verify_explicit_frees(struct cn_verifier *v);                           /* check_freed.c */
/* stale_words.c: check the words that cn_verify_allocas() added. */
void cn_verify_user_words(struct cn_verifier *v);
/* Record that a statepoint lists word `word` of an alloca with `words` words. */
void cn_stale_words_add(struct cn_stale_words *listed, LLVMValueRef alloca, uint64_t word, uint64_t words);
void cn_stale_words_free(struct cn_stale_words *listed);
void cn_verify_polls(struct cn_verifier *v);  /* check_polls.c */
void cn_verify_nopoll(struct cn_verifier *v); /* check_nopoll.c */
void cn_verify_spans(struct cn_verifier *v);  /* check_spans.c */
/* check_polls.c: check a module's definitions against their attributes about polls, and find recursion without a
 * poll. */
void cn_verify_poll_claims(struct cn_ctx *ctx);
void cn_verify_attributes(struct cn_verifier *v); /* check_attributes.c */

/* ---- statepoints.c ---- */

bool cn_is_relocate(LLVMValueRef value);
/* The statepoint of a relocate, or null if the relocate's token is undefined, as in unreachable code. */
LLVMValueRef cn_verify_statepoint_of(LLVMValueRef relocate);
/* The live operand whose index is a relocate's operand 1 (base) or 2 (derived), or null. */
LLVMValueRef cn_verify_listed_operand_of(struct cn_verifier *v, LLVMValueRef relocate, unsigned operand);
/* True if a statepoint must list the references that it passes. */
bool cn_must_list_operands(LLVMValueRef statepoint);
/* A name such as "the call to @foo in line 7", for messages. */
const char *cn_verify_name_statepoint(LLVMValueRef statepoint, char *buffer, size_t size);

#endif
