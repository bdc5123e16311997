// Blocks that young collections evacuate after a concurrent marking (docs/generational.md), as a program sees them: few
// entries of a full table stay; suspended activations point to entries and into entries, too; weak fields, identity
// hashes and handles. What would go wrong: a reference still points to an entry's old place. The program runs until the
// given number of collections have evacuated blocks, or until it has made enough.
// RUN: %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s -o %t
// RUN: env CAIRN_PAUSE=100us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=64m %t 100000 8 100000 2 | FileCheck %s
// RUN: env CAIRN_PAUSE=100us CAIRN_HEAP_INITIAL=512k CAIRN_VERIFY=heap %t 20000 8 200000 0 | FileCheck %s
// RUN: env CAIRN_PAUSE_FULL=100us CAIRN_HEAP_INITIAL=1m CAIRN_VERIFY=heap %t 20000 8 200000 0 | FileCheck %s
// RUN: env CAIRN_PAUSE=1us CAIRN_STRESS=500 %t 1000 8 2000 0 | FileCheck %s
// RUN: env CAIRN_PAUSE=1us CAIRN_STRESS=1 %t 20 2 10 0 | FileCheck %s
// RUN: %cairn-cc -O0 -fcairn-collector=generational -I%root/include %s -o %t.plain
// RUN: env CAIRN_PAUSE=100us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=64m %t.plain 100000 8 100000 1 | FileCheck %s
// CHECK: 0 wrong, evacuated: yes
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/events.h>
#include <cairn/handle.h>
#include <cairn/weak.h>

enum { DEEP = 300 };

struct entry {
  struct entry managed *before;
  long number, twice, rest[3];
};

struct seen {
  struct entry managed *cairn_weak entry;
};

enum { TRIES = 500 }; // as many steps again, at most

static unsigned long seed = 1;
static long wrong, count, steps, wanted;
static volatile long evacuated; // so many collections have evacuated blocks

static long draw(long below)
{
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (long)((seed >> 33) % (unsigned long)below);
}

static __attribute__((noinline)) struct entry managed *entry(long number, struct entry managed *before)
{
  struct entry managed *made = cairn_new(struct entry);

  made->before = before;
  made->number = number;
  made->twice = 2 * number;
  return made;
}

static long is_wrong(struct entry managed *e, long number)
{
  return e->number != number || e->twice != 2 * number;
}

// Entries are made anew, some of them with the next in what was before.
static __attribute__((noinline)) void churn(struct entry managed *managed *table)
{
  for (long step = 0; step < steps || (evacuated < wanted && step < TRIES * steps); step++) {
    long i = draw(count);
    if (table[i]) {
      wrong += is_wrong(table[i], i);
      struct entry managed *next = table[(i + 1) % count];
      if (step % 4 == 0)
        table[i] = entry(i, next && !next->before ? next : 0);
    }
    for (int k = 0; k < 4; k++)
      wrong += is_wrong(entry(k, 0), k);
  }
}

// Each activation has an entry, and an address in one.
static __attribute__((noinline)) void descend(struct entry managed *managed *table, long deep)
{
  long i = draw(count);

  while (!table[i])
    i = (i + 1) % count;
  struct entry managed *mine = table[i];
  long managed *twice = &mine->twice;
  struct seen managed *seen = cairn_new(struct seen);
  seen->entry = mine;
  unsigned long hash = deep % 3 == 0 ? cairn_identity_hash(mine) : 0;
  struct cairn_handle *handle = deep % 5 == 0 ? cairn_handle_new(mine) : 0;
  if (deep != 0)
    descend(table, deep - 1);
  else
    churn(table);
  wrong += is_wrong(mine, i) || twice != &mine->twice || *twice != 2 * i || seen->entry != mine;
  wrong += hash != 0 && hash != cairn_identity_hash(mine);
  wrong += handle != 0 && (struct entry managed *)cairn_handle_get(handle) != mine;
}

cairn_unmanaged static void listen(void *env, const struct cairn_event *event)
{
  (void)env;
  evacuated += event->kind == CAIRN_EVENT_PHASE_ENDS && strcmp(event->phase, "evacuate") == 0;
}

int main(int argc, char **argv)
{
  if (argc != 5)
    return 2;
  cairn_listen(listen, 0);
  count = atol(argv[1]);
  steps = atol(argv[3]);
  wanted = atol(argv[4]);
  long share = atol(argv[2]);
  struct entry managed *managed *table = cairn_new_array(struct entry managed *, count);

  for (long i = 0; i < count; i++)
    table[i] = entry(i, 0);
  for (long i = 1; i < count; i++)
    if (draw(share) != 0)
      table[i] = 0;
  descend(table, DEEP);
  for (long i = 0; i < count; i++)
    wrong += table[i] && is_wrong(table[i], i);
  printf("%ld wrong, evacuated: %s\n", wrong, evacuated >= wanted ? "yes" : "no");
  return 0;
}
