/* What libgcc's unwinder and <cairn/stack.h> say of the youngest managed activation, side by side. */
#include <cairn/stack.h>
#include <stdio.h>
#include <unwind.h>
#include "../../Inputs/registers.h"

struct seen {
  struct cairn_stack_iterator it; /* at the youngest managed activation */
  uintptr_t sp, cfa;              /* of that activation, by the unwinder */
  int count;                      /* activations by the unwinder */
  int gr;                         /* ask for a register that no call-frame information mentions */
};

static inline _Unwind_Reason_Code see(struct _Unwind_Context *context, void *env)
{
  struct seen *seen = env;

  if (seen->sp != 0 && seen->cfa == 0)
    seen->cfa = _Unwind_GetCFA(context);
  /* The transition stub's frame ends a word higher than the stack pointer is behind it. */
  if (_Unwind_GetIP(context) == cairn_stack_ip(&seen->it)) {
    seen->sp = _Unwind_GetCFA(context) - sizeof(uintptr_t);
    if (seen->gr)
      printf("a value 0x%lx\n", (unsigned long)_Unwind_GetGR(context, LOST_NUMBER));
  }
  seen->count++;
  return _URC_NO_REASON;
}

static inline void look(struct seen *seen)
{
  cairn_stack_youngest(&seen->it);
  _Unwind_Backtrace(see, seen);
}
