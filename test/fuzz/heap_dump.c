/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: a heap dump, read and reported (fuzz/exercise_dump.h).
 */
#include "fuzz/exercise_dump.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  exercise_dump(data, size);
  return 0;
}
