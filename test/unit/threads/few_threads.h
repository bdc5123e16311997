/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that the system does not have, for tests of what starts some. After cmocka.h.
 */
#ifndef CN_TEST_FEW_THREADS_H
#define CN_TEST_FEW_THREADS_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static int threads_left = 1000; /* pthread_create() fails when there are none */

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
  void *symbol = dlsym(RTLD_NEXT, "pthread_create");
  create_function *create;

  memcpy(&create, &symbol, sizeof create);
  return threads_left-- > 0 ? create(thread, attributes, start, argument) : EAGAIN;
}

#endif
