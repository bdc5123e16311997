/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the sites of modules, each in the list of its entry. The session's lock covers the lists.
 */
#include "jit/sites.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "jit/entry/branch.h"
#include "jit/entry/entries.h"
#include "jit/module.h"

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
  uint32_t old, bytes;

  memcpy(&old, site->writable, sizeof old);
  if (!cn_jit_branch_to(site->place, old, body, &bytes) &&
      !cn_jit_branch_to(site->place, old, cn_jit_entry_body(site->entry), &bytes))
    CN_UNREACHABLE(); /* the branch was linked to the entry */
  return (struct cairn_code_store){site->place, bytes, sizeof bytes};
}

void cn_jit_site_bind(const struct cn_jit_site *site)
{
  struct cairn_code_store store = cn_jit_site_switch(site, site->entry->body);

  memcpy(site->writable, &store.value, store.size);
  __builtin___clear_cache((char *)site->place, (char *)site->place + store.size);
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
