/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines facts about the target that the drivers need. Each port of the runtime has such a file.
 */
#ifndef CN_DRIVER_DRIVER_X86_64_H
#define CN_DRIVER_DRIVER_X86_64_H

#include <stdbool.h>
#include <string.h>

#define CN_PORT_TARGET "x86-64 Linux"

/* The prefix of a triple, in most front ends and in clang. */
#define CN_PORT_TRIPLE_ANY "x86_64-unknown-"
#define CN_PORT_TRIPLE_CLANG "x86_64-pc-"

/* True if the normalised triple names this port's target. */
static inline bool cn_port_is_target_triple(const char *triple)
{
  return strncmp(triple, "x86_64-", 7) == 0 && strstr(triple, "linux") != NULL;
}

#endif
