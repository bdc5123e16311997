/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks activations when an assumption becomes invalid, in the stop that writes its patches (patch/dependents.h). Owns
 * the marking under way, which the thread that invalidates uses in its stop.
 */
#include <cairn/deopt.h>

#include <string.h>
#include "base/check.h"
#include "deopt/marking.h"
#include "deopt/site.h"
#include "patch/batch.h"
#include "patch/dependents.h"
#include "runtime/arch/arch.h"
#include "runtime/walk/index.h"

/* A function that relies on an assumption. */
struct dependent_function {
  uintptr_t address;
  uint64_t reason;
};

static struct {
  struct cn_marking marking;
  struct cairn_deopt_failure failure;
  CN_GROW(struct dependent_function) functions;
  bool is_applied;
} dependents;

/* ---- the work of an invalidation ---- */

static void free_work(void)
{
  cn_marking_free(&dependents.marking);
  cn_grow_free_array(&dependents.functions);
}

static void begin_work(void)
{
  free_work();
  dependents.is_applied = false;
  dependents.failure = (struct cairn_deopt_failure){.status = CAIRN_OK};
}

static void add_function(const void *data)
{
  struct dependent_function function;

  memcpy(&function, data, sizeof function);
  cn_grow_push(&dependents.functions, function);
}

/* Functions that were unloaded have no activations. */
static void find_functions(void)
{
  struct cairn_deopt_failure unused;

  dependents.marking.failure = &unused;
  for (size_t i = 0; i < dependents.functions.count; i++)
    cn_marking_add_function(&dependents.marking, dependents.functions.at[i].address, dependents.functions.at[i].reason);
  dependents.marking.failure = &dependents.failure;
}

static bool prepare_work(struct cairn_patch_failure *failure)
{
  if (dependents.functions.count == 0)
    return true;
  find_functions();
  if (cn_marking_prepare(&dependents.marking))
    return true;
  cn_patch_fail(failure, dependents.failure.status, dependents.failure.address, "%s", dependents.failure.text);
  return false;
}

static void mark_all(void)
{
  cn_marking_apply(&dependents.marking);
  dependents.is_applied = true;
}

static void end_work(void)
{
  if (dependents.is_applied)
    cn_marking_report(&dependents.marking, dependents.functions.at[0].reason);
  free_work();
}

static const struct cn_dependents_work marking_work = {
    .begin = begin_work, .add = add_function, .prepare = prepare_work, .apply = mark_all, .end = end_work};

/* ---- dependencies ---- */

static enum cairn_status check_functions(const uintptr_t *functions, size_t count, struct cairn_deopt_failure *failure)
{
  uintptr_t start, end;

  if (!cn_arch_may_replace_returns())
    return cn_deopt_fail(failure, CAIRN_E_REFUSED, 0, CAIRN_DEOPT_WHOLE, "the thread has a shadow stack");
  for (size_t i = 0; i < count; i++)
    if (!cn_index_function_range(functions[i], &start, &end))
      return cn_deopt_fail(failure, CAIRN_E_UNKNOWN, functions[i], CAIRN_DEOPT_WHOLE,
                           "the address is not in the code of a managed function");
  return CAIRN_OK;
}

enum cairn_status cairn_deopt_depend(struct cairn_assumption *assumption, const uintptr_t *functions, size_t count,
                                     uint64_t reason, struct cairn_deopt_failure *failure)
{
  enum cairn_status status = check_functions(functions, count, failure);
  bool is_invalid = false;

  for (size_t i = 0; i < count && status == CAIRN_OK && !is_invalid; i++) {
    struct dependent_function function = {functions[i], reason};
    status = cn_assumption_add_dependent(assumption, &marking_work, &function, sizeof function, &is_invalid);
    if (status != CAIRN_OK)
      cn_deopt_fail(failure, status, functions[i], CAIRN_DEOPT_WHOLE, "%s",
                    status == CAIRN_E_BUSY ? "the caller is a signal handler" : cairn_status_text(status));
  }
  if (is_invalid)
    return cairn_deopt_invalidate(functions, count, reason, NULL, failure);
  if (failure != NULL && status == CAIRN_OK)
    *failure = (struct cairn_deopt_failure){.status = CAIRN_OK};
  return status;
}
