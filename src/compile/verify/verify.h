/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of pass verify-safepoints share. Private to them.
 */
#ifndef CN_COMPILE_VERIFY_VERIFY_H
#define CN_COMPILE_VERIFY_VERIFY_H

#include "base/vector.h"
#include "compile/analysis/cfg.h"

/* ---- check_scalars.c: the scalars of a value, numbered ---- */

#define CN_SCALARS_MOST 256 /* a type of more scalars counts as one scalar */
#define CN_NO_SCALAR UINT32_MAX
uint32_t cn_scalar_count(LLVMTypeRef type);
bool cn_scalars_count_as_one(LLVMTypeRef type);
bool cn_scalar_is_ref(LLVMTypeRef type, uint32_t scalar);

/* The source of scalar `scalar` of an instruction that takes values apart or puts them together (extract and insert,
 * value and element; shuffle): a scalar of an operand. */
struct cn_scalar_source {
  enum {
    CN_SCALAR_UNDEFINED, /* undefined */
    CN_SCALAR_ONE_SOURCE,
    CN_SCALAR_ANY_SOURCE, /* unknown: any scalar of any operand */
  } which;
  unsigned operand;
  uint32_t scalar;
};
struct cn_scalar_source cn_scalar_source(LLVMValueRef instruction, uint32_t scalar);

/* Epochs (epochs.c). An epoch is the time since one safepoint, or since one join of paths
 * that come from different epochs. Every safepoint and every such join starts one, so that at
 * each point of the function exactly one epoch is current: it is SSA numbering of "the last safepoint".
 *
 * All else rests on this fact: if `def` dominates `p` and the same epoch is current at both, no path from `def` to `p`
 * has a safepoint on it; if the epochs differ, some static path has. */
#define CN_EPOCH_NONE 0u
#define CN_EPOCH_ENTRY 1u
#define CN_EPOCH_MIXED UINT32_MAX

struct cn_epochs {
  const struct cn_cfg *cfg;
  uint32_t *in, *out;           /* by block: current at its start (its phis), and when it is left */
  struct cn_ptrmap statepoints; /* statepoint -> the epoch that it starts */
};

/* Each instruction that `is_safepoint` accepts starts an epoch. */
void cn_epochs_build(struct cn_epochs *epochs, const struct cn_cfg *cfg,
                     bool (*is_safepoint)(LLVMValueRef instruction));
bool cn_epochs_is_statepoint(LLVMValueRef instruction);
void cn_epochs_free(struct cn_epochs *epochs);
/* Null, or the fault of the epochs. Each block starts an epoch or continues that of all its predecessors; each
 * statepoint has its own epoch. Linear. */
const char *cn_epochs_wrong(const struct cn_epochs *epochs);
/* The epoch that `instruction` starts if it is a statepoint, else `current`. */
uint32_t cn_epoch_after(const struct cn_epochs *epochs, LLVMValueRef instruction, uint32_t current);

/* The epoch that is current at `instruction`. The epoch of a statepoint starts after it. */
uint32_t cn_epoch_at(const struct cn_epochs *epochs, LLVMValueRef instruction);

/* Values that a safepoint makes stale (stale_values.c): references, aggregates that hold them, statepoint tokens, and
 * integers and unmanaged pointers made of references.
 *
 * The algebra of the proof. Each scalar has a state (epoch, weight). Epochs: NONE, the least, below each single epoch
 * e, below MIXED. Weights: the numbers, and OTHER above all of them; NONE has weight 0. The joins (stale_map.c):
 *
 *     NONE with x                                               x
 *     (e, w) with (e, w)                                        (e, w)
 *     (e, w) with (f, w), f != e; one of them may be MIXED      (MIXED, w)
 *     weight w with weight v, w != v                            weight OTHER
 *     at the start of block b, each input of the epoch that     epoch in[b]
 *       is current at the end of its edge's block
 *     else at b, if an input with an epoch has a back edge      epoch MIXED; otherwise the join of the inputs
 *
 * At b, a reference that is null on its edge counts as current (null_facts.c), and a number that is free of addresses
 * on some edge gets weight OTHER.
 *
 * Transfer: reference arguments are (ENTRY, 1), and a reference that is loaded, returned or made of an unknown integer
 * is (current, 1). A token has the epoch that its statepoint starts, and a relocate its token's state. GEP, cast,
 * freeze and select hand on the join of their operands. A sum adds the weights, a difference subtracts them; a result
 * of weight 0 in one epoch is NONE, a distance. Other arithmetic is the join with weight OTHER (stale_integers.c has
 * the exceptions), and so is a number that such a number chooses (stale_control.c). A safepoint leaves all states as
 * they are and starts an epoch.
 *
 * Checked at each use that computes more than such a state (check_uses.c): its operands are NONE or of the current
 * epoch (cn_values_is_valid_at()). */
struct cn_stale_state {
  uint32_t epoch; /* the epoch of the value's addresses; CN_EPOCH_NONE: never stale; MIXED: several epochs */
  int weight;     /* of integers: references added less references subtracted, or CN_WEIGHT_OTHER; 0 if never stale */
};
#define CN_WEIGHT_OTHER 1000

struct cn_value_states {
  const struct cn_epochs *epochs;
  struct cn_ptrmap map; /* value -> the index of its scalars in `cells`, and their number */
  CN_VECTOR(struct cn_stale_state) cells;
  struct cn_stale_locals {
    struct cn_ptrmap index; /* alloca -> number, from 0 */
    uint32_t count;
    struct cn_stale_state *now; /* per local, during the pass over a block */
    struct cn_stale_state *out; /* per block and local: at the block's end */
    bool changed;               /* in this pass */
  } locals;
  bool first_pass;                /* inputs from back edges are still unknown */
  struct cn_stale_state *control; /* by block: residues of addresses that decide the edge taken into it; null: all
                               branches are free of them */
};

/* ---- stale_map.c ---- */

/* Either of two values. */
struct cn_stale_state cn_stale_join_states(struct cn_stale_state a, struct cn_stale_state b);
/* A value of the same epoch that is other than a sum of references. */
struct cn_stale_state cn_stale_drop_weight(struct cn_stale_state stale);
/* True if the value is valid in this epoch. */
bool cn_values_is_valid_at(const struct cn_stale_state *stale, uint32_t epoch);

struct cn_stale_state cn_values_state_of_scalar(const struct cn_value_states *values, LLVMValueRef value,
                                                uint32_t scalar);
/* Of all scalars together: valid where each of them is valid. */
struct cn_stale_state cn_values_state_of(const struct cn_value_states *values, LLVMValueRef value);
/* Set scalar `scalar` of the `scalars` that the value has. */
void cn_values_set_scalar(struct cn_value_states *values, LLVMValueRef value, uint32_t scalar, uint32_t scalars,
                          struct cn_stale_state stale);
/* Null, or the fault of the map. The scalars of each value lie in `cells`, and their weights are 0, small, or
 * CN_WEIGHT_OTHER. Linear. */
const char *cn_values_wrong(const struct cn_value_states *values);

/* Where edges meet. */
struct cn_edge_join {
  struct cn_stale_state all;
  bool invalid, loops;
  bool plain; /* some edge brings a value free of addresses: then the weights of the inputs do not add up */
};
/* Join the input from block `from` into `b`. */
void cn_join_add_edge(const struct cn_value_states *values, struct cn_edge_join *join, uint32_t from, uint32_t b,
                      struct cn_stale_state stale);
struct cn_stale_state cn_join_result_of(const struct cn_value_states *values, const struct cn_edge_join *join,
                                        uint32_t b);

/* ---- stale_locals.c: addresses in locals that are memory ---- */

/* Find the locals that hold addresses. False if the function has only others, the usual case. */
bool cn_stale_locals_find(struct cn_value_states *values);
/* True if a store to this address is a store to such a local. */
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
/* True for the address of a local, or of a place in one: it stays the same. */
bool cn_is_address_in_local(LLVMValueRef pointer);
/* True if the instruction only hands a stale value on. Such an instruction counts as no use. */
bool cn_values_only_propagates(LLVMValueRef instruction);

/* ---- stale_control.c ---- */
/* Fill in `control` from the branches' conditions. True if it changes. */
bool cn_stale_update_control(struct cn_value_states *values);

/* ---- stale_integers.c ---- */
/* True for an arithmetic instruction or a conversion of numbers. */
bool cn_stale_is_arithmetic(LLVMValueRef instruction);
/* The result of a comparison. */
struct cn_stale_state cn_stale_of_comparison(const struct cn_value_states *values, LLVMValueRef instruction,
                                             uint32_t scalar);
/* True if the comparison of such values has the same result wherever the objects are. */
bool cn_stale_is_move_invariant(LLVMValueRef compare, struct cn_stale_state a, struct cn_stale_state b);
struct cn_stale_state cn_stale_of_arithmetic(const struct cn_value_states *values, LLVMValueRef instruction,
                                             uint32_t scalar);

/* null_facts.c: true if, on each path with a safepoint from the definition of the reference `value` to `at` in `block`,
 * a comparison shows the reference to be null. `at` null: to the end of `block`. */
bool cn_null_facts_excuse_use(const struct cn_value_states *values, LLVMValueRef value, LLVMValueRef at,
                              uint32_t block);

/* ---- reference_origins.c, same_object.c: which references point into one object ---- */

/* A scalar reference. */
struct cn_object_node {
  LLVMValueRef value;
  uint32_t scalar;
  enum {
    CN_OBJECT_ORIGIN, /* names an object by itself */
    CN_OBJECT_FIXED,  /* a constant, or another value that stays in place */
    CN_OBJECT_UNDEFINED,
    CN_OBJECT_COPY,  /* into the object of node `from` */
    CN_OBJECT_MERGE, /* into the object of an input */
  } kind;
  bool moves; /* a copy that may have another address */
  bool start; /* a copy that is its object's start */
  bool null;
  bool inside;    /* may point past its object's start */
  bool unsettled; /* a merge whose class stayed unsettled: it has its own class */
  uint32_t from;
  uint32_t first, count; /* slice of inputs */
  const void *key;       /* the choice between the inputs: a block, or a condition or index */
  uint32_t key_scalar;   /* the scalar of `key` that decides */
  uint32_t class;        /* nodes of one class point into the same object, at one moment */
  uint32_t root;         /* the node at the end of its copies */
  uint32_t block;        /* of the definition; 0 of arguments and constants */
};

struct cn_object_input {
  uint32_t node;
  uint32_t from; /* the block that reads it at its end */
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
/* Null, or the fault of the classified nodes. Sources and inputs are nodes, and copies have their source's class.
 * Linear. */
const char *cn_objects_wrong(const struct cn_object_graph *objects);
const struct cn_object_node *cn_objects_find_node(const struct cn_object_graph *objects, LLVMValueRef value,
                                                  uint32_t scalar); /* null if statepoints do not need it */
/* Find the classes of the nodes, which cn_objects_build() leaves open. */
void cn_objects_classify(struct cn_object_graph *objects);
/* True if the node is proved to point only at memory that stays in place. */
bool cn_objects_is_fixed(const struct cn_object_node *node);
/* True if `base` is proved to point into the object of `derived`, whenever block `b` is run. */
bool cn_objects_prove_same(struct cn_object_graph *objects, const struct cn_object_node *base,
                           const struct cn_object_node *derived, uint32_t b);

/* Locals with words of the language that statepoints list. */
struct cn_stale_words {
  struct cn_ptrmap index; /* alloca -> number in `locals` */
  CN_VECTOR(struct cn_stale_words_of {
    uint64_t *bits; /* one per word of 8 bytes */
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
  struct cn_ptrmap live; /* statepoint -> where its "gc-live" operands are (statepoints.c) */
};

/* How `value` went stale (witness.c). */
struct cn_stale_witness {
  LLVMValueRef origin;                 /* the value that was handed on since, or `value` */
  LLVMValueRef statepoint;             /* the statepoint that made it stale, or null */
  CN_VECTOR(LLVMBasicBlockRef) blocks; /* from there to where `value` is read */
};
/* Find the witness of a value read just after `last` (null: before the first instruction) in block `b`. */
void cn_witness_find(struct cn_stale_witness *witness, const struct cn_verifier *v, LLVMValueRef value,
                     LLVMValueRef last, uint32_t b);
void cn_witness_free(struct cn_stale_witness *witness);

void cn_verify_stale_uses(struct cn_verifier *v); /* check_uses.c */
void cn_verify_relocates(struct cn_verifier *v);  /* check_bases.c: indices, duplicates, bases */
void cn_verify_allocas(struct cn_verifier *v);    /* check_allocas.c */
void cn_verify_escapes(struct cn_verifier *v);    /* check_escapes.c */
void cn_verify_descriptions(struct cn_verifier *v, LLVMValueRef statepoint);    /* check_descriptions.c */
void cn_verify_listed_operands(struct cn_verifier *v, LLVMValueRef statepoint); /* check_operands.c */
void cn_verify_explicit_frees(struct cn_verifier *v);                           /* check_given.c */
/* stale_words.c; the words are those that cn_verify_allocas() met. */
void cn_verify_user_words(struct cn_verifier *v);
/* Note that word `word` of a local of `words` words is listed. */
void cn_stale_words_add(struct cn_stale_words *listed, LLVMValueRef alloca, uint64_t word, uint64_t words);
void cn_stale_words_free(struct cn_stale_words *listed);
void cn_verify_polls(struct cn_verifier *v);  /* check_polls.c */
void cn_verify_nopoll(struct cn_verifier *v); /* check_nopoll.c */
void cn_verify_spans(struct cn_verifier *v);  /* check_spans.c */
/* check_polls.c: the claims of definitions about polls, and recursion without a poll; of a whole module. */
void cn_verify_poll_claims(struct cn_ctx *ctx);
void cn_verify_attributes(struct cn_verifier *v); /* check_attributes.c */

/* ---- statepoints.c ---- */

bool cn_is_relocate(LLVMValueRef value);
/* The statepoint of a relocate, or null: its token may be undefined in code that never runs. */
LLVMValueRef cn_verify_statepoint_of(LLVMValueRef relocate);
/* The live operand that a relocate's operand 1 (base) or 2 (derived) stands for, or null. */
LLVMValueRef cn_verify_listed_operand_of(struct cn_verifier *v, LLVMValueRef relocate, unsigned operand);
/* True if a statepoint must list the references that it passes. */
bool cn_must_list_operands(LLVMValueRef statepoint);
/* "the call to @foo in line 7", for messages. */
const char *cn_verify_name_statepoint(LLVMValueRef statepoint, char *buffer, size_t size);

#endif
