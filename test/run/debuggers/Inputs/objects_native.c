// The native side of objects.c: a debugger stops at stop(), and reads the addresses that were noted.
#include <stdint.h>
const char *native = "a native string";
uintptr_t first_before, first_after, table_now, name_after;
void note(uintptr_t *into, void *reference);
void note(uintptr_t *into, void *reference)
{
  *into = (uintptr_t)reference;
}
void stop(void);
__attribute__((noinline)) void stop(void)
{
  __asm__ volatile("");
}
