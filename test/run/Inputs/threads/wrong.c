/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads must not do: wrong WHAT.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/thread.h>

struct node {
  struct node managed *next;
};

#ifdef NO_BOUNDS
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
  (void)thread;
  (void)attributes;
  return ENOMEM;
}
#endif

static pthread_key_t key;
static int rounds;

/* Managed code in the last round of destructors. */
static void destroy(void *value)
{
  struct node managed *node = cairn_new(struct node);

  if (++rounds < 8)
    pthread_setspecific(key, value);
  node->next = node;
}

cairn_unmanaged static void *sets_data(void *value)
{
  pthread_setspecific(key, &key);
  return value;
}

static void *detaches(void *value)
{
  struct node managed *node = cairn_new(struct node);

  cairn_thread_detach();
  node->next = node;
  return value;
}

int main(int argc, char **argv)
{
  pthread_t thread;

  pthread_key_create(&key, destroy);
  pthread_create(&thread, NULL, strcmp(argv[1], "destructor") == 0 ? sets_data : detaches, NULL);
  pthread_join(thread, NULL);
  puts("survived");
  return 0;
}
