/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples of long ranges. `make check` runs a sample, and `make soak` sets CAIRN_TEST_SOAK and runs the whole
 * (scripts/soak-tests).
 */
#ifndef CN_TEST_SAMPLE_H
#define CN_TEST_SAMPLE_H

#include <stddef.h>
#include <stdlib.h>

/* The step by which a test goes through a range: 1 for the whole. */
static inline size_t sample(size_t step)
{
  return getenv("CAIRN_TEST_SOAK") ? 1 : step;
}

#endif
