/* SPDX-License-Identifier: Apache-2.0
 *
 * loops [--from=N] [--loops=N] [--count=N] [--batch=N] [--slots] [--keep]: random functions, with
 * so many loops in all, or so many functions, through the passes that change control flow. What
 * each computes is compared, by an interpreter, with what it computed before, after every step that
 * changed it, so that a difference has a step's name; objects move at every statepoint. Then both
 * are compiled, the input at -O0, and executed, unless RANDOM_MACHINE names another machine. --keep
 * writes the input to loops.ll and the first function that is wrong, as it was and as it is, to
 * loops.before.ll and loops.after.ll.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cairn/compile.h>
#include <llvm-c/Analysis.h>
#include "base/check.h"
#include "random/loops/execute.h"
#include "random/loops/interpret.h"
#include "random/loops/make.h"

enum { STEPS = 20000, MORE_STEPS = 40 * STEPS, KINDS = 32 };

struct expected {
  bool runs, wrong;
  bool known[CN_LOOPS_INPUTS];
  struct cn_loop_always_runs_block run[CN_LOOPS_INPUTS];
};

struct tester {
  uint64_t from, loops, count, batch;
  bool slots, keep;
  LLVMModuleRef original;
  struct expected *expected;
  uint64_t first; /* of the batch */
  struct cn_loops_met met, unmoved;
  uint64_t functions, found, inputs, skipped, unknown, failed;
  struct {
    const char *step;
    uint64_t count;
  } steps[KINDS];
};

static void show(void *env, const struct cairn_diagnostic *d)
{
  (void)env;
  if (d->severity == CAIRN_ERROR)
    fprintf(stderr, "%s: %s [%s]\n", d->function ? d->function : "", d->message, d->rule);
}

static uint64_t number_of(LLVMValueRef function)
{
  size_t length;

  return strtoull(LLVMGetValueName2(function, &length) + 1, NULL, 10);
}

static bool is_made(LLVMValueRef function)
{
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);

  return !LLVMIsDeclaration(function) && name[0] == 'f' && name[1] >= '0' && name[1] <= '9';
}

static void write_function(LLVMValueRef function, const char *path)
{
  FILE *file = fopen(path, "w");
  char *text = LLVMPrintValueToString(function);

  CN_CHECK(file);
  fprintf(file, "%s\n", text);
  fclose(file);
  LLVMDisposeMessage(text);
}

static void complain(struct tester *t, LLVMValueRef function, const char *step, const char *how)
{
  uint64_t number = number_of(function);
  char name[32];

  printf("f%llu: %s after step \"%s\" (loops --from=%llu --count=1 --keep%s)\n", (unsigned long long)number, how, step,
         (unsigned long long)number, t->slots ? " --slots" : "");
  if (t->keep && t->failed == 0) {
    snprintf(name, sizeof name, "f%llu", (unsigned long long)number);
    write_function(LLVMGetNamedFunction(t->original, name), "loops.before.ll");
    write_function(function, "loops.after.ll");
  }
  t->failed++;
  t->expected[number - t->first].wrong = true;
}

/* ---- interpreted ---- */

static void expect(struct tester *t, LLVMValueRef function)
{
  struct expected *e = &t->expected[number_of(function) - t->first];
  struct cn_loops_code *code = cn_loops_decode(function);

  t->functions++;
  t->found += cn_loops_count(code);
  e->runs = !cn_loops_unknown(code);
  t->unknown += !e->runs;
  for (unsigned i = 0; i < CN_LOOPS_INPUTS; i++) {
    cn_loops_input(&e->run[i], i);
    enum cn_loops_how how = cn_loops_interpret(code, STEPS, &e->run[i], &t->unmoved);
    e->known[i] = how == CN_LOOPS_RAN;
    t->inputs++;
    t->skipped += !e->known[i];
  }
  cn_loops_forget(code);
}

static void compare(struct tester *t, LLVMValueRef function, const char *step)
{
  struct expected *e = &t->expected[number_of(function) - t->first];
  struct cn_loops_code *code = cn_loops_decode(function);

  if (e->runs && cn_loops_unknown(code)) {
    char *text = LLVMPrintValueToString(cn_loops_unknown(code));
    printf("not interpreted: %s\n", text);
    LLVMDisposeMessage(text);
    complain(t, function, step, "not interpreted");
  }
  for (unsigned i = 0; i < CN_LOOPS_INPUTS && !e->wrong; i++) {
    struct cn_loop_always_runs_block run;
    cn_loops_input(&run, i);
    if (!e->known[i])
      continue;
    enum cn_loops_how how = cn_loops_interpret(code, MORE_STEPS, &run, &t->met);
    if (how == CN_LOOPS_LONG)
      complain(t, function, step, "does not end");
    else if (how != CN_LOOPS_RAN || !cn_loops_same(&run, &e->run[i]))
      complain(t, function, step, "another result");
  }
  cn_loops_forget(code);
}

static void watch(void *env, const char *step, LLVMValueRef function)
{
  struct tester *t = env;
  unsigned k = 0;

  if (!is_made(function) || t->expected[number_of(function) - t->first].wrong)
    return;
  while (k < KINDS - 1 && t->steps[k].step && strcmp(t->steps[k].step, step) != 0)
    k++;
  t->steps[k].step = step;
  t->steps[k].count++;
  compare(t, function, step);
}

/* ---- executed ---- */

static void execute(struct tester *t, LLVMModuleRef done)
{
  char stem[64];

  snprintf(stem, sizeof stem, "/tmp/cairn-loops.%ld", (long)getpid());
  struct cn_loops_loaded *loaded = cn_loops_load(t->original, done, stem);
  for (uint64_t n = 0; n < t->batch; n++)
    for (unsigned i = 0; i < CN_LOOPS_INPUTS && !t->expected[n].wrong; i++) {
      struct cn_loop_always_runs_block plain, ours;
      char name[32];
      if (!t->expected[n].known[i])
        continue;
      cn_loops_input(&plain, i);
      ours = plain;
      cn_loops_execute(loaded, t->first + n, false, &plain);
      cn_loops_execute(loaded, t->first + n, true, &ours);
      snprintf(name, sizeof name, "f%llu", (unsigned long long)(t->first + n));
      if (!cn_loops_same(&plain, &t->expected[n].run[i]))
        complain(t, LLVMGetNamedFunction(done, name), "interpreter", "another result");
      else if (!cn_loops_same(&plain, &ours))
        complain(t, LLVMGetNamedFunction(done, name), "executed", "another result");
    }
  cn_loops_unload(loaded);
}

/* ---- all ---- */

static void run_batch(struct tester *t)
{
  static const char *const passes[] = {"place-safepoints", "rewrite-statepoints", "verify-safepoints"};
  LLVMContextRef llvm = LLVMContextCreate();
  LLVMModuleRef module = cn_loops_make(llvm, t->first, t->batch);
  struct cairn_compile_options options = {.opt_level = 3,
                                          .shared = true,
                                          .poll_budget = t->first / t->batch % 2 ? 8 : 1,
                                          .slots = t->slots ? CAIRN_SLOTS_ALWAYS : CAIRN_SLOTS_AUTO,
                                          .check_steps = true,
                                          .diagnose = show,
                                          .step = watch,
                                          .step_env = t};

  if (t->keep)
    LLVMPrintModuleToFile(module, "loops.ll", NULL);
  t->original = LLVMCloneModule(module);
  t->expected = cn_alloc(t->batch * sizeof *t->expected);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (is_made(f))
      expect(t, f);
  bool ok = true;
  for (unsigned p = 0; ok && p < sizeof passes / sizeof *passes; p++)
    if (!(ok = cairn_compile_pass(module, NULL, passes[p], &options) == CAIRN_OK)) {
      printf("%llu..%llu: %s fails\n", (unsigned long long)t->first, (unsigned long long)(t->first + t->batch - 1),
             passes[p]);
      t->failed++;
    }
  if (ok && cn_loops_can_execute())
    execute(t, module);
  free(t->expected);
  LLVMDisposeModule(t->original);
  LLVMDisposeModule(module);
  LLVMContextDispose(llvm);
}

static void report(const struct tester *t)
{
  printf("%llu loops in %llu functions, %llu of %llu inputs, %llu not interpreted, %llu failed\n",
         (unsigned long long)t->found, (unsigned long long)t->functions, (unsigned long long)(t->inputs - t->skipped),
         (unsigned long long)t->inputs, (unsigned long long)t->unknown, (unsigned long long)t->failed);
  printf("%llu polls, %llu moves\n", (unsigned long long)t->met.polls, (unsigned long long)t->met.moves);
  for (unsigned k = 0; k < KINDS && t->steps[k].step; k++)
    printf("%8llu %s\n", (unsigned long long)t->steps[k].count, t->steps[k].step);
}

static bool parse(struct tester *t, const char *arg)
{
  if (strncmp(arg, "--from=", 7) == 0)
    t->from = strtoull(arg + 7, NULL, 10);
  else if (strncmp(arg, "--loops=", 8) == 0)
    t->loops = strtoull(arg + 8, NULL, 10);
  else if (strncmp(arg, "--count=", 8) == 0)
    t->count = strtoull(arg + 8, NULL, 10);
  else if (strncmp(arg, "--batch=", 8) == 0)
    t->batch = strtoull(arg + 8, NULL, 10);
  else if (strcmp(arg, "--slots") == 0)
    t->slots = true;
  else if (strcmp(arg, "--keep") == 0)
    t->keep = true;
  else
    return false;
  return true;
}

int main(int argc, char **argv)
{
  struct tester t = {.from = 1, .loops = 2000, .count = UINT32_MAX, .batch = 100};

  for (int a = 1; a < argc; a++)
    if (!parse(&t, argv[a])) {
      fprintf(stderr, "usage: loops [--from=N] [--loops=N] [--count=N] [--batch=N] [--slots] [--keep]\n");
      return 2;
    }
  cairn_compile_init();
  for (t.first = t.from; t.functions < t.count && t.found < t.loops; t.first += t.batch) {
    t.batch = t.batch < t.count - t.functions ? t.batch : t.count - t.functions;
    run_batch(&t);
  }
  report(&t);
  return t.failed != 0;
}
