/* SPDX-License-Identifier: Apache-2.0
 *
 * How a compiler with a runtime of its own uses Cairn as a library: it hands over the LLVMModuleRef
 * that it has optimised and gets safepoints, relocations and the proof that they are complete, or
 * all that is wrong with the module, which is then as it was.
 *
 *   cc own_runtime.c $(pkg-config --cflags --libs cairn-compile) -o own_runtime
 *   own_runtime IN.ll       writes the module with its safepoints to standard output
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/compile.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

static LLVMModuleRef read_module(LLVMContextRef context, const char *path)
{
  LLVMMemoryBufferRef buffer = NULL;
  LLVMModuleRef module = NULL;
  char *message = NULL;

  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) ||
      LLVMParseIRInContext2(context, buffer, &module, &message)) {
    fprintf(stderr, "%s: %s\n", path, message);
    LLVMDisposeMessage(message);
  }
  if (buffer)
    LLVMDisposeMemoryBuffer(buffer);
  return module;
}

static void print(const struct cairn_diagnostics *found)
{
  static const char *const words[] = {"error", "warning", "remark", "note"};

  for (size_t i = 0; i < found->count; i++) {
    const struct cairn_diagnostic *d = &found->at[i];
    if (d->file)
      fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
    fprintf(stderr, "%s: in '%s': %s [%s]\n", words[d->severity],
            d->function ? d->function : "the module", d->message, d->rule);
  }
}

/* A compiler's last passes before code generation. */
static bool insert_safepoints(LLVMModuleRef module)
{
  /* References of this language are in address spaces 1 and 2. */
  static const unsigned spaces[] = {1, 2};
  const struct cairn_compile_options options = {
      .opt_level = 2, .address_spaces = spaces, .address_space_count = 2};
  struct cairn_diagnostics found = {0};

  bool ok = cairn_place_safepoints(module, &options, &found) == CAIRN_OK &&
            cairn_rewrite_statepoints(module, &options, &found) == CAIRN_OK &&
            cairn_verify_safepoints(module, &options, &found) == CAIRN_OK;
  print(&found);
  cairn_diagnostics_free(&found);
  return ok;
}

int main(int argc, char **argv)
{
  if (argc != 2 || strcmp(argv[1], "--help") == 0)
    return puts("usage: own_runtime IN.ll    inserts safepoints and prints the module") < 0 || argc != 2;

  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = read_module(context, argv[1]);
  bool ok = module && insert_safepoints(module);

  if (ok) {
    char *text = LLVMPrintModuleToString(module);
    fputs(text, stdout);
    LLVMDisposeMessage(text);
  }
  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
