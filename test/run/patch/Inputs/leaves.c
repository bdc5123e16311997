/* SPDX-License-Identifier: Apache-2.0
 *
 * Native targets of patchpoints: they read an object at its address, and count how often it has another one.
 */
#include <stdatomic.h>

atomic_long objects_moved;

static long add(const long *object, long n, long more)
{
  static _Thread_local const long *last;

  if (last != object)
    objects_moved++;
  last = object;
  return *object + n + more;
}

long leaf_one(const long *object, long n)
{
  return add(object, n, 1);
}

long leaf_two(const long *object, long n)
{
  return add(object, n, 2);
}
