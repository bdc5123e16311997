/* SPDX-License-Identifier: Apache-2.0
 *
 * Sites: branches of linked code that go to the body of a function directly, past the function's entry. Private to
 * src/jit. All calls are under the session's lock.
 */
#ifndef CN_JIT_SITES_H
#define CN_JIT_SITES_H

#include <cairn/patch.h>
#include "jit/linking_layer.h"

struct cn_jit_entry;
struct cn_jit_module;

struct cn_jit_site {
  struct cn_jit_entry *entry;
  uintptr_t place; /* of the edge, 4 bytes */
  char *writable;
  struct cn_jit_site *next, *previous; /* of the entry */
};

/* Note a branch of the module to the entry's body, before the module's code runs. */
void cn_jit_site_add(struct cn_jit_module *module, struct cn_jit_entry *entry, const struct cn_link_edge *edge);

/* Let a branch, or all of the module, go to the current bodies of functions. The code does not run yet, or stays the
 * same. */
void cn_jit_site_bind(const struct cn_jit_site *site);
void cn_jit_sites_bind(const struct cn_jit_module *module);

/* The store that lets the site's branch go to `body`; to the entry if the body is too far away. */
struct cairn_code_store cn_jit_site_switch(const struct cn_jit_site *site, uintptr_t body);

/* Forget the module's sites. */
void cn_jit_sites_drop(struct cn_jit_module *module);

#endif
