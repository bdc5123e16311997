/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer whose handler does what the first argument says, while the program calls, allocates and
 * collects, until it has run often enough: windows WHAT RUNS MICROSECONDS. Everything that the handlers
 * did must be there at the end.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value, twice;
};

static volatile long runs;
static struct cell managed *seen, *target;
static int null_file;
static long handled;

static long up(long x)
{
  return x + 1;
}

static long down(long x)
{
  return x - 1;
}

static long (*volatile handlers)(long) = up, (*volatile others)(long) = down;

static void writes(int number)
{
  if (write(null_file, "x", 1) == 1)
    runs++;
}

static void calls(int number)
{
  handled = handlers(handled);
  runs++;
}

static struct cell managed *make(long value, struct cell managed *next)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->value = value;
  cell->twice = 2 * value;
  cell->next = next;
  return cell;
}

static void allocates(int number)
{
  seen = make(runs++, seen);
}

static void stores(int number)
{
  target->value++;
  runs++;
}

static void (*handler(const char *what))(int)
{
  switch (what[0]) {
  case 'w':
    return writes;
  case 'c':
    return calls;
  case 'a':
    return allocates;
  default:
    return stores;
  }
}

static struct cell managed *list(long count)
{
  struct cell managed *head = NULL;

  for (long i = 0; i < count; i++)
    head = make(i, head);
  return head;
}

static long check(struct cell managed *head)
{
  long count = 0;

  for (; head != NULL; head = head->next, count++)
    if (head->twice != 2 * head->value) {
      printf("a cell of %ld and %ld\n", head->value, head->twice);
      exit(1);
    }
  return count;
}

static void every(long microseconds)
{
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};

  setitimer(ITIMER_REAL, &timer, NULL);
}

static void compare(const char *what, long is, long should)
{
  if (is != should)
    printf("%s: %ld, not %ld\n", what, is, should);
}

int main(int argc, char **argv)
{
  long count = atol(argv[2]), x = 0, rounds = 0;
  struct cell managed *kept = list(20000);

  null_file = open("/dev/null", O_WRONLY);
  target = cairn_new(struct cell);
  signal(SIGALRM, handler(argv[1]));
  every(atol(argv[3]));
  while (runs < count) {
    struct cell managed *young = list(500);
    for (int i = 0; i < 100; i++) {
      x = others(x);
      if (lseek(null_file, 0, SEEK_SET) != 0)
        return 1;
    }
    compare("young cells", check(young), 500);
    rounds++;
  }
  every(0);
  compare("kept cells", check(kept), 20000);
  compare("the program's calls", x, -100 * rounds);
  if (handler(argv[1]) == calls)
    compare("the handler's calls", handled, runs);
  if (handler(argv[1]) == allocates)
    compare("the handler's cells", check(seen), runs);
  if (handler(argv[1]) == stores)
    compare("the handler's stores", target->value, runs);
  printf("done\n");
  return 0;
}
