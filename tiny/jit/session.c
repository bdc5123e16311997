/* SPDX-License-Identifier: Apache-2.0
 *
 * The shared object's side of jit.h: one session of <cairn/jit.h>, a queue of requests, and a thread that compiles
 * them. A finished function is installed by one store of its address. The lock guards the queue and the counts.
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
static struct tj_counts counts;

/* Code that was installed. */
struct code {
  struct tj_code use;
  const struct tiny_tables *tables;
  uint8_t *assumed; /* by global */
  uint32_t globals;
  struct code *next;
};
static struct code *codes;

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

/* Notes the code with its assumptions; false if one of them has become wrong meanwhile. */
static bool add_code(const struct tj_request *request, uintptr_t address, uint8_t *assumed)
{
  struct code *code = malloc(sizeof *code);
  bool holds = true;

  *code = (struct code){{request->function, address}, request->tables, assumed, request->global_count, NULL};
  pthread_mutex_lock(&lock);
  for (const struct change *c = changes; c; c = c->next)
    holds &= c->tables != request->tables || c->global >= request->global_count || !assumed[c->global];
  if (holds) {
    code->next = codes;
    codes = code;
  }
  pthread_mutex_unlock(&lock);
  if (!holds)
    free(code);
  return holds;
}

static void note_change(const struct tiny_tables *tables, uint32_t global)
{
  struct change *change = malloc(sizeof *change);

  *change = (struct change){tables, global, changes};
  changes = change;
}

/* Takes the code for which the global is assumed or, if it is UINT32_MAX, that belongs to the function, or to any. */
static struct tj_code *take_code(const struct tiny_tables *tables, uint32_t global,
                                 const struct tiny_function *function, uint32_t *count)
{
  struct tj_code *found = NULL;

  *count = 0;
  for (struct code **at = &codes; *at;) {
    struct code *code = *at;
    bool is_found = global == UINT32_MAX ? !function || code->use.function == function
                                         : global < code->globals && code->assumed[global];
    if (code->tables != tables || !is_found) {
      at = &code->next;
      continue;
    }
    found = realloc(found, (*count + 1) * sizeof *found);
    found[(*count)++] = code->use;
    *at = code->next;
    free(code->assumed);
    free(code);
  }
  return found;
}

EXPORTED struct tj_code *tiny_jit_take_dependents(const struct tiny_tables *tables, uint32_t global, uint32_t *count)
{
  pthread_mutex_lock(&lock);
  note_change(tables, global);
  struct tj_code *found = take_code(tables, global, NULL, count);
  pthread_mutex_unlock(&lock);
  return found;
}

EXPORTED struct tj_code *tiny_jit_take_code(const struct tiny_tables *tables, const struct tiny_function *function,
                                            uint32_t *count)
{
  pthread_mutex_lock(&lock);
  struct tj_code *found = take_code(tables, UINT32_MAX, function, count);
  pthread_mutex_unlock(&lock);
  return found;
}

static void install(const struct tj_request *request, void *code)
{
  __atomic_add_fetch(host.epoch, 1, __ATOMIC_SEQ_CST);
  if (request->loop) {
    __atomic_store_n(&request->loop->code, code, __ATOMIC_RELEASE);
    return;
  }
  __atomic_store_n(&request->data->compiled, code, __ATOMIC_RELEASE);
  __atomic_store_n(&request->data->entry, code, __ATOMIC_RELEASE);
  __atomic_store_n(&request->function->entry, code, __ATOMIC_RELEASE);
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

static void *load(LLVMModuleRef module, const char *name, uintptr_t *body)
{
  void *address = NULL;
  uint64_t number;
  char *error = NULL;

  if (cairn_jit_add(session, module, &number, &error) != CAIRN_OK ||
      cairn_jit_look_up(session, name, &address, &error) != CAIRN_OK ||
      cairn_jit_find_code(session, name, body, &error) != CAIRN_OK) {
    fprintf(stderr, "tiny: jit: %s\n", error);
    free(error);
    return NULL;
  }
  return address;
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
  uint8_t *assumed = calloc(request->global_count + 1, 1);
  uintptr_t body = 0;
  void *code = NULL;

  snprintf(name, sizeof name, "tiny.f%u.%lu", request->function->number,
           (unsigned long)__atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED));
  LLVMModuleRef module = tj_emit(&host, request, llvm, name, assumed);
  if (module) {
    if (host.options.dump_ir) {
      char *text = LLVMPrintModuleToString(module);
      fputs(text, stderr);
      LLVMDisposeMessage(text);
    }
    code = load(module, name, &body);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(llvm);
  note(request, code != NULL, now() - begin);
  free(request->globals);
  if (!code)
    give_up(request);
  else if (add_code(request, body, assumed))
    install(request, code);
  else
    ask_again(request);
  if (!code)
    free(assumed);
}

/* ---- the queue ---- */

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
    pthread_mutex_lock(&lock);
    running--;
    pthread_cond_broadcast(&changed);
  }
  return NULL;
}

EXPORTED void tiny_jit_compile(const struct tj_request *request)
{
  struct waiting *waits = malloc(sizeof *waits);

  waits->request = *request;
  waits->next = NULL;
  if (host.options.threads == 0) {
    compile(&waits->request);
    free(waits);
    return;
  }
  pthread_mutex_lock(&lock);
  *last = waits;
  last = &waits->next;
  running++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

EXPORTED void tiny_jit_finish(void)
{
  pthread_mutex_lock(&lock);
  while (running > 0)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

EXPORTED void tiny_jit_count(struct tj_counts *result)
{
  pthread_mutex_lock(&lock);
  *result = counts;
  pthread_mutex_unlock(&lock);
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
