/* SPDX-License-Identifier: Apache-2.0
 *
 * Target machines of a session, which compilations use in turn. Private to src/jit.
 */
#ifndef CN_JIT_OBJECTS_MACHINES_H
#define CN_JIT_OBJECTS_MACHINES_H

#include <pthread.h>
#include <llvm-c/TargetMachine.h>
#include <cairn/jit.h>
#include "base/vector.h"

struct cn_jit_machines {
  pthread_mutex_t lock;
  char *triple, *cpu, *features;
  CN_VECTOR(LLVMTargetMachineRef) idle[CAIRN_TIER_QUICK + 1]; /* by tier */
};

/* Null of `cpu`: this machine's processor, with its features. */
void cn_jit_machines_init(struct cn_jit_machines *machines, const char *cpu, const char *features);
void cn_jit_machines_free(struct cn_jit_machines *machines);

/* A machine for one compilation at a time, and back. Null: LLVM lacks one, as *error says, from malloc(). */
LLVMTargetMachineRef cn_jit_machines_take(struct cn_jit_machines *machines, const struct cairn_compile_options *options,
                                          char **error);
void cn_jit_machines_give_back(struct cn_jit_machines *machines, enum cairn_tier tier, LLVMTargetMachineRef machine);

#endif
