/* SPDX-License-Identifier: Apache-2.0
 *
 * What every pass of the compile side shares: the context, diagnostics, and the questions about
 * types, functions and calls that must have one answer. Private to src/compile.
 */
#ifndef CN_COMPILE_PASS_H
#define CN_COMPILE_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include <cairn/compile.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/* One run over one module. Passes keep no other state (no file-scope variables). */
struct cn_ctx {
  LLVMModuleRef module;
  LLVMContextRef llvm;
  LLVMTargetDataRef layout;      /* owned by the module */
  LLVMTargetMachineRef machine;  /* may be null for a single pass */
  const struct cairn_compile_options *options;
  unsigned errors;               /* CAIRN_ERRORs reported so far */
};

/* The attribute index of a function itself; LLVM-C gives it as a negative int. */
#define CN_FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* A pass: true if no error was reported. Each file opens with needs / provides / breaks. */
typedef bool cn_pass(struct cn_ctx *ctx);

cn_pass cn_prepare;     /* prepare.c    managed functions marked, differences opaque, locals promoted */
cn_pass cn_rules;       /* rules.c      source rules, on unoptimised IR */
cn_pass cn_restore;     /* restore.c    integers that the optimiser made of copied references */
cn_pass cn_layouts;     /* layouts.c    allocation calls get struct cairn_layout constants */
cn_pass cn_allocate;    /* allocate.c   inline bump allocation */
cn_pass cn_transitions; /* transitions.c  calls that may reach native code go through stubs; marks on managed functions */
cn_pass cn_slots;       /* slots.c      stores of references to ordinary memory checked */
cn_pass cn_place;       /* place.c      polls */
cn_pass cn_define;      /* undefined.c  undefined references become null */
cn_pass cn_rewrite;     /* statepoints.c  gc.statepoint, gc.result, gc.relocate */
cn_pass cn_differences; /* prepare.c    cairn.ptrdiff back to integers */
cn_pass cn_verify;      /* verify.c     the relocation invariant */
cn_pass cn_slow_paths;  /* slow_paths.c  short ways to the runtime's stubs */
cn_pass cn_globals;     /* globals.c    roots in globals, the image constructor */

void cn_define_function(LLVMValueRef function); /* pass cn_define on one function */

/* ---- diagnostics (diagnose.c) ---- */

/* Report; `at` is an instruction (its debug location and function are used), a function, a
 * global or null. */
void cn_report(struct cn_ctx *ctx, enum cairn_severity severity, LLVMValueRef at, const char *rule,
               const char *format, ...) __attribute__((format(printf, 5, 6)));
#define cn_error(ctx, at, rule, ...) cn_report(ctx, CAIRN_ERROR, at, rule, __VA_ARGS__)

/* A value for messages: "%name", "@name" or its printed form cut short; into the caller's
 * buffer. */
const char *cn_value_name(LLVMValueRef value, char *buffer, size_t size);

/* ---- types and values (managed.c) ---- */

bool cn_is_ref(LLVMTypeRef type);         /* ptr addrspace(1) */
bool cn_is_ref_vector(LLVMTypeRef type);  /* vector of references, fixed or scalable */
bool cn_holds_ref(LLVMTypeRef type);      /* a reference, or a vector, array or struct with one in it */
bool cn_is_managed(LLVMValueRef function); /* gc strategy "statepoint-example" or "coreclr", or attribute "cairn" */

/* ---- calls (calls.c) ---- */

enum cn_call_kind {
  CN_CALL_NOT,      /* not a call */
  CN_CALL_LEAF,     /* never reaches a safepoint: stays a plain call */
  CN_CALL_PARSE,    /* a parse point */
  CN_CALL_MUSTTAIL, /* not a parse point: the frame is gone */
  CN_CALL_STATEPOINT, /* llvm.experimental.gc.statepoint: rewritten already */
};
struct cn_call_class {
  enum cn_call_kind kind;
  const char *why; /* for --explain-calls and --print=calls: "attribute nocallback", "table: ...", ... */
};
/* The one answer to "is this call a leaf". Never by a name's likeness to the C library's: by
 * attribute ("gc-leaf-function", nocallback), by being an intrinsic that is expanded in line, by
 * inline assembly, or by the explicit table in calls.c, each entry with a reason, which holds
 * only for declarations without references. */
struct cn_call_class cn_classify_call(LLVMValueRef instruction);

/* Intrinsic helpers: the declaration for `name` overloaded on `types`, and "is this a call to
 * intrinsic `name`". */
LLVMValueRef cn_intrinsic(struct cn_ctx *ctx, const char *name, LLVMTypeRef *types, size_t count);
bool cn_calls_intrinsic(LLVMValueRef instruction, const char *name);
/* The function that `call` names directly, or null (indirect, inline assembly). */
LLVMValueRef cn_direct_callee(LLVMValueRef call);

/* ---- control flow (cfg.c) ---- */

/* Split the block of `at` before it: the tail gets a new block, returned; successors' phis are
 * right; the old block ends in a branch to the tail. */
LLVMBasicBlockRef cn_split_before(struct cn_ctx *ctx, LLVMValueRef at, const char *name);
/* Move an instruction to just before another; it keeps its name and debug location. */
void cn_move_before(struct cn_ctx *ctx, LLVMValueRef instruction, LLVMValueRef before);

#endif
