/* SPDX-License-Identifier: Apache-2.0
 *
 * LLVM's ORC as a linker of objects in memory: JITLink, and dylibs with separate names. Private to src/jit. All calls
 * for one linker are under the session's lock. Messages are from malloc().
 */
#ifndef CN_JIT_LINKER_H
#define CN_JIT_LINKER_H

#include <stdbool.h>
#include <llvm-c/LLJIT.h>
#include "jit/module.h"

struct cn_jit_linker {
  LLVMOrcLLJITRef jit;
  LLVMOrcExecutionSessionRef execution;
  CN_VECTOR(struct cn_jit_dylib *) free_dylibs;
  unsigned long dylib_count;
  char *report; /* the last error that ORC reported, with the reason of a failure; from malloc() */
  unsigned removals;
};

/* A definition that comes from outside of the dylib. */
struct cn_jit_absolute {
  const char *name;
  uintptr_t address;
};

/* False after an error. */
bool cn_jit_linker_init(struct cn_jit_linker *linker, char **error);
void cn_jit_linker_free(struct cn_jit_linker *linker);

/* An empty dylib, and back. The second function unmaps all that the dylib has. */
struct cn_jit_dylib *cn_jit_linker_take_dylib(struct cn_jit_linker *linker);
void cn_jit_linker_give_dylib_back(struct cn_jit_linker *linker, struct cn_jit_dylib *dylib);

/* Define absolute symbols, whose names differ, in the dylib, before objects that define some of them weakly.
 * False after an error. */
bool cn_jit_linker_define(struct cn_jit_linker *linker, struct cn_jit_dylib *dylib,
                          const struct cn_jit_absolute *symbols, size_t count, char **error);

/* Add the module's object to the dylib, and set the module's tracker. False after an error. */
bool cn_jit_linker_add_object(struct cn_jit_linker *linker, struct cn_jit_dylib *dylib, struct cn_jit_module *module,
                              char **error);

/* Link the objects that define these symbols of the dylib, and set the addresses. False after an error. */
bool cn_jit_linker_find(struct cn_jit_linker *linker, struct cn_jit_dylib *dylib, struct cn_jit_absolute *symbols,
                        size_t count, char **error);

/* Unmap what the module's object took. */
void cn_jit_linker_remove_object(struct cn_jit_linker *linker, struct cn_jit_module *module);

#endif
