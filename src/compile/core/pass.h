/* SPDX-License-Identifier: Apache-2.0
 *
 * The basis of every pass of the compile side: the context, diagnostics, and properties of types, functions and calls
 * that all passes must decide alike. Private to src/compile.
 */
#ifndef CN_COMPILE_CORE_PASS_H
#define CN_COMPILE_CORE_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include <cairn/compile.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include "base/check.h"
#include "compile/core/llvm_version.h"

#define CN_ERRORS_TOLD 64 /* places whose last errors are kept, to avoid a second report */

struct cn_record_layouts;

/* The context of one run over one module. A pass has no other state, except caches of constants and the managed address
 * spaces (references.c). */
struct cn_ctx {
  LLVMModuleRef module;
  LLVMContextRef llvm;
  LLVMTargetDataRef layout;     /* owned by the module */
  LLVMTargetMachineRef machine; /* may be null for a single pass */
  const struct cairn_compile_options *options;
  const struct cn_record_layouts *records; /* the records of C during pass `rules`, or null */
  unsigned errors;                         /* CAIRN_ERRORs reported so far */
  bool broken;                             /* an error of rule "internal" or "invalid-ir" was reported */
  unsigned layout_names;                   /* the last number in the name of a global with names of a layout */
  /* Hashes of the last errors that were reported for a place in the source (diagnose.c). */
  uint64_t told[CN_ERRORS_TOLD];
};

/* The attribute index of a function, which LLVM-C declares as a negative int. */
#define CN_FUNCTION_INDEX ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* A pass returns true if it succeeded without errors. The file of each pass opens with Needs, Provides and Breaks. */
typedef bool cn_pass_function(struct cn_ctx *ctx);

#define CN_PASS(name, function, room, properties, help) cn_pass_function function;
#include "compile/core/passes.def"
#undef CN_PASS

/* Run a pass on a copy of the module, and on the module itself if the first run succeeded (dry_run.c). */
bool cn_dry_run(struct cn_ctx *ctx, cn_pass_function *run);

/* The names of the kinds in options: "cards", ... (emitted_names.c) */
extern const char *const cn_barrier_kind_names[CAIRN_BARRIERS_KINDS];
/* The marks of the kinds on functions and images. A kind gets another mark when the guarantees of its code change. */
extern const char *const cn_barrier_kind_marks[CAIRN_BARRIERS_KINDS];

static inline const char *cn_name_of_barrier_kind(enum cairn_barriers kind)
{
  CN_CHECK((unsigned)kind < CAIRN_BARRIERS_KINDS);
  return cn_barrier_kind_names[kind];
}

static inline const char *cn_mark_of_barrier_kind(enum cairn_barriers kind)
{
  CN_CHECK((unsigned)kind < CAIRN_BARRIERS_KINDS);
  return cn_barrier_kind_marks[kind];
}

/* The largest block that is allocated in line, a multiple of 8; 0 turns inline allocation off. */
static inline uint64_t cn_max_inline_bytes(const struct cn_ctx *ctx)
{
  uint64_t bytes = ctx->options->inline_max;

  return bytes == 0 || bytes > CAIRN_ABI_INLINE_ALLOC_MAX ? CAIRN_ABI_INLINE_ALLOC_MAX : bytes & ~(uint64_t)7;
}

static inline bool cn_is_relocation_option_on(const struct cn_ctx *ctx, enum cairn_relocation which)
{
  return !(ctx->options->relocations_off >> which & 1);
}

static inline bool cn_is_placement_option_on(const struct cn_ctx *ctx, enum cairn_placement which)
{
  return !(ctx->options->placements_off >> which & 1);
}

/* ---- diagnostics (diagnose.c) ---- */

/* Report a diagnostic. `at` is null, a function, a global, or an instruction, whose debug location and function are
 * used. */
void cn_report(struct cn_ctx *ctx, enum cairn_severity severity, LLVMValueRef at, const char *rule, const char *format,
               ...) __attribute__((format(printf, 5, 6)));
#define cn_error(ctx, at, rule, ...) cn_report(ctx, CAIRN_ERROR, at, rule, __VA_ARGS__)

/* Report an action or decision of a pass, for -fcairn-report. Without this option, the arguments stay unevaluated. `at`
 * is the function, or an instruction that gives the place in the source, preferably of a loop or call. docs/refused.md
 * lists the rules of remarks. */
#define cn_remark(ctx, at, rule, ...) \
  do { \
    if ((ctx)->options->report) \
      cn_report(ctx, CAIRN_REMARK, at, rule, __VA_ARGS__); \
  } while (0)

/* Make one remark per managed function about its safepoints, if reports are wanted (report.c). */
void cn_remark_on_functions(struct cn_ctx *ctx);

/* True if LLVM's pass succeeded. The function consumes `error` and reports it. */
bool cn_check_llvm_error(struct cn_ctx *ctx, LLVMValueRef at, LLVMErrorRef error);

/* Run LLVM's passes over the module, with their default options. */
bool cn_run_llvm_passes(struct cn_ctx *ctx, const char *passes);

/* The subject of an error: two values, and the blocks on a path between them. */
struct cn_finding {
  LLVMValueRef value, other; /* may be null */
  const LLVMBasicBlockRef *path;
  size_t path_count;
};
void cn_report_finding(struct cn_ctx *ctx, LLVMValueRef at, const char *rule, const struct cn_finding *finding,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Writes a value's name to `buffer` for messages: "%name", "@name", or the start of the printed value. */
const char *cn_value_name(LLVMValueRef value, char *buffer, size_t size);

/* ---- types, functions, calls (references.c) ---- */

/* True if `type` is a pointer in a managed address space: one of options->address_spaces while a pass runs. */
bool cn_is_ref(LLVMTypeRef type);
struct cn_reference_spaces {
  const unsigned *at;
  size_t count;
  const char *strategies; /* further gc strategies of managed functions; may be null */
};
/* Set the managed address spaces and strategies of this thread for one run of a pass, and restore the old ones. */
struct cn_reference_spaces cn_reference_spaces_enter(const struct cairn_compile_options *options);
void cn_reference_spaces_leave(struct cn_reference_spaces before);
bool cn_is_ref_vector(LLVMTypeRef type); /* vector of references, fixed or scalable */
/* True if `type` is a reference, or a vector, array or struct that contains a reference. */
bool cn_holds_ref(LLVMTypeRef type);
/* True if `type` is or contains a scalable vector, so that its size is variable. */
bool cn_holds_scalable_vector(LLVMTypeRef type);
/* True if the instruction converts a pointer to an integer: ptrtoint, or ptrtoaddr, which is new in LLVM 22. */
bool cn_is_pointer_to_integer_cast(LLVMValueRef instruction);
/* The metadata of a difference of two references after the optimiser has proved that one reference is null, and a test
 * for this metadata. */
unsigned cn_difference_metadata_kind(LLVMContextRef llvm);
bool cn_is_marked_difference(LLVMValueRef instruction);
/* True if the reference `value` never changes. An immovable reference is a parameter or result with "cairn-immovable",
 * on the call or its callee, or a load with !cairn.immovable (late-insertion-slides-2014, "When relocation isn't
 * needed": pinned objects). A pointer that is derived only from such references also never changes. */
bool cn_is_immovable(LLVMValueRef value);
/* True if `value` is a cast of a local's address to another address space, from managed_allocas.c. */
bool cn_is_local_cast(LLVMValueRef value);
/* True if the function has the gc strategy "statepoint-example" or "coreclr", a strategy of the options, or the
 * attribute "cairn". */
bool cn_is_managed(LLVMValueRef function);
bool cn_is_managed_gc_strategy(const char *gc); /* also one of the options */
/* Give a managed function a strategy that the code generator lowers, in place of none or of one of the options. */
void cn_use_lowered_strategy(LLVMValueRef function);
LLVMAttributeRef cn_string_attribute(LLVMValueRef function, const char *name);

/* cn_intrinsic() declares the intrinsic `name` with the overload `types`. cn_calls_intrinsic() and
 * cn_calls_some_intrinsic() test for calls of intrinsics. */
LLVMValueRef cn_intrinsic(struct cn_ctx *ctx, const char *name, LLVMTypeRef *types, size_t count);
bool cn_calls_intrinsic(LLVMValueRef instruction, const char *name);
bool cn_calls_some_intrinsic(LLVMValueRef call);
/* The function that `call` names directly, or null for indirect calls and inline assembly. */
LLVMValueRef cn_direct_callee(LLVMValueRef call);

/* ---- calls (calls.c) ---- */

enum cn_call_kind {
  CN_CALL_NONE,        /* not a call */
  CN_CALL_LEAF,        /* a call that never reaches a safepoint and stays an ordinary call */
  CN_CALL_PARSE_POINT, /* a parse point */
  CN_CALL_MUSTTAIL,    /* a musttail call, which is no parse point because the frame is gone */
  CN_CALL_STATEPOINT,  /* llvm.experimental.gc.statepoint: a rewritten call */
};
struct cn_call_class {
  enum cn_call_kind kind;
  const char *why; /* for --print=calls: "attribute nocallback", "table: ...", ... */
};
/* Classifies a call. A call is a leaf if it has an attribute ("gc-leaf-function", nocallback), or if the callee is an
 * intrinsic that LLVM expands in line, inline assembly, or a function in leaf_functions.def. The table
 * leaf_functions.def holds only for declarations without references, and gives a reason for each name. */
struct cn_call_class cn_classify_call(LLVMValueRef instruction);

/* ---- control flow (cfg.c) ---- */

/* Split the block of `at` before `at` and return the new block, the tail. The old block ends in a branch to the tail,
 * and the phis of the successors are updated. Allocas of fixed size stay in the entry block. */
LLVMBasicBlockRef cn_split_block_before(struct cn_ctx *ctx, LLVMValueRef at, const char *name);
/* A new block on the edge from branch or switch `end` to its successor `which`. If `end` has several edges to that
 * successor, the new block is on all of these edges. */
LLVMBasicBlockRef cn_split_edge(struct cn_ctx *ctx, LLVMValueRef end, unsigned which);
/* Move an instruction to just before another; it keeps its name and debug location. */
void cn_move_instruction_before(struct cn_ctx *ctx, LLVMValueRef instruction, LLVMValueRef before);

/* True if the program asks the optimiser to transform a loop (loop_wishes.c). The optimiser warns if it cannot fulfil
 * the request.
 */
bool cn_loops_ask_for_transformation(const struct cn_ctx *ctx);

#endif
