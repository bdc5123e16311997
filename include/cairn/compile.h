/* SPDX-License-Identifier: Apache-2.0
 *
 * Compile side: IR in, IR with statepoints out, over the LLVM-C API (libcairn-compile). What the
 * passes do is statepoints-original and statepoints-later, at the place in the compiler
 * that late-insertion-slides-2014 propose (docs/architecture.md, "Sources").
 *
 * Every function works on the caller's module, in the caller's thread, and never exits or prints:
 * what it has to say goes to the diagnostics callback, in that thread. Nothing is kept from one
 * call to the next, so threads with an LLVMContextRef each do not meet. What is handed in stays the
 * caller's. Memory that runs out, and a defect of Cairn, end the process with a message.
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

/* Only errors make a call fail. */
enum cairn_severity { CAIRN_ERROR, CAIRN_WARNING, CAIRN_REMARK, CAIRN_NOTE };

/* One finding. Strings live until the callback returns; absent ones are null, absent numbers 0. */
struct cairn_diagnostic {
  enum cairn_severity severity;
  const char *rule;     /* stable id of the rule that was broken, e.g. "reference-to-integer" */
  const char *message;  /* one sentence, without position */
  const char *function; /* IR name */
  const char *file;     /* source position from debug locations */
  unsigned line, column;
  const char *directory; /* what a relative `file` starts from; may be null */
  /* Of verify-safepoints, as IR as text names them: */
  const char *value;       /* what the finding is about */
  const char *other;       /* what it should have been, came from, or did not survive */
  const char *const *path; /* blocks, from the safepoint to the use */
  size_t path_count;
  const char *instruction; /* of an error or a warning without source position: as IR as text */
};
/* Called once per finding, in an order that depends on the module alone. */
typedef void cairn_diagnostic_handler(void *env, const struct cairn_diagnostic *diagnostic);

/* Diagnostics kept: zero-initialised is empty. */
struct cairn_diagnostics {
  struct cairn_diagnostic *at;
  size_t count;
  size_t room; /* of the list's own */
};
/* A handler that appends a copy to the struct cairn_diagnostics that `env` points to. */
void cairn_diagnostics_keep(void *env, const struct cairn_diagnostic *diagnostic);
/* Free what the list holds, and empty it. */
void cairn_diagnostics_free(struct cairn_diagnostics *diagnostics);

/* How long one run of a pass took: seconds on the clock and of this process's own time. Named
 * "verify" is LLVM's verifier, which runs after each of our passes. */
struct cairn_pass_time {
  const char *pass; /* lives until the callback returns */
  double wall, user, system;
};
typedef void cairn_pass_timer(void *env, const struct cairn_pass_time *time);

/* When safepoints are inserted. */
enum cairn_safepoints {
  CAIRN_SAFEPOINTS_LATE,  /* after the optimiser: the default */
  CAIRN_SAFEPOINTS_EARLY, /* before it */
  CAIRN_SAFEPOINTS_NONE,  /* not at all; the program never collects */
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

/* Whether a function keeps its references in one described area of its frame instead of relocating
 * SSA values ("slot mode", docs/relocation.md). */
enum cairn_slots {
  CAIRN_SLOTS_AUTO, /* per function, by the cost model: the default */
  CAIRN_SLOTS_NEVER,
  CAIRN_SLOTS_ALWAYS,
};

/* Where a statepoint tells of roots (docs/frontends.md, "The places of roots"). */
enum cairn_root_forms {
  CAIRN_ROOT_FORMS_ALL,   /* pairs, and memory of the frame described after the deopt state */
  CAIRN_ROOT_FORMS_PAIRS, /* pairs alone, as LLVM has them; what cannot be one is refused */
};

/* The code that the collector wants at loads and stores of references (docs/barriers.md). One kind
 * per program. */
enum cairn_barriers {
  CAIRN_BARRIERS_CARDS,    /* a store of a reference marks the card that its place is in: the
                              default; also for collectors that need none */
  CAIRN_BARRIERS_NONE,     /* for collectors that stop the program and visit everything */
  CAIRN_BARRIERS_FIELDS,   /* the first store to a place tells the collector */
  CAIRN_BARRIERS_OBJECTS,  /* the first store into an object does */
  CAIRN_BARRIERS_SNAPSHOT, /* while the collector marks, stores tell it what they overwrite */
  CAIRN_BARRIERS_LOADS,    /* a loaded reference is tested, and healed if the collector wants it */
  CAIRN_BARRIERS_CUSTOM,   /* what the module defines: @cairn.barrier.store, .range and .load */
};

/* Where polls are placed, each with its bit: 1u << CAIRN_POLLS_AT_x. */
enum cairn_polls {
#define CAIRN_POLLS_AT(constant, name, initially, help) CAIRN_POLLS_AT_##constant,
#include <cairn/polls.def>
#undef CAIRN_POLLS_AT
  CAIRN_POLLS_PLACES
};
/* In place of such bits: no polls at all. */
#define CAIRN_POLLS_NONE (1u << 31)

/* What a poll looks at, unless the module has a @gc.safepoint_poll of its own. */
enum cairn_poll {
  CAIRN_POLL_WORD,  /* the thread's poll word: the default */
  CAIRN_POLL_STACK, /* the stack pointer against the thread's limit: finds stack overflow too */
};

/* Words that are a reference or an immediate integer: their low bits say which (docs/words.md).
 * Those of a reference are the `reference_bits` lowest of the word, 1 to 3, and are `reference`;
 * those of an integer are the `integer_bits` lowest, 1 to 8, and are `integer`, and the integer
 * stands above them. All zero: each word is a reference. */
struct cairn_word_kind {
  unsigned char reference_bits, reference, integer_bits, integer;
};

/* Told of a step: what place-safepoints did to a loop or to the control flow of `function`, or
 * rewrite-statepoints to all of it, which is valid IR then. `step` is a static name. The function
 * must be left as it is. */
typedef void cairn_step_watcher(void *env, const char *step, LLVMValueRef function);

/* How to compile. All zero is -O0 of a front end's module for an executable, silently; so is a null
 * pointer, wherever options are expected. */
struct cairn_compile_options {
  enum cairn_safepoints safepoints;
  unsigned opt_level;    /* 0 to 3 */
  unsigned size_level;   /* 0; 1 for -Os, 2 for -Oz */
  bool shared;           /* the code may end in a shared object: -fPIC and not -fPIE */
  bool manage_all;       /* C: every definition is managed; else those with a gc strategy of ours */
  bool native_functions; /* but of these not what handles no reference and only native code calls */
  /* C: what clang -Xclang -fdump-record-layouts-canonical prints, or null. By it a union's
   * references are known whose `managed` comes from a typedef: debug information does not tell of
   * them. */
  const char *record_layouts;
  /* Of rewrite-statepoints and verify-safepoints. */
  unsigned relocations_off; /* bits of enum cairn_relocation that are not wanted */
  enum cairn_slots slots;
  enum cairn_root_forms roots;    /* with PAIRS, `slots` means nothing: there is no slot mode */
  enum cairn_barriers barriers;   /* of insert-barriers and what follows it */
  unsigned inline_max;            /* largest block that is allocated in line, at most 8184; 0: that;
                                     less than 8: none is */
  bool note_stores;               /* each store of references is noted, for CAIRN_VERIFY=stores */
  unsigned slot_budget;           /* safepoints x live references in SSA form; 0: the default */
  const unsigned *address_spaces; /* the managed ones, 1 to 255; null: address space 1 alone */
  size_t address_space_count;
  struct cairn_word_kind words; /* or the module's flag "cairn.words" says it */
  bool check_polls;             /* verify-safepoints: a loop without a safepoint is an error */
  /* Of place-safepoints; the budget also of verify-safepoints. */
  unsigned polls; /* bits of enum cairn_polls; 0: those that are on by default */
  enum cairn_poll poll;
  unsigned placements_off;            /* bits of enum cairn_placement that are not wanted */
  unsigned poll_budget;               /* microseconds of work between two polls, about; 0: 20 */
  bool samples;                       /* branches are weighed by the profile that LLVM's option
                                         -sample-profile-file names; the module has lines */
  bool lines_only;                    /* drop debug information but for lines once the source rules have
                                         been checked with it */
  bool drop_lines;                    /* drop those as well once the module is prepared; where there is an
                                         error or a warning to say, the passes run again with them; remarks
                                         have no lines */
  bool report;                        /* passes tell what they did, in remarks: docs/placement.md */
  cairn_diagnostic_handler *diagnose; /* null: findings are dropped */
  void *env;                          /* for `diagnose` */
  cairn_pass_timer *timer;            /* told of every pass when it has run; may be null */
  void *timer_env;                    /* for `timer` */
  bool check_steps;                   /* look at the control flow after each step that changes it */
  cairn_step_watcher *step;           /* told of these steps; may be null */
  void *step_env;                     /* for `step` */
};

/* ---- for compilers that have a pipeline and a runtime of their own ----
 *
 * Each function works on `module` in place: valid IR, of which only functions with gc strategy
 * "statepoint-example" or "coreclr" or with attribute "cairn" are looked at. References are
 * pointers in options->address_spaces. Neither a target machine nor cairn_compile_init() is needed,
 * and what comes out is plain LLVM IR for any code generator, linker and runtime that know
 * statepoints. The code generator and the linker need nothing of Cairn's, and the runtime nothing
 * but the calls of place-safepoints' own poll; but not all roots are pairs, unless options->roots
 * asks for that: the others <cairn/stackmap.h> decodes (cairn_stackmap_described()).
 *
 * REFUSED: there is at least one CAIRN_ERROR. All that is wrong with the module is reported, not
 * the first error only, and the module is then as it was, to the byte; so the caller may go on with
 * it, for instance by leaving a function out. BROKEN: a CAIRN_ERROR of rule "internal", which is
 * our defect; the module is then good for disposal only.
 *
 * `options` and `diagnostics` may be null. Findings go to options->diagnose while the function
 * runs, and are appended to `diagnostics`, which the caller frees with cairn_diagnostics_free(). */

/* Insert polls where options->polls says and one is needed: inlined from the module's own
 * `void @gc.safepoint_poll()`, or calls of Cairn's runtime (statepoints-later, "PlaceSafepoints").
 * Functions that contain statepoints are left alone. None goes into a function with the attribute
 * "cairn-nopoll", nor between calls of `void @cairn.nopoll.begin()` and `void @cairn.nopoll.end()`;
 * what may come to a safepoint there is refused. Those two calls are for cairn_verify_safepoints(),
 * too; then cairn_compile_pass() of "drop-markers" deletes them. */
enum cairn_status cairn_place_safepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                         struct cairn_diagnostics *diagnostics);

/* Tell `module` what cairn_place_safepoints() found out of the functions that it declares and
 * `from` defines, as attributes of the declarations: which never reach a safepoint
 * ("gc-leaf-function"), which always do ("cairn-polls"), and how much they do without one
 * ("cairn-work"). To be called before `module` is compiled; wrong as soon as `from` is compiled
 * anew from other sources. Nothing fails; `from` is left as it was, and nothing of it is kept. */
void cairn_import_functions(LLVMModuleRef module, LLVMModuleRef from);

/* Wrap every parse point in a gc.statepoint and relocate what is live over it
 * (statepoints-original; statepoints-later, "RewriteStatepointsForGC"). Functions that contain
 * statepoints are left alone, so that a module may be rewritten in several steps. What markers say
 * of spans and of words of the language's own (docs/spans.md) goes to the statepoints' deopt
 * operands; the markers stay for cairn_verify_safepoints(), until pass "drop-markers". A reference
 * that a call is given and nothing needs after it is listed if the call or its callee has the
 * attribute "cairn-live-operands", a "gc-live" bundle of the call names it, or
 * CAIRN_RELOCATION_DEAD_OPERANDS is off (docs/relocation.md). */
enum cairn_status cairn_rewrite_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                            struct cairn_diagnostics *diagnostics);

/* Prove that on no static path a reference is used after a statepoint that may have moved its
 * object. For statepoints from any producer. Never changes the module. */
enum cairn_status cairn_verify_safepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          struct cairn_diagnostics *diagnostics);

/* Turn statepoints, from any producer, back into the calls that they wrap, for optimising again: a
 * module that was rewritten, stripped and rewritten again is equivalent to what it was. For all
 * functions, with a strategy or not. */
enum cairn_status cairn_strip_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          struct cairn_diagnostics *diagnostics);

/* Inline calls that are wrapped in statepoints, where the callee wants it (alwaysinline) or
 * LLVM's inliner finds it worth while: the statepoints are stripped, the calls inlined, and the
 * functions rewritten again. The options are those of cairn_rewrite_statepoints(). */
enum cairn_status cairn_inline_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                           struct cairn_diagnostics *diagnostics);

/* Insert the barriers of options->barriers, as calls of `void @cairn.barrier.store(ptr addrspace(1)
 * object, ptr addrspace(1) slot, ptr addrspace(1) value)`, `void @cairn.barrier.range(ptr
 * addrspace(1) to, i64 bytes)` and `ptr addrspace(1) @cairn.barrier.load(ptr addrspace(1) slot, ptr
 * addrspace(1) value)`, in line before writes and after loads (docs/barriers.md). After
 * cairn_place_safepoints() and before cairn_rewrite_statepoints(). */
enum cairn_status cairn_insert_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                        struct cairn_diagnostics *diagnostics);

/* Prove that each load or store of a reference in managed memory has the barrier of
 * options->barriers, as such a call, or needs none. For modules from any producer, before or after
 * rewriting, while barriers are calls. Never changes the module. */
enum cairn_status cairn_verify_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                        struct cairn_diagnostics *diagnostics);

/* Put the code of the barriers in the place of these calls: the module's own, if it defines the
 * functions, or that of options->barriers, which calls Cairn's runtime. When the module is proved.
 */
enum cairn_status cairn_lower_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                       struct cairn_diagnostics *diagnostics);

/* ---- how long a program may run between safepoints ---- */

/* Work is counted in units of about half a nanosecond. */
#define CAIRN_TIME_PER_US 2000
#define CAIRN_TIME_UNBOUNDED UINT64_MAX

/* Why a function takes long, or may take any time. Absent strings are null, absent numbers 0. */
struct cairn_time_cause {
  const char *kind;  /* "loop", "cycle" (that is no loop), "call", "recursion", "path", "claim" */
  const char *where; /* the block at which a loop starts, or what is called */
  const char *why;   /* one sentence */
  uint64_t work;     /* without a safepoint */
  const char *file, *directory;
  unsigned line, column;
};

/* What a managed function does at most, as far as can be told without running it: calls of
 * functions that are not known are taken for a microsecond. */
struct cairn_time {
  const char *function, *file, *directory;
  unsigned line;
  bool polls;       /* there is a way to a safepoint: */
  uint64_t enter;   /* from its entry to the first one, */
  uint64_t between; /* from one to the next, */
  uint64_t leave;   /* from the last one to its end */
  bool passes;      /* there is a way without: */
  uint64_t through; /* from its entry to its end */
  bool recursive;   /* then `leave` and `through` are those of one level */
  bool nopoll;      /* it may have no safepoint: attribute "cairn-nopoll" */
  unsigned regions; /* how many regions without safepoints it has */
  const struct cairn_time_cause *causes;
  size_t cause_count;
};
typedef void cairn_time_handler(void *env, const struct cairn_time *time);

/* Call `tell` for every managed function of the module, whose safepoints are in place, from any
 * producer. Causes are the reasons for a missing bound, or for one above a second; or above twice
 * options->poll_budget if that is not 0, since a call and the work after it may each take one
 * budget. TIME: there is a cause. Never changes the module. */
enum cairn_status cairn_time_to_safepoint(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          cairn_time_handler *tell, void *env);

/* ---- for tools, and for programs that use Cairn's runtime ---- */

/* Set one option from text, as `cairn opt` takes it: name "slots", value "always"; null for the
 * options that take no value. Names: safepoints, without, slots, slot-budget, address-spaces,
 * check-polls, polls, poll, poll-budget, roots, barriers, collector, inline-max, words, manage-all,
 * shared, report. "collector" sets the barriers that Cairn's collector of that name needs; of
 * another name it leaves them as they are. UNKNOWN: there is no such option; REFUSED: it has no
 * such value. *error is a message then, which the caller frees with free(), and *options is as it
 * was; else *error is null. "address-spaces" allocates: the caller frees options->address_spaces
 * with free(), and has nothing else there before. */
enum cairn_status cairn_compile_set(struct cairn_compile_options *options, const char *name, const char *value,
                                    char **error);

/* Null-terminated list of name, one-line help, ... of the optimisations of relocation, in the order
 * of their bits; static. */
const char *const *cairn_compile_relocation_names(void);

/* The same of the optimisations of placement. */
const char *const *cairn_compile_placement_names(void);

/* The same of the places of polls. */
const char *const *cairn_compile_polls_names(void);

/* Set the code generator options that Cairn needs (references in registers) and initialise
 * LLVM's x86 target. Once per process, before the
 * first target machine is made; later calls do nothing. Not thread-safe. */
void cairn_compile_init(void);

/* Run the whole pipeline (src/compile/pipeline.c) for `machine`. *result is a new module in the
 * same context, ready for code generation, which the caller disposes of; `module` is left as it
 * was.
 *
 * An object that a code generator makes of the result does not link as it is: it refers to
 * cairn_object_that_needs_cairn_frames_rewrite, which nothing defines, until frame maps are in the
 * place of its stack maps: by cairn_object_rewrite() of <cairn/object.h>, by `cairn frames
 * --rewrite`, or by a link that cairn-cc makes.
 *
 * REFUSED, after at least one CAIRN_ERROR was reported, or BROKEN, after one of rule "internal":
 * the module is not valid IR, as it came in or, by our defect, as a pass left it. *result is null
 * then. What the optimiser makes that cannot be proved precise is optimised again with non-integral
 * references ("ni:1"), then without vectorisation, then at level one; each fall-back is a
 * CAIRN_REMARK. */
enum cairn_status cairn_compile_pipeline(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                         const struct cairn_compile_options *options, LLVMModuleRef *result);

/* Link-time optimisation: the pipeline in two halves, between which a linker joins modules.
 *
 * cairn_compile_unit() checks a front end's module and prepares it; it is not optimised yet, so
 * that that can be done again with less freedom. *result is a new module in the same context, which
 * the caller disposes of and writes as bitcode. Errors as of cairn_compile_pipeline(). The bitcode
 * has in it what the second half must know; what another compiler makes of it does not link, for it
 * refers to a hidden symbol that nothing defines.
 *
 * cairn_compile_joined() does the rest, for a module that was joined of such, whose functions are
 * internal where nothing else may call them. It is as cairn_compile_pipeline(), with the options
 * that cairn_compile_joined_options() gets from the module. A function of another compiler's
 * bitcode is a CAIRN_ERROR. */
enum cairn_status cairn_compile_unit(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                     const struct cairn_compile_options *options, LLVMModuleRef *result);
enum cairn_status cairn_compile_joined(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                       const struct cairn_compile_options *options, LLVMModuleRef *result);

/* Set what the units were compiled with; `shared`, `manage_all`, address spaces, `report` and
 * callbacks stay. The level is the highest, the size level the lowest; the others are the same in
 * all units, or a linker would have refused to join them. */
void cairn_compile_joined_options(LLVMModuleRef joined, struct cairn_compile_options *options);

/* Of a module that the pipeline made, with options->shared false: get it ready to be loaded into
 * this process without a linker (docs/frontends.md, "In memory"). It gets two functions: `enter`
 * tells the runtime of its code, its layouts and its globals, and is to be called before anything
 * else of it; `leave` is to be called before it is unloaded, when none of its code is on the stack
 * and no object of its layouts is left. Of Cairn's own in it, only the names of managed code
 * (cairn.managed_code.NAME) are visible to other modules.
 * Functions with safepoints get unwind tables. TAKEN: the module has one of these names already, or
 * they are one; it is as it was then. */
enum cairn_status cairn_compile_in_memory(LLVMModuleRef module, const char *enter, const char *leave);

/* Of the pipeline, what one function above runs. */
enum cairn_part {
  CAIRN_PART_WHOLE,  /* cairn_compile_pipeline() */
  CAIRN_PART_UNIT,   /* cairn_compile_unit() */
  CAIRN_PART_JOINED, /* cairn_compile_joined() */
};

/* The passes of this part in order, one name per line, newline-terminated; the caller frees the
 * text with free(). */
char *cairn_compile_describe(const struct cairn_compile_options *options, enum cairn_part part);

/* Run one pass on the module itself: one of cairn_compile_pass_names(), or whatever LLVM's pipeline
 * parser makes of any other name. `machine` may be null. REFUSED: at least one CAIRN_ERROR was
 * reported; BROKEN: our pass left something that LLVM's verifier refuses (reported too). The module
 * is then good for nothing but disposal, unless it is REFUSED by a pass that has a function above.
 */
enum cairn_status cairn_compile_pass(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *name,
                                     const struct cairn_compile_options *options);

/* Print an analysis, one of cairn_compile_analysis_names(), of every managed function or of the
 * module as text that is the same from run to run: *text, which the caller frees with free(). The
 * module is left as it was. UNKNOWN: there is no such analysis; *text is null then. */
enum cairn_status cairn_compile_print(LLVMModuleRef module, const char *analysis,
                                      const struct cairn_compile_options *options, char **text);

/* Null-terminated list of name, one-line help, name, one-line help, ...; static. */
const char *const *cairn_compile_pass_names(void);
/* The same of the analyses. */
const char *const *cairn_compile_analysis_names(void);

#ifdef __cplusplus
}
#endif

#endif
