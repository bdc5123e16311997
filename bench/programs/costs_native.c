/* SPDX-License-Identifier: Apache-2.0
 *
 * The native callee of costs.c.
 */
long costs_native(long value);

long costs_native(long value)
{
  __asm__ volatile("" : "+r"(value));
  return value;
}
