/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library's qsort() sorts an ordinary array of indices; its comparator is managed code that
 * reads managed records and allocates, so a collection may strike while qsort()'s own frame lies
 * between two managed ones.
 *
 *   qsort_callback [records [rounds]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

struct record {
  long key, serial;
};
typedef struct record managed *record_ref;

struct comparison {
  record_ref a, b;
  int result;
};

static record_ref managed *records;
static struct comparison managed *last;
static long comparisons;

static int compare(const void *left, const void *right)
{
  record_ref a = records[*(const int *)left], b = records[*(const int *)right];
  struct comparison managed *now = cairn_new(struct comparison);

  now->a = a;
  now->b = b;
  now->result = a->key != b->key ? (a->key > b->key) - (a->key < b->key)
                                 : (a->serial > b->serial) - (a->serial < b->serial);
  last = now;
  comparisons++;
  return now->result;
}

static unsigned long round_of(int count, unsigned long seed)
{
  int *order = malloc((size_t)count * sizeof *order);
  unsigned long sum = 0;

  records = cairn_new_array(record_ref, count);
  for (int i = 0; i < count; i++) {
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    records[i] = cairn_new(struct record);
    records[i]->key = (long)(seed >> 52);
    records[i]->serial = i;
    order[i] = i;
  }
  record_ref first = records[0];
  qsort(order, (size_t)count, sizeof *order, compare);
  for (int i = 1; i < count; i++)
    if (records[order[i - 1]]->key > records[order[i]]->key) {
      printf("not sorted at %d\n", i);
      exit(1);
    }
  for (int i = 0; i < count; i++)
    sum = sum * 31 + (unsigned long)(records[order[i]]->key * 7 + order[i]);
  free(order);
  if (first != records[0] || (last && !last->a))
    printf("a reference was lost\n");
  return sum;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: qsort_callback [records [rounds]]") < 0;

  int count = argc > 1 ? atoi(argv[1]) : 3000;
  int rounds = argc > 2 ? atoi(argv[2]) : 20;
  unsigned long checksum = 0;

  for (int round = 0; round < rounds; round++)
    checksum = checksum * 7 + round_of(count, (unsigned long)round);
  printf("%d rounds of %d records sorted, checksum %016lx\n", rounds, count, checksum);
  return comparisons < count - 1;
}
