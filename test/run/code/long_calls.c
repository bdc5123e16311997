// RUN: %root/test/run/Inputs/same %build --levels "-O1 -O2 -Os" --small 7011 --own -fcairn-poll-budget=1 %s
// RUN: %root/test/run/Inputs/same %build --levels "-O3" --small 5011 \
// RUN:   --own "-fcairn-poll-budget=1 -fcairn-poll=stack" %s
// Filling, copying and comparing memory in pieces, between which everything moves: what comes out is
// what plain C makes, in every direction of overlap and at odd addresses. What would go wrong: bytes
// of a piece at the object's old place, or a piece that overwrites what a later one reads; a
// reference that is half copied while the collector looks at it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;
/* References at odd places of four-byte units. */
struct mixed {
  int number, other;
  ref box;
};

static long BYTES = 30011, SLOTS = 3001;
static volatile size_t nothing;

static unsigned long hash(const char managed *p, long n)
{
  unsigned long h = 1;

  for (long i = 0; i < n; i++)
    h = h * 31 + (unsigned char)p[i];
  return h;
}

static void fill(char managed *p, long n)
{
  for (long i = 0; i < n; i++)
    p[i] = (char)(i * 7 + i / 256);
}

__attribute__((noinline)) static void set(char managed *p, int value, long n)
{
  for (long i = 0; i < n; i++)
    p[i] = (char)value;
}
__attribute__((noinline)) static void up(char managed *p, long distance, long n)
{
  for (long i = n - 1; i >= 0; i--)
    p[i + distance] = p[i];
}
__attribute__((noinline)) static void down(char managed *p, long distance, long n)
{
  for (long i = 0; i < n; i++)
    p[i] = p[i + distance];
}
__attribute__((noinline)) static void shift(ref managed *slots, long n)
{
  for (long i = n - 1; i > 0; i--)
    slots[i] = slots[i - 1];
}
__attribute__((noinline)) static void unshift(ref managed *slots, long n)
{
  for (long i = 0; i + 1 < n; i++)
    slots[i] = slots[i + 1];
}
__attribute__((noinline)) static void clear(ref managed *slots, long n)
{
  for (long i = 0; i < n; i++)
    slots[i] = NULL;
}
__attribute__((noinline)) static void copy(ref managed *restrict to, ref managed *restrict from,
                                           long n)
{
  for (long i = 0; i < n; i++)
    to[i] = from[i];
}
__attribute__((noinline)) static void wipe(struct mixed managed *p, long n)
{
  int managed *odd = &p[0].other;

  p[0].box = NULL;
  odd[0] = 0;
  for (long i = 1; i < n; i++) {
    p[i].number = 0;
    p[i].other = 0;
    p[i].box = NULL;
  }
}

static void bytes(void)
{
  char managed *p = cairn_new_array(char, BYTES);
  char *native = malloc((size_t)BYTES), *second = malloc((size_t)BYTES);

  for (long odd = 0; odd < 9; odd += 3) {
    fill(p, BYTES);
    set(p + odd, 5, BYTES - 2 * odd);
    printf("set %lu\n", hash(p, BYTES));
    fill(p, BYTES);
    up(p + odd, 4001, BYTES - 4010);
    printf("up %lu\n", hash(p, BYTES));
    down(p + odd, 1, BYTES - 10);
    printf("down %lu\n", hash(p, BYTES));
  }
  cairn_copy_out(native, p, BYTES);
  memcpy(second, native, BYTES);
  second[BYTES - 2] ^= 1;
  printf("compare %d %d %d\n", memcmp(native, second, (size_t)BYTES - 2),
         memcmp(native, second, BYTES) > 0, memcmp(second, native, BYTES) > 0);
  printf("find %d %d\n", memchr(native, 300, BYTES) == NULL,
         (int)((char *)memchr(second, second[BYTES - 2], BYTES) - second));
  for (int i = 0; i < BYTES; i++)
    second[i] = (char)i;
  memmove(second + 3, second, BYTES - 3);
  memmove(second, second + 8, BYTES - 8);
  memmove(second + 8, second, nothing);
  cairn_copy_in(p, second, BYTES);
  printf("native %lu\n", hash(p, BYTES));
  free(native);
  free(second);
}

static unsigned long sum(ref managed *slots, long n)
{
  unsigned long s = 0;

  for (long i = 0; i < n; i++)
    s = s * 3 + (unsigned long)(slots[i] ? slots[i]->value : 17);
  return s;
}

static void references(void)
{
  ref managed *slots = cairn_new_array(ref, SLOTS);
  ref managed *others = cairn_new_array(ref, SLOTS);

  for (long i = 0; i < SLOTS; i++) {
    slots[i] = cairn_new(struct box);
    slots[i]->value = i;
  }
  shift(slots, SLOTS);
  printf("shift %lu\n", sum(slots, SLOTS));
  unshift(slots + 1, SLOTS - 1);
  printf("unshift %lu\n", sum(slots, SLOTS));
  copy(others, slots, SLOTS);
  copy(others + 1, slots + 2, SLOTS - 2);
  printf("copy %lu %lu\n", sum(slots, SLOTS), sum(others, SLOTS));
  clear(slots + 1, SLOTS - 2);
  printf("clear %lu %lu\n", sum(slots, SLOTS), sum(others, SLOTS));
}

static void mixed(void)
{
  struct mixed managed *p = cairn_new_array(struct mixed, SLOTS);
  unsigned long s = 0;

  for (long i = 0; i < SLOTS; i++) {
    p[i].box = cairn_new(struct box);
    p[i].number = p[i].other = (int)i + 1;
  }
  wipe(p, SLOTS - 1);
  for (long i = 0; i < SLOTS; i++)
    s = s * 5 + (unsigned long)(p[i].number + p[i].other * 2 + (p[i].box != NULL));
  printf("mixed %lu\n", s);
}

int main(int argc, char **argv)
{
  BYTES = argc > 1 ? atol(argv[1]) : BYTES;
  SLOTS = BYTES / 10;
  bytes();
  references();
  mixed();
  return 0;
}
