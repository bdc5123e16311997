/* SPDX-License-Identifier: Apache-2.0
 *
 * What our rewriter and LLVM's make of one random module.
 */
#ifndef CN_TEST_RANDOM_JUDGE_H
#define CN_TEST_RANDOM_JUDGE_H

#include "random/modules/module.h"

/* How far a rewriter came with a module. A stage during which the process dies is what happened. */
enum cn_stage {
  CN_STAGE_MADE,      /* the module was made and is valid IR */
  CN_STAGE_REWRITING, /* crashed or hung */
  CN_STAGE_REFUSED,   /* refused, by rule `rule` */
  CN_STAGE_TOUCHED,   /* refused, but changed */
  CN_STAGE_BROKEN,    /* LLVM's module verifier refuses the output */
  CN_STAGE_FLAGGED,   /* verify-safepoints finds `rule` in the output */
  CN_STAGE_DOUBTED,   /* LLVM's verify<safepoint-ir> does not like the output */
  CN_STAGE_FINE,
  CN_STAGES
};
struct cn_verdict {
  uint64_t seed, forms;
  enum cn_stage ours, theirs;
  char rule[40], their_rule[40]; /* the first one */
  bool allowed;                  /* by design: the refusal, or that LLVM's verifier doubts the output */
};

/* How a seed is tried: what the module is like, and the rewriter's options. */
struct cn_trial {
  struct cn_random_wish wish;
  unsigned relocations_off;
  unsigned slots;
};
struct cn_trial cn_trial_of(uint64_t seed);
/* The command that rewrites and verifies the module of `seed`, into `out`. */
void cn_trial_command(uint64_t seed, char *out, size_t size);

/* Judge one seed; `verdict` may be shared memory: what it says when the process dies stands. With
 * `theirs`, LLVM's own pass too, in a process of its own. */
void cn_function_check(uint64_t seed, bool theirs, struct cn_verdict *verdict);

#endif
