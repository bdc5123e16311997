/* SPDX-License-Identifier: Apache-2.0
 *
 * Random functions, rewritten, then run beside the original by a small interpreter in which
 * every statepoint moves every object: a reference knows the time at which it was right. What
 * would go wrong: a reference used after a move (it is too old), a relocate whose base is not
 * the start of the derived pointer's object, or a use that reads another value than the original
 * did (the traces differ). LLVM's verifiers judge the IR besides. Each function is rewritten with
 * all optimisations of relocation, and without one of them or all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cairn/compile.h>
#include "unit/compile/rewrite_random/generate.h"
#include "unit/compile/rewrite_random/interpret.h"
#include "unit/sample.h"

static void show(void *env, const struct cairn_diagnostic *d)
{
  (void)env;
  if (d->severity != CAIRN_REMARK)
    fprintf(stderr, "%s: %s [%s]\n", d->function ? d->function : "", d->message, d->rule);
}

/* How often something moved while a function ran, and how many of the runs the interpreter could
 * not finish: a test in which nothing moves, or little is run, would prove nothing. */
static uint64_t moves, runs, unknown;

static void keep(LLVMModuleRef original, LLVMModuleRef rewritten)
{
  LLVMPrintModuleToFile(original, "rewrite_random.before.ll", NULL);
  LLVMPrintModuleToFile(rewritten, "rewrite_random.after.ll", NULL);
}

static bool same_trace(const struct machine *a, const struct machine *b)
{
  unsigned count = a->trace_count < b->trace_count ? a->trace_count : b->trace_count;
  bool cut = a->stopped || b->stopped || a->unknown || b->unknown;

  return (a->trace_count == b->trace_count || cut) && memcmp(a->trace, b->trace, count * sizeof *a->trace) == 0;
}

struct subject {
  uint64_t seed;
  LLVMModuleRef original;
  struct machine *before; /* what the original does */
};

/* `off`: optimisations of relocation that are switched off; `slots`: everything in slots of the
 * frame, or in SSA form. */
static void try_rewrite(const struct subject *s, unsigned off, bool slots)
{
  LLVMModuleRef module = LLVMCloneModule(s->original);
  struct cairn_compile_options options = {
      .diagnose = show, .relocations_off = off, .slots = slots ? CAIRN_SLOTS_ALWAYS : CAIRN_SLOTS_NEVER};

  bool ok = cairn_compile_pass(module, NULL, "rewrite-statepoints", &options) == CAIRN_OK;
  if (!ok) {
    keep(s->original, module);
    fail_msg("seed %llu is refused or broken (modules in rewrite_random.*.ll)", (unsigned long long)s->seed);
  }
  if (!cn_generate_pinned(s->seed)) /* LLVM knows no immovable references */
    cn_generate_run(module, "function(verify<safepoint-ir>)");
  const char *wrong = NULL;
  if (cairn_compile_pass(module, NULL, "verify-safepoints", &options) != CAIRN_OK)
    wrong = "our verifier refuses it";
  struct machine *after = cn_interpret(module);
  runs++;
  unknown += s->before->unknown || after->unknown;
  if (s->before->wrong) /* where nothing moves: the generator's fault, or the interpreter's */
    wrong = s->before->wrong;
  else if (after->wrong)
    wrong = after->wrong;
  else if (!same_trace(s->before, after))
    wrong = "another trace";
  if (wrong) {
    keep(s->original, module);
    fail_msg("seed %llu, without %#x%s: %s (modules in rewrite_random.*.ll)", (unsigned long long)s->seed, off,
             slots ? ", in slots" : "", wrong);
  }
  moves += after->time;
  cn_interpret_free(after);
  LLVMDisposeModule(module);
}

/* All that a seed says: with all optimisations of relocation, without some, and in slots. */
static void try_seed(uint64_t seed)
{
  unsigned which = (unsigned)(seed / 6 % (CAIRN_RELOCATIONS + 1));
  unsigned off = which < CAIRN_RELOCATIONS ? 1u << which : (1u << CAIRN_RELOCATIONS) - 1;
  LLVMContextRef llvm = LLVMContextCreate();
  LLVMModuleRef original = cn_generate_module(llvm, seed);
  struct subject s = {seed, original, cn_interpret(original)};

  try_rewrite(&s, 0, false);
  try_rewrite(&s, off, false);
  try_rewrite(&s, seed % 2 ? 0 : off, true);
  cn_interpret_free(s.before);
  LLVMDisposeModule(original);
  LLVMContextDispose(llvm);
}

/* Shapes that few seeds have: webs of bases and derived pointers, in step round cycles of two
 * entries, whose value numbers never settle; an operand that is null and some bytes, by a circle of
 * phis; a merge of merges that have one base, made before and found again; a phi of a pad that only
 * null comes to, where constants are relocated; an undefined local that is loaded before a loop,
 * and stored back after it. */
static void test_rare(void **state)
{
  static const uint64_t seeds[] = {21963, 107265, 309952, 511325, 521966};

  (void)state;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
    try_seed(seeds[i]);
}

static void test_random(void **state)
{
  (void)state;
  const char *first = getenv("CAIRN_TEST_SEED"), *count = getenv("CAIRN_TEST_COUNT");
  uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
  uint64_t end = seed + (count ? strtoull(count, NULL, 10) : 400 / sample(2));

  for (; seed < end; seed++)
    try_seed(seed);
  assert_true(moves > 0);
  assert_true(unknown * 100 <= runs);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rare), cmocka_unit_test(test_random)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
