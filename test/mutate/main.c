/* SPDX-License-Identifier: Apache-2.0
 *
 * cairn-mutate [--limit=N] [--keep=PREFIX] REWRITTEN.{ll,bc} ...: break each module in every way
 * that is known to be wrong, one at a time, and let `cairn verify` see the result. Prints how
 * many mutants of each kind there were, how many LLVM's verifier refused (no program at all), and
 * how many were missed. Status 1 if any was, or if a module as given is not accepted.
 *
 * --limit: so many mutants of a kind per module, spread over all places. --keep: missed mutants are
 * written to PREFIX.1.ll and so on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/compile.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include "base/check.h"
#include "mutate/mutate.h"

struct count {
  unsigned tried, refused, missed;
};

static struct {
  uint64_t limit;
  const char *keep;
  unsigned kept;
} how = {.limit = UINT64_MAX};

static void count_error(void *env, const struct cairn_diagnostic *d)
{
  *(unsigned *)env += d->severity == CAIRN_ERROR && strcmp(d->rule, "internal") != 0;
}

static bool accepts(LLVMModuleRef module)
{
  unsigned errors = 0;
  struct cairn_compile_options options = {.diagnose = count_error, .env = &errors};

  return cairn_compile_pass(module, NULL, "verify-safepoints", &options) == CAIRN_OK && errors == 0;
}

/* How many stores to memory that nobody looks at are found: some modules have such on purpose. */
static unsigned stray_stores(LLVMModuleRef module)
{
  unsigned errors = 0;
  struct cairn_compile_options options = {.diagnose = count_error, .env = &errors};

  cairn_compile_pass(module, NULL, "verify-unmanaged", &options);
  return errors;
}

/* ---- one mutant ---- */

static void look_at(struct place *p, LLVMValueRef function)
{
  p->compares = false;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      if (is_statepoint(i)) {
        p->statepoints++;
        p->statepoint = LLVMGetCalledValue(i);
      }
      p->compares |= LLVMIsAICmpInst(i) && cn_is_ref(LLVMTypeOf(LLVMGetOperand(i, 0))) &&
                     !LLVMIsConstant(LLVMGetOperand(i, 1));
    }
}

static bool mutate_function(struct place *p, const struct kind *kind, LLVMValueRef function)
{
  bool done = false;

  unsigned statepoints = p->statepoints;

  look_at(p, function); /* for what it says of this one */
  p->statepoints = statepoints;
  cn_cfg_build(&p->cfg, function);
  for (uint32_t b = 0; b < p->cfg.count && !done; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(p->cfg.blocks[b].block), next; i && !done;
         i = next) {
      next = LLVMGetNextInstruction(i);
      done = kind->mutate(p, i);
    }
  cn_cfg_free(&p->cfg);
  return done;
}

/* Break the n-th place of `kind`. False, and in *places how many there are, if there are fewer. */
static bool mutate(LLVMModuleRef module, const struct kind *kind, uint64_t n, uint64_t *places)
{
  struct place p = {.module = module, .llvm = LLVMGetModuleContext(module), .skip = n};
  bool done = false;

  p.builder = LLVMCreateBuilderInContext(p.llvm);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      look_at(&p, f);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !done; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cn_is_managed(f))
      done = mutate_function(&p, kind, f);
  LLVMDisposeBuilder(p.builder);
  *places = n - p.skip;
  return done;
}

static void miss(LLVMModuleRef mutant, const char *path, const struct kind *kind, uint64_t n)
{
  printf("missed: %s: %s %llu\n", path, kind->name, (unsigned long long)n);
  if (!how.keep)
    return;
  char *name = cn_format("%s.%u.ll", how.keep, ++how.kept);
  LLVMPrintModuleToFile(mutant, name, NULL);
  printf("  in %s\n", name);
  free(name);
}

static void try_mutant(LLVMModuleRef module, const char *path, const struct kind *kind, uint64_t n,
                       struct count *count)
{
  LLVMModuleRef mutant = LLVMCloneModule(module);
  uint64_t places;

  if (mutate(mutant, kind, n, &places)) {
    count->tried++;
    if (LLVMVerifyModule(mutant, LLVMReturnStatusAction, NULL)) {
      count->refused++;
    } else if (accepts(mutant) && stray_stores(mutant) <= stray_stores(module)) {
      count->missed++;
      miss(mutant, path, kind, n);
    }
  }
  LLVMDisposeModule(mutant);
}

static void try_kind(LLVMModuleRef module, const char *path, const struct kind *kind,
                     struct count *count)
{
  LLVMModuleRef clone = LLVMCloneModule(module);
  uint64_t places;

  /* Nothing is broken, as there are not so many places; but they are counted. */
  mutate(clone, kind, UINT64_MAX / 4, &places);
  LLVMDisposeModule(clone);
  uint64_t take = places < how.limit ? places : how.limit;
  for (uint64_t i = 0; i < take; i++)
    try_mutant(module, path, kind, i * places / take, count);
}

/* ---- modules ---- */

static LLVMModuleRef read_module(LLVMContextRef context, const char *path)
{
  LLVMMemoryBufferRef buffer;
  LLVMModuleRef module = NULL;
  char *message = NULL;

  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) ||
      LLVMParseIRInContext(context, buffer, &module, &message)) {
    fprintf(stderr, "%s: %s\n", path, message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  return module;
}

static bool try_file(const char *path, struct count *counts)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = read_module(context, path);
  bool ok = module && accepts(module);

  if (module && !ok)
    printf("%s: is not accepted as it is\n", path);
  for (size_t k = 0; ok && kinds[k].name; k++)
    try_kind(module, path, &kinds[k], &counts[k]);
  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return ok;
}

static bool summarise(const struct count *counts)
{
  struct count all = {0, 0, 0};

  for (size_t k = 0; kinds[k].name; k++) {
    printf("%-14s %5u mutants, %5u refused by LLVM, %u missed\n", kinds[k].name, counts[k].tried,
           counts[k].refused, counts[k].missed);
    all.tried += counts[k].tried;
    all.refused += counts[k].refused;
    all.missed += counts[k].missed;
  }
  printf("all: %u mutants, %u missed\n", all.tried - all.refused, all.missed);
  return all.missed == 0;
}

int main(int argc, char **argv)
{
  struct count counts[32] = {{0, 0, 0}};
  bool ok = true;

  cairn_compile_init();
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--limit=", 8) == 0)
      how.limit = strtoull(argv[i] + 8, NULL, 10);
    else if (strncmp(argv[i], "--keep=", 7) == 0)
      how.keep = argv[i] + 7;
    else
      ok &= try_file(argv[i], counts);
  }
  ok &= summarise(counts);
  return ok ? 0 : 1;
}
