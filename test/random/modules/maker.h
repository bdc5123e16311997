/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules: what the parts of the generator share.
 *
 * A function has a few variables of each *kind*, first in allocas, which mem2reg makes SSA values
 * and phis. Each step loads variables, does something, and stores variables. A kind says what a
 * value may be used for, so that a module is defined by construction: a node is never null, a
 * cell is the address of a number in some object, and so on. Loops and calls end because both
 * burn fuel. The same seed gives the same module.
 */
#ifndef CN_TEST_RANDOM_MAKER_H
#define CN_TEST_RANDOM_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

enum cn_form {
#define FORM(constant, name, row, where, rules) CN_FORM_##constant,
#include "random/modules/forms.def"
#undef FORM
  CN_FORMS
};
struct cn_form_row {
  const char *name, *row, *rules;
  bool run;
};
extern const struct cn_form_row cn_form_table[CN_FORMS];

enum cn_kind {
  CN_NUMBER,
  CN_REAL,
  CN_NODE,  /* a node: { number, node, node, number }; never null */
  CN_MAYBE, /* a node or null */
  CN_CELL,  /* the address of a number in an object */
  CN_SLOT,  /* the address of a node in an object */
  CN_LONGS, /* CN_LENGTH numbers */
  CN_NODES, /* CN_LENGTH nodes */
  CN_TREE,  /* { number, { node, [2 x node] }, i32, nodes... } */
  CN_PLACE, /* the address of a local that holds a node */
  CN_PLAIN_KINDS,
  CN_PAIR = CN_PLAIN_KINDS, /* { node, number, cell } */
  CN_BOTH,                  /* [2 x { slot }] */
  CN_LANES,                 /* <2 x node> */
  CN_SECTION_KINDS,
  CN_VOID = CN_SECTION_KINDS
};
enum { CN_LENGTH = 8, CN_VARIABLES = 3, CN_PARAMETERS = 7, CN_FUNCTIONS = 8, CN_PADS = 3, CN_BLOCKS = 8, CN_SPANS = 3 };

enum { CN_TAIL = 18, CN_SWIFT_TAIL = 20 }; /* tailcc, swifttailcc */

/* A machine that modules are for. */
struct cn_random_machine {
  const char *triple, *layout;
  const char *add_three, *constraints; /* assembly that adds 3 to a number */
  unsigned conventions[8];             /* of functions; the first five are those of modules that are run */
  bool is_plain_tail;  /* functions of tailcc and swifttailcc get no parameters in memory, which would be refused */
  unsigned call_bytes; /* the length of a call at a point */
  unsigned unit;       /* lengths of points are multiples */
};

struct cn_random_function {
  LLVMValueRef value;
  enum cn_kind params[CN_PARAMETERS], result;
  unsigned count;
};

struct cn_maker {
  uint64_t random, seed;
  uint64_t forms; /* bits of enum cn_form */
  bool run;       /* the module is to be run */
  /* ... as what others are compared with: LLVM 22 miscompiles calls with bundles whose callee is
   * computed (docs/llvm-22.md, "multi-result callees"), so they have none. */
  bool plain;
  const struct cn_random_machine *machine;
  LLVMContextRef llvm;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMTypeRef ref, ptr, i1, i8, i32, i64, f64, none;
  LLVMTypeRef kinds[CN_SECTION_KINDS + 1]; /* the type of a value of each kind */
  LLVMTypeRef node, tree;
  LLVMValueRef fuel, roots[CN_SECTION_KINDS], layouts[CN_SECTION_KINDS];
  struct cn_random_function functions[CN_FUNCTIONS];
  unsigned function_count, point_count;
  LLVMValueRef spans[CN_SPANS]; /* keys of those round the call that is being made */
  /* Of the function that is being made: */
  struct cn_random_function *current;
  LLVMValueRef function;
  LLVMBasicBlockRef end;           /* where it returns */
  LLVMBasicBlockRef pads[CN_PADS]; /* where its invokes unwind to */
  unsigned pad_count;
  LLVMBasicBlockRef blocks[CN_BLOCKS]; /* where it may go on, with fuel; never its entry */
  unsigned block_count;
  LLVMValueRef variables[CN_SECTION_KINDS][CN_VARIABLES];
  unsigned depth; /* of steps within steps */
};

/* ---- machines.c ---- */

/* The machine that RANDOM_MACHINE of the environment names, as in the first word of triples; x86_64 if there is no such
 * variable. */
const struct cn_random_machine *cn_random_machine(void);

/* ---- maker.c ---- */

unsigned cn_below(struct cn_maker *m, unsigned n);
bool cn_chance(struct cn_maker *m, unsigned percent);
static inline bool cn_has(const struct cn_maker *m, enum cn_form form)
{
  return m->forms >> form & 1;
}
void cn_maker_types(struct cn_maker *m);
void cn_maker_globals(struct cn_maker *m);

LLVMValueRef cn_int(struct cn_maker *m, int64_t value);
LLVMBasicBlockRef cn_cfg_block(struct cn_maker *m);
/* A native function of support.c, or of the runtime, declared when it is first wanted. */
LLVMValueRef cn_native(struct cn_maker *m, const char *name);
LLVMValueRef cn_call_native(struct cn_maker *m, const char *name, LLVMValueRef *args, unsigned count);
LLVMValueRef cn_next(struct cn_maker *m);                       /* an i64 that no optimiser knows */
LLVMValueRef cn_next_below(struct cn_maker *m, unsigned power); /* below a power of two */
LLVMValueRef cn_flag(struct cn_maker *m);                       /* an i1 */
void cn_note(struct cn_maker *m, LLVMValueRef number);          /* into the checksum */
void cn_attribute(struct cn_maker *m, LLVMValueRef function, const char *name, const char *value);
LLVMAttributeRef cn_enum_attribute(struct cn_maker *m, const char *name, uint64_t value);

/* A variable of the kind; a value from one; a value into one. */
LLVMValueRef cn_variable(struct cn_maker *m, enum cn_kind kind);
LLVMValueRef cn_get(struct cn_maker *m, enum cn_kind kind);
void cn_set(struct cn_maker *m, enum cn_kind kind, LLVMValueRef value);
/* A kind that modules of these forms have. */
bool cn_kind_used(const struct cn_maker *m, enum cn_kind kind);
enum cn_kind cn_any_kind(struct cn_maker *m);
bool cn_kind_is_ref(enum cn_kind kind); /* a scalar reference */

LLVMValueRef cn_gep(struct cn_maker *m, LLVMTypeRef type, LLVMValueRef from, LLVMValueRef index);
LLVMValueRef cn_offset(struct cn_maker *m, LLVMValueRef from, int64_t bytes);
/* A value of any kind without variables, from the module's roots. */
LLVMValueRef cn_from_roots(struct cn_maker *m, enum cn_kind kind);

/* ---- objects.c, values.c, calls.c ---- */

typedef void cn_step(struct cn_maker *m);
LLVMValueRef cn_new_node(struct cn_maker *m, LLVMValueRef left, LLVMValueRef right);
LLVMValueRef cn_new_array(struct cn_maker *m, enum cn_kind kind, LLVMValueRef node);
LLVMValueRef cn_new_tree(struct cn_maker *m, LLVMValueRef node);
cn_step cn_object_step, cn_value_step, cn_call_step, cn_local_step;
/* Something of a form that the module has. */
cn_step cn_form_step;
/* Any call that may collect. */
void cn_safepoint(struct cn_maker *m);
/* Call `callee` with such values as it wants. */
LLVMValueRef cn_call_function(struct cn_maker *m, const struct cn_random_function *callee, LLVMValueRef target);

/* ---- odd.c, rare.c: forms that are only compiled ---- */
cn_step cn_odd_step, cn_rare_step;

/* ---- points.c: a stackmap or patchpoint ---- */
cn_step cn_point_step;

/* ---- pads.c: where invokes unwind to ---- */
cn_step cn_make_pads, cn_fill_pads;

/* ---- shapes.c ---- */

void cn_steps(struct cn_maker *m, unsigned count);
cn_step cn_burn; /* go on if there is fuel left, else to the end */
/* Variables of all kinds, from the module's roots, which `before` may make first, and from the
 * parameters. */
void cn_make_variables(struct cn_maker *m, cn_step *before);
void cn_make_function(struct cn_maker *m, struct cn_random_function *f);
void cn_declare_function(struct cn_maker *m, struct cn_random_function *f, const char *name);

#endif
