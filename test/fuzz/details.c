/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: see exercise.h.
 */
#include "fuzz/exercise.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  exercise_details(data, size);
  return 0;
}
