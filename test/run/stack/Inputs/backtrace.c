/* Ways to a backtrace: backtrace WAY. Managed code of backtrace.test. */
#include <signal.h>
#include <stdlib.h>
#include <cairn/cairn.h>

long native_call(long (*callback)(long), long value);
void native_print(void);
void native_raise(int signal);
void native_thread(void);

struct box {
  long value;
  struct box managed *other;
};
typedef struct box managed *ref;
static ref kept;

static inline __attribute__((always_inline)) void leaf(long value)
{
  kept = cairn_new(struct box);
  kept->value = value;
  native_print();
}

static inline __attribute__((always_inline)) void middle(long value)
{
  leaf(value);
  kept->value++;
}

__attribute__((noinline)) static long callback(long value)
{
  ref mine = cairn_new(struct box);

  middle(value);
  return kept->value + mine->value;
}

__attribute__((noinline)) static long outer(long value)
{
  ref mine = cairn_new(struct box);

  mine->value = native_call(callback, value);
  return mine->value;
}

__attribute__((noinline)) static long deep(long value, ref other)
{
  ref mine = cairn_new(struct box);

  mine->other = other;
  if (value == 0)
    native_print();
  else
    mine->value = deep(value - 1, mine);
  return mine->value + mine->other->value;
}

static long odd(long value);
__attribute__((noinline)) static long even(long value)
{
  ref mine = cairn_new(struct box);

  if (value == 0)
    native_print();
  else
    mine->value = odd(value - 1);
  return mine->value;
}

__attribute__((noinline)) static long odd(long value)
{
  ref mine = cairn_new(struct box);

  mine->value = even(value - 1) + 1;
  return mine->value;
}

__attribute__((noinline)) static long raises(long value)
{
  ref mine = cairn_new(struct box);

  mine->value = value;
  native_raise(SIGUSR1);
  return mine->value;
}

int main(int argc, char **argv)
{
  long n = argc > 2 ? atol(argv[2]) : 0;

  switch (argc > 1 ? argv[1][0] : 0) {
  case 'c': return (int)outer(7) & 0;
  case 'e': return (int)even(n) & 0;
  case 'd': return (int)deep(n, cairn_new(struct box)) & 0;
  case 's': return (int)raises(1) & 0;
  case 't': native_thread(); return 0;
  default: return 1;
  }
}
