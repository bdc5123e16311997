/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles a module of a session to an object in memory: Cairn's pipeline, LLVM's code generator, frame maps. Any
 * number of threads at once; a compilation has a target machine to itself, and reads only constants of the session.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <cairn/collector.h>
#include <cairn/events.h>
#include <cairn/object.h>
#include "base/check.h"
#include "compile/codegen/codegen.h"
#include "compile/core/convention.h"
#include "compile/core/pass.h"
#include "compile/in_memory.h"
#include "jit/ir/ir.h"
#include "jit/session.h"

/* One compilation. */
struct compilation {
  struct cairn_jit *session;
  struct cairn_compile_options options;
  LLVMTargetMachineRef machine;
  enum cairn_status status;
  char *error;   /* the first */
  bool findings; /* the compilation had findings, which a cached object could not tell */
};

/* Keep the first message. */
static void keep_message(struct compilation *c, char *message)
{
  if (c->error)
    free(message);
  else
    c->error = message;
}

static bool refuse(struct compilation *c, enum cairn_status status, char *message)
{
  c->status = status;
  keep_message(c, message);
  return false;
}

#define REFUSE(c, status, ...) refuse((c), (status), cn_format(__VA_ARGS__))

/* ---- what a session takes ---- */

static bool fits_layout(const char *wanted, const char *own)
{
  size_t length = strlen(wanted);

  return !*own || (strncmp(own, wanted, length) == 0 && (!own[length] || strcmp(own + length, "-ni:1") == 0));
}

static bool check_target(struct compilation *c, LLVMModuleRef ir)
{
  LLVMTargetDataRef data = LLVMCreateTargetDataLayout(c->machine);
  char *wanted = LLVMCopyStringRepOfTargetData(data);
  const char *own = LLVMGetDataLayoutStr(ir), *triple = LLVMGetTarget(ir);

  if (*triple && cn_convention_find_port(triple) != cn_convention_host_port())
    REFUSE(c, CAIRN_E_REFUSED, "the module is for '%s', and this process is %s", triple,
           cn_convention_host_port()->name);
  else if (!fits_layout(wanted, own))
    REFUSE(c, CAIRN_E_REFUSED, "the module has the data layout '%s', and this process has '%s'", own, wanted);
  LLVMDisposeMessage(wanted);
  LLVMDisposeTargetData(data);
  return !c->status;
}

static bool check_constructors(struct compilation *c, LLVMModuleRef ir, const char *list, const char *name)
{
  LLVMValueRef global = LLVMGetNamedGlobal(ir, list);

  if (global && LLVMGetInitializer(global) && !LLVMIsNull(LLVMGetInitializer(global)))
    return REFUSE(c, CAIRN_E_REFUSED, "the module has %s (%s), which a session does not run", name, list);
  return true;
}

static bool check_strategies(struct compilation *c, LLVMModuleRef ir)
{
  LLVMValueRef unknown = cn_codegen_find_unknown_strategy(ir, &c->options);

  return !unknown || REFUSE(c, CAIRN_E_REFUSED, "'%s' has the gc strategy \"%s\", which is unknown to Cairn",
                            cn_jit_name_of(unknown), LLVMGetGC(unknown));
}

static bool check_module(struct compilation *c, LLVMModuleRef ir)
{
  if (!check_target(c, ir) || !check_constructors(c, ir, "llvm.global_ctors", "constructors") ||
      !check_constructors(c, ir, "llvm.global_dtors", "destructors") || !check_strategies(c, ir))
    return false;
  if (LLVMGetFirstGlobalIFunc(ir))
    return REFUSE(c, CAIRN_E_REFUSED, "'%s' is an ifunc, which a session does not resolve",
                  cn_jit_name_of(LLVMGetFirstGlobalIFunc(ir)));
  for (LLVMValueRef g = LLVMGetFirstGlobal(ir); g; g = LLVMGetNextGlobal(g)) {
    if (LLVMIsThreadLocal(g))
      return REFUSE(c, CAIRN_E_REFUSED, "the variable '%s' is thread-local, which JITLink does not support",
                    cn_jit_name_of(g));
    if (strncmp(cn_jit_name_of(g), CN_JIT_IMAGE_PREFIX, sizeof CN_JIT_IMAGE_PREFIX - 1) == 0)
      return REFUSE(c, CAIRN_E_REFUSED, "the name '%s' is the session's", cn_jit_name_of(g));
  }
  return true;
}

/* ---- steps ---- */

static bool take_machine(struct compilation *c)
{
  char *error = NULL;

  c->machine = cn_jit_machines_take(&c->session->machines, &c->options, &error);
  return c->machine || refuse(c, CAIRN_E_REFUSED, error);
}

/* Pass a finding to the session's user, and keep the first error. */
static void take_finding(void *env, const struct cairn_diagnostic *d)
{
  struct compilation *c = env;
  const struct cairn_compile_options *options = &c->session->compile;

  c->findings = true;
  if (d->severity == CAIRN_ERROR)
    keep_message(c, d->function ? cn_format("in '%s': %s [%s]", d->function, d->message, d->rule)
                                : cn_format("%s [%s]", d->message, d->rule));
  if (options->diagnose)
    options->diagnose(options->env, d);
}

static void set_target(struct compilation *c, LLVMModuleRef ir)
{
  LLVMTargetDataRef data = LLVMCreateTargetDataLayout(c->machine);
  char *triple = LLVMGetTargetMachineTriple(c->machine);

  LLVMSetModuleDataLayout(ir, data);
  LLVMSetTarget(ir, triple);
  LLVMDisposeMessage(triple);
  LLVMDisposeTargetData(data);
}

/* The module with safepoints, or null. A module without a data layout gets this process's. */
static LLVMModuleRef run_pipeline(struct compilation *c, LLVMModuleRef ir)
{
  struct cairn_compile_options options = c->options;
  LLVMModuleRef own = NULL, result = NULL;

  options.diagnose = take_finding;
  options.env = c;
  bool lacks_target = !*LLVMGetDataLayoutStr(ir) || !*LLVMGetTarget(ir);
  if (lacks_target || cn_jit_uses_own_addresses(ir))
    own = LLVMCloneModule(ir);
  if (lacks_target)
    set_target(c, own);
  if (own)
    cn_jit_replace_own_addresses(own);
  enum cairn_status status = cairn_compile_pipeline(own ? own : ir, c->machine, &options, &result);
  if (status)
    REFUSE(c, status, "%s", cairn_status_text(status));
  if (own)
    LLVMDisposeModule(own);
  return result;
}

static LLVMMemoryBufferRef generate_code(struct compilation *c, LLVMModuleRef ir, uint64_t number)
{
  char *prefix = cn_format(CN_JIT_IMAGE_PREFIX CN_JIT_IMAGE_NUMBER ".", (unsigned long long)number), *message = NULL;
  LLVMMemoryBufferRef object = NULL;

  cn_compile_expose_images(ir, prefix);
  if (LLVMTargetMachineEmitToMemoryBuffer(c->machine, ir, LLVMObjectFile, &message, &object))
    REFUSE(c, CAIRN_E_REFUSED, "LLVM: %s", message);
  LLVMDisposeMessage(message);
  free(prefix);
  return object;
}

/* A name's first byte 1 is LLVM's sign that the rest is the symbol. */
static LLVMValueRef find_function(LLVMModuleRef ir, const char *symbol)
{
  char *name = cn_format("\1%s", symbol);
  LLVMValueRef function = LLVMGetNamedFunction(ir, name + 1);

  function = function ? function : LLVMGetNamedFunction(ir, name);
  free(name);
  return function;
}

/* Exported managed functions may be replaced by others of their types. */
static void note_signatures(struct cn_jit_module *module, LLVMModuleRef ir)
{
  for (size_t i = 0; i < module->exports.count; i++) {
    LLVMValueRef function = find_function(ir, module->exports.at[i].name);
    if (function && cn_is_managed(function))
      module->exports.at[i].signature = cn_jit_signature_of(function);
  }
}

/* Make a module of an object with frame maps, from malloc(), which the module takes over; null after an error. */
static struct cn_jit_module *make_module(void *object, size_t size, LLVMModuleRef ir, uint64_t number, char **error)
{
  size_t length;
  struct cn_jit_module *module = cn_alloc(sizeof *module);

  module->number = number;
  module->title = cn_strdup(LLVMGetModuleIdentifier(ir, &length));
  module->object = object;
  module->object_size = size;
  if (cn_jit_module_read_symbols(module, error)) {
    note_signatures(module, ir);
    return module;
  }
  cn_jit_module_free(module);
  return NULL;
}

/* ---- the cache ---- */

/* The module of a cached object, or null. */
static struct cn_jit_module *load_module(struct cn_jit_cache *cache, const struct cn_cache_key *key, LLVMModuleRef ir,
                                         uint64_t number)
{
  size_t size;
  char *error = NULL;
  struct cn_jit_module *module = NULL;
  void *object = cn_jit_cache_load(cache, key, &size);

  if (object && cn_jit_module_renumber(object, size, number))
    module = make_module(object, size, ir, number, &error);
  else
    free(object);
  free(error);
  return module;
}

/* Store the object as that of module 0. */
static void store_object(struct cn_jit_cache *cache, const struct cn_cache_key *key, const struct cn_jit_module *module)
{
  void *copy = cn_alloc(module->object_size);

  memcpy(copy, module->object, module->object_size);
  if (cn_jit_module_renumber(copy, module->object_size, 0))
    cn_jit_cache_store(cache, key, copy, module->object_size);
  free(copy);
}

/* Errors of the code generator, which would end the process without this handler. */
static void take_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *env)
{
  struct compilation *c = env;

  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  REFUSE(c, CAIRN_E_REFUSED, "LLVM: %s", text);
  LLVMDisposeMessage(text);
}

static struct cn_jit_module *compile_anew(struct compilation *c, LLVMModuleRef ir, uint64_t number)
{
  LLVMModuleRef result = run_pipeline(c, ir);
  LLVMMemoryBufferRef code = result ? generate_code(c, result, number) : NULL;
  struct cn_jit_module *module = NULL;
  char *error = NULL;
  void *object;
  size_t size;

  if (code && !c->status) {
    if (!cairn_object_rewrite_in_memory(LLVMGetBufferStart(code), LLVMGetBufferSize(code), cairn_mutator_offset(),
                                        &object, &size, &error))
      module = make_module(object, size, ir, number, &error);
    if (!module)
      refuse(c, CAIRN_E_REFUSED, error);
  }
  if (code)
    LLVMDisposeMemoryBuffer(code);
  if (result)
    LLVMDisposeModule(result);
  return module;
}

/* Take the module from the cache, or compile it and store it there. */
static struct cn_jit_module *compile_with_cache(struct compilation *c, LLVMModuleRef ir, uint64_t number)
{
  struct cn_jit_cache *cache = atomic_load(&c->session->cache);

  if (!cache || !cn_cache_fits_options(&c->options))
    return compile_anew(c, ir, number);
  struct cn_cache_key key = cn_cache_key_of(cn_jit_cache_build(cache), ir, &c->session->machines, &c->options);
  struct cn_jit_module *module = load_module(cache, &key, ir, number);
  if (module)
    return module;
  module = compile_anew(c, ir, number);
  if (module && !c->findings)
    store_object(cache, &key, module);
  return module;
}

static struct cn_jit_module *compile(struct compilation *c, LLVMModuleRef ir)
{
  uint64_t number = atomic_fetch_add(&c->session->numbers, 1) + 1;
  struct cn_jit_module *module = NULL;

  if (take_machine(c) && check_module(c, ir))
    module = compile_with_cache(c, ir, number);
  if (c->machine)
    cn_jit_machines_give_back(&c->session->machines, c->options.tier, c->machine);
  return module;
}

static uint64_t clock_nanoseconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct cn_jit_module *cn_jit_compile(struct cairn_jit *session, enum cairn_tier tier, LLVMModuleRef ir,
                                     enum cairn_status *status, char **error)
{
  struct compilation c = {.session = session, .options = session->compile};
  LLVMContextRef context = LLVMGetModuleContext(ir);
  LLVMDiagnosticHandler handler = LLVMContextGetDiagnosticHandler(context);
  void *handler_env = LLVMContextGetDiagnosticContext(context);

  size_t length;
  char *name = cn_strdup(LLVMGetModuleIdentifier(ir, &length)); /* the module may be gone afterwards */
  uint64_t begin = clock_nanoseconds();
  c.options.tier = tier;
  LLVMContextSetDiagnosticHandler(context, take_llvm_diagnostic, &c);
  struct cn_reference_spaces before = cn_reference_spaces_enter(&c.options);
  struct cn_jit_module *module = compile(&c, ir);
  cn_reference_spaces_leave(before);
  if (module)
    cairn_event_compiled(name, tier == CAIRN_TIER_QUICK ? "quick" : "full", begin);
  free(name);
  LLVMContextSetDiagnosticHandler(context, handler, handler_env);
  CN_CHECK(!module == (c.status != CAIRN_OK));
  *status = c.status;
  *error = c.error;
  return module;
}
