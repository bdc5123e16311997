/* SPDX-License-Identifier: Apache-2.0
 *
 * The compiler of tiny: byte code to LLVM IR, one function and the functions put in line into it at a time. Private to
 * tiny/jit. All of it is native code; a compilation belongs to one thread, and reads the program's native tables
 * (bytecode.h), which change meanwhile: a body is a copy, so that all steps see the same code and feedback.
 *
 * An *instance* is an activation that the compiled code stands for: the function itself, or a function in line. A
 * *variable* is a register of an instance at a place of the emission: an LLVM value in one of several representations.
 */
#ifndef TINY_JIT_UNIT_H
#define TINY_JIT_UNIT_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include "tiny/code/bytecode.h"
#include "tiny/jit/jit.h"

/* ---- bodies: control flow and liveness of a function ---- */

/* A set of registers. */
struct tj_set {
  uint64_t word[4];
};

static inline bool tj_set_has(const struct tj_set *set, unsigned reg)
{
  return set->word[reg / 64] >> (reg % 64) & 1;
}

static inline void tj_set_add(struct tj_set *set, unsigned reg)
{
  set->word[reg / 64] |= UINT64_C(1) << (reg % 64);
}

struct tj_block {
  uint32_t start, end;   /* words of the code */
  uint32_t predecessors; /* from reachable blocks, handlers' throwing instructions not counted */
  bool reachable, header;
  struct tj_set written; /* of a header: the registers that the blocks of its loops write */
};

struct tj_body {
  const struct tiny_op_row *rows;
  const struct tiny_tables *tables;
  const struct tiny_function *function;
  uint32_t words, entry; /* execution begins at the word `entry`: 0, or a loop's header */
  uint32_t *code, *feedback;
  struct tj_set *live; /* by word: the registers that are live before the instruction there */
  uint32_t *block_at;  /* by word: number of the block that begins there + 1 */
  uint32_t block_count;
  struct tj_block *blocks;
  uint32_t order_count;
  uint32_t *order; /* reachable blocks in reverse postorder */
  struct tj_body *next;
};

/* Makes a body; free it with tj_body_free(). */
struct tj_body *tj_body_new(const struct tj_host *host, const struct tiny_tables *tables,
                            const struct tiny_function *function, uint32_t entry);
void tj_body_free(struct tj_body *body);

/* The words of the instruction at `at`. */
uint32_t tj_words_at(const struct tj_body *body, uint32_t at);

/* The registers that the instruction at `at` reads and writes. */
void tj_operands(const struct tj_body *body, uint32_t at, struct tj_set *reads, struct tj_set *writes);

/* The target of the jump at `at`, or UINT32_MAX if it does not jump. */
uint32_t tj_jump_target(const struct tj_body *body, uint32_t at);

/* The innermost region with a handler at `at`, or null. */
const struct tiny_try *tj_handler_at(const struct tj_body *body, uint32_t at);

/* ---- representations ---- */

enum tj_rep {
  TJ_NONE,  /* undefined or dead */
  TJ_WORD,  /* a value as the program has it: ptr addrspace(1) */
  TJ_INT,   /* an integer, shifted left by 3: i64, the word without its last bit */
  TJ_FLOAT, /* double */
  TJ_BOOL,  /* i1 */
};

enum { TJ_ANY_KIND = 255 }; /* an object, of a kind that is not known */

struct tj_var {
  enum tj_rep rep;
  LLVMValueRef v;
  bool is_constant; /* from a global that keeps its value */
  uint8_t kind;     /* enum tiny_kind, if the word is known to be such an object; TJ_ANY_KIND; or 0 */
  uint32_t symbol;  /* 0, or the value is the string of this symbol */
  const struct tiny_function *function; /* null, or the value is a closure of it, by assumption */
};

/* ---- a compilation ---- */

struct tj_edge {
  LLVMBasicBlockRef from; /* ends without terminator until the target is emitted */
  struct tj_var *regs;
  struct tj_edge *next;
};

struct tj_instance {
  struct tj_body *body;
  struct tj_instance *parent; /* null: the compiled function */
  uint32_t parent_at;         /* the call in the parent */
  uint64_t path;              /* names the instance in all attempts */
  unsigned depth;
  LLVMValueRef constructed;  /* the result of the pending call in place of the callee's; else null */
  bool dead;                 /* the block has ended */
  struct tj_var *regs, self; /* the state before the current instruction; the closure */
  uint32_t at;
  LLVMBasicBlockRef leaves[TJ_REASONS]; /* from the current instruction to the interpreter; or null */
  LLVMBasicBlockRef *blocks;            /* by block of the body */
  struct tj_edge **edges;               /* into blocks not emitted yet */
  struct tj_header **headers;           /* of loop headers that were emitted: their phis */
  struct tj_edge *returns;
};

struct tj_header {
  LLVMValueRef *phis; /* by register, or null */
  enum tj_rep *reps;
};

enum { TJ_MAX_FORCED = 512 };

struct tj_forced {
  uint64_t path;
  uint32_t block;
  uint8_t reg;
};

struct tj_unit {
  const struct tj_host *host;
  const struct tj_request *request;
  LLVMContextRef llvm;
  LLVMModuleRef module;
  LLVMBuilderRef b;
  LLVMValueRef function;
  LLVMTypeRef i1, i8, i32, i64, f64, ref, ptr, nothing;
  LLVMMetadataRef tbaa_root;
  unsigned kind_tbaa, kind_prof;
  LLVMValueRef cold, tbaa[8];
  struct tj_body *bodies;
  struct tj_forced forced[TJ_MAX_FORCED]; /* registers of loop headers that are words */
  unsigned forced_count;
  bool again; /* a header's assumption failed: emit again */
  bool failed;
  uint32_t inlined_words;
  uint8_t *assumed; /* by global: the code assumes its value */
};

/* ---- ir.c ---- */
void tj_ir_begin(struct tj_unit *u, const char *name);
LLVMValueRef tj_i64(struct tj_unit *u, int64_t n);
LLVMValueRef tj_i32(struct tj_unit *u, uint32_t n);
LLVMBasicBlockRef tj_block(struct tj_unit *u, const char *name);
void tj_at(struct tj_unit *u, LLVMBasicBlockRef block);
LLVMBasicBlockRef tj_here(struct tj_unit *u);
/* A call of the program's function `name` of runtime.def. */
LLVMValueRef tj_call_runtime(struct tj_unit *u, enum tj_runtime name, LLVMValueRef *arguments);
/* The same, of a function that may run code of the program: the call has records. */
LLVMValueRef tj_call_program(struct tj_unit *u, struct tj_instance *in, enum tj_runtime name, LLVMValueRef *arguments);
/* Calls "cairn.tag." functions. */
LLVMValueRef tj_tag_from(struct tj_unit *u, LLVMValueRef payload);
LLVMValueRef tj_tag_value(struct tj_unit *u, LLVMValueRef word);
LLVMValueRef tj_tag_is(struct tj_unit *u, LLVMValueRef word);
/* Accesses of memory, by the kind of data. */
enum tj_memory { TJ_HEADER, TJ_SLOT, TJ_LENGTH, TJ_ITEMS, TJ_ELEMENT, TJ_FIXED, TJ_CELL, TJ_NATIVE };
LLVMValueRef tj_offset(struct tj_unit *u, LLVMValueRef object, int64_t offset);
LLVMValueRef tj_load(struct tj_unit *u, LLVMTypeRef type, LLVMValueRef object, int64_t offset, enum tj_memory memory);
void tj_store(struct tj_unit *u, LLVMValueRef value, LLVMValueRef object, int64_t offset, enum tj_memory memory);
LLVMValueRef tj_load_at(struct tj_unit *u, LLVMTypeRef type, LLVMValueRef address, enum tj_memory memory);
void tj_store_at(struct tj_unit *u, LLVMValueRef value, LLVMValueRef address, enum tj_memory memory);
/* The program's memory outside of the heap, by address or by offset from the thread pointer. */
LLVMValueRef tj_native_address(struct tj_unit *u, const void *address);
LLVMValueRef tj_thread_local_address(struct tj_unit *u, int64_t offset);
LLVMValueRef tj_load_thread_local(struct tj_unit *u, LLVMTypeRef type, int64_t offset);
LLVMValueRef tj_stack_pointer(struct tj_unit *u);
LLVMValueRef tj_return_address(struct tj_unit *u);
void tj_attribute(struct tj_unit *u, LLVMValueRef value, const char *name);
LLVMValueRef tj_intrinsic(struct tj_unit *u, const char *name, LLVMTypeRef overload, LLVMValueRef *arguments,
                          unsigned count);
const char *tj_runtime_name(enum tj_runtime name);
/* A branch whose second target is rare. */
void tj_branch_likely(struct tj_unit *u, LLVMValueRef condition, LLVMBasicBlockRef likely, LLVMBasicBlockRef rare);

/* ---- values.c: representations ---- */
struct tj_var tj_word(LLVMValueRef v);
struct tj_var tj_object(LLVMValueRef v, unsigned kind);
struct tj_var tj_int(LLVMValueRef v);
struct tj_var tj_float(LLVMValueRef v);
struct tj_var tj_bool(LLVMValueRef v);
LLVMValueRef tj_special(struct tj_unit *u, unsigned number);
LLVMValueRef tj_nil(struct tj_unit *u);
/* The value as a word; may emit blocks. */
LLVMValueRef tj_box(struct tj_unit *u, struct tj_var var);
LLVMValueRef tj_phi2(struct tj_unit *u, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                     LLVMBasicBlockRef from_b);
/* The register as a word, an integer or a float; guards that it is one, and keeps the representation. */
LLVMValueRef tj_reg_word(struct tj_unit *u, struct tj_instance *in, unsigned reg);
LLVMValueRef tj_reg_int(struct tj_unit *u, struct tj_instance *in, unsigned reg);
/* A number as a double. `*integer`, an i1 or null for false, tells if it was an integer. */
LLVMValueRef tj_reg_number(struct tj_unit *u, struct tj_instance *in, unsigned reg, LLVMValueRef *integer);
/* Guards that a word is a float, and unboxes it. */
void tj_unbox_float(struct tj_unit *u, struct tj_instance *in, unsigned reg);
LLVMValueRef tj_is_integer(struct tj_unit *u, LLVMValueRef word);
LLVMValueRef tj_is_flat(struct tj_unit *u, LLVMValueRef word);
/* i1: an object of the kind. */
LLVMValueRef tj_is_kind(struct tj_unit *u, struct tj_var var, uint32_t kind);
/* i1: a reference to an object. */
LLVMValueRef tj_is_reference(struct tj_unit *u, LLVMValueRef word);
LLVMValueRef tj_is_true(struct tj_unit *u, struct tj_var var);

/* ---- state.c: edges, joins and frame records ---- */
void tj_set_reg(struct tj_instance *in, unsigned reg, struct tj_var var);
/* Goes to the block at word `to` with the current state. Ends the current LLVM block. */
void tj_go(struct tj_unit *u, struct tj_instance *in, uint32_t to);
/* Begins the emission of a block: its state is the join of its edges. False: nothing reaches it. */
bool tj_begin_block(struct tj_unit *u, struct tj_instance *in, uint32_t block);
/* Continues if the condition holds, and leaves for the interpreter if not. */
void tj_guard(struct tj_unit *u, struct tj_instance *in, LLVMValueRef condition, enum tj_reason reason);
/* Leaves for the interpreter. */
void tj_leave(struct tj_unit *u, struct tj_instance *in, enum tj_reason reason);
/* True if guards of this reason are allowed at the place, which failed rarely so far. */
bool tj_speculates(struct tj_unit *u, struct tj_instance *in, enum tj_reason reason);
LLVMOperandBundleRef tj_records(struct tj_unit *u, struct tj_instance *in, bool pending);

void tj_free_edges(struct tj_edge *edges);
void tj_free_header(struct tj_header *header);

/* ---- operations: each emits an instruction, or returns false for others ---- */
bool tj_emit_arithmetic(struct tj_unit *u, struct tj_instance *in, uint32_t word);
bool tj_emit_compare(struct tj_unit *u, struct tj_instance *in, uint32_t word);
bool tj_emit_object(struct tj_unit *u, struct tj_instance *in, uint32_t word);
bool tj_emit_call(struct tj_unit *u, struct tj_instance *in, uint32_t word);
/* The result of a call that may have thrown. */
LLVMValueRef tj_check_thrown(struct tj_unit *u, struct tj_instance *in, LLVMValueRef result);
void tj_emit_instance(struct tj_unit *u, struct tj_instance *in);
void tj_return(struct tj_unit *u, struct tj_instance *in, struct tj_var value);
LLVMValueRef tj_guard_reference(struct tj_unit *u, struct tj_instance *in, unsigned reg, enum tj_reason reason);
LLVMValueRef tj_guard_kind(struct tj_unit *u, struct tj_instance *in, unsigned reg, uint32_t kind,
                           enum tj_reason reason);
/* The kind of the objects of a shape. */
uint32_t tj_kind_of_shape(uint32_t shape);
/* The register's word, if it has one, is known to be an object of the kind from here on. */
void tj_note_kind(struct tj_instance *in, unsigned reg, uint32_t kind);
/* A new array of `count` registers from `first` on. */
LLVMValueRef tj_new_array(struct tj_unit *u, struct tj_instance *in, unsigned first, unsigned count);
LLVMValueRef tj_new_instance(struct tj_unit *u, const struct tj_body *body, uint32_t shape);

/* ---- emit.c ---- */
struct tj_instance *tj_instance_new(struct tj_body *body, struct tj_instance *parent);
void tj_instance_free(struct tj_instance *in);
/* Compiles a request to a module with a function of this name, or null. `assumed` gets the globals whose values the
 * code assumes. */
LLVMModuleRef tj_emit(const struct tj_host *host, const struct tj_request *request, LLVMContextRef llvm,
                      const char *name, uint8_t *assumed);

/* ---- session.c ---- */
struct tj_function *tj_data_of(struct tiny_function *function, const struct tj_host *host);

#endif
