/* SPDX-License-Identifier: Apache-2.0
 *
 * What the drivers know of the target that the runtime has a port for. A port has a file like this.
 */
#ifndef CN_DRIVER_PORT_X86_64_H
#define CN_DRIVER_PORT_X86_64_H

#include <stdbool.h>
#include <string.h>

#define CN_PORT_TARGET "x86-64 Linux"
#define CN_PORT_CPU "x86-64" /* the least that LLVM makes code for */

/* How triples begin: as other front ends have them, and as clang has them. */
#define CN_PORT_TRIPLE_ANY "x86_64-unknown-"
#define CN_PORT_TRIPLE_CLANG "x86_64-pc-"

/* Is the normalised triple that target's? */
static inline bool cn_port_has(const char *triple)
{
  return strncmp(triple, "x86_64-", 7) == 0 && strstr(triple, "linux") != NULL;
}

#endif
