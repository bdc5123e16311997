/* SPDX-License-Identifier: Apache-2.0
 *
 * A compiler that uses Cairn as a library: IR goes in, and an object file comes out, which any linker links with
 * Cairn's runtime.
 *
 *   cc own_compiler.c $(pkg-config --cflags --libs cairn-compile) -o own_compiler
 *   own_compiler IN.ll OUT.o       then cairn-cc OUT.o -o PROGRAM links the object
 */
#include <stdio.h>
#include <stdlib.h>
#include <cairn/compile.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

static LLVMModuleRef read_module(LLVMContextRef context, const char *path, char **error)
{
  LLVMMemoryBufferRef buffer = NULL;
  LLVMModuleRef module = NULL;

  if (!LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, error)) {
    LLVMParseIRInContext2(context, buffer, &module, error);
    LLVMDisposeMemoryBuffer(buffer);
  }
  return module;
}

static bool write_object(LLVMMemoryBufferRef object, const char *path)
{
  size_t size = LLVMGetBufferSize(object);
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(LLVMGetBufferStart(object), 1, size, file) == size;

  return (!file || fclose(file) == 0) && ok;
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return puts("usage: own_compiler IN.ll OUT.o    compiles IR to an object") < 0 || argc != 2;

  const struct cairn_compile_options compile = {.opt_level = 2};
  const struct cairn_object_options options = {.size = sizeof options, .compile = &compile};
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef object = NULL;
  char *error = NULL;
  LLVMModuleRef module = read_module(context, argv[1], &error);
  bool ok = module && cairn_compile_to_object(module, &options, &object, &error) == CAIRN_OK;

  if (!ok)
    fprintf(stderr, "%s: %s\n", argv[1], error);
  else if (!(ok = write_object(object, argv[2])))
    perror(argv[2]);
  free(error);
  if (object)
    LLVMDisposeMemoryBuffer(object);
  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
