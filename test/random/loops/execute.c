/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects by LLVM's code generator, a shared object by the linker, functions by dlsym().
 */
#include "random/loops/execute.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cairn/compile.h>
#include <llvm-c/TargetMachine.h>
#include "base/check.h"
#include "random/modules/maker.h"

struct cn_loops_loaded {
  void *plain, *done;
};

bool cn_loops_can_execute(void)
{
  return strncmp(cn_random_machine()->triple, "x86_64-", 7) == 0;
}

static _Noreturn void fail(const char *what, const char *why)
{
  fprintf(stderr, "loops: %s: %s\n", what, why);
  exit(2);
}

static void compile(LLVMModuleRef module, LLVMCodeGenOptLevel level, const char *path)
{
  const char *triple = LLVMGetTarget(module);
  LLVMTargetRef target;
  char *message = NULL;

  CN_CHECK(!LLVMGetTargetFromTriple(triple, &target, &message));
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(target, triple, "x86-64", "", level, LLVMRelocPIC, LLVMCodeModelDefault);
  if (LLVMTargetMachineEmitToFile(machine, module, path, LLVMObjectFile, &message))
    fail(path, message);
  LLVMDisposeTargetMachine(machine);
}

/* A function that does nothing, if the module calls it. */
static void define_empty(LLVMModuleRef module, const char *name)
{
  LLVMContextRef llvm = LLVMGetModuleContext(module);
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(llvm);

  if (function) {
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(llvm, function, ""));
    LLVMBuildRetVoid(builder);
  }
  LLVMDisposeBuilder(builder);
}

/* What polls refer to: the word that asks, and stubs that find nothing to do. */
static void define_runtime(LLVMModuleRef module)
{
  LLVMContextRef llvm = LLVMGetModuleContext(module);
  LLVMValueRef mutator = LLVMGetNamedGlobal(module, "cairn_mutator");

  if (mutator) {
    size_t size = LLVMGetArrayLength2(LLVMGlobalGetValueType(mutator));
    char *ones = cn_alloc(size);
    memset(ones, 1, size);
    LLVMSetInitializer(mutator, LLVMConstStringInContext2(llvm, ones, size, true));
    LLVMSetLinkage(mutator, LLVMInternalLinkage);
    LLVMSetThreadLocalMode(mutator, LLVMGeneralDynamicTLSModel);
    free(ones);
  }
  define_empty(module, "cairn_poll_slow");
  define_empty(module, "cairn_poll");
}

static void *link_and_load(const char *object)
{
  char command[600], shared[300];

  snprintf(shared, sizeof shared, "%s.so", object);
  snprintf(command, sizeof command, "cc -shared -nostdlib -Wl,-z,notext -o '%s' '%s'", shared, object);
  if (system(command) != 0)
    fail(command, "does not link");
  void *loaded = dlopen(shared, RTLD_NOW | RTLD_LOCAL);
  if (!loaded)
    fail(shared, dlerror());
  unlink(object);
  unlink(shared);
  return loaded;
}

struct cn_loops_loaded *cn_loops_load(LLVMModuleRef plain, LLVMModuleRef done, const char *stem)
{
  struct cn_loops_loaded *loaded = cn_alloc(sizeof *loaded);
  char path[260];

  define_runtime(done);
  snprintf(path, sizeof path, "%s.plain.o", stem);
  compile(plain, LLVMCodeGenLevelNone, path);
  loaded->plain = link_and_load(path);
  snprintf(path, sizeof path, "%s.done.o", stem);
  compile(done, LLVMCodeGenLevelLess, path);
  loaded->done = link_and_load(path);
  return loaded;
}

void cn_loops_unload(struct cn_loops_loaded *loaded)
{
  dlclose(loaded->plain);
  dlclose(loaded->done);
  free(loaded);
}

void cn_loops_execute(const struct cn_loops_loaded *loaded, uint64_t number, bool done,
                      struct cn_loop_always_runs_block *run)
{
  int64_t (*function)(int64_t *, int64_t *, int64_t, int64_t, int32_t);
  char name[32];

  snprintf(name, sizeof name, "f%llu", (unsigned long long)number);
  void *found = dlsym(done ? loaded->done : loaded->plain, name);
  CN_CHECK(found);
  memcpy(&function, &found, sizeof function);
  run->result = function(run->a, run->b, run->n, run->k, run->m);
}
