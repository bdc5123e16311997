/* SPDX-License-Identifier: Apache-2.0
 *
 * The server of bench/latency in C: managed C if cairn-cc compiles it, and otherwise C that frees
 * what it drops. Server.java and server.go do the same and print the same.
 *
 * Each server has a table of records, each with a list of cells. A request reads records: it copies
 * each list backwards, and the copy again, and adds up the result. Then it replaces records by new
 * versions. Any version's cells follow from key and version: at the end the program counts the
 * cells that are wrong. The checksum is that of the first requests, whose number is fixed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "meter.h"

#ifdef __CAIRN__
#include <cairn/cairn.h>
#define make(type) cairn_new(type)
#define make_array(type, n) cairn_new_array(type, n)
#define drop(object) ((void)(object))
#else
#define managed
#define make(type) ((type *)malloc(sizeof(type)))
#define make_array(type, n) ((type *)calloc((size_t)(n), sizeof(type)))
#define drop(object) free(object)
#endif

enum {
  VALUES = 5,
  CELLS = 20,
  RECORD_BYTES = 8 + 24 + CELLS * 48, /* its place in the table, itself and its cells */
  READS = 4,
  REPLACED = 4,
  CHECKED = 2000 /* requests of the checksum */
};

struct cell {
  struct cell managed *next;
  long values[VALUES];
};

struct record {
  struct cell managed *cells;
  long key, version;
};

static struct result {
  long checksum, wrong;
  volatile long other; /* keeps the answers of further requests from being removed */
} results[MOST_SERVERS];

static long next_random(long *state)
{
  *state = (*state * 1103515245 + 12345) & 0x7fffffff;
  return *state >> 8;
}

static struct record managed *make_record(long key, long version)
{
  struct cell managed *cells = NULL;

  for (long at = CELLS; at-- > 0;) {
    struct cell managed *cell = make(struct cell);
    for (long i = 0; i < VALUES; i++)
      cell->values[i] = key + 7 * version + 3 * at + i;
    cell->next = cells;
    cells = cell;
  }
  struct record managed *record = make(struct record);
  record->cells = cells;
  record->key = key;
  record->version = version;
  return record;
}

static void drop_list(struct cell managed *list)
{
  while (list != NULL) {
    struct cell managed *next = list->next;
    drop(list);
    list = next;
  }
}

static struct cell managed *copy_backwards(struct cell managed *list, long more)
{
  struct cell managed *copy = NULL;

  for (; list != NULL; list = list->next) {
    struct cell managed *cell = make(struct cell);
    for (long i = 0; i < VALUES; i++)
      cell->values[i] = list->values[i] + more;
    cell->next = copy;
    copy = cell;
  }
  return copy;
}

static long add_up(struct cell managed *list)
{
  long sum = 0;

  for (long at = 1; list != NULL; list = list->next, at++)
    for (long i = 0; i < VALUES; i++)
      sum += at * list->values[i];
  return sum;
}

static long read_record(struct record managed *record)
{
  struct cell managed *first = copy_backwards(record->cells, record->version);
  struct cell managed *second = copy_backwards(first, record->key);
  long sum = add_up(second);

  drop_list(first);
  drop_list(second);
  return sum;
}

static long answer(struct record managed * managed * table, long records, long *random)
{
  long sum = 0;

  for (long i = 0; i < READS; i++)
    sum += read_record(table[next_random(random) % records]);
  for (long i = 0; i < REPLACED; i++) {
    long key = next_random(random) % records;
    struct record managed *old = table[key];
    table[key] = make_record(key, old->version + 1);
    drop_list(old->cells);
    drop(old);
  }
  return sum;
}

static long count_wrong(struct record managed *record, long key)
{
  long wrong = record->key != key, at = 0;

  for (struct cell managed *cell = record->cells; cell != NULL; cell = cell->next, at++)
    for (long i = 0; i < VALUES; i++)
      wrong += cell->values[i] != key + 7 * record->version + 3 * at + i;
  return wrong + (at != CELLS);
}

static void *serve(void *argument)
{
  struct result *result = argument;
  int server = (int)(result - results);
  long records = (meter_mib() << 20) / RECORD_BYTES / meter_servers(), random = 1 + server;
  struct record managed *managed *table = make_array(struct record managed *, records);

  for (long key = 0; key < records; key++)
    table[key] = make_record(key, 0);
  for (long i = 0; i < CHECKED; i++)
    result->checksum += answer(table, records, &random);
  while (meter_next(server))
    result->other = answer(table, records, &random);
  for (long key = 0; key < records; key++)
    result->wrong += count_wrong(table[key], key);
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t threads[MOST_SERVERS];
  long checksum = 0, wrong = 0;

  meter_begin(argc, argv);
  for (int i = 0; i < meter_servers(); i++)
    if (pthread_create(&threads[i], NULL, serve, &results[i]) != 0)
      return 1;
  for (int i = 0; i < meter_servers(); i++) {
    pthread_join(threads[i], NULL);
    checksum += results[i].checksum;
    wrong += results[i].wrong;
  }
  printf("checksum %ld\nwrong %ld\n", checksum, wrong);
  fflush(stdout);
  while (getchar() != EOF)
    ; /* bench/latency reads how much memory the program has had */
  return 0;
}
