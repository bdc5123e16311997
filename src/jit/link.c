/* SPDX-License-Identifier: Apache-2.0
 *
 * Links modules of a session when one of their symbols is looked up. A module is linked with all unlinked modules that
 * it refers to, since they may refer to each other. Each other reference becomes an address: of a linked module, of the
 * session's user, or of the process. The session's lock is held.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "compile/core/emitted_names.h"
#include "jit/ir/ir.h"
#include "jit/session.h"

enum { FAULT_BYTES = 1024 }; /* of an image, with the module's title */

/* The prefix of the names of rebound symbols that stand for the body of an entry. */
#define THROUGH_ENTRY "cairn.jit.through."

struct rebindings {
  struct cn_jit_rebinding *at;
  size_t count, room;
};

/* The modules that are linked at one time. */
struct link {
  struct cairn_jit *session;
  CN_VECTOR(struct cn_jit_module *) modules; /* at last sorted by number: of weak definitions the oldest counts */
  CN_VECTOR(struct cn_link_symbol) symbols;  /* from outside, and then those of the modules, with their definitions */
  CN_VECTOR(struct cn_jit_name *) new_names; /* of functions with new entries */
  CN_VECTOR(char *) texts;                   /* names of rebound symbols */
  const struct cn_jit_module *lacking;       /* the first module that refers to a missing symbol */
  char *missing;                             /* quoted names */
  enum cairn_status status;
  char *error;
};

/* The function whose body the name stands for, or null. */
static const char *function_of_body(const char *name)
{
  static const char prefix[] = CN_CODE_PREFIX;
  size_t length = sizeof prefix - 1;

  return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

/* ---- modules and entries ---- */

/* A managed function gets an entry. A version of a function has the entry already. */
static bool add_entries(struct link *l, struct cn_jit_module *module)
{
  for (size_t i = 0; i < module->exports.count; i++) {
    struct cn_jit_name *name = module->exports.at[i].body ? module->exports.at[i].definition : NULL;
    if (!name)
      continue;
    if (!name->entry && !(name->entry = cn_jit_entry_new(&l->session->entries, name->text, &l->error)))
      return false;
    if (!name->entry->owner)
      cn_push(&l->new_names, name);
  }
  return true;
}

/* A weak definition counts if the session has no other one, for example because the other one's module was removed. */
static void settle_exports(struct link *l, struct cn_jit_module *module)
{
  for (size_t i = 0; i < module->exports.count; i++)
    if (!module->exports.at[i].definition)
      cn_jit_names_add_export(&l->session->names, &module->exports.at[i], module);
}

static void join(struct link *l, struct cn_jit_module *module)
{
  if (module->joined || module->linked)
    return;
  module->joined = true;
  cn_push(&l->modules, module);
  settle_exports(l, module);
  if (!add_entries(l, module))
    l->status = CAIRN_E_REFUSED;
}

static void note_link(struct cn_jit_module *from, struct cn_jit_module *to)
{
  for (size_t i = 0; i < from->links.count; i++)
    if (from->links.at[i] == to)
      return;
  if (from != to)
    cn_push(&from->links, to);
}

static void note_entry_link(struct cn_jit_module *from, struct cn_jit_entry *to)
{
  for (size_t i = 0; i < from->entry_links.count; i++)
    if (from->entry_links.at[i] == to)
      return;
  cn_push(&from->entry_links, to);
}

/* ---- references ---- */

static void note_outside(struct link *l, const char *name, uintptr_t address)
{
  cn_push(&l->symbols, (struct cn_link_symbol){name, address, NULL, NULL});
}

/* A message names a function once, also if the module refers to its body, too. */
static void note_missing(struct link *l, const struct cn_jit_module *module, const char *name)
{
  const char *function = function_of_body(name);
  char *old = l->missing, *quoted = cn_format("'%s'", function ? function : name);

  if (!l->lacking)
    l->lacking = module;
  if (!old || !strstr(old, quoted))
    l->missing = old ? cn_format("%s, %s", old, quoted) : cn_strdup(quoted);
  if (l->missing != old)
    free(old);
  free(quoted);
}

/* An error found before has the message. */
static void refuse_missing(struct link *l)
{
  if (!l->missing || l->status)
    return;
  l->status = CAIRN_E_UNKNOWN;
  l->error = cn_format("module %llu (%s): neither the session nor the process exports %s "
                       "(-Wl,--export-dynamic-symbol, or cairn_jit_define())",
                       (unsigned long long)l->lacking->number, l->lacking->title, l->missing);
}

static void note_native(struct link *l, const struct cn_jit_module *module, const char *name)
{
  if (!l->error)
    l->error = cn_format("module %llu (%s): the native function '%s' would be given references; a leaf may take them "
                         "(\"gc-leaf-function\"), another function takes handles",
                         (unsigned long long)module->number, module->title, name);
  l->status = CAIRN_E_REFUSED;
}

/* The address of a name outside of all modules, or 0. */
static uintptr_t find_outside(const struct link *l, const char *name)
{
  const struct cn_jit_name *known = cn_jit_names_find(&l->session->names, name);

  return known ? known->address : (uintptr_t)dlsym(RTLD_DEFAULT, name);
}

/* The body of the managed function at `address`, or 0 if the function is native. The mark is readable for any function
 * at such an address (abi.def). */
static uintptr_t find_body(uintptr_t address)
{
  uint64_t mark;

  if (address % 16 != 8)
    return 0;
  memcpy(&mark, (const char *)address - sizeof mark, sizeof mark);
  return mark == CAIRN_ABI_MANAGED_MARK ? address + CAIRN_ABI_ENTRY_SIZE : 0;
}

/* Resolve a name from outside of all modules. A function's body, which code calls that passes references, has a name
 * that the process may keep to itself; the function's address gives the body, too. */
static void resolve_outside(struct link *l, const struct cn_jit_module *module, const struct cn_jit_symbol *import)
{
  const char *function = function_of_body(import->name);
  uintptr_t address = find_outside(l, import->name);

  if (!address && function) {
    uintptr_t entry = find_outside(l, function);
    address = find_body(entry);
    if (!address && (entry || cn_jit_names_find(&l->session->names, function))) {
      note_native(l, module, function);
      return;
    }
  }
  if (address)
    note_outside(l, import->name, address);
  else if (!import->weak)
    note_missing(l, module, import->name);
}

/* The function that the name of a symbol stands for, itself or its body. */
static const char *function_of(const char *name)
{
  static const char prefix[] = CN_JIT_ENTRY_PREFIX;
  const char *function = function_of_body(name);

  function = function ? function : name;
  return strncmp(function, prefix, sizeof prefix - 1) == 0 ? function + sizeof prefix - 1 : function;
}

/* The definition of a name by a module, which the link joins; or null. */
static struct cn_jit_name *find_in_modules(struct link *l, const char *text)
{
  struct cn_jit_name *name = cn_jit_names_find(&l->session->names, text);

  if (!name || !name->owner)
    return NULL;
  join(l, name->owner);
  return name;
}

/* Rebind a symbol to an address. */
static void rebind(struct link *l, struct rebindings *rebindings, const struct cn_jit_symbol *symbol,
                   const char *prefix, uintptr_t address)
{
  char *text = cn_format("%s%s", prefix, symbol->name);

  cn_push(&l->texts, text);
  cn_push(rebindings, (struct cn_jit_rebinding){symbol->index, text, 0});
  note_outside(l, text, address);
}

static void rebind_to_entry(struct link *l, struct cn_jit_module *module, struct rebindings *rebindings,
                            const struct cn_jit_symbol *symbol, struct cn_jit_entry *entry, bool to_body)
{
  if (to_body)
    rebind(l, rebindings, symbol, THROUGH_ENTRY, cn_jit_entry_body(entry));
  else
    rebind(l, rebindings, symbol, "cairn.jit.bound.", cn_jit_entry_address(entry));
  note_entry_link(module, entry);
}

/* Resolve a symbol that a module refers to. */
static void resolve(struct link *l, struct cn_jit_module *module, const struct cn_jit_symbol *symbol,
                    struct rebindings *rebindings)
{
  const char *function = function_of(symbol->name);
  struct cn_jit_name *name = find_in_modules(l, function);
  bool is_body = function_of_body(symbol->name) != NULL;
  const struct cn_jit_symbol *definition =
      function != symbol->name && !is_body ? cn_jit_module_find_export(module, function) : NULL;

  if (name && name->entry) {
    rebind_to_entry(l, module, rebindings, symbol, name->entry, is_body);
  } else if (definition) { /* a native function lacks an entry */
    cn_push(rebindings, (struct cn_jit_rebinding){symbol->index, NULL, definition->index});
  } else if (!name) {
    resolve_outside(l, module, symbol);
  } else {
    note_link(module, name->owner);
    if (name->owner->linked)
      note_outside(l, name->text, name->address);
  }
}

/* A call by a thunk, of a managed function that is known: the call goes there directly. */
static void resolve_thunk(struct link *l, struct cn_jit_module *module, const struct cn_jit_symbol *thunk,
                          struct rebindings *rebindings)
{
  const char *function = function_of(strchr(strchr(thunk->name, '.') + 1, '.') + 1);
  const struct cn_jit_symbol called = {.name = thunk->name, .index = thunk->twin ? thunk->twin : thunk->index};
  struct cn_jit_name *name = find_in_modules(l, function);
  uintptr_t body = name ? 0 : find_body(find_outside(l, function));

  if (name && name->entry)
    rebind_to_entry(l, module, rebindings, &called, name->entry, true);
  else if (body)
    rebind(l, rebindings, &called, "cairn.jit.bound.", body);
}

/* A weak definition of another module's symbol gives way to it. */
static void resolve_export(struct link *l, struct cn_jit_module *module, const struct cn_jit_symbol *symbol)
{
  if (symbol->definition)
    return;
  const struct cn_jit_name *name = cn_jit_names_find(&l->session->names, symbol->name);
  if (!name->owner) {
    resolve_outside(l, module, symbol);
  } else if (name->entry) {
    note_outside(l, name->text, cn_jit_entry_address(name->entry));
    note_entry_link(module, name->entry);
  } else {
    note_link(module, name->owner);
    if (name->owner->linked)
      note_outside(l, name->text, name->address);
  }
}

static int compare_numbers(const void *a, const void *b)
{
  uint64_t x = (*(struct cn_jit_module *const *)a)->number, y = (*(struct cn_jit_module *const *)b)->number;

  return (x > y) - (x < y);
}

static void resolve_module(struct link *l, struct cn_jit_module *module)
{
  struct rebindings rebindings = {0};

  for (size_t k = 0; k < module->imports.count; k++)
    resolve(l, module, &module->imports.at[k], &rebindings);
  for (size_t k = 0; k < module->thunks.count; k++)
    resolve_thunk(l, module, &module->thunks.at[k], &rebindings);
  for (size_t k = 0; k < module->exports.count; k++)
    resolve_export(l, module, &module->exports.at[k]);
  module->bound = cn_jit_module_rebind(module, rebindings.at, rebindings.count, &module->bound_size);
  cn_free(&rebindings);
}

/* Find all modules to link, and all names that come from outside of them. */
static void resolve_all(struct link *l)
{
  for (size_t i = 0; i < l->modules.count; i++)
    resolve_module(l, l->modules.at[i]);
  qsort(l->modules.at, l->modules.count, sizeof *l->modules.at, compare_numbers);
}

/* ---- linking ---- */

/* Add the definitions that count, among them the modules' images. */
static void list_symbols(struct link *l)
{
  for (size_t i = 0; i < l->modules.count; i++) {
    const struct cn_jit_module *module = l->modules.at[i];
    for (size_t k = 0; k < module->exports.count; k++) {
      struct cn_jit_name *name = module->exports.at[k].definition;
      if (name)
        cn_push(&l->symbols, (struct cn_link_symbol){name->text, 0, module, name});
    }
  }
}

bool cn_jit_is_image(const char *name)
{
  static const char prefix[] = CN_JIT_IMAGE_PREFIX;

  return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

/* Registering an image ends the process if the image does not fit the program, so all are checked before the first. */
static bool check_images(struct link *l)
{
  const struct cairn_image *first = NULL;
  char fault[FAULT_BYTES];
  enum cairn_status status = CAIRN_OK;

  for (size_t i = 0; !status && i < l->symbols.count; i++) {
    const struct cn_jit_module *owner = l->symbols.at[i].owner;
    if (!owner || !cn_jit_is_image(l->symbols.at[i].name))
      continue;
    const struct cairn_image *image = (const struct cairn_image *)l->symbols.at[i].address;
    char *name = cn_format("module %llu (%s)", (unsigned long long)owner->number, owner->title);
    status = cairn_image_check(image, first, name, fault, sizeof fault);
    free(name);
    first = first ? first : image;
  }
  if (status)
    l->error = cn_strdup(fault);
  return !status;
}

static void adopt_address(struct cn_jit_name *name, uintptr_t address)
{
  name->address = address;
  if (cn_jit_is_image(name->text))
    cn_push(&name->owner->images, (const struct cairn_image *)address);
  if (!name->entry)
    return;
  CN_CHECK(name->symbol->body);
  name->entry->body = address + CAIRN_ABI_ENTRY_SIZE;
  name->address = cn_jit_entry_address(name->entry);
}

static void bind_new_entries(struct link *l)
{
  for (size_t i = 0; i < l->new_names.count; i++) {
    const struct cn_jit_name *name = l->new_names.at[i];
    name->entry->owner = name->owner;
    cn_push(&name->owner->entries, name->entry);
    cn_jit_entry_bind(name->entry);
  }
}

/* Images are registered before a thread can come to their code. */
static void adopt_modules(struct link *l)
{
  for (size_t i = 0; i < l->symbols.count; i++)
    if (l->symbols.at[i].owner)
      adopt_address(l->symbols.at[i].data, l->symbols.at[i].address);
  for (size_t i = 0; i < l->modules.count; i++) {
    struct cn_jit_module *module = l->modules.at[i];
    cn_jit_debug_name_code(module, module->object, module->object_size);
    free(module->object);
    module->object = NULL;
    for (size_t k = 0; k < module->links.count; k++)
      module->links.at[k]->users++;
    for (size_t k = 0; k < module->entry_links.count; k++)
      module->entry_links.at[k]->users++;
    for (size_t k = 0; k < module->images.count; k++)
      cairn_image_register(module->images.at[k]);
  }
  bind_new_entries(l);
  for (size_t i = 0; i < l->modules.count; i++)
    cn_jit_sites_bind(l->modules.at[i]);
}

static void drop_new_entries(struct link *l)
{
  for (size_t i = 0; i < l->new_names.count; i++) {
    cn_jit_entry_end(&l->session->entries, l->new_names.at[i]->entry);
    l->new_names.at[i]->entry = NULL;
  }
}

/* A branch to the body of an entry is a site. */
static void note_edge(void *owner, const struct cn_link_edge *edge)
{
  struct cn_jit_entry *entry =
      edge->kind == CN_EDGE_BRANCH && !edge->addend && strncmp(edge->name, THROUGH_ENTRY, sizeof THROUGH_ENTRY - 1) == 0
          ? cn_jit_entry_of_body(edge->target)
          : NULL;

  if (entry)
    cn_jit_site_add(owner, entry, edge);
}

static bool link_objects(struct link *l)
{
  CN_VECTOR(struct cn_link_object) objects = {0};

  for (size_t i = 0; i < l->modules.count; i++) {
    struct cn_jit_module *module = l->modules.at[i];
    cn_push(&objects, (struct cn_link_object){module->title, module->bound, module->bound_size, module, NULL});
  }
  const struct cn_link_listener listener = {
      .edge = note_edge, .function = cn_jit_debug_note_function, .section = cn_jit_debug_note_section};
  struct cn_link link = {objects.at, objects.count, l->symbols.at, l->symbols.count, listener};
  bool linked = cn_linking_layer_link(l->session->layer, &link, &l->error);
  for (size_t i = 0; linked && i < l->modules.count; i++)
    l->modules.at[i]->linked = objects.at[i].linked;
  cn_free(&objects);
  return linked;
}

/* Take the link back: the modules are as they were. */
static void undo(struct link *l)
{
  drop_new_entries(l);
  for (size_t i = 0; i < l->modules.count; i++) {
    struct cn_jit_module *module = l->modules.at[i];
    module->links.count = module->entry_links.count = 0;
    cn_jit_sites_drop(module);
    if (module->linked)
      cn_linking_layer_unlink(l->session->layer, module->linked);
    module->linked = NULL;
    cn_jit_debug_drop_parts(module);
  }
}

static void end_link(struct link *l)
{
  for (size_t i = 0; i < l->modules.count; i++) {
    struct cn_jit_module *module = l->modules.at[i];
    module->joined = false;
    free(module->bound);
    module->bound = NULL;
  }
  for (size_t i = 0; i < l->texts.count; i++)
    free(l->texts.at[i]);
  free(l->missing);
  cn_free(&l->texts);
  cn_free(&l->new_names);
  cn_free(&l->modules);
  cn_free(&l->symbols);
}

enum cairn_status cn_jit_link(struct cairn_jit *session, struct cn_jit_module *module, char **error)
{
  struct link l = {.session = session};

  CN_ASSERT_VALID(cn_jit_names_wrong(&session->names));
  join(&l, module);
  resolve_all(&l);
  refuse_missing(&l);
  if (!l.status) {
    list_symbols(&l);
    if (link_objects(&l) && check_images(&l))
      adopt_modules(&l);
    else
      l.status = CAIRN_E_REFUSED;
  }
  if (l.status)
    undo(&l);
  end_link(&l);
  *error = l.error;
  return l.status;
}
