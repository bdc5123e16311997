// A function without polls, in which a thread is late for a stop: debug.test compiles it with debug information.
__attribute__((noinline)) void stuck(volatile unsigned long *poll_word, volatile int *inside)
{
  *inside = 1;
  while (*poll_word == 0)
    ;
  for (volatile long i = 0; i < 100000000; i++)
    ;
}

long work(volatile unsigned long *poll_word, volatile int *inside)
{
  stuck(poll_word, inside);
  return *inside;
}
