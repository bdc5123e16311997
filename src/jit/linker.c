/* SPDX-License-Identifier: Apache-2.0
 *
 * Links objects in memory by ORC's JITLink. Each group of modules that are linked together has a JITDylib without
 * generators and without a link order: the session resolves each name itself, and defines it there as an address. ORC
 * has no function that deletes a JITDylib, so empty ones are used again. The session's lock covers the state.
 */
#include "jit/linker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include "base/check.h"

enum { REMOVALS_PER_CLEARING = 256 }; /* of the pool of names; a clearing visits the whole pool */

static bool fail(LLVMErrorRef llvm_error, const char *what, const char *report, char **error)
{
  char *message = LLVMGetErrorMessage(llvm_error);

  *error = report ? cn_format("%s: %s", what, report) : cn_format("%s: %s", what, message);
  LLVMDisposeErrorMessage(message);
  return false;
}

/* ORC reports the reason of a failed link here, and only the names to the caller. */
static void keep_report(void *env, LLVMErrorRef llvm_error)
{
  struct cn_jit_linker *linker = env;
  char *message = LLVMGetErrorMessage(llvm_error);

  if (!linker->report)
    linker->report = cn_strdup(message);
  LLVMDisposeErrorMessage(message);
}

static void drop_report(struct cn_jit_linker *linker)
{
  free(linker->report);
  linker->report = NULL;
}

bool cn_jit_linker_init(struct cn_jit_linker *linker, char **error)
{
  LLVMErrorRef failed = LLVMOrcCreateLLJIT(&linker->jit, NULL);

  if (failed)
    return fail(failed, "ORC", NULL, error);
  linker->execution = LLVMOrcLLJITGetExecutionSession(linker->jit);
  LLVMOrcExecutionSessionSetErrorReporter(linker->execution, keep_report, linker);
  return true;
}

void cn_jit_linker_free(struct cn_jit_linker *linker)
{
  LLVMErrorRef failed = linker->jit ? LLVMOrcDisposeLLJIT(linker->jit) : NULL;

  if (failed)
    LLVMConsumeError(failed);
  for (size_t i = 0; i < linker->free_dylibs.count; i++)
    free(linker->free_dylibs.at[i]);
  cn_free(&linker->free_dylibs);
  drop_report(linker);
}

/* ---- dylibs ---- */

struct cn_jit_dylib *cn_jit_linker_take_dylib(struct cn_jit_linker *linker)
{
  if (linker->free_dylibs.count)
    return linker->free_dylibs.at[--linker->free_dylibs.count];
  struct cn_jit_dylib *dylib = cn_alloc(sizeof *dylib);
  char *name = cn_format("cairn.%lu", ++linker->dylib_count);
  dylib->dylib = LLVMOrcExecutionSessionCreateBareJITDylib(linker->execution, name);
  free(name);
  return dylib;
}

void cn_jit_linker_give_dylib_back(struct cn_jit_linker *linker, struct cn_jit_dylib *dylib)
{
  CN_CHECK(dylib->modules == 0);
  LLVMErrorRef failed = LLVMOrcJITDylibClear(dylib->dylib);
  if (failed)
    LLVMConsumeError(failed);
  cn_push(&linker->free_dylibs, dylib);
  if (++linker->removals % REMOVALS_PER_CLEARING == 0)
    LLVMOrcSymbolStringPoolClearDeadEntries(LLVMOrcExecutionSessionGetSymbolStringPool(linker->execution));
}

/* ---- symbols ---- */

bool cn_jit_linker_define(struct cn_jit_linker *linker, struct cn_jit_dylib *dylib,
                          const struct cn_jit_absolute *symbols, size_t count, char **error)
{
  CN_VECTOR(LLVMOrcCSymbolMapPair) pairs = {0};

  for (size_t i = 0; i < count; i++)
    cn_push(&pairs, (LLVMOrcCSymbolMapPair){LLVMOrcExecutionSessionIntern(linker->execution, symbols[i].name),
                                            {symbols[i].address, {LLVMJITSymbolGenericFlagsExported, 0}}});
  LLVMErrorRef failed =
      count ? LLVMOrcJITDylibDefine(dylib->dylib, LLVMOrcAbsoluteSymbols(pairs.at, pairs.count)) : NULL;
  cn_free(&pairs);
  return !failed || fail(failed, "ORC", NULL, error);
}

/* The result of a look-up, which ORC may deliver on another thread. */
struct lookup {
  pthread_mutex_t lock;
  pthread_cond_t done;
  bool is_done;
  LLVMErrorRef failed;
  struct cn_jit_absolute *symbols;
  size_t count;
};

static int compare_absolutes(const void *a, const void *b)
{
  return strcmp(((const struct cn_jit_absolute *)a)->name, ((const struct cn_jit_absolute *)b)->name);
}

static void take_result(LLVMErrorRef failed, LLVMOrcCSymbolMapPairs pairs, size_t count, void *env)
{
  struct lookup *lookup = env;

  pthread_mutex_lock(&lookup->lock);
  lookup->failed = failed;
  for (size_t i = 0; !failed && i < count; i++) {
    struct cn_jit_absolute key = {.name = LLVMOrcSymbolStringPoolEntryStr(pairs[i].Name)};
    struct cn_jit_absolute *found = bsearch(&key, lookup->symbols, lookup->count, sizeof key, compare_absolutes);
    CN_CHECK(found != NULL);
    found->address = pairs[i].Sym.Address;
  }
  lookup->is_done = true;
  pthread_cond_signal(&lookup->done);
  pthread_mutex_unlock(&lookup->lock);
}

bool cn_jit_linker_find(struct cn_jit_linker *linker, struct cn_jit_dylib *dylib, struct cn_jit_absolute *symbols,
                        size_t count, char **error)
{
  struct lookup lookup = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, NULL, symbols, count};
  LLVMOrcCJITDylibSearchOrderElement order = {dylib->dylib, LLVMOrcJITDylibLookupFlagsMatchAllSymbols};
  CN_VECTOR(LLVMOrcCLookupSetElement) wanted = {0};

  if (!count)
    return true;
  qsort(symbols, count, sizeof *symbols, compare_absolutes);
  for (size_t i = 0; i < count; i++)
    cn_push(&wanted, (LLVMOrcCLookupSetElement){LLVMOrcExecutionSessionIntern(linker->execution, symbols[i].name),
                                                LLVMOrcSymbolLookupFlagsRequiredSymbol});
  drop_report(linker);
  LLVMOrcExecutionSessionLookup(linker->execution, LLVMOrcLookupKindStatic, &order, 1, wanted.at, wanted.count,
                                take_result, &lookup);
  pthread_mutex_lock(&lookup.lock);
  while (!lookup.is_done)
    pthread_cond_wait(&lookup.done, &lookup.lock);
  pthread_mutex_unlock(&lookup.lock);
  cn_free(&wanted);
  return !lookup.failed || fail(lookup.failed, "JITLink", linker->report, error);
}

/* ---- objects ---- */

bool cn_jit_linker_add_object(struct cn_jit_linker *linker, struct cn_jit_dylib *dylib, struct cn_jit_module *module,
                              char **error)
{
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(module->object, module->object_size, module->title);

  module->tracker = LLVMOrcJITDylibCreateResourceTracker(dylib->dylib);
  LLVMErrorRef failed = LLVMOrcLLJITAddObjectFileWithRT(linker->jit, module->tracker, buffer);
  if (!failed)
    return true;
  LLVMOrcReleaseResourceTracker(module->tracker);
  module->tracker = NULL;
  return fail(failed, "ORC", NULL, error);
}

void cn_jit_linker_remove_object(struct cn_jit_linker *linker, struct cn_jit_module *module)
{
  LLVMErrorRef failed = LLVMOrcResourceTrackerRemove(module->tracker);

  (void)linker;
  if (failed)
    LLVMConsumeError(failed);
  LLVMOrcReleaseResourceTracker(module->tracker);
  module->tracker = NULL;
}
