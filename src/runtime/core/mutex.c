/* SPDX-License-Identifier: Apache-2.0
 *
 * Three states, as in U. Drepper, "Futexes Are Tricky" (2011), "Mutex, Take 2": whoever gives back
 * a mutex that nobody waits for makes no system call.
 */
#include "runtime/core/mutex.h"

#include "base/check.h"
#include "runtime/os/os.h"

enum { FREE, HELD, CONTENDED };

bool cn_mutex_take(struct cn_mutex *mutex, uint64_t deadline)
{
  uint32_t expected = FREE;

  if (atomic_compare_exchange_strong(&mutex->word, &expected, HELD))
    return true;
  while (atomic_exchange(&mutex->word, CONTENDED) != FREE)
    if (!cn_os_wait(&mutex->word, CONTENDED, deadline))
      return false;
  return true;
}

void cn_mutex_release(struct cn_mutex *mutex)
{
  uint32_t before = atomic_exchange(&mutex->word, FREE);

  CN_CHECK(before != FREE); /* else somebody else's */
  if (before == CONTENDED)
    cn_os_wake(&mutex->word);
}
