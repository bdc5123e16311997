// Lists whose cells are allocated by functions that throw: the references of a frame that catches lie
// in it while the exception passes, and while everything moves in the frames below.
#include <stdio.h>
#ifdef PLAIN
#include <stdlib.h>
#define managed
static void *cairn_alloc(const void *, long bytes) { return calloc(1, bytes); }
#else
#define managed __attribute__((address_space(1)))
extern "C" void managed *cairn_alloc(const void *layout, long bytes);
#endif

struct cell {
  cell managed *next;
  long value;
};
static const cell cell_layout = {};
static long guards;
struct guard {
  ~guard() { guards++; }
};

static __attribute__((noinline)) cell managed *cons(cell managed *next, long value)
{
  cell managed *c = (cell managed *)cairn_alloc(&cell_layout, sizeof(cell));
  c->next = next;
  c->value = value;
  if (value % 7 == 0)
    throw value;
  return c;
}

static __attribute__((noinline)) long work(long n)
{
  cell managed *list = nullptr;
  long caught = 0, sum = 0;
  for (long i = 1; i <= n; i++) {
    guard g;
    try {
      list = cons(list, i);
    } catch (long value) {
      caught += value;
      list = cons(list, value + 1);
    }
  }
  for (cell managed *c = list; c; c = c->next)
    sum = sum * 3 + c->value;
  return sum + caught;
}

int main()
{
  printf("%ld %ld\n", work(100), guards);
}
