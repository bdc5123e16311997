/* SPDX-License-Identifier: Apache-2.0
 *
 * Included before each file of tiny in a fuzz target: the objects of plain C come from cn_fuzz_calloc(), so that a
 * target can free them all. exercise.h defines the functions.
 */
#ifndef TEST_FUZZ_TINY_OBJECTS_H
#define TEST_FUZZ_TINY_OBJECTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *cn_fuzz_calloc(size_t count, size_t size);
void *cn_fuzz_malloc(size_t size);
void *cn_fuzz_realloc(void *memory, size_t size);

#define calloc cn_fuzz_calloc
#define malloc cn_fuzz_malloc
#define realloc cn_fuzz_realloc
#include <cairn/value.h>
#undef calloc
#undef malloc
#undef realloc

#endif
