/* A jump to a frame that has returned. */
#include <setjmp.h>

static jmp_buf gone;

__attribute__((noinline)) static int arrives(void)
{
  char room[1000];

  __asm__ volatile("" : : "r"(room) : "memory");
  return setjmp(gone);
}

int main(void)
{
  if (arrives() == 0)
    longjmp(gone, 1);
  return 0;
}
