/* SPDX-License-Identifier: Apache-2.0
 *
 * Sleeps for random times, so that a thread that checks others never keeps time with them. Threads of the runtime
 * call the function, in any phase. The callers own all state.
 */
#include "runtime/latency/latency.h"

#include <stdatomic.h>
#include "base/check.h"
#include "runtime/os/os.h"

bool cn_pause_at_random(_Atomic uint32_t *stop, uint64_t mean, uint64_t *random)
{
  CN_CHECK(mean != 0);
  *random = *random * 6364136223846793005u + 1442695040888963407u;
  uint64_t until = cn_os_clock_nanoseconds() + (*random >> 11) % (2 * mean);
  while (atomic_load(stop) == 0 && cn_os_wait_on_word(stop, 0, until))
    ;
  return atomic_load(stop) == 0;
}
