/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/jit: links and removes modules in a session with many modules, and objects of the same functions without
 * safepoints in LLVM's LLJIT, in turn: link FUNCTIONS LOADED ROUNDS. A module is compiled once; the others are copies
 * with other numbers in their names. Prints a line for each round: nanoseconds of processor time for a module, of
 * LLJIT's link and removal, and of the session's. At last the number of mappings. The main thread does everything.
 */
#include <time.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>
#include "programs/jit/copies.h"

enum { BATCH = 64, LLJIT_LOADED = 10 };

static LLVMOrcLLJITRef jit;
static LLVMMemoryBufferRef plain; /* the object without safepoints */

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

/* ---- a session ---- */

static void run_session(const struct cn_jit_module *model, int batch, long *times)
{
  static struct cn_jit_module *modules[BATCH];
  uint64_t numbers[BATCH];
  char *error;

  for (int i = 0; i < batch; i++) {
    modules[i] = copy_model(model);
    numbers[i] = modules[i]->number;
  }
  long begin = now();
  for (int i = 0; i < batch; i++)
    link_module(modules[i]);
  times[0] = (now() - begin) / batch;
  begin = now();
  for (int i = 0; i < batch; i++)
    if (cairn_jit_remove(session, numbers[i], &error))
      stop(error);
  if (cairn_jit_pending(session, NULL, NULL))
    stop("a module is left");
  times[1] = (now() - begin) / batch;
}

/* ---- LLJIT ---- */

static LLVMOrcResourceTrackerRef link_plain(const char *object, size_t size)
{
  LLVMOrcResourceTrackerRef tracker = LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(jit));
  LLVMOrcExecutorAddress address;
  char name[32];

  need(LLVMOrcLLJITAddObjectFileWithRT(jit, tracker, LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "plain")));
  snprintf(name, sizeof name, "f_%lu_0", last_number);
  need(LLVMOrcLLJITLookup(jit, &address, name));
  return tracker;
}

static LLVMOrcResourceTrackerRef time_plain(long *time)
{
  size_t size = LLVMGetBufferSize(plain);
  char *object = malloc(size), from[DIGITS + 1], to[DIGITS + 1];

  memcpy(object, LLVMGetBufferStart(plain), size);
  snprintf(from, sizeof from, "%d", FIRST_NUMBER);
  snprintf(to, sizeof to, "%lu", ++last_number);
  for (char *at = object; (at = memmem(at, size - (size_t)(at - object), from, DIGITS)) != NULL;)
    memcpy(at, to, DIGITS);
  long begin = now();
  LLVMOrcResourceTrackerRef tracker = link_plain(object, size);
  *time += now() - begin;
  free(object);
  return tracker;
}

static void run_lljit(int batch, long *times)
{
  LLVMOrcResourceTrackerRef trackers[BATCH];

  times[0] = 0;
  for (int i = 0; i < batch; i++)
    trackers[i] = time_plain(&times[0]);
  times[0] /= batch;
  long begin = now();
  for (int i = 0; i < batch; i++) {
    need(LLVMOrcResourceTrackerRemove(trackers[i]));
    LLVMOrcReleaseResourceTracker(trackers[i]);
  }
  times[1] = (now() - begin) / batch;
}

static void start_lljit(LLVMContextRef context, int functions)
{
  char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
  LLVMTargetRef target;
  LLVMModuleRef ir = make_ir(context, functions, "uwtable");
  long unused = 0;

  if (LLVMGetTargetFromTriple(triple, &target, &message))
    stop(message);
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, ir, LLVMObjectFile, &message, &plain))
    stop(message);
  need(LLVMOrcCreateLLJIT(&jit, NULL));
  LLVMOrcCSymbolMapPair pair = {LLVMOrcLLJITMangleAndIntern(jit, "cairn_alloc"),
                                {(uintptr_t)abort, {LLVMJITSymbolGenericFlagsExported, 0}}};
  need(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(&pair, 1)));
  for (int i = 0; i < LLJIT_LOADED; i++)
    time_plain(&unused);
}

static int count_mappings(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  int count = 0;

  for (int c; (c = getc(maps)) != EOF;)
    count += c == '\n';
  fclose(maps);
  return count;
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 2}};
  LLVMContextRef context = LLVMContextCreate();
  int functions = atoi(argv[1]), loaded = atoi(argv[2]), rounds = atoi(argv[3]);
  int batch = functions > 100 ? BATCH / 8 : BATCH;
  char *error;

  if (argc != 4 || cairn_jit_new(&options, &session, &error))
    stop("usage: link FUNCTIONS LOADED ROUNDS");
  const struct cn_jit_module *model = make_model(context, functions), *small = make_model(context, 1);
  start_lljit(context, functions);
  for (int i = 0; i < loaded; i++)
    link_module(copy_model(small));
  for (int i = 0; i < rounds; i++) {
    long plain_times[2], times[2];
    run_lljit(batch, plain_times);
    run_session(model, batch, times);
    printf("%ld %ld %ld %ld\n", plain_times[0], plain_times[1], times[0], times[1]);
  }
  printf("%d\n", count_mappings());
  return 0;
}
