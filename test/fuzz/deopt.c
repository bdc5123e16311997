/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: frame records (exercise_records.h).
 */
#include "fuzz/exercise_records.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  static struct exercise_bundle bundle;
  struct exercise_bytes bytes = {data, data + size};

  exercise_make_bundle(&bundle, &bytes);
  struct cn_operand *operands = malloc(bundle.count * sizeof *operands);
  memcpy(operands, bundle.at, bundle.count * sizeof *operands);
  exercise_records(operands, bundle.count);
  free(operands);
  return 0;
}
