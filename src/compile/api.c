/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes that other compilers call, each a function: cairn_compile_pass() by its name, with the
 * diagnostics in a list. Nothing is decided here.
 */
#include "compile/core/pass.h"

/* The receivers of a finding: the caller's list and the handler of its options. Either may be null.
 */
struct audience {
  struct cairn_diagnostics *list;
  cairn_diagnostic_handler *diagnose;
  void *env;
};

static void tell(void *env, const struct cairn_diagnostic *diagnostic)
{
  const struct audience *audience = env;

  if (audience->list)
    cairn_diagnostics_keep(audience->list, diagnostic);
  if (audience->diagnose)
    audience->diagnose(audience->env, diagnostic);
}

static enum cairn_status run(LLVMModuleRef module, const char *pass, const struct cairn_compile_options *options,
                             struct cairn_diagnostics *diagnostics)
{
  struct cairn_compile_options with = {0};

  if (options)
    with = *options;
  struct audience audience = {diagnostics, with.diagnose, with.env};
  with.diagnose = tell;
  with.env = &audience;
  return cairn_compile_pass(module, NULL, pass, &with);
}

enum cairn_status cairn_place_safepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                         struct cairn_diagnostics *diagnostics)
{
  return run(module, "place-safepoints", options, diagnostics);
}

enum cairn_status cairn_rewrite_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                            struct cairn_diagnostics *diagnostics)
{
  return run(module, "rewrite-statepoints", options, diagnostics);
}

enum cairn_status cairn_verify_safepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          struct cairn_diagnostics *diagnostics)
{
  return run(module, "verify-safepoints", options, diagnostics);
}

enum cairn_status cairn_strip_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                          struct cairn_diagnostics *diagnostics)
{
  return run(module, "strip-statepoints", options, diagnostics);
}

enum cairn_status cairn_inline_statepoints(LLVMModuleRef module, const struct cairn_compile_options *options,
                                           struct cairn_diagnostics *diagnostics)
{
  return run(module, "inline-statepoints", options, diagnostics);
}

enum cairn_status cairn_insert_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                        struct cairn_diagnostics *diagnostics)
{
  return run(module, "insert-barriers", options, diagnostics);
}

enum cairn_status cairn_verify_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                        struct cairn_diagnostics *diagnostics)
{
  return run(module, "verify-barriers", options, diagnostics);
}

enum cairn_status cairn_lower_barriers(LLVMModuleRef module, const struct cairn_compile_options *options,
                                       struct cairn_diagnostics *diagnostics)
{
  return run(module, "lower-barriers", options, diagnostics);
}
