/* SPDX-License-Identifier: Apache-2.0
 *
 * The ordered list of passes, on one page. Read this file first.
 *
 *   late   prepare rules | LLVM's optimiser | layouts allocate transitions place rewrite differences verify globals
 *   early  prepare rules layouts allocate transitions place rewrite | LLVM's optimiser | differences verify globals
 *   none   prepare rules | LLVM's optimiser | layouts allocate differences globals
 *
 * Late insertion is the seeds' (late-insertion-slides-2014): until `place` there is no safepoint, so the optimiser loses
 * nothing. The module is verified by LLVM's verifier after each of our passes; a module that one of them broke is our
 * defect and ends in an internal error that names the pass.
 */
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include "base/check.h"
#include "base/vector.h"
#include "compile/pass.h"

struct step {
  const char *name;
  cn_pass *run; /* null: LLVM's optimiser */
  const char *help;
};

static const struct step passes[] = {
    {"prepare", cn_prepare, "mark managed functions, make pointer differences opaque, promote locals"},
    {"rules", cn_rules, "check the source rules on unoptimised IR"},
    {"optimise", NULL, "LLVM's default pipeline"},
    {"layouts", cn_layouts, "turn layout statics of allocation calls into collector layouts"},
    {"allocate", cn_allocate, "expand allocation calls into inline bump allocation"},
    {"transitions", cn_transitions, "route calls that may reach native code through stubs"},
    {"place-safepoints", cn_place, "insert safepoint polls at entries and loop back edges"},
    {"rewrite-statepoints", cn_rewrite, "wrap parse points in gc.statepoint with relocations"},
    {"lower-differences", cn_differences, "turn cairn.ptrdiff into integer arithmetic"},
    {"verify-safepoints", cn_verify, "check that no reference is used after it may have moved"},
    {"globals", cn_globals, "register globals that hold references, and the image"},
};

static const char *const late[] = {"prepare", "rules", "optimise", "layouts", "allocate", "transitions",
                                   "place-safepoints", "rewrite-statepoints", "lower-differences",
                                   "verify-safepoints", "globals", NULL};
static const char *const early[] = {"prepare", "rules", "layouts", "allocate", "transitions",
                                    "place-safepoints", "rewrite-statepoints", "optimise", "lower-differences",
                                    "verify-safepoints", "globals", NULL};
static const char *const none[] = {"prepare", "rules", "optimise", "layouts", "allocate",
                                   "lower-differences", "globals", NULL};

static const char *const *order_of(const struct cairn_compile_options *options)
{
  switch (options->safepoints) {
  case CAIRN_SAFEPOINTS_EARLY:
    return early;
  case CAIRN_SAFEPOINTS_NONE:
    return none;
  case CAIRN_SAFEPOINTS_LATE:
    break;
  }
  return late;
}

static const struct step *find_step(const char *name)
{
  for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
    if (strcmp(passes[i].name, name) == 0)
      return &passes[i];
  return NULL;
}
