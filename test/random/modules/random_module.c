/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes random modules.
 *   random_module [--run [--plain]] [--form=NAME] [--points] [-o FILE] SEED     one, as text
 *   random_module [--plain] [--points] --batch=FOLDER FIRST COUNT     FOLDER/SEED.ll; main.ll runs them
 *   random_module --forms                                  the forms that there are
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "random/modules/module.h"

struct request {
  struct cn_random_wish wish;
  const char *out, *batch;
};

static int usage(void)
{
  fputs("usage: random_module [--run [--plain]] [--form=NAME] [--points] [-o FILE] SEED\n"
        "       random_module [--plain] [--points] --batch=FOLDER FIRST COUNT\n"
        "       random_module --forms\n",
        stderr);
  return 2;
}

static enum cn_form find_form(const char *name)
{
  unsigned f = 0;

  while (f < CN_FORMS && strcmp(cn_form_table[f].name, name) != 0)
    f++;
  return (enum cn_form)f;
}

static int list_forms(void)
{
  for (unsigned f = 0; f < CN_FORMS; f++)
    printf("%-40s %-3s %-4s %s\n", cn_form_table[f].name, cn_form_table[f].row, cn_form_table[f].run ? "run" : "",
           cn_form_table[f].rules);
  return 0;
}

static bool print(LLVMModuleRef module, const char *path)
{
  char *text = NULL;

  if (path) {
    if (!LLVMPrintModuleToFile(module, path, &text))
      return true;
    fprintf(stderr, "random_module: %s: %s\n", path, text);
    LLVMDisposeMessage(text);
    return false;
  }
  text = LLVMPrintModuleToString(module);
  fputs(text, stdout);
  LLVMDisposeMessage(text);
  return true;
}

static bool one(const struct request *request, uint64_t seed, const char *path)
{
  LLVMContextRef llvm = LLVMContextCreate();
  struct cn_random_wish wish = request->wish;
  uint64_t forms;

  wish.seed = seed;
  LLVMModuleRef module = cn_random_module(llvm, &wish, &forms);
  bool ok = print(module, path);

  for (unsigned f = 0; f < CN_FORMS && !request->batch; f++)
    if (forms >> f & 1)
      fprintf(stderr, "; %s\n", cn_form_table[f].name);
  LLVMDisposeModule(module);
  LLVMContextDispose(llvm);
  return ok;
}

static bool batch(const struct request *request, uint64_t first, uint64_t count)
{
  char path[4096];
  bool ok = true;

  for (uint64_t seed = first; ok && seed < first + count; seed++) {
    snprintf(path, sizeof path, "%s/%llu.ll", request->batch, (unsigned long long)seed);
    ok = one(request, seed, path);
  }
  LLVMContextRef llvm = LLVMContextCreate();
  LLVMModuleRef module = cn_random_main(llvm, first, count);
  snprintf(path, sizeof path, "%s/main.ll", request->batch);
  ok = ok && print(module, path);
  LLVMDisposeModule(module);
  LLVMContextDispose(llvm);
  return ok;
}

int main(int argc, char **argv)
{
  struct request request = {.wish.only = CN_FORMS};
  int at = 1;

  for (; at < argc && argv[at][0] == '-'; at++)
    if (strcmp(argv[at], "--run") == 0)
      request.wish.run = true;
    else if (strcmp(argv[at], "--plain") == 0)
      request.wish.plain = true;
    else if (strcmp(argv[at], "--points") == 0)
      request.wish.points = true;
    else if (strcmp(argv[at], "--forms") == 0)
      return list_forms();
    else if (strncmp(argv[at], "--form=", 7) == 0)
      request.wish.only = find_form(argv[at] + 7);
    else if (strncmp(argv[at], "--batch=", 8) == 0)
      request.batch = argv[at] + 8;
    else if (strcmp(argv[at], "-o") == 0 && at + 1 < argc)
      request.out = argv[++at];
    else
      return usage();
  if (at + 1 + (request.batch != NULL) != argc)
    return usage();
  uint64_t seed = strtoull(argv[at], NULL, 10);
  if (!request.batch)
    return !one(&request, seed, request.out);
  request.wish.run = true;
  return !batch(&request, seed, strtoull(argv[at + 1], NULL, 10));
}
