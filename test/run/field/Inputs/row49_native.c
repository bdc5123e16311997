/* Look at the stack, by the unwinder and by the walk. */
#include "unwinder.h"
void native_look(void);
void native_look(void)
{
  struct seen seen = {.count = 0};
  int walk = 0;

  look(&seen);
  for (; !cairn_stack_past_end(&seen.it); cairn_stack_next(&seen.it))
    walk++;
  printf("unwinder %d, walk %d\n", seen.count, walk);
  fflush(stdout);
  cairn_backtrace(1);
}
