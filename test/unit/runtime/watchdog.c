/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose fault a late arrival is. What would go wrong: managed code is blamed for what the kernel or
 * native code did, or, worse, a slow loop passes for a preemption.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "runtime/os/os.h"
#include "runtime/latency/latency.h"

static void blame(void **state)
{
  static const struct {
    struct cairn_arrival arrival;
    enum cn_blame blame;
  } cases[] = {
      {{.nanoseconds = 900, .ran = 1500}, CN_BLAME_MANAGED_CODE},
      {{.nanoseconds = 500000, .ran = 499000}, CN_BLAME_MANAGED_CODE},
      /* A switch somewhere before the request: the code had its processor since. */
      {{.nanoseconds = 500000, .ran = 500100, .switches = 3}, CN_BLAME_MANAGED_CODE},
      {{.nanoseconds = 500000, .ran = 100000, .switches = 1}, CN_BLAME_PREEMPTED},
      {{.nanoseconds = 500000, .ran = 100000}, CN_BLAME_HOST},
      {{.nanoseconds = 500000, .ran = 500000, .native = true}, CN_BLAME_NATIVE_CODE},
      {{.nanoseconds = 500000, .ran = 100000, .switches = 1, .native = true}, CN_BLAME_NATIVE_CODE},
      {{.ran = 100000, .safepoint = true}, CN_BLAME_SAFEPOINT},
      {{.nanoseconds = 900, .ran = 1500, .asking = 50000}, CN_BLAME_REQUESTER},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_int_equal(cn_watchdog_blame_of(&cases[i].arrival), cases[i].blame);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blame),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
