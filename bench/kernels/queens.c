/* SPDX-License-Identifier: Apache-2.0
 *
 * The queens problem by backtracking over a small array.
 */
#include "../programs/kernel.h"

static int managed *board;
static const volatile int size = 9;

void setup_queens(void)
{
  board = bench_array(int, size);
}

NOINLINE static int safe(const int managed *columns, int row, int column)
{
  for (int i = 0; i < row; i++) {
    int other = columns[i];
    if (other == column || other - column == row - i || column - other == row - i)
      return 0;
  }
  return 1;
}

NOINLINE static long place(int managed *columns, int row, int n)
{
  long found = 0;

  if (row == n)
    return 1;
  for (int column = 0; column < n; column++)
    if (safe(columns, row, column)) {
      columns[row] = column;
      found += place(columns, row + 1, n);
    }
  return found;
}

long kernel_queens(void)
{
  long found = 0;

  for (int n = 4; n <= size; n++)
    found = found * 7 + place(board, 0, n);
  return found;
}
