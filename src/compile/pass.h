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
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>

#define CN_ERRORS_TOLD 64 /* places of which an error is not told again */

/* One run over one module. Passes keep no other state (no file-scope variables). */
struct cn_ctx {
  LLVMModuleRef module;
  LLVMContextRef llvm;
  LLVMTargetDataRef layout;      /* owned by the module */
  LLVMTargetMachineRef machine;  /* may be null for a single pass */
  const struct cairn_compile_options *options;
  unsigned errors;               /* CAIRN_ERRORs reported so far */
  /* Of the last of them that were told of a place in the source (diagnose.c). */
  uint64_t told[CN_ERRORS_TOLD];
};

/* The attribute index of a function itself; LLVM-C gives it as a negative int. */
#define CN_FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* A pass: true if no error was reported. Each file opens with needs / provides / breaks. */
typedef bool cn_pass(struct cn_ctx *ctx);

/* The passes, as pipeline.c orders them for late insertion. Behind the name, the files that are
 * part of it and the header that these share. */
cn_pass cn_rules;       /* rules: rules*.c, atomics.c; rules.h */
cn_pass cn_prepare;     /* prepare: prepare.c, native*.c, copies.c, tags.c, spans_prepare.c,
                           callee_promises.c, user_words.c; prepare.h, native.h, tags.h,
                           user_roots.h */
cn_pass cn_restore;     /* restore-references: restore.c, integers.c, hidden.c; prepare.h */
cn_pass cn_layouts;     /* layouts: layouts.c; layouts.h; layout_compare.c for prepare */
cn_pass cn_allocate;    /* allocate: allocate.c */
cn_pass cn_route_calls; /* route-calls: transitions.c, thunk.c, results.c; thunk.h, results.h */
cn_pass cn_slots;       /* check-stores: slots.c; slots.h */
cn_pass cn_place;       /* place-safepoints: place.c, poll.c, user_poll.c, sites.c, selects.c, returns.c,
                           regions.c, funclets.c, longcalls*.c, early.c; of the call graph:
                           infer.c, callgraph.c, entries.c, weights.c, import.c; of loops:
                           loop_forms.c, chunk.c, chunk_find.c, twin.c, nest.c, unroll.c, clone.c,
                           steps.c; of the rest: ascent.c, ways_back.c, excess.c; and the headers of
                           these names */
cn_pass cn_rewrite;     /* rewrite-statepoints, in the order of its steps: statepoints.c;
                           refuse*.c, areas*.c; special_calls.c; strip.c, promises.c, undefined.c;
                           forms.c, stack_objects.c, merge_locals.c; tail.c, tail_position.c;
                           idle_phis.c, unreachable.c, phis.c, refs.c, pointer_bases.c, addresses.c; aggregates*.c; unwind.c, pads.c,
                           slot_mode.c, demote.c, hulls.c, pairs.c; liveness.c; compare.c; bases*.c,
                           sources.c; described.c, user_roots.c; spans.c, spans_set.c, spans_table.c;
                           operands.c, statepoint_call.c, statepoint_attributes.c,
                           templates.c; relocate.c, places.c, recompute.c; spaces.c; and the
                           headers of these names, rewrite.h, emitter.h */
cn_pass cn_unwrap;      /* strip-statepoints: unwrap*.c; unwrap.h */
cn_pass cn_inline;      /* inline-statepoints: inline.c; unwrap.h */
cn_pass cn_differences; /* lower-differences: differences.c; differences.h */
cn_pass cn_verify;      /* verify-safepoints: verify*.c; verify.h */
cn_pass cn_verify_unmanaged; /* verify-unmanaged: verify_unmanaged.c; verify.h, rules.h */
cn_pass cn_markers;     /* drop-markers: drop_markers.c, markers.c, regions.c */
cn_pass cn_tail_pass;   /* tail-calls: tail_widen.c, tail_memory.c; tail.h */
cn_pass cn_call_targets; /* call-targets: call_targets.c, rebuild.c, bridges.c, tail_frames.c;
                            call_targets.h; retype.c, which tail-calls uses, too */
cn_pass cn_transitions; /* transitions: both of these at once */
cn_pass cn_slow_paths;  /* slow-paths: slow_paths.c */
cn_pass cn_globals;     /* globals: globals.c */

/* For all of them: calls.h with leaves.c (which calls are safepoints), cfg.h and loops.h with
 * trips.c (control flow), work.h with costs.c, assembly.c, arrivals.c, work.c and cycles.c (how
 * long code runs), types.h and managed.c (what IR says of types), convention.h with convention_x86_64.c, emit.h and names.h with
 * numbers.c (IR to emit, and its names), diagnose.c, diagnostics.c and summary.c, stopwatch.h; guard.h (no link without frame maps).
 * print.c prints the analyses; pipeline.c, lto.c with flags.c, front_door.c, in_memory.c and
 * settings.c are what include/cairn/compile.h declares.
 */

/* Run a pass on a copy of the module first, and on the module if that worked (rehearse.c). */
bool cn_rehearse(struct cn_ctx *ctx, cn_pass *run);

/* Is an optimisation of relocations wanted (options->relocations_off)? */
static inline bool cn_relocation_on(const struct cn_ctx *ctx, enum cairn_relocation which)
{
  return !(ctx->options->relocations_off >> which & 1);
}

/* ---- diagnostics (diagnose.c) ---- */

/* Report; `at` is an instruction (its debug location and function are used), a function, a
 * global or null. */
void cn_report(struct cn_ctx *ctx, enum cairn_severity severity, LLVMValueRef at, const char *rule,
               const char *format, ...) __attribute__((format(printf, 5, 6)));
#define cn_error(ctx, at, rule, ...) cn_report(ctx, CAIRN_ERROR, at, rule, __VA_ARGS__)

/* Tell what a pass did or decided, for -fcairn-report; nothing is computed if nobody wants to know.
 * `at` is where in the source it is (an instruction, best the loop's or the call's) or the
 * function. The rules of remarks are listed in docs/refused.md. */
#define cn_remark(ctx, at, rule, ...)                             \
  do {                                                            \
    if ((ctx)->options->report)                                   \
      cn_report(ctx, CAIRN_REMARK, at, rule, __VA_ARGS__);        \
  } while (0)

/* One remark per managed function on what safepoints it has, if reports are wanted (summary.c). */
void cn_summarise(struct cn_ctx *ctx);

/* Did LLVM's pass succeed? Consumes `error`, which becomes a diagnostic. */
bool cn_llvm_ok(struct cn_ctx *ctx, LLVMValueRef at, LLVMErrorRef error);

/* What an error is about, besides where: values, and blocks on the way from one to the other. */
struct cn_finding {
  LLVMValueRef value, other; /* may be null */
  const LLVMBasicBlockRef *path;
  size_t path_count;
};
void cn_error_finding(struct cn_ctx *ctx, LLVMValueRef at, const char *rule,
                      const struct cn_finding *finding, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A value for messages: "%name", "@name" or its printed form cut short; into the caller's
 * buffer. */
const char *cn_value_name(LLVMValueRef value, char *buffer, size_t size);

/* ---- types, functions, calls (managed.c) ---- */

/* A pointer in a managed address space: those of options->address_spaces while a pass runs. */
bool cn_is_ref(LLVMTypeRef type);
struct cn_spaces {
  const unsigned *at;
  size_t count;
};
/* Round each run of a pass: what cn_is_ref() goes by in this thread. */
struct cn_spaces cn_spaces_enter(const struct cairn_compile_options *options);
void cn_spaces_leave(struct cn_spaces before);
bool cn_is_ref_vector(LLVMTypeRef type);  /* vector of references, fixed or scalable */
/* A reference, or a vector, array or struct with one in it. */
bool cn_holds_ref(LLVMTypeRef type);
/* A scalable vector, or something with one in it: its size is not known. */
bool cn_is_scalable(LLVMTypeRef type);
/* An instruction that gives the address of a pointer as an integer: ptrtoint, or ptrtoaddr, which
 * is new in LLVM 22. */
bool cn_takes_address(LLVMValueRef instruction);
/* Does `value` itself, a reference, never move: "cairn-immovable" on a parameter, on a call or its
 * callee as an attribute of what it returns, or !cairn.immovable on a load
 * (late-insertion-slides-2014, "When relocation isn't needed": pinned objects)? What is derived
 * from such references alone does not move either. */
bool cn_is_immovable(LLVMValueRef value);
/* The address of a local, cast to another address space: what stack_objects.c makes. */
bool cn_is_local_cast(LLVMValueRef value);
/* Has the gc strategy "statepoint-example" or "coreclr", or the attribute "cairn". */
bool cn_is_managed(LLVMValueRef function);
bool cn_is_strategy(const char *gc); /* "statepoint-example" or "coreclr" */
/* A function's string attribute `name`, or null. */
LLVMAttributeRef cn_string_attribute(LLVMValueRef function, const char *name);

/* Intrinsic helpers: the declaration for `name` overloaded on `types`, and "is this a call to
 * intrinsic `name`". */
LLVMValueRef cn_intrinsic(struct cn_ctx *ctx, const char *name, LLVMTypeRef *types, size_t count);
bool cn_calls_intrinsic(LLVMValueRef instruction, const char *name);
bool cn_calls_some_intrinsic(LLVMValueRef call);
/* The function that `call` names directly, or null (indirect, inline assembly). */
LLVMValueRef cn_direct_callee(LLVMValueRef call);

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
  const char *why; /* for --print=calls: "attribute nocallback", "table: ...", ... */
};
/* The one answer to "is this call a leaf". Never by a name's likeness to the C library's: by
 * attribute ("gc-leaf-function", nocallback), by being an intrinsic that is expanded in line, by
 * inline assembly, or by the explicit table in leaves.def, each entry with a reason, which holds
 * only for declarations without references. */
struct cn_call_class cn_classify_call(LLVMValueRef instruction);

/* ---- control flow (cfg.c) ---- */

/* Split the block of `at` before it: the tail gets a new block, returned; successors' phis are
 * right; the old block ends in a branch to the tail. What is an alloca of fixed size in the entry
 * block stays in it. */
LLVMBasicBlockRef cn_split_before(struct cn_ctx *ctx, LLVMValueRef at, const char *name);
/* Move an instruction to just before another; it keeps its name and debug location. */
void cn_move_before(struct cn_ctx *ctx, LLVMValueRef instruction, LLVMValueRef before);

#endif
