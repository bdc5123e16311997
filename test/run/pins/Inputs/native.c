/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code for scopes.c.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/pin.h>

void fill(unsigned char *at, long count, long value)
{
  memset(at, (int)value, (size_t)count);
}

int same(const void *a, void *b)
{
  return a == b;
}

int stress(void)
{
  return getenv("CAIRN_STRESS") != NULL;
}

static void *unpin(void *address)
{
  cairn_unpin_address(address);
  return NULL;
}

/* On a thread that has never run managed code. */
void let_go(void *address)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, unpin, address) == 0)
    pthread_join(thread, NULL);
}
