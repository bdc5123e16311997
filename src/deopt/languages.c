/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of languages: callbacks by number. The file owns the table of atomic pointers, which are set once. Any
 * thread, any phase, without locks.
 */
#include "deopt/site.h"

#include <stddef.h>
#include "base/check.h"

static const struct cairn_deopt_language *_Atomic languages[CAIRN_DEOPT_LANGUAGES];

enum cairn_status cairn_deopt_add_language(unsigned number, const struct cairn_deopt_language *language)
{
  const struct cairn_deopt_language *none = NULL;

  if (number >= CAIRN_DEOPT_LANGUAGES || language == NULL || language->continuation == NULL)
    return CAIRN_E_BOUNDS;
  return atomic_compare_exchange_strong(&languages[number], &none, language) ? CAIRN_OK : CAIRN_E_TAKEN;
}

const struct cairn_deopt_language *cn_deopt_language(unsigned number)
{
  const struct cairn_deopt_language *language =
      number < CAIRN_DEOPT_LANGUAGES ? atomic_load_explicit(&languages[number], memory_order_acquire) : NULL;

  CN_ASSERT(language == NULL || language->continuation != NULL);
  return language;
}
