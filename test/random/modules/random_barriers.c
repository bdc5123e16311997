/* SPDX-License-Identifier: Apache-2.0
 *
 * Random modules with barriers: verify-barriers accepts what insert-barriers makes, before and
 * after rewriting, and refuses it with any one barrier left out, told of another place, on the
 * other side of a safepoint, or too short. Each third module has words and lanes (barred.c).
 *   [KEEP=FILE] random_barriers [FIRST [COUNT]]
 * Prints a line for each module that fails, and a table by kind. Status 1 if something failed, or
 * if a kind had no barrier or nothing was planted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/compile.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/core/each.h"
#include "compile/core/emitted_names.h"
#include "random/modules/module.h"

static const char *const kinds[] = {
#define CAIRN_BARRIERS_KIND(constant, number, name, mark, help) name,
#include <cairn/barriers.def>
#undef CAIRN_BARRIERS_KIND
};

static struct row {
  unsigned modules, refused, barriers, planted, failed;
} rows[CAIRN_BARRIERS_KINDS];

enum plant { OMIT, ELSEWHERE, ACROSS, SHORT, PLANTS };
static const char *const plants[] = {"left out", "of another place", "across a safepoint", "a reference short"};

typedef CN_VECTOR(LLVMValueRef) values;

struct findings {
  unsigned errors;
  char rule[40];
};

static void collect(void *env, const struct cairn_diagnostic *d)
{
  struct findings *f = env;

  if (d->severity == CAIRN_ERROR && !f->errors++)
    snprintf(f->rule, sizeof f->rule, "%s", d->rule);
}

static bool passes(LLVMModuleRef module, unsigned kind, const char *pass, struct findings *f)
{
  struct cairn_compile_options options = {.barriers = (enum cairn_barriers)kind, .diagnose = collect, .env = f};

  *f = (struct findings){0};
  return cairn_compile_pass(module, NULL, pass, &options) == CAIRN_OK;
}

static const char *name_of(LLVMValueRef call)
{
  size_t length;
  LLVMValueRef callee = LLVMIsACallInst(call) ? cn_direct_callee(call) : NULL;

  return callee ? LLVMGetValueName2(callee, &length) : "";
}

static void find_barriers(LLVMModuleRef module, values *found)
{
  CN_EACH_FUNCTION(f, module)
    CN_EACH_BLOCK(b, f)
      CN_EACH_INSTRUCTION(i, b)
        if (strncmp(name_of(i), "cairn.barrier.", 14) == 0)
          cn_push(found, i);
}

static LLVMValueRef safepoint_beside(LLVMValueRef from, LLVMValueRef (*next)(LLVMValueRef))
{
  LLVMValueRef i = next(from);

  while (i && !LLVMIsAPHINode(i) && cn_classify_call(i).kind != CN_CALL_PARSE_POINT)
    i = next(i);
  return i && LLVMIsACallInst(i) && !LLVMIsAPHINode(i) ? i : NULL;
}

/* Move the barrier of a write to where its arguments are known, over a safepoint. */
static bool move_across(LLVMValueRef barrier)
{
  LLVMValueRef after = safepoint_beside(barrier, LLVMGetNextInstruction);

  if (strcmp(name_of(barrier), CN_BARRIER_LOAD) == 0 || !after)
    return false;
  LLVMValueRef place = LLVMGetNextInstruction(after);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(barrier)));
  LLVMPositionBuilderBefore(builder, place);
  LLVMValueRef copy = LLVMInstructionClone(barrier);
  LLVMInsertIntoBuilder(builder, copy);
  LLVMInstructionEraseFromParent(barrier);
  LLVMDisposeBuilder(builder);
  return true;
}

/* Leave out the last reference of a range. */
static bool shorten(LLVMValueRef barrier)
{
  if (strcmp(name_of(barrier), CN_BARRIER_RANGE) != 0)
    return false;
  LLVMValueRef bytes = LLVMGetOperand(barrier, 1);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(barrier)));
  LLVMPositionBuilderBefore(builder, barrier);
  LLVMSetOperand(barrier, 1, LLVMBuildSub(builder, bytes, LLVMConstInt(LLVMTypeOf(bytes), 8, false), ""));
  LLVMDisposeBuilder(builder);
  return true;
}

/* Does the place lie in no object: at a distance from null, say? */
static bool is_nowhere(LLVMValueRef place)
{
  while (LLVMIsAGetElementPtrInst(place))
    place = LLVMGetOperand(place, 0);
  return LLVMIsConstant(place);
}

static bool plant(LLVMValueRef barrier, enum plant what)
{
  bool load = strcmp(name_of(barrier), CN_BARRIER_LOAD) == 0;
  unsigned slot = strcmp(name_of(barrier), CN_BARRIER_STORE) == 0;

  if (is_nowhere(LLVMGetOperand(barrier, slot)))
    return false; /* null is no other place, and two undefined ones are the same */
  if (what == ACROSS)
    return move_across(barrier);
  if (what == SHORT)
    return shorten(barrier);
  if (what == ELSEWHERE) {
    LLVMSetOperand(barrier, slot, LLVMConstNull(LLVMTypeOf(LLVMGetOperand(barrier, slot))));
    if (slot)
      LLVMSetOperand(barrier, 0, LLVMConstNull(LLVMTypeOf(LLVMGetOperand(barrier, 0))));
    return true;
  }
  if (load)
    LLVMReplaceAllUsesWith(barrier, LLVMGetOperand(barrier, 1));
  LLVMInstructionEraseFromParent(barrier);
  return true;
}

/* `module`, or null, is kept in the file that KEEP names. */
static void fail(uint64_t seed, unsigned kind, const char *what, LLVMModuleRef module)
{
  rows[kind].failed++;
  if (module && getenv("KEEP"))
    LLVMPrintModuleToFile(module, getenv("KEEP"), NULL);
  printf("seed %llu, %s: %s\n", (unsigned long long)seed, kinds[kind], what);
}

/* Break one barrier of the module, the n-th. */
static void try_plant(uint64_t seed, unsigned kind, LLVMModuleRef module, size_t n, enum plant what)
{
  LLVMModuleRef mutant = LLVMCloneModule(module);
  values found = {0};
  struct findings f;
  char message[80];

  find_barriers(mutant, &found);
  CN_CHECK(n < found.count);
  if (plant(found.at[n], what)) {
    rows[kind].planted++;
    if (passes(mutant, kind, "verify-barriers", &f)) {
      snprintf(message, sizeof message, "barrier %zu %s is not missed", n, plants[what]);
      fail(seed, kind, message, mutant);
    }
  }
  cn_free(&found);
  LLVMDisposeModule(mutant);
}

/* Also after rewriting: barriers are calls until the end. */
static void try_rewritten(uint64_t seed, unsigned kind, LLVMModuleRef module)
{
  LLVMModuleRef clone = LLVMCloneModule(module);
  struct findings f;
  char message[80];

  if (passes(clone, kind, "rewrite-statepoints", &f) && !passes(clone, kind, "verify-safepoints", &f)) {
    snprintf(message, sizeof message, "rewritten: %s", f.rule);
    fail(seed, kind, message, clone);
  }
  LLVMDisposeModule(clone);
}

/* Which barrier is broken: of modules with loops and lanes, mostly one of these, which come last.
 */
static size_t chosen(uint64_t seed, size_t count)
{
  size_t last = count < 8 ? count : 8;

  return seed % 3 == 0 ? count - 1 - seed / 3 % last : seed % count;
}

static void try_kind(uint64_t seed, unsigned kind, LLVMModuleRef made, uint64_t forms)
{
  LLVMModuleRef module = LLVMCloneModule(made);
  values found = {0};
  struct findings f;

  rows[kind].modules++;
  if (!passes(module, kind, "insert-barriers", &f)) {
    rows[kind].refused++;
    if (strcmp(f.rule, "missing-barrier") != 0 || !(forms >> CN_FORM_SCALABLE & 1))
      fail(seed, kind, f.rule, NULL);
  } else if (!passes(module, kind, "verify-barriers", &f)) {
    fail(seed, kind, f.rule, module);
  } else {
    find_barriers(module, &found);
    rows[kind].barriers += (unsigned)found.count;
    for (unsigned what = 0; what < PLANTS && found.count; what++)
      try_plant(seed, kind, module, chosen(seed, found.count), (enum plant)what);
    if (seed % 8 == 0 && !forms)
      try_rewritten(seed, kind, module);
  }
  cn_free(&found);
  LLVMDisposeModule(module);
}

/* Kind custom needs functions that the modules lack. */
static bool has_barriers(unsigned kind)
{
  return kind != CAIRN_BARRIERS_NONE && kind != CAIRN_BARRIERS_CUSTOM;
}

static void try_seed(uint64_t seed)
{
  LLVMContextRef llvm = LLVMContextCreate();
  struct cn_random_wish wish = {.seed = seed, .run = seed % 4 == 0, .only = CN_FORMS};
  uint64_t forms;
  LLVMModuleRef module = cn_random_module(llvm, &wish, &forms);

  if (seed % 3 == 0)
    cn_random_barred(module, seed);
  for (unsigned kind = 0; kind < CAIRN_BARRIERS_KINDS; kind++)
    if (has_barriers(kind))
      try_kind(seed, kind, module, forms);
  LLVMDisposeModule(module);
  LLVMContextDispose(llvm);
}

int main(int argc, char **argv)
{
  uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
  bool ok = true;

  for (uint64_t seed = first; seed < first + count; seed++)
    try_seed(seed);
  printf("kind      modules  refused  barriers  planted  failed\n");
  for (unsigned k = 0; k < CAIRN_BARRIERS_KINDS; k++) {
    const struct row *r = &rows[k];
    if (!has_barriers(k))
      continue;
    printf("%-8s  %7u  %7u  %8u  %7u  %6u\n", kinds[k], r->modules, r->refused, r->barriers, r->planted, r->failed);
    ok &= r->failed == 0 && r->barriers > 0 && r->planted > 0;
  }
  return !ok;
}
