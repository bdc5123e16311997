/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code between the language's functions.
 */
long weigh(long n, long (*function)(long n));

long weigh(long n, long (*function)(long n))
{
  return n % 2 ? function(n) + 1 : n;
}
