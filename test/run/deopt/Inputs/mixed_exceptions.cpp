/* SPDX-License-Identifier: Apache-2.0
 *
 * Exceptions of test/run/deopt/mixed.c.
 */
extern "C" {
extern thread_local bool catches_now;
void throw_number(long number);
long catches(void (*function)(long), long argument);
}

void throw_number(long number)
{
  throw number;
}

long catches(void (*function)(long), long argument)
{
  long left = 0;

  catches_now = true;
  try {
    function(argument);
  } catch (long number) {
    left = number;
  }
  catches_now = false;
  return left;
}
