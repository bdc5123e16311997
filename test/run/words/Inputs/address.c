/* SPDX-License-Identifier: Apache-2.0 */
long address_of(void *word);

long address_of(void *word)
{
  return (long)word;
}
