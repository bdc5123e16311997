/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces managed functions of a session by new versions. The new module takes the names over, and is linked: its code
 * sees itself under these names. Then one stop of all threads switches the entries to the new bodies. After a failure
 * the names are as they were. The session's lock is held, except during the compilation.
 */
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "jit/session.h"

/* A name that changes hands. */
struct takeover {
  struct cn_jit_name *name;
  struct cn_jit_module *old_owner;
  struct cn_jit_symbol *old_symbol;
  uint64_t old_changed, old_ticket;
};

struct replacement {
  struct cairn_jit *session;
  struct cn_jit_module *module; /* with the new versions */
  const char *wanted;           /* the name that the caller gave */
  enum cairn_tier tier;
  struct cn_jit_lazy *lazy; /* not null: only stubs of this one give way */
  uint64_t ticket, since;   /* of a compilation in the background: names that changed later do not give way */
  CN_VECTOR(struct takeover) names;
  enum cairn_status status;
  char *error;
};

static bool refuse(struct replacement *r, enum cairn_status status, char *message)
{
  r->status = status;
  free(r->error);
  r->error = message;
  return false;
}

/* ---- what changes hands ---- */

static const char *signature_of(const struct cn_jit_name *name)
{
  return name->symbol ? name->symbol->signature : NULL;
}

static bool check_takeover(struct replacement *r, const struct cn_jit_name *name, const struct cn_jit_symbol *symbol)
{
  const char *old = signature_of(name), *new = symbol->signature;

  if (r->ticket && (name->changed > r->since || name->ticket > r->ticket))
    return refuse(
        r, CAIRN_E_GONE,
        cn_format("'%s' has a newer version than that of compilation %llu", name->text, (unsigned long long)r->ticket));
  if (!old && strcmp(name->text, r->wanted) != 0)
    return refuse(r, CAIRN_E_TAKEN, cn_format("the session has a symbol '%s' already", name->text));
  if (!old)
    return refuse(r, CAIRN_E_REFUSED,
                  cn_format("'%s' is no managed function of a module, and stays as it is", name->text));
  if (!new)
    return refuse(r, CAIRN_E_REFUSED, cn_format("the new definition of '%s' is no managed function", name->text));
  if (strcmp(old, new) != 0)
    return refuse(r, CAIRN_E_REFUSED, cn_format("'%s' has the type %s, and its new version %s", name->text, old, new));
  return true;
}

static bool take_over(struct replacement *r, struct cn_jit_symbol *symbol)
{
  struct cn_jit_name *name = cn_jit_names_find(&r->session->names, symbol->name);
  bool is_wanted = strcmp(symbol->name, r->wanted) == 0;

  if (!name || (symbol->weak && !is_wanted))
    return true;
  if (!check_takeover(r, name, symbol))
    return false;
  cn_push(&r->names, (struct takeover){name, name->owner, name->symbol, name->changed, name->ticket});
  cn_jit_name_give(name, symbol, r->module);
  if (r->ticket)
    name->ticket = r->ticket;
  else if (!r->lazy)
    name->changed = ++r->session->names.changes;
  return true;
}

static bool check_wanted(struct replacement *r)
{
  if (!cn_jit_names_find(&r->session->names, r->wanted))
    return refuse(r, CAIRN_E_UNKNOWN, cn_format("the session has no symbol '%s'", r->wanted));
  return cn_jit_module_find_export(r->module, r->wanted) ||
         refuse(r, CAIRN_E_REFUSED, cn_format("the module does not export '%s'", r->wanted));
}

static bool take_names_over(struct replacement *r)
{
  bool taken = check_wanted(r);

  for (size_t i = 0; taken && i < r->module->exports.count; i++)
    taken = take_over(r, &r->module->exports.at[i]);
  return taken;
}

static void give_names_back(struct replacement *r)
{
  for (size_t i = r->names.count; i-- > 0;) {
    struct takeover *t = &r->names.at[i];
    cn_jit_name_give(t->name, t->old_symbol, t->old_owner);
    t->name->changed = t->old_changed;
    t->name->ticket = t->old_ticket;
  }
}

/* ---- the switch ---- */

typedef CN_VECTOR(struct cairn_code_store) store_vector;

static void list_stores(store_vector *stores, const struct cn_jit_entry *entry)
{
  cn_push(stores, cn_jit_entry_switch(entry, entry->body));
  for (const struct cn_jit_site *site = entry->sites; site; site = site->next)
    cn_push(stores, cn_jit_site_switch(site, entry->body));
}

/* Entries whose owner is an older module: their `body` is the new one already. */
static bool switch_entries(struct replacement *r)
{
  store_vector stores = {0};

  for (size_t i = 0; i < r->names.count; i++) {
    const struct cn_jit_name *name = r->names.at[i].name;
    if (name->entry && name->entry->owner != r->module)
      list_stores(&stores, name->entry);
  }
  enum cairn_status status = stores.count ? cairn_code_store(stores.at, stores.count) : CAIRN_OK;
  cn_free(&stores);
  return !status || refuse(r, status, cn_format("the threads cannot be stopped: %s", cairn_status_text(status)));
}

static void move_entry(struct cn_jit_module *from, struct cn_jit_module *to, struct cn_jit_entry *entry)
{
  size_t at = 0;

  while (from->entries.at[at] != entry)
    at++;
  from->entries.at[at] = from->entries.at[--from->entries.count];
  cn_push(&to->entries, entry);
  entry->owner = to;
}

static bool defines_names(const struct cn_jit_module *module)
{
  for (size_t i = 0; i < module->exports.count; i++) {
    const struct cn_jit_symbol *symbol = &module->exports.at[i];
    if (symbol->definition && !cn_jit_is_image(symbol->name))
      return true;
  }
  return false;
}

/* The old modules lose their entries; those without further names go. */
static void retire_old_versions(struct replacement *r)
{
  for (size_t i = 0; i < r->names.count; i++) {
    struct cn_jit_entry *entry = r->names.at[i].name->entry;
    if (entry && entry->owner != r->module)
      move_entry(entry->owner, r->module, entry);
  }
  for (size_t i = 0; i < r->names.count; i++) {
    struct cn_jit_module *old = r->names.at[i].old_owner;
    if (!old || defines_names(old))
      continue;
    for (size_t k = i; k < r->names.count; k++)
      r->names.at[k].old_owner = r->names.at[k].old_owner == old ? NULL : r->names.at[k].old_owner;
    cn_jit_forget_module(r->session, old);
    cn_jit_retire(r->session, old);
  }
}

/* Names of linked modules had entries, with the old `bodies`. Only code that has not run goes elsewhere. */
static void restore_entries(struct replacement *r, const uintptr_t *bodies)
{
  for (size_t i = 0; i < r->names.count; i++) {
    struct cn_jit_name *name = r->names.at[i].name;
    if (bodies[i]) {
      name->entry->body = bodies[i];
      for (const struct cn_jit_site *site = name->entry->sites; site; site = site->next)
        cn_jit_site_bind(site);
    } else {
      name->entry = NULL;
      name->address = 0;
    }
  }
}

static void undo(struct replacement *r, const uintptr_t *bodies, bool inserted)
{
  give_names_back(r);
  restore_entries(r, bodies);
  if (inserted) {
    cn_jit_forget_module(r->session, r->module);
    cn_jit_retire(r->session, r->module);
  } else {
    cn_jit_module_free(r->module);
  }
}

static void replace(struct replacement *r)
{
  bool taken = take_names_over(r);
  uintptr_t *bodies = cn_alloc((r->names.count + 1) * sizeof *bodies);

  for (size_t i = 0; i < r->names.count; i++)
    bodies[i] = r->names.at[i].name->entry ? r->names.at[i].name->entry->body : 0;
  if (taken) {
    cn_jit_insert_module(r->session, r->module);
    r->status = cn_jit_link(r->session, r->module, &r->error);
  }
  if (!r->status && switch_entries(r))
    retire_old_versions(r);
  else
    undo(r, bodies, taken);
  free(bodies);
  cn_free(&r->names);
}

/* ---- the calls ---- */

static bool gives_way(const struct replacement *r)
{
  const struct cn_jit_name *name = cn_jit_names_find(&r->session->names, r->wanted);

  return !r->lazy || !name || (name->owner && name->owner->lazy == r->lazy && name->owner->is_stubs);
}

static enum cairn_status replace_by(struct replacement *r, LLVMModuleRef ir, uint64_t *module, char **error)
{
  *module = 0;
  r->module = cn_jit_compile(r->session, r->tier, ir, &r->status, error);
  if (!r->module)
    return r->status;
  uint64_t number = r->module->number;
  r->module->lazy = r->lazy;
  pthread_mutex_lock(&r->session->lock);
  if (gives_way(r))
    replace(r);
  else
    cn_jit_module_free(r->module);
  pthread_mutex_unlock(&r->session->lock);
  *module = r->status ? 0 : number;
  *error = r->error;
  return r->status;
}

enum cairn_status cairn_jit_replace(struct cairn_jit *session, const char *name, LLVMModuleRef module_ir,
                                    uint64_t *module, char **error)
{
  struct replacement r = {.session = session, .wanted = name, .tier = session->compile.tier};

  return replace_by(&r, module_ir, module, error);
}

enum cairn_status cn_jit_replace_stub(struct cairn_jit *session, const char *name, LLVMModuleRef ir,
                                      struct cn_jit_lazy *lazy, uint64_t *module, char **error)
{
  struct replacement r = {.session = session, .wanted = name, .tier = session->compile.tier, .lazy = lazy};

  return replace_by(&r, ir, module, error);
}

static enum cairn_status replace_by_bytes(struct replacement *r, const void *bytes, size_t size, uint64_t *module,
                                          char **error)
{
  LLVMModuleRef ir = cn_jit_parse(bytes, size, error);

  *module = 0;
  if (!ir)
    return CAIRN_E_REFUSED;
  enum cairn_status status = replace_by(r, ir, module, error);
  cn_jit_dispose_parsed(ir);
  return status;
}

enum cairn_status cairn_jit_replace_ir(struct cairn_jit *session, const char *name, const void *bytes, size_t size,
                                       uint64_t *module, char **error)
{
  struct replacement r = {.session = session, .wanted = name, .tier = session->compile.tier};

  return replace_by_bytes(&r, bytes, size, module, error);
}

enum cairn_status cn_jit_replace_later(struct cairn_jit *session, const struct cn_jit_job *job, uint64_t *module,
                                       char **error)
{
  struct replacement r = {
      .session = session, .wanted = job->name, .tier = CAIRN_TIER_FULL, .ticket = job->ticket, .since = job->since};

  return replace_by_bytes(&r, job->bytes, job->size, module, error);
}
