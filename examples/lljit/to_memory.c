/* SPDX-License-Identifier: Apache-2.0
 *
 * A program's own loader: cairn_compile_to_memory() makes the object, and LLVM's JITLink loads it.
 *
 *   cairn-cc -fcairn-manage=marked to_memory.c $(pkg-config --cflags --libs cairn-compile) -o to_memory
 *   to_memory FILE.ll       runs start() of the module, and unloads it
 */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/collector.h>
#include <cairn/compile.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>

static void check(LLVMErrorRef error)
{
  if (!error)
    return;
  fprintf(stderr, "%s\n", LLVMGetErrorMessage(error));
  exit(1);
}

static LLVMMemoryBufferRef compile(const char *path)
{
  const struct cairn_compile_options compile = {.opt_level = 2};
  const struct cairn_object_options options = {.size = sizeof options, .compile = &compile};
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer, object;
  LLVMModuleRef module;
  char *error;

  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &error) ||
      LLVMParseIRInContext2(context, buffer, &module, &error) ||
      cairn_compile_to_memory(module, &options, "enter", "leave", cairn_mutator_offset(), &object, &error)) {
    fprintf(stderr, "%s: %s\n", path, error);
    exit(1);
  }
  LLVMDisposeMemoryBuffer(buffer);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return object;
}

static LLVMOrcLLJITRef make_jit(void)
{
  LLVMOrcDefinitionGeneratorRef process;
  LLVMOrcLLJITRef jit;

  cairn_compile_init();
  check(LLVMOrcCreateLLJIT(&jit, NULL));
  check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL));
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), process);
  return jit;
}

static void *look_up(LLVMOrcLLJITRef jit, const char *name)
{
  LLVMOrcExecutorAddress address;

  check(LLVMOrcLLJITLookup(jit, &address, name));
  return (void *)address;
}

int main(int argc, char **argv)
{
  if (argc != 2)
    return 2;

  LLVMOrcLLJITRef jit = make_jit();
  LLVMOrcResourceTrackerRef tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit));
  check(LLVMOrcLLJITAddObjectFileWithRT(jit, tracker, compile(argv[1])));
  ((void (*)(void))look_up(jit, "enter"))();
  int status = ((int (*)(int, char **))look_up(jit, "start"))(1, argv);
  ((void (*)(void))look_up(jit, "leave"))();
  check(LLVMOrcResourceTrackerRemove(tracker));
  LLVMOrcReleaseResourceTracker(tracker);
  check(LLVMOrcDisposeLLJIT(jit));
  return status;
}
