/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: see exercise.h.
 */
#include "fuzz/exercise.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  exercise_framemap(data, size);
  exercise_framemap_aarch64(data, size);
  return 0;
}
