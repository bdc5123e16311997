/* Compiles a module of IR by cairn_compile_to_object(): to_object INPUT OUTPUT. Prints the rules of all remarks, and
 * whether the call has changed the module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/compile.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

static void print_rule(void *env, const struct cairn_diagnostic *d)
{
  (void)env;
  printf("%s: %s\n", d->rule, d->message);
}

static void need(int failed, const char *text)
{
  if (failed) {
    fprintf(stderr, "to_object: %s\n", text);
    exit(1);
  }
}

int main(int argc, char **argv)
{
  struct cairn_compile_options compile = {.opt_level = 3, .manage_all = true, .diagnose = print_rule};
  struct cairn_object_options options = {.size = sizeof options, .compile = &compile};
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef input, object;
  LLVMModuleRef module;
  char *error = NULL;

  need(argc != 3, "usage: to_object INPUT OUTPUT");
  need(LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &input, &error), error);
  need(LLVMParseIRInContext2(context, input, &module, &error), error);
  char *before = LLVMPrintModuleToString(module);
  need(cairn_compile_to_object(module, &options, &object, &error), error);
  printf("the module is %s\n", strcmp(before, LLVMPrintModuleToString(module)) == 0 ? "unchanged" : "changed");
  FILE *output = fopen(argv[2], "w");
  need(!output, "the output does not open");
  fwrite(LLVMGetBufferStart(object), 1, LLVMGetBufferSize(object), output);
  return fclose(output);
}
