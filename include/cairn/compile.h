/* SPDX-License-Identifier: Apache-2.0
 *
 * Compile side: turns IR into IR with statepoints, over the LLVM-C API (libcairn-compile). The passes follow
 * statepoints-original and statepoints-later, and run late in the compiler, as late-insertion-slides-2014 propose
 * (docs/architecture.md, "Sources").
 *
 * Every function works on the caller's module, in the caller's thread, and never exits or prints: it passes its
 * findings to the diagnostics callback, in that thread. Calls leave no state behind, so threads with different
 * LLVMContextRefs are independent. The caller keeps ownership of arguments. Exhausted memory and defects of Cairn end
 * the process with a message.
 */
#ifndef CAIRN_COMPILE_H
#define CAIRN_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The severity of a finding; only errors make a call fail. */
enum cairn_severity { CAIRN_ERROR, CAIRN_WARNING, CAIRN_REMARK, CAIRN_NOTE };

/* A finding. Strings live until the callback returns. An absent string is null; an absent number is 0. */
struct cairn_diagnostic {
  enum cairn_severity severity;
  const char *rule;     /* stable id of the broken rule, for example "reference-to-integer" */
  const char *message;  /* one sentence, without the position */
  const char *function; /* IR name */
  const char *file;     /* the source position, from debug locations */
  unsigned line, column;
  const char *directory; /* the start of a relative `file`; may be null */
  /* Members that verify-safepoints sets; names are as in textual IR. */
  const char *value;       /* the value of the finding */
  const char *other;       /* the expected value, the value's origin, or the safepoint that ended the value */
  const char *const *path; /* blocks, from the safepoint to the use */
  size_t path_count;
  /* For an error or a warning that lacks a source position. */
  const char *instruction; /* textual IR of the instruction; of a statepoint, the call that it was */
  const char *block;       /* the instruction's block, if it has a name */
};
/* Called once per finding, in an order that depends only on the module. */
typedef void cairn_diagnostic_handler(void *env, const struct cairn_diagnostic *diagnostic);

/* A list of diagnostics; a zero-initialised list is empty. */
struct cairn_diagnostics {
  struct cairn_diagnostic *at;
  size_t count;
  size_t room; /* capacity of the list */
};
/* A handler that appends a copy to the struct cairn_diagnostics that `env` points to. */
void cairn_diagnostics_keep(void *env, const struct cairn_diagnostic *diagnostic);
/* Frees the list's contents, and empties it. */
void cairn_diagnostics_free(struct cairn_diagnostics *diagnostics);

/* The time of one run of a pass, in seconds, by the clock and by the processor time of this process. The name "verify"
 * stands for LLVM's verifier, which runs after each pass of Cairn. */
struct cairn_pass_time {
  const char *pass; /* lives until the callback returns */
  double wall, user, system;
};
typedef void cairn_pass_timer(void *env, const struct cairn_pass_time *time);

/* When safepoints are inserted. */
enum cairn_safepoints {
  CAIRN_SAFEPOINTS_LATE,  /* after the optimiser: the default */
  CAIRN_SAFEPOINTS_EARLY, /* before the optimiser */
  CAIRN_SAFEPOINTS_NONE,  /* no safepoints: the program never collects */
};

/* The optimisations of relocation, each with its bit: 1u << CAIRN_RELOCATION_x. */
enum cairn_relocation {
#define CAIRN_RELOCATION(constant, name, help) CAIRN_RELOCATION_##constant,
#include <cairn/relocations.def>
#undef CAIRN_RELOCATION
  CAIRN_RELOCATIONS
};

/* The optimisations of placement, each with its bit: 1u << CAIRN_PLACEMENT_x. */
enum cairn_placement {
#define CAIRN_PLACEMENT(constant, name, help) CAIRN_PLACEMENT_##constant,
#include <cairn/placements.def>
#undef CAIRN_PLACEMENT
  CAIRN_PLACEMENTS
};

/* The effort of a compilation. */
enum cairn_tier {
  CAIRN_TIER_FULL, /* optimisation at the level of the options: the default */
  /* The least time of compilation: LLVM's -O0, whatever the levels say, references in slots (`slots` is ignored), and
   * only the passes that correctness needs. For the code generator level LLVMCodeGenLevelNone. Each compilation runs
   * once: `drop_lines` is ignored. For late safepoints; with another `safepoints` the tier is CAIRN_TIER_FULL's. */
  CAIRN_TIER_QUICK,
};

/* The choice of slot mode, which keeps a function's references in one described area of its frame instead of relocated
 * SSA values (docs/relocation.md). */
enum cairn_slots {
  CAIRN_SLOTS_AUTO, /* per function, by the cost model: the default */
  CAIRN_SLOTS_NEVER,
  CAIRN_SLOTS_ALWAYS,
};

/* The places of roots that a statepoint lists (docs/frontends.md, "The places of roots"). */
enum cairn_root_forms {
  CAIRN_ROOT_FORMS_ALL,   /* pairs, and described memory of the frame, listed after the deopt state */
  CAIRN_ROOT_FORMS_PAIRS, /* pairs only, as in LLVM; functions with other roots are refused */
};

/* The code of the collector at loads and stores of references (docs/barriers.md). One kind per program. */
enum cairn_barriers {
#define CAIRN_BARRIERS_KIND(constant, number, name, mark, help) CAIRN_BARRIERS_##constant,
#include <cairn/barriers.def>
#undef CAIRN_BARRIERS_KIND
  CAIRN_BARRIERS_KINDS
};

/* The places of polls, each with its bit: 1u << CAIRN_POLLS_AT_x. */
enum cairn_polls {
#define CAIRN_POLLS_AT(constant, name, initially, help) CAIRN_POLLS_AT_##constant,
#include <cairn/polls.def>
#undef CAIRN_POLLS_AT
  CAIRN_POLLS_PLACES
};
/* A value instead of bits of enum cairn_polls: the code has no polls. */
#define CAIRN_POLLS_NONE (1u << 31)

/* Errors that verify-safepoints leaves out for another runtime, each with its bit: 1u << CAIRN_TOLERATE_x. */
enum cairn_tolerance {
  /* undescribed-alloca: the runtime finds references in locals itself, by a shadow stack, or by a conservative scan of
   * stacks that keeps these objects at their addresses. Cairn's runtime finds only described locals. */
  CAIRN_TOLERATE_STACK_REFERENCES,
  CAIRN_TOLERANCES
};

/* The test of a poll. A module that defines @gc.safepoint_poll gets this function as its polls instead. */
enum cairn_poll {
  CAIRN_POLL_WORD,  /* the thread's poll word: the default */
  CAIRN_POLL_STACK, /* the stack pointer against the thread's limit, which also finds stack overflow */
};

/* The kind of words that are a reference or an immediate integer, by their low bits (docs/words.md). The
 * `reference_bits` lowest bits of a reference, 1 to 3 bits, are `reference`. The `integer_bits` lowest bits of an
 * integer, 1 to 8 bits, are `integer`; the upper bits are its value. If all members are zero, each word is a
 * reference. */
struct cairn_word_kind {
  unsigned char reference_bits, reference, integer_bits, integer;
};

/* Called after a step of place-safepoints on a loop or the control flow of `function`, and after a step of
 * rewrite-statepoints on the whole function; `function` is then valid IR. `step` is a static name. The callback must
 * leave the function unchanged. */
typedef void cairn_step_watcher(void *env, const char *step, LLVMValueRef function);

/* The options of compilation. All zero means -O0 of a front end's module for an executable, without diagnostics. A null
 * pointer in place of options means all zero. */
struct cairn_compile_options {
  enum cairn_safepoints safepoints;
  enum cairn_tier tier;
  unsigned opt_level;  /* 0 to 3 */
  unsigned size_level; /* 0, 1 for -Os, or 2 for -Oz */
  bool shared;         /* the code may become part of a shared object: with -fPIC, but without -fPIE */
  bool manage_all; /* every definition is managed, as in C; otherwise only definitions with one of Cairn's gc strategies
                    */
  bool native_functions; /* managed definitions stay native if they handle no references, and have only native callers
                          * and callees in the module */
  /* Null, or, for C, the output of clang -Xclang -fdump-record-layouts-canonical. The output shows the references in a
   * union whose `managed` comes from a typedef; debug information lacks these references. */
  const char *record_layouts;
  /* Options of rewrite-statepoints and verify-safepoints. */
  unsigned relocations_off; /* bits of enum cairn_relocation: optimisations to leave out */
  enum cairn_slots slots;
  enum cairn_root_forms roots;  /* PAIRS excludes slot mode: `slots` is ignored */
  enum cairn_barriers barriers; /* the kind of barriers, for insert-barriers and later passes */
  unsigned inline_max;  /* bytes of the largest block to allocate in line, at most 8184; 0 means 8184, and 1 to 7 that
                         * every block is allocated out of line */
  bool note_stores;     /* record each store of a reference, for CAIRN_VERIFY=stores */
  unsigned slot_budget; /* the limit of safepoints x live references in SSA form; 0 means the default */
  const unsigned *address_spaces; /* the managed address spaces, 1 to 255; null means only address space 1 */
  size_t address_space_count;
  /* Null, or names of gc strategies, separated by commas. Functions with such a strategy are managed, and get the
   * strategy "statepoint-example", which the code generator lowers. */
  const char *strategies;
  struct cairn_word_kind words; /* the kind of words, which the module's flag "cairn.words" may set instead */
  bool check_polls;             /* verify-safepoints reports a loop that lacks a safepoint as an error */
  unsigned tolerated;           /* bits of enum cairn_tolerance, for verify-safepoints; the pipeline refuses them */
  /* Options of place-safepoints; verify-safepoints also uses the budget. */
  unsigned polls; /* bits of enum cairn_polls; 0 means the defaults */
  enum cairn_poll poll;
  unsigned placements_off; /* bits of enum cairn_placement: optimisations to leave out */
  unsigned poll_budget;    /* approximate microseconds of work between two polls; 0 means 20 */
  bool samples;    /* weigh branches by the profile of LLVM's option -sample-profile-file; the module must have lines */
  bool lines_only; /* drop debug information, except lines, after the check of the source rules */
  bool drop_lines; /* drop lines, too, once the module is prepared; to report an error or a warning, the passes run
                    * again with lines; remarks have no lines */
  bool report;     /* passes report their work in remarks (docs/placement.md) */
  cairn_diagnostic_handler *diagnose; /* null: findings are dropped */
  void *env;                          /* for `diagnose` */
  cairn_pass_timer *timer;            /* called after every pass; may be null */
  void *timer_env;                    /* for `timer` */
  bool check_steps;                   /* check the control flow after each step that changes it */
  cairn_step_watcher *step;           /* called after each step that changes the control flow; may be null */
  void *step_env;                     /* for `step` */
};

/* ---- for compilers that have their own pipeline and runtime ----
 *
 * Each function works on `module` in place. The module is valid IR; only functions with gc strategy
 * "statepoint-example" or "coreclr", a strategy of options->strategies, or attribute "cairn" are processed. References
 * are pointers in options->address_spaces. The functions need neither a target machine nor cairn_compile_init(). The
 * output of the functions is plain LLVM IR for any code generator, linker and runtime that know statepoints. The code
 * generator and the linker need no part of Cairn; the runtime needs only the functions that the polls of
 * place-safepoints call. Unless options->roots is PAIRS, there are roots besides the pairs, which <cairn/stackmap.h>
 * decodes (cairn_stackmap_described()).
 *
 * REFUSED means at least one CAIRN_ERROR. All errors of the module have been reported, and the module is unchanged, to
 * the byte: the caller may use it further, for example without a refused function. BROKEN means a CAIRN_ERROR of rule
 * "internal", a defect of Cairn: the caller can only dispose of the module.
 *
 * `options` and `diagnostics` may be null. The function passes each finding to options->diagnose, and appends it to
 * `diagnostics`, which the caller frees with cairn_diagnostics_free(). */

/* Inserts polls at those places of options->polls that need a poll. A poll is the module's own `void
 * @gc.safepoint_poll()`, inlined, or a call of Cairn's runtime (statepoints-later, "PlaceSafepoints"). Functions with
 * statepoints stay unchanged. The function places no polls in functions with the attribute "cairn-nopoll", and in
 * regions between calls of `void @cairn.nopoll.begin()` and `void @cairn.nopoll.end()`. If such code reaches another
 * safepoint, for instance by a call, the module is refused (REFUSED). cairn_verify_safepoints() also reads the calls
 * that mark regions; afterwards cairn_compile_pass() of "drop-markers" deletes these calls. */
enum cairn_status cairn_place_safepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                         struct cairn_diagnostics *diagnostics);

/* Copies the findings of cairn_place_safepoints() on functions that `from` defines and `module` declares, as attributes
 * of the declarations: "gc-leaf-function" for a function that never reaches a safepoint, "cairn-polls" for one that
 * always does, and "cairn-work" for the work before the first safepoint. Call the function before `module` is compiled;
 * if the sources of `from` change, the attributes are wrong. The call always succeeds; `from` is unchanged, and
 * `module` does not refer to it. */
void cairn_import_functions(LLVMModuleRef module, LLVMModuleRef from);

/* Wraps every parse point in a gc.statepoint, and relocates the references that are live over it (statepoints-original;
 * statepoints-later, "RewriteStatepointsForGC"). Functions with statepoints stay unchanged, so that a module may be
 * rewritten in several steps. Markers of spans and of the language's own references (docs/spans.md) become deopt
 * operands of the statepoints; the markers stay for cairn_verify_safepoints(), until pass "drop-markers". The
 * statepoint of a call also lists operands that are dead after the call if the call or its callee has the attribute
 * "cairn-live-operands", if a "gc-live" bundle of the call names the operand, or if CAIRN_RELOCATION_DEAD_OPERANDS is
 * off (docs/relocation.md). */
enum cairn_status cairn_rewrite_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                            struct cairn_diagnostics *diagnostics);

/* Proves that no static path uses a reference after a statepoint that may have moved the reference's object. The
 * statepoints may come from any producer. The module stays unchanged. */
enum cairn_status cairn_verify_safepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          struct cairn_diagnostics *diagnostics);

/* Turns statepoints from any producer back into the calls that they wrap, for further optimisation, in all functions,
 * with or without a gc strategy. A module that is rewritten, stripped and rewritten again is equivalent to the module
 * after the first rewriting. */
enum cairn_status cairn_strip_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          struct cairn_diagnostics *diagnostics);

/* Inlines calls that statepoints wrap, if the callee is alwaysinline or LLVM's inliner finds inlining worthwhile: the
 * function strips the statepoints, inlines the calls, and rewrites the functions again. Options are as for
 * cairn_rewrite_statepoints(). */
enum cairn_status cairn_inline_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                           struct cairn_diagnostics *diagnostics);

/* Inserts the barriers of options->barriers, as calls of `void @cairn.barrier.store(ptr addrspace(1) object, ptr
 * addrspace(1) slot, ptr addrspace(1) value)`, `void @cairn.barrier.range(ptr addrspace(1) to, i64 bytes)` and `ptr
 * addrspace(1) @cairn.barrier.load(ptr addrspace(1) slot, ptr addrspace(1) value)`, in line before writes and after
 * loads (docs/barriers.md). Call this function after cairn_place_safepoints() and before
 * cairn_rewrite_statepoints(). */
enum cairn_status cairn_insert_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                        struct cairn_diagnostics *diagnostics);

/* Proves that each load or store of a reference in managed memory has the barrier of options->barriers, as a call of
 * cairn_insert_barriers(), unless it needs no barrier. The module may come from any producer, before or after
 * rewriting, until barriers are lowered. The module stays unchanged. */
enum cairn_status cairn_verify_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                        struct cairn_diagnostics *diagnostics);

/* Replaces the calls of barriers with code: with the module's own code, if the module defines the functions, otherwise
 * with the code of options->barriers, which calls Cairn's runtime. Call this function after cairn_verify_barriers(). */
enum cairn_status cairn_lower_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                       struct cairn_diagnostics *diagnostics);

/* ---- the time that a program may run between safepoints ---- */

/* Work is counted in units of about half a nanosecond. */
#define CAIRN_TIME_PER_US 2000
#define CAIRN_TIME_UNBOUNDED UINT64_MAX

/* The reason for a function's long or unbounded time. An absent string is null; an absent number is 0. */
struct cairn_time_cause {
  const char *kind;  /* "loop", "cycle" (other than a loop), "call", "recursion", "path", "claim" */
  const char *where; /* the block where a loop starts, or the callee */
  const char *why;   /* one sentence */
  uint64_t work;     /* the work before a safepoint */
  const char *file, *directory;
  unsigned line, column;
};

/* The maximum of a managed function's work, as static analysis estimates it: a call of an unknown function counts as a
 * microsecond. */
struct cairn_time {
  const char *function, *file, *directory;
  unsigned line;
  bool polls;       /* some path has a safepoint; then enter, between and leave are valid */
  uint64_t enter;   /* work from the function's entry to the first safepoint */
  uint64_t between; /* work from one safepoint to the next */
  uint64_t leave;   /* work from the last safepoint to the function's end */
  bool passes;      /* some path has no safepoint; then `through` is valid */
  uint64_t through; /* work from the function's entry to its end */
  bool recursive;   /* the function is recursive; `leave` and `through` count one level */
  bool nopoll;      /* safepoints are forbidden: attribute "cairn-nopoll" */
  unsigned regions; /* the number of regions that forbid safepoints */
  const struct cairn_time_cause *causes;
  size_t cause_count;
};
typedef void cairn_time_handler(void *env, const struct cairn_time *time);

/* Calls `tell` for every managed function of the module. The module must already have safepoints, from any producer. A
 * cause is the reason for a missing or large bound. A bound is large above a second, or, if options->poll_budget is
 * nonzero, above twice this budget, because a call and the work after it may each take one budget. Returns TIME if
 * there is a cause. The module stays unchanged. */
enum cairn_status cairn_time_to_safepoint(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          cairn_time_handler *tell, void *env);

/* ---- for tools, and for programs that use Cairn's runtime ---- */

/* Sets one option from text, as `cairn opt` does, for example name "slots" and value "always". The value is null for
 * options without a value. Names: safepoints, without, slots, slot-budget, address-spaces, check-polls, polls, poll,
 * poll-budget, roots, barriers, collector, inline-max, note-stores, words, strategy, tolerate, manage-all, shared,
 * report. "collector" sets the barriers that Cairn's collector of that name needs; names of other collectors leave the
 * barriers unchanged. UNKNOWN: the option is unknown; REFUSED: the option lacks this value. After a failure *error is a
 * message, which the caller frees with free(), and *options is unchanged; otherwise *error is null. "address-spaces"
 * allocates options->address_spaces, which the caller frees with free(); before the call the member must be null or the
 * result of such a call. "strategy" appends names, separated by commas, to options->strategies, with the same
 * ownership. */
enum cairn_status cairn_compile_set(struct cairn_compile_options *options, const char *name, const char *value,
                                    char **error);

/* The static, null-terminated list name, one-line help, name, ... of the optimisations of relocation, in the order of
 * their bits. */
const char *const *cairn_compile_relocation_names(void);

/* Like cairn_compile_relocation_names(), for the optimisations of placement. */
const char *const *cairn_compile_placement_names(void);

/* Like cairn_compile_relocation_names(), for the places of polls. */
const char *const *cairn_compile_polls_names(void);

/* Sets the code generator options that Cairn needs (references in registers) and initialises LLVM's targets of all
 * ports. The call comes before the first target machine of the process is made; later calls have no effect. Any thread.
 */
void cairn_compile_init(void);

/* Chooses if the records of patchpoints that are compiled from now on, in all threads, list the registers that are live
 * after the patchpoint (stackmaps-v2, "Stack Map Format"); by default they do not. LLVM 22's code generator crashes on
 * some modules while it makes the lists. Calls cairn_compile_init(). Not thread-safe, also not beside a code generator
 * of another thread. */
void cairn_compile_live_outs(bool wanted);

/* Runs the whole pipeline (src/compile/pipeline.c) for `machine`. *result is a new module in the same context, ready
 * for code generation; the caller disposes of it. `module` is unchanged.
 *
 * An object file of the result refers to the undefined symbol cairn_object_that_needs_cairn_frames_rewrite, so that it
 * does not link before its stack maps become frame maps. cairn_object_rewrite() of <cairn/object.h>, `cairn frames
 * --rewrite` and a link with cairn-cc make frame maps.
 *
 * REFUSED: at least one CAIRN_ERROR was reported. BROKEN: the module is invalid IR, on entry (rule "invalid-ir") or, by
 * a defect of Cairn, after a pass (rule "internal"). After a failure *result is null. If the
 * optimiser's result cannot be proved precise, the module is optimised again with non-integral references ("ni:1"),
 * then without vectorisation, then at level one; each fall-back is a CAIRN_REMARK. */
enum cairn_status cairn_compile_pipeline(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                         const struct cairn_compile_options *options, LLVMModuleRef *result);

/* Link-time optimisation: the pipeline in two halves, between which a linker joins modules.
 *
 * cairn_compile_unit() checks a front end's module and prepares it, without optimisation, so that the second half can
 * optimise again at a lower level. *result is a new module in the same context; the caller writes it as bitcode and
 * disposes of it. Statuses are as for cairn_compile_pipeline(). The bitcode contains all data that the second half
 * needs. If another compiler compiles the bitcode, its object file does not link, because it refers to an undefined
 * hidden symbol.
 *
 * cairn_compile_joined() does the rest of the pipeline for a module joined from such units; functions must be internal
 * unless code outside the module may call them. The function is like cairn_compile_pipeline(), with the options that
 * cairn_compile_joined_options() reads from the module. A function of another compiler's bitcode is a CAIRN_ERROR. */
enum cairn_status cairn_compile_unit(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                     const struct cairn_compile_options *options, LLVMModuleRef *result);
enum cairn_status cairn_compile_joined(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                       const struct cairn_compile_options *options, LLVMModuleRef *result);

/* Sets the options that the units were compiled with, except `shared`, `manage_all`, address spaces, `report` and
 * callbacks, which stay. The optimisation level becomes the highest of the units' levels, the size level the lowest.
 * Other options are equal in all units: a linker refuses to join units with different options. */
void cairn_compile_joined_options(LLVMModuleRef joined, struct cairn_compile_options *options);

/* Prepares a module that the pipeline made, with options->shared false, to be loaded into this process without a linker
 * (docs/frontends.md, "In memory"). The module gets two functions. `enter` registers its code, layouts and globals with
 * the runtime, and must be called before any other code of the module. `leave` must be called before the module is
 * unloaded, when no stack has activations of its code and no objects have its layouts. Of Cairn's symbols in the
 * module, only the names of managed code (cairn.managed_code.NAME) are visible to other modules. Functions with
 * safepoints get unwind tables. TAKEN: the module already has a function `enter` or `leave`, or the two names are
 * equal; the module is then unchanged. */
enum cairn_status cairn_compile_in_memory(LLVMModuleRef module, const char *enter, const char *leave);

/* ---- from IR to an object file in one call, for programs that use Cairn's runtime ---- */

/* The options of cairn_compile_to_object() and cairn_compile_to_memory(). `size` is sizeof(struct
 * cairn_object_options): later versions add members at the end, and zero in a member means its default. */
struct cairn_object_options {
  size_t size;
  const struct cairn_compile_options *compile; /* the options of the pipeline; null: all zero */
  /* Keep section .debug_names. LLVM's C interface makes this index for DWARF 5, and gdb 13 then knows no lines or types
   * of the program's other objects; lldb reads the index. */
  bool debug_names;
};

/* Compiles a module to a position-independent object file, which any linker links with libcairn.a: runs
 * cairn_compile_pipeline(), LLVM's code generator and cairn_object_rewrite(). Constructors go to .init_array, and
 * functions with a gc strategy get the attribute `uwtable`. A module without triple or data layout is for the host.
 * The code is for the oldest processor of the target, except in functions with the attributes "target-cpu" and
 * "target-features", as clang makes them. `module` stays unchanged; no other thread may use its context meanwhile.
 * `options` may be null. Calls cairn_compile_init().
 *
 * CAIRN_OK: the caller disposes of *object. *error is null.
 * REFUSED, BROKEN (cairn_compile_pipeline()), ELF: *object is null. *error has a line for each error, with the function
 *   and the rule, and a further line for the instruction if the error lacks a source position; the caller frees *error
 *   with free(). Findings also go to options->compile->diagnose. LLVM ends the process at some errors of its code
 *   generator, unless the process has a handler of fatal errors. */
enum cairn_status cairn_compile_to_object(LLVMModuleRef module, const struct cairn_object_options *options,
                                          LLVMMemoryBufferRef *object, char **error);

/* Like cairn_compile_to_object(), for an object that a loader such as LLVM's JITLink loads into this process; `shared`
 * is false. `enter` and `leave` are as for cairn_compile_in_memory(), and `mutator` as for
 * cairn_object_rewrite_in_memory() of <cairn/object.h>. TAKEN: as for cairn_compile_in_memory(). A JIT session of
 * <cairn/jit.h> also loads, registers and unloads modules. */
enum cairn_status cairn_compile_to_memory(LLVMModuleRef module, const struct cairn_object_options *options,
                                          const char *enter, const char *leave, ptrdiff_t mutator,
                                          LLVMMemoryBufferRef *object, char **error);

/* ---- parts of the pipeline ---- */

/* The parts of the pipeline, each with the function that runs it. */
enum cairn_part {
  CAIRN_PART_WHOLE,  /* cairn_compile_pipeline() */
  CAIRN_PART_UNIT,   /* cairn_compile_unit() */
  CAIRN_PART_JOINED, /* cairn_compile_joined() */
};

/* The passes of a part in order, one name per line, newline-terminated; the caller frees the text with free(). */
char *cairn_compile_describe(const struct cairn_compile_options *options, enum cairn_part part);

/* Runs one pass on the module itself: a pass of cairn_compile_pass_names() or, for other names, of LLVM's pipeline
 * parser. `machine` may be null. REFUSED: at least one CAIRN_ERROR was reported. BROKEN: LLVM's verifier refuses the
 * output of Cairn's pass, which is reported, too. After a failure the caller can only dispose of the module, except
 * after REFUSED of a pass that has its own function in this header. */
enum cairn_status cairn_compile_pass(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *name,
                                     const struct cairn_compile_options *options);

/* Prints an analysis of cairn_compile_analysis_names(), of every managed function or of the module, as text that is
 * equal in each run; the caller frees *text with free(). The module is unchanged. UNKNOWN: the analysis is unknown;
 * *text is then null. */
enum cairn_status cairn_compile_print(LLVMModuleRef module, const char *analysis,
                                      const struct cairn_compile_options *options, char **text);

/* The static, null-terminated list name, one-line help, name, ... of the passes. */
const char *const *cairn_compile_pass_names(void);
/* Like cairn_compile_pass_names(), for the analyses. */
const char *const *cairn_compile_analysis_names(void);

#ifdef __cplusplus
}
#endif

#endif
