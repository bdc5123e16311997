/* SPDX-License-Identifier: Apache-2.0
 *
 * For torture.c: exceptions, which pass managed frames on their way.
 */
extern "C" int call_and_catch(void (*function)(long), long argument)
{
  try {
    function(argument);
  } catch (long value) {
    return (int)value;
  }
  return 0;
}

extern "C" void throw_one(long value)
{
  throw value;
}
