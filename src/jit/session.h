/* SPDX-License-Identifier: Apache-2.0
 *
 * A JIT session, and the parts of its functions. Private to src/jit.
 */
#ifndef CN_JIT_SESSION_H
#define CN_JIT_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <cairn/jit.h>
#include "jit/objects/cache.h"
#include "jit/objects/machines.h"
#include "jit/module.h"
#include "jit/names.h"

/* A place in the list of modules. Most removals leave the place, so that they take constant time on average. */
struct cn_jit_listed {
  uint64_t number;
  struct cn_jit_module *module; /* null: removed */
};

struct cairn_jit {
  struct cairn_compile_options compile;
  struct cn_jit_machines machines;
  struct cn_jit_cache *_Atomic cache; /* or null */
  atomic_uint_fast64_t numbers;       /* given to modules */
  pthread_mutex_t lock;               /* of the rest */
  struct cn_linking_layer *layer;
  struct cn_jit_names names;
  struct cn_jit_entries entries;
  CN_VECTOR(struct cn_jit_listed) modules;   /* present, sorted by number; the last one is not null */
  size_t modules_gone;                       /* elements whose module is null */
  CN_VECTOR(struct cn_jit_module *) removed; /* whose memory is still in use, or has not been looked at */
  CN_VECTOR(struct cn_linked *) debugged;    /* memory of removed modules that waits for the end of the session */
  size_t unseen;                             /* modules that were removed since the last look */
  struct cn_jit_lazy *lazy;                  /* modules that were added lazily, with memory */
  struct cn_jit_queue *queue;                /* of compilations in the background, or null */
  bool ended;                                /* cairn_jit_dispose() was called */
  bool watched;                              /* the reclaimer has the session */
};

/* Read bitcode or text into a new context. Null after an error. The second function frees both. */
LLVMModuleRef cn_jit_parse(const void *bytes, size_t size, char **error);
void cn_jit_dispose_parsed(LLVMModuleRef ir);

/* Compile IR to a module with an object. The caller's thread owns the IR's context. Null after an error. */
struct cn_jit_module *cn_jit_compile(struct cairn_jit *session, enum cairn_tier tier, LLVMModuleRef ir,
                                     enum cairn_status *status, char **error);

/* Put the module into the session's list, with those of its names that the session lacks; and take the module out, with
 * its names. Called under the lock. */
void cn_jit_insert_module(struct cairn_jit *session, struct cn_jit_module *module);
void cn_jit_forget_module(struct cairn_jit *session, const struct cn_jit_module *module);

/* Link the module and all unlinked modules that it refers to, and register their images. Called under the lock. After a
 * failure no module is linked. Entries of other modules that the module has the names of still jump to their owners'
 * code; their `body` is that of the module. */
enum cairn_status cn_jit_link(struct cairn_jit *session, struct cn_jit_module *module, char **error);

/* ---- lazy compilation (lazy.c) ---- */

struct cn_jit_lazy;

/* Add a module of stubs; then `lazy` belongs to the session. */
enum cairn_status cn_jit_add_lazy(struct cairn_jit *session, LLVMModuleRef ir, struct cn_jit_lazy *lazy, char **error);

/* A compilation in the background (queue.c). */
struct cn_jit_job {
  uint64_t ticket;
  int priority;
  char *name;
  void *bytes;
  size_t size;
  uint64_t since; /* the session's count of changes (names.h) when the program asked for the compilation */
};

/* Like cairn_jit_replace_ir(), with code of the full tier. GONE: a name of the module has a newer version. */
enum cairn_status cn_jit_replace_later(struct cairn_jit *session, const struct cn_jit_job *job, uint64_t *module,
                                       char **error);

/* Like cairn_jit_replace(), for a function of `lazy`; without effect if another version than the stub is there. */
enum cairn_status cn_jit_replace_stub(struct cairn_jit *session, const char *name, LLVMModuleRef ir,
                                      struct cn_jit_lazy *lazy, uint64_t *module, char **error);

/* Note a part that is put into the session's list of modules, and the end of a part's memory; the last one frees
 * `lazy`. Called under the lock. */
void cn_jit_lazy_add_part(struct cairn_jit *session, struct cn_jit_lazy *lazy);
void cn_jit_lazy_remove_part(struct cairn_jit *session, struct cn_jit_lazy *lazy);

/* The lazy module with this number, or null. Called under the lock. */
struct cn_jit_lazy *cn_jit_lazy_find(const struct cairn_jit *session, uint64_t number);

/* ---- compilation in the background (queue.c) ---- */

/* Start the threads. False: the system has too few resources; `*error` is the message. */
bool cn_jit_queue_begin(struct cairn_jit *session, const struct cairn_jit_options *options, char **error);

/* Drop the waiting compilations, wait for those under way, and end the threads. */
void cn_jit_queue_end(struct cairn_jit *session);

/* ---- removal (remove.c) ---- */

/* Take over a module that is out of the session's lists. Called under the lock. */
void cn_jit_retire(struct cairn_jit *session, struct cn_jit_module *module);

/* Free each removed module whose code has left all stacks and whose objects are gone. Called under the lock. */
void cn_jit_reclaim(struct cairn_jit *session);

/* Watch collections for a session that has removed modules (reclaimer.c). Once the session has ended, the reclaimer
 * frees it. */
void cn_jit_reclaimer_add(struct cairn_jit *session);
void cn_jit_reclaimer_wake(void); /* a look is worth while */

/* Free a session without modules. */
void cn_jit_free(struct cairn_jit *session);

#endif
