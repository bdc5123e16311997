/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks up leaves in an explicit table: functions of C's libraries that reach no safepoint, each with the reason
 * (leaf_functions.def). Each thread has a hash table of the names. Needs, breaks: nothing. Provides:
 * cn_calls_leaf_reason(), cn_calls_leaf_work(), cn_calls_library_name(), cn_calls_reads_references().
 */
#include <string.h>
#include "compile/analysis/calls.h"
#include "compile/core/emitted_names.h"

enum leaf_reason { STRING, MEMORY, VALUE, CTYPE, TIME, STATE, NORETURN, MATH };

static const char *const leaf_reason_texts[] = {
    [STRING] = "table: reads and writes the given memory only",
    [MEMORY] = "table: allocates unmanaged memory, no hook into the program",
    [VALUE] = "table: computes a value, no hook into the program",
    [CTYPE] = "table: looks a character up",
    [TIME] = "table: reads the clock or converts a time, does not block",
    [STATE] = "table: reads or writes process state, does not block",
    [NORETURN] = "table: never returns and runs no exit handlers",
    [MATH] = "table: mathematics",
};

/* The work of a call, in units of src/compile/cost/cost.h. Most string functions take time in proportion to the
 * string's length, which is unknown. */
static const uint64_t work_by_reason[] = {
    [STRING] = CN_WORK_UNKNOWN,
    [MEMORY] = 1000,
    [VALUE] = 400,
    [CTYPE] = 10,
    [TIME] = 2000,
    [STATE] = 1000,
    [NORETURN] = 0,
    [MATH] = 300,
};

static const struct work_exception {
  const char *name;
  uint64_t work;
} work_exceptions[] = {
    {"abs", 2},
    {"ffs", 4},
    {"ffsl", 4},
    {"ffsll", 4},
    {"imaxabs", 2},
    {"labs", 2},
    {"llabs", 2},
    {"fabs", 4},
    {"fabsf", 4},
    {"sqrt", 30},
    {"sqrtf", 30},
    {"mbstowcs", CN_WORK_UNKNOWN},
    {"strerror_r", 1000},
    {"wcstombs", CN_WORK_UNKNOWN},
    {"reallocarray", CN_WORK_UNKNOWN},
    /* Functions of remainders take a step for each bit of the difference of the exponents. */
    {"fmod", 1600},
    {"remainder", 1600},
    {"remquo", 1600},
    {"fmodl", 24000},
    {"remainderl", 24000},
    {"remquol", 24000},
    {"strtold", 10000},
    {"tgammal", 1500},
};

static const struct leaf_function {
  const char *name;
  enum leaf_reason reason;
} leaf_table[] = {
#define CN_LEAF(name, reason) {#name, reason},
#include "compile/analysis/leaf_functions.def"
#undef CN_LEAF
};

enum { LEAF_COUNT = sizeof leaf_table / sizeof *leaf_table, BUCKET_COUNT = 2048 };

/* A hash table of the names, because passes look up the callee of each external call. A bucket has a leaf's index plus
 * one, or 0. */
struct leaf_buckets {
  uint16_t at[BUCKET_COUNT];
  bool filled;
};

static unsigned hash_name(const char *name)
{
  unsigned h = 0;

  for (; *name; name++)
    h = h * 31 + (unsigned char)*name;
  return h % BUCKET_COUNT;
}

static uint16_t *find_bucket(struct leaf_buckets *buckets, const char *name)
{
  unsigned i = hash_name(name);

  while (buckets->at[i] && strcmp(leaf_table[buckets->at[i] - 1].name, name) != 0)
    i = (i + 1) % BUCKET_COUNT;
  return &buckets->at[i];
}

const char *cn_calls_library_name(const char *name)
{
  size_t length = sizeof CN_LIBRARY_PREFIX - 1;

  if (strncmp(name, CN_LIBRARY_PREFIX, length) != 0)
    return name;
  length += name[length] >= '0' && name[length] <= '9';
  return name[length] == '.' ? name + length + 1 : name;
}

bool cn_calls_reads_references(const char *name)
{
  static const char *const readers[] = {
      "bcmp",        "memchr",  "memcmp",  "memmem", "memrchr",      "strcasecmp",    "strchr",
      "strchrnul",   "strcmp",  "strcspn", "strlen", "strncmp",      "strnlen",       "strpbrk",
      "strncasecmp", "strrchr", "strspn",  "strstr", CN_TEXT_LENGTH, CN_TEXT_COMPARE, CN_TEXT_FIND};

  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
    if (strcmp(name, readers[i]) == 0)
      return true;
  return false;
}

static const struct leaf_function *find_leaf(const char *name)
{
  static _Thread_local struct leaf_buckets buckets; /* a constant, in effect */

  _Static_assert(LEAF_COUNT < BUCKET_COUNT / 2, "probing ends at an empty bucket");
  for (uint16_t i = 0; !buckets.filled && i < LEAF_COUNT; i++)
    *find_bucket(&buckets, leaf_table[i].name) = i + 1;
  buckets.filled = true;
  uint16_t found = *find_bucket(&buckets, cn_calls_library_name(name));
  return found ? &leaf_table[found - 1] : NULL;
}

const char *cn_calls_leaf_reason(const char *name)
{
  const struct leaf_function *leaf = find_leaf(name);

  return leaf ? leaf_reason_texts[leaf->reason] : NULL;
}

uint64_t cn_calls_leaf_work(const char *name)
{
  const struct leaf_function *leaf = find_leaf(name);

  for (size_t i = 0; leaf && i < sizeof work_exceptions / sizeof *work_exceptions; i++)
    if (strcmp(work_exceptions[i].name, leaf->name) == 0)
      return work_exceptions[i].work;
  return leaf ? work_by_reason[leaf->reason] : CN_WORK_UNKNOWN;
}
