/* Native code that calls back after the executable's destructors. */
#include <stddef.h>

void (*late_call)(void);

__attribute__((destructor)) static void call_late(void)
{
  if (late_call != NULL)
    late_call();
}
