/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the functions of <cairn/jit.h>: sessions, their modules and their names. Any thread, in native code. The
 * session's lock covers names, modules and the linking layer; compilations run outside of it.
 */
#include "jit/session.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "base/sorted.h"
#include "jit/objects/processor.h"

/* ---- sessions ---- */

/* All code of a program has the barriers of the program's collector. The default, cards, stands for any kind. */
static bool adopt_barriers(struct cairn_compile_options *options, char **error)
{
  static const unsigned char numbers[] = {
#define CAIRN_BARRIERS_KIND(constant, number, name, mark, help) [CAIRN_BARRIERS_##constant] = number,
#include <cairn/barriers.def>
#undef CAIRN_BARRIERS_KIND
  };
  const struct cairn_collector *collector = cairn_collector_in_use();
  unsigned kind = 0;

  while (kind < sizeof numbers && numbers[kind] != collector->barriers)
    kind++;
  if (kind == sizeof numbers || (options->barriers != CAIRN_BARRIERS_CARDS && options->barriers != kind)) {
    *error = cn_format("the options ask for other barriers than those of collector '%s'", collector->name);
    return false;
  }
  options->barriers = (enum cairn_barriers)kind;
  return true;
}

static bool adopt_options(struct cairn_jit *session, const struct cairn_jit_options *options, char **error)
{
  session->compile = options->compile;
  if (options->compile.shared || options->compile.opt_level > 3 || options->compile.tier > CAIRN_TIER_QUICK) {
    *error = cn_strdup(options->compile.shared          ? "a session's code is not for a shared object: 'shared' is set"
                       : options->compile.opt_level > 3 ? "opt_level is above 3"
                                                        : "the tier is unknown");
    return false;
  }
  return adopt_barriers(&session->compile, error);
}

static bool adopt_processor(const struct cairn_jit *session, char **error)
{
  const struct cn_jit_machines *machines = &session->machines;

  if (cn_jit_is_processor(machines->triple, machines->cpu))
    return true;
  *error = cn_format("LLVM has no processor '%s' for %s", machines->cpu, machines->triple);
  return false;
}

enum cairn_status cairn_jit_new(const struct cairn_jit_options *options, struct cairn_jit **session, char **error)
{
  static const struct cairn_jit_options zero;
  struct cairn_jit *made = cn_alloc(sizeof *made);

  *error = NULL;
  *session = NULL;
  cairn_compile_init();
  pthread_mutex_init(&made->lock, NULL);
  made->layer = cn_linking_layer_new((uintptr_t)cairn_image_register);
  options = options ? options : &zero;
  cn_jit_machines_init(&made->machines, options->cpu, options->features);
  if (!adopt_processor(made, error) || !adopt_options(made, options, error) ||
      !cn_jit_queue_begin(made, options, error)) {
    cairn_jit_dispose(made);
    return CAIRN_E_REFUSED;
  }
  *session = made;
  return CAIRN_OK;
}

void cn_jit_free(struct cairn_jit *session)
{
  CN_CHECK(!session->modules.count && !session->removed.count);
  cn_free(&session->modules);
  cn_free(&session->removed);
  for (size_t i = 0; i < session->debugged.count; i++)
    cn_linking_layer_unlink(session->layer, session->debugged.at[i]);
  cn_free(&session->debugged);
  cn_jit_names_free(&session->names);
  cn_jit_entries_free(&session->entries);
  cn_linking_layer_free(session->layer);
  pthread_mutex_destroy(&session->lock);
  cn_jit_machines_free(&session->machines);
  cn_jit_cache_free(atomic_load(&session->cache));
  free(session);
}

/* The reclaimer frees a session that it watches. */
void cairn_jit_dispose(struct cairn_jit *session)
{
  cn_jit_queue_end(session);
  pthread_mutex_lock(&session->lock);
  session->ended = true;
  while (session->modules.count) {
    struct cn_jit_module *module = session->modules.at[--session->modules.count].module;
    if (module)
      cn_jit_retire(session, module);
  }
  bool watched = session->watched;
  pthread_mutex_unlock(&session->lock);
  if (watched)
    cn_jit_reclaimer_wake();
  else
    cn_jit_free(session);
}

enum cairn_status cairn_jit_cache(struct cairn_jit *session, const char *directory, uint64_t bound, char **error)
{
  struct cn_jit_cache *before = NULL, *cache = cn_jit_cache_open(directory, bound, error);

  if (!cache)
    return CAIRN_E_REFUSED;
  *error = NULL;
  if (atomic_compare_exchange_strong(&session->cache, &before, cache))
    return CAIRN_OK;
  cn_jit_cache_free(cache);
  *error = cn_strdup("the session has a cache already");
  return CAIRN_E_TAKEN;
}

void cairn_jit_cache_count(struct cairn_jit *session, struct cairn_jit_cache_counts *counts)
{
  const struct cn_jit_cache *cache = atomic_load(&session->cache);

  *counts = (struct cairn_jit_cache_counts){0};
  if (cache)
    cn_jit_cache_read_counts(cache, counts);
}

enum cairn_status cairn_jit_define(struct cairn_jit *session, const char *name, void *address, char **error)
{
  enum cairn_status status = CAIRN_OK;

  *error = NULL;
  pthread_mutex_lock(&session->lock);
  if (cn_jit_names_find(&session->names, name)) {
    *error = cn_format("the session has a symbol '%s' already", name);
    status = CAIRN_E_TAKEN;
  } else {
    cn_jit_names_add(&session->names, name)->address = (uintptr_t)address;
  }
  pthread_mutex_unlock(&session->lock);
  return status;
}

/* ---- modules ---- */

/* The number of modules whose number is below `number`. */
static size_t count_below(const struct cairn_jit *session, uint64_t number)
{
  size_t low = 0;

  CN_BISECT(low, session->modules.count, middle, session->modules.at[middle].number < number);
  return low;
}

/* Null, or the first name that the module defines and the session has, unless both are weak. */
static const char *find_conflict(const struct cairn_jit *session, const struct cn_jit_module *module)
{
  for (size_t i = 0; i < module->exports.count; i++) {
    const struct cn_jit_symbol *symbol = &module->exports.at[i];
    const struct cn_jit_name *name = cn_jit_names_find(&session->names, symbol->name);
    if (name && !symbol->weak)
      return symbol->name;
  }
  return NULL;
}

void cn_jit_insert_module(struct cairn_jit *session, struct cn_jit_module *module)
{
  size_t at = count_below(session, module->number);

  cn_push(&session->modules, (struct cn_jit_listed){0});
  memmove(&session->modules.at[at + 1], &session->modules.at[at],
          (session->modules.count - 1 - at) * sizeof *session->modules.at);
  session->modules.at[at] = (struct cn_jit_listed){module->number, module};
  if (module->lazy)
    cn_jit_lazy_add_part(session, module->lazy);
  for (size_t i = 0; i < module->exports.count; i++)
    if (!module->exports.at[i].definition)
      cn_jit_names_add_export(&session->names, &module->exports.at[i], module);
}

static enum cairn_status add_compiled(struct cairn_jit *session, struct cn_jit_module *module, char **error)
{
  pthread_mutex_lock(&session->lock);
  const char *taken = find_conflict(session, module);
  if (taken)
    *error = cn_format("the session has a symbol '%s' already", taken);
  else
    cn_jit_insert_module(session, module);
  pthread_mutex_unlock(&session->lock);
  if (taken)
    cn_jit_module_free(module);
  return taken ? CAIRN_E_TAKEN : CAIRN_OK;
}

enum cairn_status cairn_jit_add(struct cairn_jit *session, LLVMModuleRef module_ir, uint64_t *module, char **error)
{
  enum cairn_status status;

  *module = 0;
  struct cn_jit_module *made = cn_jit_compile(session, session->compile.tier, module_ir, &status, error);
  if (!made)
    return status;
  uint64_t number = made->number;
  status = add_compiled(session, made, error);
  *module = status ? 0 : number;
  return status;
}

enum cairn_status cn_jit_add_lazy(struct cairn_jit *session, LLVMModuleRef ir, struct cn_jit_lazy *lazy, char **error)
{
  enum cairn_status status;
  struct cn_jit_module *made = cn_jit_compile(session, session->compile.tier, ir, &status, error);

  if (!made)
    return status;
  made->lazy = lazy;
  made->is_stubs = true;
  return add_compiled(session, made, error);
}

/* The buffer gives each module the same identifier. Messages have the name of the source, if the IR has one. */
static void name_by_source(LLVMModuleRef ir)
{
  size_t length;
  const char *source = LLVMGetSourceFileName(ir, &length);

  if (length)
    LLVMSetModuleIdentifier(ir, source, length);
}

LLVMModuleRef cn_jit_parse(const void *bytes, size_t size, char **error)
{
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "module");
  LLVMModuleRef ir = NULL;
  char *message = NULL;

  if (LLVMParseIRInContext2(context, buffer, &ir, &message)) {
    *error = cn_format("the IR does not parse: %s", message);
    ir = NULL;
  } else {
    name_by_source(ir);
  }
  LLVMDisposeMessage(message);
  LLVMDisposeMemoryBuffer(buffer);
  if (!ir)
    LLVMContextDispose(context);
  return ir;
}

void cn_jit_dispose_parsed(LLVMModuleRef ir)
{
  LLVMContextRef context = LLVMGetModuleContext(ir);

  LLVMDisposeModule(ir);
  LLVMContextDispose(context);
}

enum cairn_status cairn_jit_add_ir(struct cairn_jit *session, const void *bytes, size_t size, uint64_t *module,
                                   char **error)
{
  LLVMModuleRef ir = cn_jit_parse(bytes, size, error);

  *module = 0;
  if (!ir)
    return CAIRN_E_REFUSED;
  enum cairn_status status = cairn_jit_add(session, ir, module, error);
  cn_jit_dispose_parsed(ir);
  return status;
}

/* ---- look-ups ---- */

/* Find a definition, linked. */
static enum cairn_status find_linked(struct cairn_jit *session, const char *text, const struct cn_jit_name **name,
                                     char **error)
{
  *error = NULL;
  *name = cn_jit_names_find(&session->names, text);
  if (!*name) {
    *error = cn_format("the session has no symbol '%s'", text);
    return CAIRN_E_UNKNOWN;
  }
  return (*name)->owner && !(*name)->owner->linked ? cn_jit_link(session, (*name)->owner, error) : CAIRN_OK;
}

enum cairn_status cairn_jit_look_up(struct cairn_jit *session, const char *name, void **address, char **error)
{
  const struct cn_jit_name *found;

  pthread_mutex_lock(&session->lock);
  enum cairn_status status = find_linked(session, name, &found, error);
  *address = status ? NULL : (void *)found->address;
  pthread_mutex_unlock(&session->lock);
  return status;
}

enum cairn_status cairn_jit_find_code(struct cairn_jit *session, const char *name, uintptr_t *address, char **error)
{
  const struct cn_jit_name *found;

  pthread_mutex_lock(&session->lock);
  enum cairn_status status = find_linked(session, name, &found, error);
  if (!status && !found->entry) {
    *error = cn_format("'%s' is no managed function of a module", name);
    status = CAIRN_E_REFUSED;
  }
  *address = status ? 0 : found->entry->body - CAIRN_ABI_ENTRY_SIZE;
  pthread_mutex_unlock(&session->lock);
  return status;
}

/* ---- removal ---- */

static void drop_places(struct cairn_jit *session)
{
  size_t kept = 0;

  for (size_t i = 0; i < session->modules.count; i++)
    if (session->modules.at[i].module)
      session->modules.at[kept++] = session->modules.at[i];
  session->modules.count = kept;
  session->modules_gone = 0;
}

void cn_jit_forget_module(struct cairn_jit *session, const struct cn_jit_module *module)
{
  struct cn_jit_listed *listed = &session->modules.at[count_below(session, module->number)];

  CN_CHECK(listed->module == module);
  for (size_t i = 0; i < module->exports.count; i++)
    if (module->exports.at[i].definition)
      cn_jit_names_remove(&session->names, module->exports.at[i].definition);
  listed->module = NULL;
  session->modules_gone++;
  for (; session->modules.count && !session->modules.at[session->modules.count - 1].module; session->modules.count--)
    session->modules_gone--;
  if (2 * session->modules_gone > session->modules.count)
    drop_places(session);
}

/* The parts of a lazy module. */
static bool remove_parts(struct cairn_jit *session, const struct cn_jit_lazy *lazy)
{
  bool found = false;

  for (size_t i = session->modules.count; lazy && i-- > 0;) {
    struct cn_jit_module *module = i < session->modules.count ? session->modules.at[i].module : NULL;
    if (!module || module->lazy != lazy)
      continue;
    cn_jit_forget_module(session, module);
    cn_jit_retire(session, module);
    found = true;
  }
  return found;
}

static bool remove_module(struct cairn_jit *session, uint64_t number)
{
  size_t at = count_below(session, number);
  const struct cn_jit_listed *listed = at < session->modules.count ? &session->modules.at[at] : NULL;
  struct cn_jit_module *found = listed && listed->number == number ? listed->module : NULL;

  if (!found)
    return remove_parts(session, cn_jit_lazy_find(session, number));
  cn_jit_forget_module(session, found);
  cn_jit_retire(session, found);
  return true;
}

enum cairn_status cairn_jit_remove(struct cairn_jit *session, uint64_t module, char **error)
{
  *error = NULL;
  pthread_mutex_lock(&session->lock);
  bool found = remove_module(session, module);
  pthread_mutex_unlock(&session->lock);
  if (!found)
    *error = cn_format("the session has no module %llu: it was never added, or has been removed",
                       (unsigned long long)module);
  return found ? CAIRN_OK : CAIRN_E_UNKNOWN;
}
