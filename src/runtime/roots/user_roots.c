/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps and calls the language's handler of roots with the language's own tags. The handler is the only state. The
 * program sets it in phase MUTATE, before such a root exists; the runtime calls it in phase STOP, on any thread.
 */
#include "runtime/roots/roots.h"

#include <stddef.h>
#include "base/check.h"

static cairn_user_root *user_root_handler;

void cairn_set_user_roots(cairn_user_root *handler)
{
  user_root_handler = handler;
}

bool cn_user_roots_have_handler(void)
{
  return user_root_handler != NULL;
}

void cn_user_roots_visit(uintptr_t *slot, unsigned tag, void *parameter, cairn_root_visitor *visit, void *env)
{
  CN_CHECK(user_root_handler != NULL);
  user_root_handler(slot, tag, parameter, visit, env);
}
