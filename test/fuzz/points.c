/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: see exercise_points.h.
 */
#include "fuzz/exercise_points.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  exercise_points(data, size);
  exercise_points_aarch64(data, size);
  return 0;
}
