/* SPDX-License-Identifier: Apache-2.0
 *
 * One random module through our rewriter and verifier, and through LLVM's.
 */
#include "random/modules/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/compile.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"

enum { CN_SECONDS = 10 }; /* of the processor that one module may take */

static const char *const relocation_names[] = {
#define CAIRN_RELOCATION(constant, name, help) name,
#include <cairn/relocations.def>
#undef CAIRN_RELOCATION
};
static const char *const slots_names[] = {"auto", "never", "always"};

/* A quarter of the modules mix many forms, a third have some optimisations switched off, a few are
 * in slot mode. */
struct cn_trial cn_trial_of(uint64_t seed)
{
  struct cn_maker m = {.random = seed ^ 0x5eed};
  struct cn_trial trial = {.wish = {.seed = seed, .run = seed % 4 == 0, .only = CN_FORMS}};

  if (cn_chance(&m, 33))
    trial.relocations_off = cn_below(&m, 1u << CAIRN_RELOCATIONS);
  if (cn_chance(&m, 20))
    trial.slots = cn_chance(&m, 75) ? CAIRN_SLOTS_ALWAYS : CAIRN_SLOTS_NEVER;
  return trial;
}

void cn_trial_command(uint64_t seed, char *out, size_t size)
{
  struct cn_trial trial = cn_trial_of(seed);
  int used = snprintf(out, size, "random_module %s%llu 2>/dev/null | cairn opt", trial.wish.run ? "--run " : "",
                      (unsigned long long)seed);

  if (trial.relocations_off)
    used += snprintf(out + used, size - (size_t)used, " --without=");
  for (unsigned r = 0, first = 1; r < CAIRN_RELOCATIONS; r++)
    if (trial.relocations_off >> r & 1) {
      used += snprintf(out + used, size - (size_t)used, "%s%s", first ? "" : ",", relocation_names[r]);
      first = 0;
    }
  if (trial.slots)
    used += snprintf(out + used, size - (size_t)used, " --slots=%s", slots_names[trial.slots]);
  snprintf(out + used, size - (size_t)used, " -p rewrite-statepoints,verify-safepoints -S -");
}

struct findings {
  uint64_t forms;
  char *rule; /* the first error that is not allowed, or the first */
  bool all_allowed;
};

static void collect(void *env, const struct cairn_diagnostic *d)
{
  struct findings *f = env;
  bool allowed = cn_random_may_refuse(f->forms, d->rule);

  if (d->severity != CAIRN_ERROR)
    return;
  if (!*f->rule || (f->all_allowed && !allowed))
    snprintf(f->rule, sizeof((struct cn_verdict *)NULL)->rule, "%s", d->rule);
  f->all_allowed &= allowed;
}

/* End the process after so many seconds of its own, not of a busy machine's. */
static void limit(unsigned seconds)
{
  struct itimerval time = {.it_value.tv_sec = (time_t)seconds};

  CN_CHECK(setitimer(ITIMER_PROF, &time, NULL) == 0);
}

static bool run_passes(LLVMModuleRef module, const char *passes)
{
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);

  LLVMDisposePassBuilderOptions(options);
  if (error)
    LLVMConsumeError(error);
  return !error;
}

static bool is_valid(LLVMModuleRef module)
{
  char *message = NULL;
  bool ok = !LLVMVerifyModule(module, LLVMReturnStatusAction, &message);

  if (!ok)
    fprintf(stderr, "%s\n", message);
  LLVMDisposeMessage(message);
  return ok;
}

/* From a module that some rewriter is done with, how good it is. LLVM's verifier comes last, since
 * it ends the process with what it finds; false alarms of it are known (docs/llvm-22.md). */
static void judge_output(LLVMModuleRef module, uint64_t forms, enum cn_stage *stage, char *rule)
{
  struct findings findings = {.forms = forms, .rule = rule, .all_allowed = true};
  struct cairn_compile_options options = {.diagnose = collect, .env = &findings};

  *stage = CN_STAGE_BROKEN;
  if (!is_valid(module))
    return;
  *stage = CN_STAGE_FLAGGED;
  if (cairn_compile_pass(module, NULL, "verify-safepoints", &options) != CAIRN_OK)
    return;
  *stage = CN_STAGE_DOUBTED;
  run_passes(module, "function(verify<safepoint-ir>)");
  *stage = CN_STAGE_FINE;
}

static void judge_ours(LLVMModuleRef module, const struct cn_trial *trial, struct cn_verdict *v)
{
  struct findings findings = {.forms = v->forms, .rule = v->rule, .all_allowed = true};
  struct cairn_compile_options options = {.diagnose = collect, .env = &findings};
  char *before = LLVMPrintModuleToString(module), *after;

  options.relocations_off = trial->relocations_off;
  options.slots = (enum cairn_slots)trial->slots;
  v->ours = CN_STAGE_REWRITING;
  v->allowed = cn_random_may_refuse(v->forms, "verify<safepoint-ir>");
  if (cairn_compile_pass(module, NULL, "rewrite-statepoints", &options) == CAIRN_OK)
    judge_output(module, v->forms, &v->ours, v->rule);
  else {
    v->allowed = findings.all_allowed;
    after = LLVMPrintModuleToString(module);
    v->ours = strcmp(before, after) == 0 ? CN_STAGE_REFUSED : CN_STAGE_TOUCHED;
    LLVMDisposeMessage(after);
  }
  LLVMDisposeMessage(before);
}

static void judge_theirs(LLVMModuleRef module, struct cn_verdict *v)
{
  v->theirs = CN_STAGE_REWRITING;
  pid_t child = fork();
  if (child == 0) {
    limit(CN_SECONDS);
    if (run_passes(module, "rewrite-statepoints-for-gc"))
      judge_output(module, v->forms, &v->theirs, v->their_rule);
    _exit(0);
  }
  CN_CHECK(child > 0 && waitpid(child, NULL, 0) == child);
}

void cn_function_check(uint64_t seed, bool theirs, struct cn_verdict *verdict)
{
  struct cn_trial trial = cn_trial_of(seed);
  LLVMContextRef llvm = LLVMContextCreate();

  memset(verdict, 0, sizeof *verdict);
  verdict->seed = seed;
  limit(CN_SECONDS);
  LLVMModuleRef module = cn_random_module(llvm, &trial.wish, &verdict->forms);
  verdict->ours = verdict->theirs = CN_STAGE_MADE;
  if (is_valid(module)) {
    if (theirs)
      judge_theirs(module, verdict);
    judge_ours(module, &trial, verdict);
  }
  LLVMDisposeModule(module);
  LLVMContextDispose(llvm);
  limit(0);
}
