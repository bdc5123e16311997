/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs single passes for other compilers, and returns the diagnostics in a list. Needs, Breaks: as the pass does.
 * Provides: one function of <cairn/compile.h> for each of eight passes, such as cairn_place_safepoints().
 */
#include "compile/core/pass.h"

/* The receivers of a diagnostic: the caller's list, and the handler in the caller's options. Either may be null.
 */
struct diagnostic_receivers {
  struct cairn_diagnostics *list;
  cairn_diagnostic_handler *diagnose;
  void *env;
};

static void deliver_diagnostic(void *env, const struct cairn_diagnostic *diagnostic)
{
  const struct diagnostic_receivers *audience = env;

  if (audience->list)
    cairn_diagnostics_keep(audience->list, diagnostic);
  if (audience->diagnose)
    audience->diagnose(audience->env, diagnostic);
}

static enum cairn_status run_pass(LLVMModuleRef module, const char *pass, const struct cairn_compile_options *options,
                                  struct cairn_diagnostics *diagnostics)
{
  struct cairn_compile_options with = {0};

  if (options)
    with = *options;
  struct diagnostic_receivers audience = {diagnostics, with.diagnose, with.env};
  with.diagnose = deliver_diagnostic;
  with.env = &audience;
  return cairn_compile_pass(module, NULL, pass, &with);
}

#define DEFINE_PASS_FUNCTION(function, name) \
  enum cairn_status function(LLVMModuleRef module, const struct cairn_compile_options *options, \
                             struct cairn_diagnostics *diagnostics) \
  { \
    return run_pass(module, name, options, diagnostics); \
  }
DEFINE_PASS_FUNCTION(cairn_place_safepoints, "place-safepoints")
DEFINE_PASS_FUNCTION(cairn_rewrite_statepoints, "rewrite-statepoints")
DEFINE_PASS_FUNCTION(cairn_verify_safepoints, "verify-safepoints")
DEFINE_PASS_FUNCTION(cairn_strip_statepoints, "strip-statepoints")
DEFINE_PASS_FUNCTION(cairn_inline_statepoints, "inline-statepoints")
DEFINE_PASS_FUNCTION(cairn_insert_barriers, "insert-barriers")
DEFINE_PASS_FUNCTION(cairn_verify_barriers, "verify-barriers")
DEFINE_PASS_FUNCTION(cairn_lower_barriers, "lower-barriers")
