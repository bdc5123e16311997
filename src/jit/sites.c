/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the sites of modules, each in the list of its entry. The session's lock covers the lists.
 */
#include "jit/sites.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "jit/module.h"

enum { OPERAND_BYTES = 4 };

void cn_jit_site_add(struct cn_jit_module *module, struct cn_jit_entry *entry, const struct cn_link_edge *edge)
{
  struct cn_jit_site *site = cn_alloc(sizeof *site);

  *site = (struct cn_jit_site){entry, edge->place, edge->writable, entry->sites, NULL};
  if (entry->sites)
    entry->sites->previous = site;
  entry->sites = site;
  cn_push(&module->sites, site);
}

struct cairn_code_store cn_jit_site_switch(const struct cn_jit_site *site, uintptr_t body)
{
  intptr_t distance = (intptr_t)(body - (site->place + OPERAND_BYTES));

  if (distance != (int32_t)distance)
    distance = (intptr_t)(cn_jit_entry_body(site->entry) - (site->place + OPERAND_BYTES));
  return (struct cairn_code_store){site->place, (uint64_t)distance, OPERAND_BYTES};
}

void cn_jit_site_bind(const struct cn_jit_site *site)
{
  struct cairn_code_store store = cn_jit_site_switch(site, site->entry->body);

  memcpy(site->writable, &store.value, store.size);
}

void cn_jit_sites_bind(const struct cn_jit_module *module)
{
  for (size_t i = 0; i < module->sites.count; i++)
    cn_jit_site_bind(module->sites.at[i]);
}

void cn_jit_sites_drop(struct cn_jit_module *module)
{
  for (size_t i = 0; i < module->sites.count; i++) {
    struct cn_jit_site *site = module->sites.at[i];
    if (site->previous)
      site->previous->next = site->next;
    else
      site->entry->sites = site->next;
    if (site->next)
      site->next->previous = site->previous;
    free(site);
  }
  cn_free(&module->sites);
}
