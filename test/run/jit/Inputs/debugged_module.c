// The front end of debug.test: clang compiles it to IR with debug information, a session compiles that.
struct cell {
  __attribute__((address_space(1))) struct cell *next;
  long value;
};
typedef __attribute__((address_space(1))) struct cell *ref;

ref make(long value, ref next);
void stop(void);

__attribute__((noinline)) long add_up(ref list)
{
  long sum = 0;

  for (ref cell = list; cell; cell = cell->next)
    sum += cell->value;
  stop();
  return sum + list->value;
}

long work(long count)
{
  ref list = 0;

  for (long i = 1; i <= count; i++)
    list = make(i, list);
  return add_up(list) + list->value;
}
