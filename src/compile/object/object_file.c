/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles a module to an object in one call: the pipeline, LLVM's code generator, frame maps, and the index of debug
 * names. The errors of all steps become one text. Needs: a front end's module. Provides: cairn_compile_to_object(),
 * cairn_compile_to_memory(). Breaks: nothing, because the pipeline works on a copy.
 */
#include <stdlib.h>
#include <string.h>
#include <cairn/compile.h>
#include <cairn/object.h>
#include "base/check.h"
#include "compile/codegen/codegen.h"
#include "compile/core/convention.h"
#include "compile/core/pass.h"
#include "object/build/rewrite_steps.h"

/* One compilation. */
struct object_job {
  struct cairn_compile_options options; /* with the job's handler of findings */
  const struct cairn_compile_options *wanted;
  bool keeps_debug_names;
  const char *enter, *leave; /* of an object for a loader; else null */
  ptrdiff_t mutator;
  LLVMTargetMachineRef machine;
  enum cairn_status status;
  char *error; /* a line for each error, and for its instruction */
};

/* ---- errors ---- */

/* Append a line to the error, and free it. */
static void add_error(struct object_job *job, char *line)
{
  char *before = job->error;

  CN_CHECK(line != NULL);
  job->error = before ? cn_format("%s\n%s", before, line) : line;
  if (before) {
    free(before);
    free(line);
  }
}

static bool refuse(struct object_job *job, enum cairn_status status, char *line)
{
  job->status = status;
  add_error(job, line);
  return false;
}

#define REFUSE(job, status, ...) refuse((job), (status), cn_format(__VA_ARGS__))

/* "file:line:column: in 'function': message [rule]", and the instruction. The caller frees the text. */
static char *format_finding(const struct cairn_diagnostic *d)
{
  char *place = d->file ? cn_format("%s:%u:%u: ", d->file, d->line, d->column) : cn_strdup("");
  char *function = d->function ? cn_format("in '%s': ", d->function) : cn_strdup("");
  char *text =
      cn_format("%s%s%s [%s]%s%s%s%s", place, function, d->message, d->rule, d->instruction ? "\n  instruction: " : "",
                d->instruction ? d->instruction : "", d->block ? ", in block " : "", d->block ? d->block : "");

  free(place);
  free(function);
  return text;
}

/* Keep an error, and pass each finding to the caller's handler. */
static void take_finding(void *env, const struct cairn_diagnostic *d)
{
  struct object_job *job = env;

  if (d->severity == CAIRN_ERROR)
    add_error(job, format_finding(d));
  if (job->wanted->diagnose)
    job->wanted->diagnose(job->wanted->env, d);
}

/* Take an error of the code generator. Without this handler, such an error would end the process. */
static void take_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *env)
{
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
    return;
  char *text = LLVMGetDiagInfoDescription(info);
  REFUSE((struct object_job *)env, CAIRN_E_REFUSED, "LLVM: %s", text);
  LLVMDisposeMessage(text);
}

/* ---- options ---- */

/* True if the bytes that a newer version added to the options are zero. */
static bool is_rest_zero(const struct cairn_object_options *options)
{
  const unsigned char *bytes = (const unsigned char *)options;

  for (size_t i = sizeof *options; i < options->size; i++)
    if (bytes[i])
      return false;
  return true;
}

static bool check_compile_options(struct object_job *job)
{
  if (job->options.opt_level > 3 || job->options.size_level > 2)
    return REFUSE(job, CAIRN_E_REFUSED, "opt_level is above 3, or size_level above 2");
  if (job->options.tier > CAIRN_TIER_QUICK)
    return REFUSE(job, CAIRN_E_REFUSED, "the tier is unknown");
  if (job->enter && job->options.shared)
    return REFUSE(job, CAIRN_E_REFUSED, "code for a loader is not for a shared object: 'shared' is set");
  return true;
}

/* Copy the options, whose size is that of the caller's version. */
static bool adopt_options(struct object_job *job, const struct cairn_object_options *options)
{
  static const struct cairn_compile_options zero;
  struct cairn_object_options own = {0};

  job->wanted = &zero;
  if (options && options->size < sizeof options->size)
    return REFUSE(job, CAIRN_E_REFUSED, "options.size is %zu: it is sizeof(struct cairn_object_options)",
                  options->size);
  if (options && !is_rest_zero(options))
    return REFUSE(job, CAIRN_E_REFUSED, "the options have members that this version of Cairn lacks");
  if (options)
    memcpy(&own, options, options->size < sizeof own ? options->size : sizeof own);
  if (own.compile)
    job->wanted = own.compile;
  job->keeps_debug_names = own.debug_names;
  job->options = *job->wanted;
  job->options.diagnose = take_finding;
  job->options.env = job;
  return check_compile_options(job);
}

/* ---- steps ---- */

static bool make_machine(struct object_job *job, LLVMModuleRef module)
{
  const char *own = LLVMGetTarget(module);
  char *triple = *own ? LLVMNormalizeTargetTriple(own) : LLVMGetDefaultTargetTriple(), *error = NULL;
  const struct cn_machine_options how = {.opt_level = job->options.opt_level,
                                         .tier = job->options.tier,
                                         .reloc = LLVMRelocPIC,
                                         .code_model = cn_codegen_model_of(module)};

  if (!(job->machine = cn_codegen_make_machine(triple, &how, &error)))
    refuse(job, CAIRN_E_REFUSED, error);
  LLVMDisposeMessage(triple);
  return job->machine != NULL;
}

static bool check_strategies(struct object_job *job, LLVMModuleRef module)
{
  LLVMValueRef unknown = cn_codegen_find_unknown_strategy(module, &job->options);
  size_t length;

  return !unknown || REFUSE(job, CAIRN_E_REFUSED, "in '%s': the gc strategy \"%s\" is unknown to Cairn",
                            LLVMGetValueName2(unknown, &length), LLVMGetGC(unknown));
}

/* The module with safepoints, or null after errors. A module without a target is copied, and the copy gets the
 * machine's. */
static LLVMModuleRef run_pipeline(struct object_job *job, LLVMModuleRef module)
{
  bool lacks_target = !*LLVMGetTarget(module) || !*LLVMGetDataLayoutStr(module);
  LLVMModuleRef complete = lacks_target ? LLVMCloneModule(module) : module, result = NULL;
  char *error = NULL;

  if (!cn_codegen_complete_target(complete, job->machine, &job->options, &error)) {
    refuse(job, CAIRN_E_REFUSED, error);
  } else {
    job->status = cairn_compile_pipeline(complete, job->machine, &job->options, &result);
    if (job->status && !job->error)
      add_error(job, cn_strdup(cairn_status_text(job->status)));
  }
  if (lacks_target)
    LLVMDisposeModule(complete);
  return result;
}

/* Prepare the finished module for the code generator: for a loader, or for a linker. */
static bool prepare_code(struct object_job *job, LLVMModuleRef module)
{
  cn_codegen_describe_frames(module);
  if (job->enter && cairn_compile_in_memory(module, job->enter, job->leave))
    return REFUSE(job, CAIRN_E_TAKEN, "the names '%s' and '%s' are equal, or the module has one of them", job->enter,
                  job->leave);
  cn_structors_place_in_arrays(module);
  cn_codegen_choose_strategy(module);
  return true;
}

static LLVMMemoryBufferRef generate_code(struct object_job *job, LLVMModuleRef module)
{
  LLVMMemoryBufferRef code = NULL;
  char *message = NULL;

  if (LLVMTargetMachineEmitToMemoryBuffer(job->machine, module, LLVMObjectFile, &message, &code))
    REFUSE(job, CAIRN_E_REFUSED, "LLVM: %s", message);
  LLVMDisposeMessage(message);
  if (!job->status)
    return code;
  if (code)
    LLVMDisposeMemoryBuffer(code);
  return NULL;
}

/* Replace the bytes, which are from malloc() if `*owned` is set, by those of a step; null: the step changes nothing. */
static void replace_bytes(const void **bytes, size_t *size, void **owned, void *made, size_t made_size)
{
  if (!made)
    return;
  free(*owned);
  *bytes = *owned = made;
  *size = made_size;
}

/* Give frame maps to the code, and remove its index of debug names. */
static LLVMMemoryBufferRef finish_object(struct object_job *job, LLVMMemoryBufferRef code)
{
  const void *bytes = LLVMGetBufferStart(code);
  size_t size = LLVMGetBufferSize(code), made_size = 0;
  void *owned = NULL, *made = NULL;
  LLVMMemoryBufferRef object = NULL;
  char *error = NULL;

  enum cairn_status status = job->enter
                                 ? cairn_object_rewrite_in_memory(bytes, size, job->mutator, &made, &made_size, &error)
                                 : cairn_object_rewrite(bytes, size, &made, &made_size, &error);
  replace_bytes(&bytes, &size, &owned, made, made_size);
  if (!status && !job->keeps_debug_names) {
    status = cn_debug_names_drop(bytes, size, &made, &made_size, &error);
    replace_bytes(&bytes, &size, &owned, made, made_size);
  }
  if (status)
    refuse(job, status, error ? error : cn_strdup(cairn_status_text(status)));
  else
    object = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "object");
  free(owned);
  return object;
}

static LLVMMemoryBufferRef compile(struct object_job *job, LLVMModuleRef module)
{
  LLVMMemoryBufferRef code = NULL, object = NULL;

  if (!make_machine(job, module) || !check_strategies(job, module))
    return NULL;
  LLVMModuleRef result = run_pipeline(job, module);
  if (result && prepare_code(job, result))
    code = generate_code(job, result);
  if (code) {
    object = finish_object(job, code);
    LLVMDisposeMemoryBuffer(code);
  }
  if (result)
    LLVMDisposeModule(result);
  return object;
}

/* Run the job, while the context's messages come to it. */
static enum cairn_status run_job(struct object_job *job, LLVMModuleRef module,
                                 const struct cairn_object_options *options, LLVMMemoryBufferRef *object, char **error)
{
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMDiagnosticHandler handler = LLVMContextGetDiagnosticHandler(context);
  void *handler_env = LLVMContextGetDiagnosticContext(context);

  CN_CHECK(object && error);
  *object = NULL;
  if (adopt_options(job, options)) {
    cairn_compile_init();
    LLVMContextSetDiagnosticHandler(context, take_llvm_diagnostic, job);
    *object = compile(job, module);
    LLVMContextSetDiagnosticHandler(context, handler, handler_env);
  }
  if (job->machine)
    LLVMDisposeTargetMachine(job->machine);
  CN_CHECK(!*object == (job->status != CAIRN_OK) && !*object == (job->error != NULL));
  *error = job->error;
  return job->status;
}

enum cairn_status cairn_compile_to_object(LLVMModuleRef module, const struct cairn_object_options *options,
                                          LLVMMemoryBufferRef *object, char **error)
{
  struct object_job job = {0};

  return run_job(&job, module, options, object, error);
}

enum cairn_status cairn_compile_to_memory(LLVMModuleRef module, const struct cairn_object_options *options,
                                          const char *enter, const char *leave, ptrdiff_t mutator,
                                          LLVMMemoryBufferRef *object, char **error)
{
  struct object_job job = {.enter = enter, .leave = leave, .mutator = mutator};

  CN_CHECK(enter && leave);
  return run_job(&job, module, options, object, error);
}
