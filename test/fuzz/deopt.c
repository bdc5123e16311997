/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer target: frame records (exercise_records.h).
 */
#include "fuzz/exercise_records.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  const unsigned char *cursor = data, *end = data + size;
  struct cn_operand *operands = calloc(size, sizeof *operands);
  uint32_t count = 0;

  while (cursor < end)
    operands[count++] = exercise_next_operand(&cursor, end);
  exercise_records(operands, count);
  free(operands);
  return 0;
}
