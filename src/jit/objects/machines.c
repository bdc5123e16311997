/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the target machines of a session. LLVM takes a millisecond to describe the processor in a new machine; so each
 * compilation borrows an idle machine. A session has as many machines of a tier as compilations ran at one time. Any
 * thread; the lock covers the lists alone.
 */
#include "jit/objects/machines.h"

#include <stdlib.h>
#include "base/check.h"
#include "compile/codegen/codegen.h"

void cn_jit_machines_init(struct cn_jit_machines *machines, const char *cpu, const char *features)
{
  char *own_cpu = cpu ? NULL : LLVMGetHostCPUName(), *own_features = cpu ? NULL : LLVMGetHostCPUFeatures();

  pthread_mutex_init(&machines->lock, NULL);
  machines->triple = LLVMGetDefaultTargetTriple();
  machines->cpu = cn_strdup(cpu ? cpu : own_cpu);
  machines->features = cn_format("%s%s%s", own_features ? own_features : "", own_features && features ? "," : "",
                                 features ? features : "");
  LLVMDisposeMessage(own_cpu);
  LLVMDisposeMessage(own_features);
}

void cn_jit_machines_free(struct cn_jit_machines *machines)
{
  for (size_t tier = 0; tier < sizeof machines->idle / sizeof *machines->idle; tier++) {
    for (size_t i = 0; i < machines->idle[tier].count; i++)
      LLVMDisposeTargetMachine(machines->idle[tier].at[i]);
    cn_free(&machines->idle[tier]);
  }
  pthread_mutex_destroy(&machines->lock);
  LLVMDisposeMessage(machines->triple);
  free(machines->cpu);
  free(machines->features);
}

static LLVMTargetMachineRef make_machine(const struct cn_jit_machines *machines,
                                         const struct cairn_compile_options *options, char **error)
{
  const struct cn_machine_options how = {.opt_level = options->opt_level,
                                         .tier = options->tier,
                                         .reloc = LLVMRelocPIC,
                                         .code_model = LLVMCodeModelSmall,
                                         .cpu = machines->cpu,
                                         .features = machines->features};

  return cn_codegen_make_machine(machines->triple, &how, error);
}

LLVMTargetMachineRef cn_jit_machines_take(struct cn_jit_machines *machines, const struct cairn_compile_options *options,
                                          char **error)
{
  LLVMTargetMachineRef machine = NULL;

  pthread_mutex_lock(&machines->lock);
  if (machines->idle[options->tier].count)
    machine = machines->idle[options->tier].at[--machines->idle[options->tier].count];
  pthread_mutex_unlock(&machines->lock);
  return machine ? machine : make_machine(machines, options, error);
}

void cn_jit_machines_give_back(struct cn_jit_machines *machines, enum cairn_tier tier, LLVMTargetMachineRef machine)
{
  pthread_mutex_lock(&machines->lock);
  cn_push(&machines->idle[tier], machine);
  pthread_mutex_unlock(&machines->lock);
}
