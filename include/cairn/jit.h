/* SPDX-License-Identifier: Apache-2.0
 *
 * JIT sessions: IR in, callable code out, in the running process. A session compiles modules with Cairn's whole
 * pipeline, links them in memory with LLVM's JITLink, and registers their frame maps, layouts and globals before the
 * first call. docs/jit.md is the guide; the library is libcairn-jit.a, with LLVM (pkg-config cairn-jit).
 *
 *   struct cairn_jit *session;
 *   uint64_t module;
 *   void *address;
 *   char *error;
 *
 *   if (cairn_jit_new(NULL, &session, &error) || cairn_jit_add_ir(session, text, length, &module, &error) ||
 *       cairn_jit_look_up(session, "run", &address, &error))
 *     complain(error);
 *
 * Any number of threads may call at once, with one session or several, in native code: managed C calls these functions
 * as other native functions. Signal handlers, listeners (<cairn/events.h>) and callbacks in phase STOP must not call,
 * nor a forked child with a session that another thread of the parent used at the fork. After a failure the session is
 * as it was, and *error is a message, which the caller frees with free(); with CAIRN_OK *error is null. Exhausted
 * memory ends the process.
 */
#ifndef CAIRN_JIT_H
#define CAIRN_JIT_H

#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Types.h>
#include <cairn/compile.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A session: modules, and the names that they define. */
struct cairn_jit;

/* Called on a thread of the session when a compilation of cairn_jit_compile_later() has ended; `module` and `error` are
 * as from cairn_jit_replace(), but the string lives until the function returns. It must not dispose of the session, nor
 * call cairn_jit_finish(). */
typedef void cairn_jit_compiled(void *env, uint64_t ticket, enum cairn_status status, uint64_t module,
                                const char *error);

/* The options of a session. All zero means -O0, for this machine's processor. */
struct cairn_jit_options {
  /* The options of each compilation, such as opt_level, diagnose and env; `shared` must be false. Barriers
   * are those of the program's collector: `barriers` is CAIRN_BARRIERS_CARDS, the default, or this kind.
   * cairn_jit_new() copies the structure; memory that it points to must outlive the session. Findings come in the
   * thread that adds the module. */
  struct cairn_compile_options compile;
  const char *cpu;      /* the processor, as in -mcpu; null: this machine's, with its features */
  const char *features; /* as in -mattr; null: none beyond the processor's */
  unsigned threads;     /* that compile in the background, at most 64; 0: cairn_jit_compile_later() is refused */
  unsigned waiting;     /* compilations that may wait for these threads; 0: 256 */
  cairn_jit_compiled *compiled; /* may be null */
  void *compiled_env;
};

/* Begins a session. `options` may be null. REFUSED: the options are refused, or LLVM has no target for the processor;
 * *session is then null. */
enum cairn_status cairn_jit_new(const struct cairn_jit_options *options, struct cairn_jit **session, char **error);

/* Ends a session: drops waiting compilations, waits for those that run, and removes its modules, as cairn_jit_remove()
 * does. The caller must not use the session afterwards; its
 * memory goes with that of its last module. */
void cairn_jit_dispose(struct cairn_jit *session);

/* Gives the session a cache: a directory, which processes share, with the finished objects of modules. A module that is
 * added later comes from the cache if its IR, the options, the processor, the program's file and LLVM are the same as
 * in an earlier compilation; then it is not compiled. A compilation with findings is repeated, so that they are told,
 * and so is each with `samples`, `report`, `timer`, `step` or `check_steps`. Options of LLVM's command line, such as
 * cairn_compile_live_outs(), must be the same in all processes that share the directory. A torn or damaged file is a
 * miss, and is replaced. If `bound` is not 0, the files that were used longest ago are deleted, so that all take at
 * most so many bytes. The session makes the directory if it is missing.
 *
 * REFUSED: the directory cannot be made or opened, is a symbolic link, belongs to another user, or may be written by
 *    other users, for its files are code. TAKEN: the session has a cache. */
enum cairn_status cairn_jit_cache(struct cairn_jit *session, const char *directory, uint64_t bound, char **error);

/* The number of modules that came from the session's cache, that the cache lacked, among these with a damaged file, and
 * that were stored; all 0 without a cache. */
struct cairn_jit_cache_counts {
  uint64_t hits, misses, damaged, stored;
};
void cairn_jit_cache_count(struct cairn_jit *session, struct cairn_jit_cache_counts *counts);

/* Defines `name` as an address, which modules that are linked from now on refer to, before the process's own symbols.
 * The address of a managed function may be given to modules that pass references to it. TAKEN: the session has a symbol
 * of this name. */
enum cairn_status cairn_jit_define(struct cairn_jit *session, const char *name, void *address, char **error);

/* Adds a module: compiles it, and defines its external symbols in the session. *module is the module's number, from 1;
 * the session gives each number once. cairn_jit_add() leaves `module_ir` unchanged, with its owner, and works in its
 * context: no other thread may use the context meanwhile. cairn_jit_add_ir() reads `size` bytes of bitcode, or of IR as
 * text, into a context of its own. The input comes from a compiler: LLVM's readers are not made for hostile bytes.
 * Messages call the module by its number, and by the identifier of the IR; cairn_jit_add_ir() takes the IR's
 * source_filename for that, or "module" if the IR has none.
 *
 * REFUSED: the input does not parse; the code is refused, and the findings say why (docs/refused.md); it is for another
 *    target or data layout; or it has constructors, destructors, thread-local variables, ifuncs, or a gc strategy that
 *    is unknown to Cairn.
 * BROKEN: the module is not valid IR.
 * TAKEN: the session has a symbol that the module defines, too, and the module's definition is not weak. A weak
 *    definition after another one is left out. The process's own symbols may be defined again.
 * After a failure *module is 0. */
enum cairn_status cairn_jit_add(struct cairn_jit *session, LLVMModuleRef module_ir, uint64_t *module, char **error);
enum cairn_status cairn_jit_add_ir(struct cairn_jit *session, const void *bytes, size_t size, uint64_t *module,
                                   char **error);

/* Adds a module whose managed functions are compiled one by one, each at its first call, on the caller's thread, while
 * other threads run and collect. Threads that call a function meanwhile wait. Variables, native functions, functions
 * with variable arguments, and those whose blocks have addresses, are compiled with the call. Each compiled function is
 * a module, so that functions are not put in line into each other, and each may be replaced. cairn_jit_remove() of the
 * number removes all parts. Statuses are as for cairn_jit_add_ir(); REFUSED: also if the module has an alias. A
 * function that cannot be compiled or linked ends the program at its first call, with a message, and so does a first
 * call after the removal, by a call that is under way. */
enum cairn_status cairn_jit_add_lazy_ir(struct cairn_jit *session, const void *bytes, size_t size, uint64_t *module,
                                        char **error);

/* Replaces the managed function `name` of a module by another version, from IR as for the two functions above, whose
 * *module it becomes. The new module is compiled and linked. Then, in one stop of all threads, every call of `name`
 * begins to reach the new version: calls from other modules, from static code, and by pointers, also by pointers taken
 * before. When the function returns, no call reaches the old version any more; calls under way end there. Other managed
 * functions that the new module exports and the session has are replaced in the same stop, unless the new definition is
 * weak. Within its own module the old code stays: direct calls between functions of one module are final, and so are
 * inlined calls. An old module without further names is removed, as by cairn_jit_remove().
 *
 * UNKNOWN: the session has no symbol `name`, or a symbol that the module refers to is missing.
 * REFUSED: also if the module does not export a managed function `name`, or if old and new function differ in their
 *    types; if the old symbol is a variable, a native function, an alias, or the user's (cairn_jit_define()); or if
 * code without safepoints is loaded. TAKEN: the module defines a variable or a native function that the session has,
 * and not weakly. BUSY: the caller is a leaf function of managed code, or an operation of a handshake. All other
 * failures are those of cairn_jit_add_ir() and cairn_jit_look_up(). */
enum cairn_status cairn_jit_replace(struct cairn_jit *session, const char *name, LLVMModuleRef module_ir,
                                    uint64_t *module, char **error);
enum cairn_status cairn_jit_replace_ir(struct cairn_jit *session, const char *name, const void *bytes, size_t size,
                                       uint64_t *module, char **error);

/* Lets a thread of the session do cairn_jit_replace_ir(), with code of CAIRN_TIER_FULL: a session whose options have
 * CAIRN_TIER_QUICK compiles its hot functions again this way. The call copies `name` and the bytes, and returns at
 * once. Higher priorities come first, and of equal ones the oldest. *ticket is the number of the compilation, from 1.
 * A newer version is never overwritten: if the program has defined or replaced the function since this call, or the
 * compilation of a later call has ended, `compiled` gets GONE, and nothing is replaced.
 * BUSY: as many compilations wait as may wait. REFUSED: the session has no threads, or the process is a forked child.
 */
enum cairn_status cairn_jit_compile_later(struct cairn_jit *session, const char *name, const void *bytes, size_t size,
                                          int priority, uint64_t *ticket, char **error);

/* Drops a compilation that waits; `compiled` is not called for it. UNKNOWN: it has begun, has ended, or never was. */
enum cairn_status cairn_jit_cancel(struct cairn_jit *session, uint64_t ticket, char **error);

/* Waits until no compilation waits or runs. */
void cairn_jit_finish(struct cairn_jit *session);

/* Finds the address of a symbol that a module or cairn_jit_define() defines. The first look-up of a module's symbol
 * links the module, with all modules that it refers to. References are found in the session, then in the process, as by
 * dlsym(RTLD_DEFAULT).
 *
 * UNKNOWN: the session has no such symbol, or a module refers to a symbol that neither the session nor the process
 *    exports; the module can be linked later, when the symbol is defined.
 * REFUSED: JITLink refuses the code, a native function would be given references, or the code of a module does not fit
 *    the program: its words, or the services that its types need (cairn_image_check()). */
enum cairn_status cairn_jit_look_up(struct cairn_jit *session, const char *name, void **address, char **error);

/* Finds the code of the current version of a managed function. The address is that of the function in patch points and
 * frames (cairn_points_of_function()); calls go to the address from cairn_jit_look_up(), which every version has.
 * Statuses are as for cairn_jit_look_up(); REFUSED: the symbol is no managed function of a module. */
enum cairn_status cairn_jit_find_code(struct cairn_jit *session, const char *name, uintptr_t *address, char **error);

/* Removes a module. Its symbols are gone at once for look-ups and for later links, and their names may be defined
 * again. Calls that are under way go on, and so do calls from modules that were linked with it. Its memory goes later,
 * by itself, when
 *   - no stack has a frame of its code: stacks of all threads, and of waiting coroutines (<cairn/stack.h>);
 *   - no module that is present, or whose code has frames, refers to it;
 *   - no object has its layouts. Its globals are roots until its code is dead by the first two conditions.
 * The session finds this out after full collections, on a thread that the first removal starts, and after many
 * removals. The caller sees to all other uses: native code must not call an address of the module from now on, nor
 * managed code by a pointer (a late call of a managed function ends the program, with a message, until some thousand
 * other functions have gone), unless another frame of the module is below the call; a native function of the module
 * must have returned to its native caller. Objects are counted only for collectors that report the places of their
 * objects (UNSEEN of <cairn/heap.h>); with others, removed modules stay. UNKNOWN: the session has no module of this
 * number; it may have been removed. */
enum cairn_status cairn_jit_remove(struct cairn_jit *session, uint64_t module, char **error);

/* A removed module whose memory is still in use, and its uses. Strings live until the visitor returns. */
struct cairn_jit_pending {
  uint64_t module;
  const char *name; /* as in messages: see cairn_jit_add() */
  uint64_t frames;  /* activations of its code */
  uint64_t objects; /* objects of its layouts, with those that the next full collection frees */
  bool linked;      /* code that may run refers to the module */
};
typedef void cairn_jit_pending_visitor(void *env, const struct cairn_jit_pending *pending);

/* Frees the removed modules that can go now, calls `visit`, which may be null, for each other one, and returns their
 * number. The visitor must not call functions of this header. Stops the program for a walk over its stacks and its
 * heap. */
size_t cairn_jit_pending(struct cairn_jit *session, cairn_jit_pending_visitor *visit, void *env);

#ifdef __cplusplus
}
#endif

#endif
