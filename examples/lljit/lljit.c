/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed code that is compiled, loaded, run and unloaded in one process: LLVM's ORC with Cairn's
 * compiler in front of it, its frame maps after the code generator, and its collector below.
 *
 *   cairn-cc -fcairn-manage=marked lljit.c $(pkg-config --cflags --libs cairn-compile) -o lljit
 *   lljit FILE.ll...           runs main() of each, all of them being loaded at once; and again
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/collector.h>
#include <cairn/compile.h>
#include <cairn/object.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>

void cairn_collect(void);

/* A module's functions are called by names of its own, so that many can be loaded. */
struct program {
  char run[32], enter[32], leave[32];
  LLVMOrcResourceTrackerRef tracker;
};

static void check(LLVMErrorRef error)
{
  if (!error)
    return;
  fprintf(stderr, "jit: %s\n", LLVMGetErrorMessage(error));
  exit(1);
}

static LLVMTargetMachineRef make_machine(void)
{
  char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
  LLVMTargetRef target;

  cairn_compile_init();
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    fprintf(stderr, "jit: %s\n", message);
    exit(1);
  }
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(target, triple, "x86-64", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                              LLVMCodeModelSmall);
  LLVMDisposeMessage(triple);
  return machine;
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *path)
{
  LLVMMemoryBufferRef buffer = NULL;
  LLVMModuleRef module = NULL;
  char *message = NULL;

  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) ||
      LLVMParseIRInContext2(context, buffer, &module, &message)) {
    fprintf(stderr, "jit: %s: %s\n", path, message);
    exit(1);
  }
  LLVMDisposeMemoryBuffer(buffer);
  return module;
}

static void diagnose(void *env, const struct cairn_diagnostic *d)
{
  (void)env;
  if (d->severity == CAIRN_ERROR)
    fprintf(stderr, "jit: in '%s': %s [%s]\n", d->function ? d->function : "the module", d->message,
            d->rule);
}

/* IR with safepoints, ready to be loaded. */
static LLVMModuleRef compile(LLVMModuleRef module, LLVMTargetMachineRef machine,
                             const struct program *program)
{
  const struct cairn_compile_options options = {.opt_level = 2, .diagnose = diagnose};
  LLVMTargetDataRef data = LLVMCreateTargetDataLayout(machine);
  LLVMValueRef start = LLVMGetNamedFunction(module, "main");

  LLVMSetModuleDataLayout(module, data);
  LLVMDisposeTargetData(data);
  LLVMSetTarget(module, LLVMGetDefaultTargetTriple());
  if (start)
    LLVMSetValueName2(start, program->run, strlen(program->run));
  LLVMModuleRef result;
  if (!start || cairn_compile_pipeline(module, machine, &options, &result) != CAIRN_OK ||
      cairn_compile_in_memory(result, program->enter, program->leave) != CAIRN_OK)
    exit(1);
  LLVMDisposeModule(module);
  return result;
}

/* Between code generator and loader: stack maps become frame maps. */
static LLVMErrorRef rewrite(void *env, LLVMMemoryBufferRef *object)
{
  void *bytes;
  size_t size;
  char *message;

  (void)env;
  enum cairn_status status =
      cairn_object_rewrite_in_memory(LLVMGetBufferStart(*object), LLVMGetBufferSize(*object),
                                     cairn_mutator_offset(), &bytes, &size, &message);
  LLVMDisposeMemoryBuffer(*object);
  *object = NULL;
  if (status) {
    LLVMErrorRef error = LLVMCreateStringError(message);
    free(message);
    return error;
  }
  *object = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "object");
  free(bytes);
  return LLVMErrorSuccess;
}

static LLVMOrcLLJITRef make_jit(LLVMTargetMachineRef machine)
{
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcDefinitionGeneratorRef process;
  LLVMOrcLLJITRef jit;

  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
      builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
  check(LLVMOrcCreateLLJIT(&jit, builder));
  LLVMOrcObjectTransformLayerSetTransform(LLVMOrcLLJITGetObjTransformLayer(jit), rewrite, NULL);
  /* The runtime, and the C library. */
  check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
      &process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL));
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), process);
  return jit;
}

static void *look_up(LLVMOrcLLJITRef jit, const char *name)
{
  LLVMOrcExecutorAddress address;

  check(LLVMOrcLLJITLookup(jit, &address, name));
  return (void *)address;
}

static void load(LLVMOrcLLJITRef jit, struct program *program, const char *path, int number)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMTargetMachineRef machine = make_machine();

  snprintf(program->run, sizeof program->run, "run.%d", number);
  snprintf(program->enter, sizeof program->enter, "enter.%d", number);
  snprintf(program->leave, sizeof program->leave, "leave.%d", number);
  LLVMModuleRef module = compile(read_module(context, path), machine, program);
  LLVMDisposeTargetMachine(machine);
  LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
  program->tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit));
  check(LLVMOrcLLJITAddLLVMIRModuleWithRT(jit, program->tracker,
                                          LLVMOrcCreateNewThreadSafeModule(module, safe)));
  LLVMOrcDisposeThreadSafeContext(safe);
  ((void (*)(void))look_up(jit, program->enter))();
}

/* Its objects are garbage: nothing refers to them any more. They go before their layouts do. */
static void unload(LLVMOrcLLJITRef jit, struct program *program)
{
  ((void (*)(void))look_up(jit, program->leave))();
  cairn_collect();
  check(LLVMOrcResourceTrackerRemove(program->tracker));
  LLVMOrcReleaseResourceTracker(program->tracker);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: jit FILE.ll...    loads all at once, runs main() of each; twice") < 0;

  struct program *programs = calloc((size_t)argc, sizeof *programs);
  LLVMOrcLLJITRef jit = make_jit(make_machine());
  int status = 0;

  for (int round = 0; round < 2; round++) {
    for (int i = 1; i < argc; i++)
      load(jit, &programs[i], argv[i], i);
    for (int i = 1; i < argc; i++) {
      char *words[] = {argv[i], NULL};
      status |= ((int (*)(int, char **))look_up(jit, programs[i].run))(1, words);
    }
    for (int i = argc; i-- > 1;) /* the last may have roots in globals of the first */
      unload(jit, &programs[i]);
  }
  check(LLVMOrcDisposeLLJIT(jit));
  free(programs);
  return status;
}
