/* SPDX-License-Identifier: Apache-2.0
 *
 * The shared object's side of jit.h: one session of <cairn/jit.h>, a queue of requests, and a thread that compiles
 * them. A finished function is installed by one store of its address. Discarded code is removed from the session, which
 * frees its memory when no activation is inside. The lock guards the queue, the counts, and the list of code with its
 * installation.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cairn/jit.h>
#include "unit.h"

struct waiting {
  struct tj_request request;
  struct waiting *next;
};

static struct tj_host host;
static struct cairn_jit *session;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct waiting *first, **last = &first;
static unsigned running; /* compilations that wait or run */
static bool is_finished; /* no request is taken */
static struct tj_counts counts;

/* Code that is installed, or removed: activations may be inside, which depend on the assumptions. */
struct code {
  struct tj_code use;
  uint64_t module;
  bool is_pending; /* during forget_code(): removed, with its memory */
  const struct tiny_tables *tables;
  uint8_t *assumed; /* by global */
  uint32_t globals;
  struct code *next;
};
enum { REMOVED_AT_FIRST = 64 };
static struct code *codes;
static size_t removed, most_removed = REMOVED_AT_FIRST; /* number of removed codes; more are a reason to look */

/* A global of a program that has got another value since a request. */
struct change {
  const struct tiny_tables *tables;
  uint32_t global;
  struct change *next;
};
static struct change *changes;
static uint64_t numbers; /* of versions */

#define EXPORTED __attribute__((visibility("default")))

/* ---- data of functions ---- */

struct tj_function *tj_data_of(struct tiny_function *function, const struct tj_host *of)
{
  struct tj_function *data = __atomic_load_n(&function->jit, __ATOMIC_ACQUIRE), *none = NULL;

  if (data)
    return data;
  data = calloc(1, sizeof *data);
  data->failed = calloc(function->words + 1u, 1);
  if (function->parameters <= TINY_MAX_COMPILED_PARAMETERS)
    data->entry = of->stubs[function->parameters];
  if (__atomic_compare_exchange_n(&function->jit, (void **)&none, (void *)data, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return data;
  free(data->failed);
  free(data);
  return none;
}

/* ---- compilation ---- */

static uint64_t now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void tell(void *env, const struct cairn_diagnostic *finding)
{
  (void)env;
  if (finding->severity == CAIRN_ERROR)
    fprintf(stderr, "tiny: jit: %s: %s [%s]\n", finding->function ? finding->function : "", finding->message,
            finding->rule);
}

static void remove_module(uint64_t module)
{
  char *error = NULL;

  if (cairn_jit_remove(session, module, &error) != CAIRN_OK)
    fprintf(stderr, "tiny: jit: %s\n", error);
  free(error);
}

static void free_code(struct code *code)
{
  free(code->assumed);
  free(code);
}

static void store_entry(const struct tj_request *request, void *entry)
{
  __atomic_add_fetch(host.epoch, 1, __ATOMIC_SEQ_CST);
  if (request->loop) {
    __atomic_store_n(&request->loop->code, entry, __ATOMIC_RELEASE);
    return;
  }
  __atomic_store_n(&request->data->compiled, entry, __ATOMIC_RELEASE);
  __atomic_store_n(&request->data->entry, entry, __ATOMIC_RELEASE);
  __atomic_store_n(&request->function->entry, entry, __ATOMIC_RELEASE);
}

/* Installs the code; false if one of its assumptions has become wrong meanwhile. */
static bool install(const struct tj_request *request, struct code *code, void *entry)
{
  bool holds = true;

  pthread_mutex_lock(&lock);
  for (const struct change *c = changes; c; c = c->next)
    holds &= c->tables != request->tables || c->global >= request->global_count || !code->assumed[c->global];
  if (holds) {
    code->next = codes;
    codes = code;
    store_entry(request, entry);
  }
  pthread_mutex_unlock(&lock);
  return holds;
}

/* The function's calls reach its stub. */
static void clear_entries(struct tiny_function *function)
{
  struct tj_function *data = function->jit;

  data->entry = host.stubs[function->parameters];
  data->compiled = NULL;
  function->entry = NULL;
  for (struct tj_loop *loop = data->loops; loop; loop = loop->next)
    loop->code = NULL;
}

static void note_pending(void *env, const struct cairn_jit_pending *pending)
{
  (void)env;
  for (struct code *code = codes; code; code = code->next)
    code->is_pending |= code->module == pending->module;
}

/* Forgets removed code whose memory has gone. The lock is held. */
static void forget_code(void)
{
  for (struct code *code = codes; code; code = code->next)
    code->is_pending = false;
  removed = cairn_jit_pending(session, note_pending, NULL);
  for (struct code **at = &codes; *at;) {
    struct code *code = *at;
    if (code->use.installed || code->is_pending) {
      at = &code->next;
      continue;
    }
    *at = code->next;
    free_code(code);
  }
}

EXPORTED void tiny_jit_discard(struct tiny_function *function)
{
  pthread_mutex_lock(&lock);
  clear_entries(function);
  for (struct code *code = codes; code; code = code->next)
    if (code->use.installed && code->use.function == function) {
      code->use.installed = false;
      remove_module(code->module);
      removed++;
      counts.removed++;
    }
  if (removed > most_removed) {
    forget_code();
    most_removed = 2 * removed + REMOVED_AT_FIRST;
  }
  pthread_mutex_unlock(&lock);
}

static void note_change(const struct tiny_tables *tables, uint32_t global)
{
  struct change *change = malloc(sizeof *change);

  *change = (struct change){tables, global, changes};
  changes = change;
}

/* Finds the code for which the global is assumed or, if it is UINT32_MAX, that belongs to the function, or to any. */
static struct tj_code *find_code(const struct tiny_tables *tables, uint32_t global,
                                 const struct tiny_function *function, uint32_t *count)
{
  struct tj_code *found = NULL;

  *count = 0;
  for (const struct code *code = codes; code; code = code->next) {
    bool is_found = global == UINT32_MAX ? !function || code->use.function == function
                                         : global < code->globals && code->assumed[global];
    if (code->tables != tables || !is_found)
      continue;
    found = realloc(found, (*count + 1) * sizeof *found);
    found[(*count)++] = code->use;
  }
  return found;
}

EXPORTED struct tj_code *tiny_jit_find_dependents(const struct tiny_tables *tables, uint32_t global, uint32_t *count)
{
  pthread_mutex_lock(&lock);
  note_change(tables, global);
  struct tj_code *found = find_code(tables, global, NULL, count);
  pthread_mutex_unlock(&lock);
  return found;
}

EXPORTED struct tj_code *tiny_jit_find_code(const struct tiny_tables *tables, const struct tiny_function *function,
                                            uint32_t *count)
{
  pthread_mutex_lock(&lock);
  struct tj_code *found = find_code(tables, UINT32_MAX, function, count);
  pthread_mutex_unlock(&lock);
  return found;
}

static void ask_again(const struct tj_request *request)
{
  if (request->loop)
    request->loop->requested = 0;
  else
    request->data->requested = 0;
}

static void give_up(const struct tj_request *request)
{
  if (!request->loop)
    request->data->given_up = 1;
}

/* Null: the session refuses the module. */
static void *load(LLVMModuleRef module, const char *name, struct code *code)
{
  void *entry = NULL;
  char *error = NULL;

  if (cairn_jit_add(session, module, &code->module, &error) == CAIRN_OK &&
      cairn_jit_look_up(session, name, &entry, &error) == CAIRN_OK &&
      cairn_jit_find_code(session, name, &code->use.address, &error) == CAIRN_OK)
    return entry;
  fprintf(stderr, "tiny: jit: %s\n", error);
  free(error);
  if (code->module)
    remove_module(code->module);
  return NULL;
}

static void note(const struct tj_request *request, bool done, uint64_t time)
{
  pthread_mutex_lock(&lock);
  counts.compiled += done;
  counts.refused += !done;
  counts.loops += done && request->loop;
  counts.nanoseconds += time;
  pthread_mutex_unlock(&lock);
  if (host.options.trace)
    fprintf(stderr, "tiny: %s %s:%u at %u in %lu us\n", done ? "compiled" : "refused", request->function->name_text,
            request->function->line, request->entry, (unsigned long)time / 1000);
}

static void compile(struct tj_request *request)
{
  uint64_t begin = now();
  LLVMContextRef llvm = LLVMContextCreate();
  char name[64];
  struct code *code = calloc(1, sizeof *code);
  void *entry = NULL;

  *code = (struct code){.use = {.function = request->function, .installed = true},
                        .tables = request->tables,
                        .assumed = calloc(request->global_count + 1, 1),
                        .globals = request->global_count};

  snprintf(name, sizeof name, "tiny.f%u.%lu", request->function->number,
           (unsigned long)__atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED));
  LLVMModuleRef module = tj_emit(&host, request, llvm, name, code->assumed);
  if (module) {
    if (host.options.dump_ir) {
      char *text = LLVMPrintModuleToString(module);
      fputs(text, stderr);
      LLVMDisposeMessage(text);
    }
    entry = load(module, name, code);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(llvm);
  note(request, entry != NULL, now() - begin);
  free(request->globals);
  if (entry && install(request, code, entry))
    return;
  if (entry) {
    remove_module(code->module);
    ask_again(request);
  } else {
    give_up(request);
  }
  free_code(code);
}

/* ---- the queue ---- */

static void note_end(void)
{
  pthread_mutex_lock(&lock);
  running--;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void *run_compilations(void *unused)
{
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!first)
      pthread_cond_wait(&changed, &lock);
    struct waiting *next = first;
    first = next->next;
    if (!first)
      last = &first;
    pthread_mutex_unlock(&lock);
    compile(&next->request);
    free(next);
    note_end();
    pthread_mutex_lock(&lock);
  }
  return NULL;
}

/* Queues the request, or counts it as running in this thread. False: compilation has ended. */
static bool take_request(struct waiting *waits)
{
  pthread_mutex_lock(&lock);
  bool taken = !is_finished;
  running += taken;
  if (taken && host.options.threads != 0) {
    *last = waits;
    last = &waits->next;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
  return taken;
}

EXPORTED void tiny_jit_compile(const struct tj_request *request)
{
  struct waiting *waits = malloc(sizeof *waits);

  *waits = (struct waiting){*request, NULL};
  bool taken = take_request(waits);
  if (taken && host.options.threads != 0)
    return;
  if (taken) {
    compile(&waits->request);
    note_end();
  } else {
    free(waits->request.globals);
  }
  free(waits);
}

static void forget_requests(void)
{
  while (first) {
    struct waiting *next = first->next;
    free(first->request.globals);
    free(first);
    first = next;
    running--;
  }
  last = &first;
}

EXPORTED void tiny_jit_finish(bool all)
{
  pthread_mutex_lock(&lock);
  is_finished = true;
  if (!all)
    forget_requests();
  while (running > 0)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

EXPORTED void tiny_jit_count(struct tj_counts *result)
{
  pthread_mutex_lock(&lock);
  *result = counts;
  pthread_mutex_unlock(&lock);
  result->pending = session ? cairn_jit_pending(session, NULL, NULL) : 0;
}

EXPORTED const char *tiny_jit_open(const struct tj_host *given)
{
  struct cairn_jit_options options = {.compile = {.opt_level = 2, .diagnose = tell}};
  char *error = NULL;

  host = *given;
  if (cairn_jit_new(&options, &session, &error) != CAIRN_OK)
    return error;
  if (cairn_jit_define(session, "__llvm_deoptimize", host.deoptimize, &error) != CAIRN_OK)
    return error;
  for (unsigned i = 0; i < TJ_RUNTIME; i++)
    if (cairn_jit_define(session, tj_runtime_name(i), host.runtime[i], &error) != CAIRN_OK)
      return error;
  for (unsigned i = 0; i < host.options.threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_compilations, NULL) != 0)
      return "no thread";
    pthread_detach(thread);
  }
  return NULL;
}
