/* SPDX-License-Identifier: Apache-2.0
 *
 * A stack walk over LLVM's stack maps as they are (bench/stackwalk).
 */
#ifndef BENCH_STACKWALK_H
#define BENCH_STACKWALK_H

#include <stddef.h>
#include <stdint.h>

struct raw_size {
  size_t records, section, table; /* table: bytes; section: of LLVM's */
};

/* Read the objects that the file `list` names, and make the table. */
struct raw_size raw_load(const char *list);

/* From the activation that goes on at `pc`, with this stack pointer; how many frames it is, and how
 * many roots, those in registers included. */
uint64_t raw_walk(uintptr_t pc, uintptr_t sp, uint64_t *roots);

#endif
