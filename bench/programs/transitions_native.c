/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of bench/transitions.
 */
long native_add(long value);
long native_known(long value);
long native_leaf(long value);
long native_loop(long (*function)(long), long value, long turns);

long native_add(long value)
{
  return value + 1;
}

long native_known(long value)
{
  return value + 1;
}

long native_leaf(long value)
{
  return value + 1;
}

long native_loop(long (*function)(long), long value, long turns)
{
  for (long i = 0; i < turns; i++)
    value = function(value);
  return value;
}
