/* SPDX-License-Identifier: Apache-2.0
 *
 * CAIRN_PROFILE=FILE: the program's processor time by call stacks, as folded text (docs/debugging.md, "A profile
 * without frame pointers").
 */
#ifndef CN_RUNTIME_PROFILE_PROFILE_H
#define CN_RUNTIME_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/latency/latency.h"

/* ---- sampler.c ---- */

/* At the program's end: let the sampler write the file, and wait for its end. */
void cn_profile_end(void);

/* ---- folded_stacks.c: the profile, for the sampler's thread ---- */

enum { CN_PROFILE_DEPTH = 1000 }; /* the greatest number of activations of a sample */

/* Add the time, in nanoseconds, to the stack of the thread with this number; a null `sample`: its stack is unknown. */
void cn_folded_stacks_add(int thread, const struct cn_sample *sample, uint64_t nanoseconds);

/* Write the profile. False: `message`, of `size` bytes, has the reason. */
bool cn_folded_stacks_write(const char *path, char *message, size_t size);

#endif
