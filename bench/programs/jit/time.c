/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/jit-time: takes a module of IR to code in memory, by a session of Cairn and by LLVM's LLJIT without
 * safepoints, in turn. Prints a line for each round: nanoseconds of processor time of each step. One thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <cairn/collector.h>
#include <cairn/jit.h>
#include <cairn/object.h>

/* Steps of LLJIT, of a session, and of the session's parts, which are measured by themselves. */
enum { LLVM_OPTIMISE, LLVM_EMIT, LLVM_LINK, ADD, LOOK_UP, OPTIMISE, VERIFY, CLONE, PASSES, EMIT, REWRITE, STEPS };

static long times[STEPS];
static LLVMModuleRef module;
static LLVMTargetMachineRef machine;
static const char *name; /* of a function that the module defines */
static int level;

static void stop(const char *message)
{
  fprintf(stderr, "jit-time: %s\n", message);
  exit(1);
}

static void need(LLVMErrorRef error)
{
  if (error)
    stop(LLVMGetErrorMessage(error));
}

static long now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Store the time since *begin in a step, and begin the next step. */
static void take(int step, long *begin)
{
  long end = now();

  times[step] = end - *begin;
  *begin = now();
}

/* ---- LLJIT ---- */

static bool is_outside(LLVMValueRef function)
{
  size_t length;

  return LLVMIsDeclaration(function) && strncmp(LLVMGetValueName2(function, &length), "llvm.", 5) != 0;
}

static void define_outside(LLVMOrcLLJITRef jit, LLVMModuleRef m)
{
  LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(jit);

  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
    size_t length;
    if (!is_outside(f))
      continue;
    LLVMOrcCSymbolMapPair pair = {LLVMOrcExecutionSessionIntern(session, LLVMGetValueName2(f, &length)),
                                  {(uintptr_t)abort, {LLVMJITSymbolGenericFlagsExported, 0}}};
    need(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(&pair, 1)));
  }
}

static LLVMModuleRef copy_without_safepoints(void)
{
  LLVMModuleRef m = LLVMCloneModule(module);

  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    LLVMSetGC(f, NULL);
  return m;
}

static void run_lljit(LLVMOrcLLJITRef jit)
{
  static const char *const pipelines[] = {"default<O0>", "default<O1>", "default<O2>", "default<O3>"};
  LLVMModuleRef m = copy_without_safepoints();
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMOrcResourceTrackerRef tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit));
  LLVMMemoryBufferRef object = NULL;
  LLVMOrcExecutorAddress address;
  char *message = NULL;
  long begin = now();

  LLVMPassBuilderOptionsSetLoopVectorization(options, level > 1);
  LLVMPassBuilderOptionsSetSLPVectorization(options, level > 1);
  need(LLVMRunPasses(m, pipelines[level], machine, options));
  take(LLVM_OPTIMISE, &begin);
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMObjectFile, &message, &object))
    stop(message);
  take(LLVM_EMIT, &begin);
  need(LLVMOrcLLJITAddObjectFileWithRT(jit, tracker, object));
  need(LLVMOrcLLJITLookup(jit, &address, name));
  take(LLVM_LINK, &begin);
  need(LLVMOrcResourceTrackerRemove(tracker));
  LLVMOrcReleaseResourceTracker(tracker);
  LLVMDisposePassBuilderOptions(options);
  LLVMDisposeModule(m);
}

/* ---- Cairn ---- */

/* Functions of Cairn come from the process. */
static void define_in_session(struct cairn_jit *session)
{
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    size_t length;
    char *error;
    const char *text = LLVMGetValueName2(f, &length);
    if (is_outside(f) && strncmp(text, "cairn", 5) != 0 && cairn_jit_define(session, text, (void *)abort, &error))
      stop(error);
  }
}

static void run_session(struct cairn_jit *session)
{
  uint64_t number;
  void *address;
  char *error;
  long begin = now();

  if (cairn_jit_add(session, module, &number, &error))
    stop(error);
  take(ADD, &begin);
  if (cairn_jit_look_up(session, name, &address, &error))
    stop(error);
  take(LOOK_UP, &begin);
  if (cairn_jit_remove(session, number, &error))
    stop(error);
  cairn_jit_pending(session, NULL, NULL);
}

static void take_pass(void *env, const struct cairn_pass_time *time)
{
  long ns = (long)((time->user + time->system) * 1e9);

  (void)env;
  times[strncmp(time->pass, "default<", 8) == 0 ? OPTIMISE
        : strcmp(time->pass, "verify") == 0     ? VERIFY
        : strcmp(time->pass, "clone") == 0      ? CLONE
                                                : PASSES] += ns;
}

/* The parts of a session's work, by the public functions of the parts. */
static void run_parts(struct cairn_compile_options options)
{
  LLVMModuleRef result;
  LLVMMemoryBufferRef object = NULL;
  char *message = NULL;
  void *out;
  size_t size;

  options.timer = take_pass;
  times[OPTIMISE] = times[VERIFY] = times[CLONE] = times[PASSES] = 0;
  if (cairn_compile_pipeline(module, machine, &options, &result))
    stop("the pipeline failed");
  if (cairn_compile_in_memory(result, "bench.enter", "bench.leave"))
    stop("the module cannot be loaded in memory");
  long begin = now();
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, result, LLVMObjectFile, &message, &object))
    stop(message);
  take(EMIT, &begin);
  if (cairn_object_rewrite_in_memory(LLVMGetBufferStart(object), LLVMGetBufferSize(object), cairn_mutator_offset(),
                                     &out, &size, &message))
    stop(message);
  take(REWRITE, &begin);
  free(out);
  LLVMDisposeMemoryBuffer(object);
  LLVMDisposeModule(result);
}

/* ---- the whole ---- */

/* Print the numbers of functions and instructions. */
static void print_size(void)
{
  long functions = 0, instructions = 0;

  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    functions += !LLVMIsDeclaration(f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
        instructions++;
  }
  printf("%ld %ld\n", functions, instructions);
}

static void read_module(const char *path)
{
  LLVMMemoryBufferRef buffer;
  char *message;
  size_t length;

  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
    stop(message);
  if (LLVMParseBitcodeInContext2(LLVMContextCreate(), buffer, &module))
    stop("the bitcode does not parse");
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f && !name; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
      name = LLVMGetValueName2(f, &length);
}

static void make_machine(void)
{
  static const LLVMCodeGenOptLevel levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
                                               LLVMCodeGenLevelAggressive};
  char *triple = LLVMGetDefaultTargetTriple(), *message;
  LLVMTargetRef target;

  if (LLVMGetTargetFromTriple(triple, &target, &message))
    stop(message);
  machine = LLVMCreateTargetMachine(target, triple, LLVMGetHostCPUName(), LLVMGetHostCPUFeatures(), levels[level],
                                    LLVMRelocPIC, LLVMCodeModelSmall);
}

int main(int argc, char **argv)
{
  bool quick = argc > 2 && strcmp(argv[2], "quick") == 0;
  struct cairn_jit_options options = {
      .compile = {.tier = quick ? CAIRN_TIER_QUICK : CAIRN_TIER_FULL, .opt_level = quick ? 0 : 2}};
  int rounds = argc > 3 ? atoi(argv[3]) : 1;
  struct cairn_jit *session;
  LLVMOrcLLJITRef jit;
  char *error;

  if (argc < 2)
    return fprintf(stderr, "usage: jit-time FILE.bc [full|quick [ROUNDS]]\n"), 1;
  level = (int)options.compile.opt_level;
  cairn_compile_init();
  read_module(argv[1]);
  make_machine();
  need(LLVMOrcCreateLLJIT(&jit, NULL));
  define_outside(jit, module);
  if (cairn_jit_new(&options, &session, &error))
    stop(error);
  define_in_session(session);
  print_size();
  for (int round = -1; round < rounds; round++) {
    run_lljit(jit);
    run_session(session);
    run_parts(options.compile);
    for (int step = 0; step < STEPS && round >= 0; step++)
      printf("%ld%c", times[step], step + 1 < STEPS ? ' ' : '\n');
  }
  cairn_jit_dispose(session);
  return 0;
}
