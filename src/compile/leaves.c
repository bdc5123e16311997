/* SPDX-License-Identifier: Apache-2.0
 *
 * The explicit table of leaves: functions of C's libraries that reach no safepoint, each with the
 * reason (leaves.def). Needs, provides, breaks: nothing.
 */
#include <string.h>
#include "base/check.h"
#include "compile/calls.h"

enum leaf_reason { STRING, MEMORY, VALUE, CTYPE, TIME, STATE, NORETURN, MATH };

static const char *const reasons[] = {
    [STRING] = "table: reads and writes the given memory only",
    [MEMORY] = "table: allocates unmanaged memory, no hook into the program",
    [VALUE] = "table: computes a value, no hook into the program",
    [CTYPE] = "table: looks a character up",
    [TIME] = "table: reads the clock or converts a time, does not block",
    [STATE] = "table: reads or writes process state, does not block",
    [NORETURN] = "table: never returns and runs no exit handlers",
    [MATH] = "table: mathematics",
};

static const struct leaf {
  const char *name;
  enum leaf_reason reason;
} leaves[] = {
#define CN_LEAF(name, reason) {#name, reason},
#include "compile/leaves.def"
#undef CN_LEAF
};

enum { LEAVES = sizeof leaves / sizeof *leaves, BUCKETS = 2048 };

/* The table by hash: it is asked for each call of something external. Number of a leaf plus one. */
struct buckets {
  uint16_t at[BUCKETS];
  bool filled;
};

static unsigned hash(const char *name)
{
  unsigned h = 0;

  for (; *name; name++)
    h = h * 31 + (unsigned char)*name;
  return h % BUCKETS;
}

/* The bucket of `name`: its own, or the empty one where it would be. */
static uint16_t *find(struct buckets *buckets, const char *name)
{
  unsigned i = hash(name);

  while (buckets->at[i] && strcmp(leaves[buckets->at[i] - 1].name, name) != 0)
    i = (i + 1) % BUCKETS;
  return &buckets->at[i];
}

const char *cn_calls_leaf_reason(const char *name)
{
  static _Thread_local struct buckets buckets; /* a constant, in effect */

  _Static_assert(LEAVES < BUCKETS / 2, "probing ends at an empty bucket");
  for (uint16_t i = 0; !buckets.filled && i < LEAVES; i++)
    *find(&buckets, leaves[i].name) = i + 1;
  buckets.filled = true;
  uint16_t found = *find(&buckets, name);
  return found ? reasons[leaves[found - 1].reason] : NULL;
}
