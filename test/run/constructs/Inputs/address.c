/* SPDX-License-Identifier: Apache-2.0 */
/* Native code: the address of an object, and callers of functions. */
#include <stddef.h>

unsigned long address_of(const void *object)
{
  return (unsigned long)object;
}

/* A library that keeps a context and calls back. */
static void (*kept)(void *);
static void *context;

void library_register(void (*callback)(void *), void *data)
{
  kept = callback;
  context = data;
}

void library_fire(void)
{
  kept(context);
}
